"""The questions that a newcomer asks first are answered: the demo's, the readme's, the example of the API."""

import re
from pathlib import Path
from typing import Final

import pytest

from elcano.activities.agents.prompt_passages import fit_passages_to_tokens
from elcano.activities.passages.document import Collection
from elcano.dev.demo import QUESTION, QUESTION_OF_PARTS
from elcano.doors.page.ask_page import EXAMPLES
from elcano.graphs.agents.envelope import OfferedSource, TaskEnvelope
from elcano.graphs.catalogue.sources import SOURCES, SourceSpec, build_collection_spec
from elcano.graphs.report.report import ReportDraft
from elcano.service.runs.run_request import RunRequest
from elcano.storage.evidence import Evidence
from elcano.subjects.documents.local_sources import Folder, PackageReadmes
from elcano.subjects.documents.source import DocumentsSource
from elcano.subjects.quoting.planning import plan_searches
from elcano.subjects.quoting.report_writing import write_report
from elcano.text.stems import content_words

ROOT: Final = Path(__file__).parents[4]
LIMIT_BYTES: Final = 20_000_000
PASSAGES: Final = 8


async def draft(question: str, spec: SourceSpec, documents: Collection, index: Path) -> ReportDraft:
    """What a run's first searches and its writer make of `question`."""
    source = DocumentsSource(spec, documents, index)
    try:
        weights = dict(await source.term_weights(content_words(question)))
        offered = (OfferedSource(name=spec.name),)
        asked = TaskEnvelope(
            kind="tool_selector", question=question, gap=question, sources=offered, term_weights=weights
        )
        found: dict[str, Evidence] = {}
        for search in plan_searches(asked).tasks:
            found.update((one.id, one) for one in (await source.search(search.query, PASSAGES)).evidence)
        shown = fit_passages_to_tokens(tuple(found.values()), (), 24_000).items
        return write_report(TaskEnvelope(kind="writer", question=question, evidence=shown, term_weights=weights))
    finally:
        await source.close()


def said(report: ReportDraft) -> str:
    claims = [*report.key_findings, *(claim for section in report.sections for claim in section.claims)]
    return " ".join(" ".join(claim.text for claim in claims).split())


@pytest.mark.long
@pytest.mark.parametrize(
    ("question", "words"),
    [
        (QUESTION, ("Typer is a library for building CLI applications", "render flexible tables", "Pydantic")),
        (QUESTION_OF_PARTS, ("Typer is a library for building CLI applications", "render flexible tables", "Pydantic")),
    ],
)
async def test_the_questions_of_the_demo_are_answered(question: str, words: tuple[str, ...], tmp_path: Path) -> None:
    report = await draft(question, SOURCES["packages"], PackageReadmes(), tmp_path / "index.sqlite")
    assert report.answered
    assert [one for one in words if one not in said(report)] == []


async def test_the_example_of_the_api_is_answered(tmp_path: Path) -> None:
    (question,) = RunRequest.model_fields["question"].examples or [""]
    report = await draft(str(question), SOURCES["packages"], PackageReadmes(), tmp_path / "index.sqlite")
    assert report.answered
    assert "PDFium" in said(report)


async def test_the_examples_of_the_page_are_answered(tmp_path: Path) -> None:
    words = ("orchestration engine", "autoescaping to prevent XSS", "HTTP/1.1 and HTTP/2")
    for question, expected in zip(EXAMPLES, words, strict=True):
        report = await draft(question, SOURCES["packages"], PackageReadmes(), tmp_path / "index.sqlite")
        assert report.answered
        assert expected in said(report)


async def test_the_questions_of_the_readme_are_answered(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    asked = {
        "What is HTTPX and does it support HTTP/2?": "HTTP/1.1 and HTTP/2",
        "How is data validated with Python type hints?": "validate it with Pydantic",
    }
    for question, words in asked.items():
        assert question in readme
        report = await draft(question, SOURCES["packages"], PackageReadmes(), tmp_path / "index.sqlite")
        assert report.answered
        assert words in said(report)


async def test_the_second_command_of_the_readme_is_answered(tmp_path: Path) -> None:
    command = re.search(r'make demo QUESTION="([^"]+)" DOCS=(\w+)', (ROOT / "README.md").read_text(encoding="utf-8"))
    assert command is not None
    report = await draft(
        command[1], build_collection_spec("docs"), Folder(ROOT / command[2], LIMIT_BYTES), tmp_path / "index.sqlite"
    )
    assert report.answered
    assert "budget" in said(report)
    assert "money" in said(report).lower() or "USD" in said(report)
