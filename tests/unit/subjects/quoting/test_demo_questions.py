"""The questions of the demo, researched to the end: every part is answered, from the package that it asks about."""

from pathlib import Path
from typing import Final

import pytest

from elcano.dev.demo import QUESTION, QUESTION_OF_PARTS
from elcano.graphs.catalogue.sources import SOURCES
from elcano.subjects.documents.local_sources import PackageReadmes
from elcano.subjects.documents.source import DocumentsSource
from elcano.testing.research import run_research

ANSWERS: Final = {
    "typer": "Typer is a library for building CLI applications",
    "rich": "Rich can render flexible tables",
    "pydantic": "validate it with Pydantic",
}
SERVED: Final = {"fastapi": "FastAPI is a modern, fast (high-performance), web framework for building APIs"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("mode", "question", "answers"),
    [("iterative", QUESTION, ANSWERS), ("deep", QUESTION_OF_PARTS, ANSWERS | SERVED)],
)
async def test_every_part_is_answered_by_its_package(
    mode: str, question: str, answers: dict[str, str], tmp_path: Path
) -> None:
    source = DocumentsSource(SOURCES["packages"], PackageReadmes(), tmp_path / "index.sqlite")
    try:
        report = (await run_research(question, folder=tmp_path, sources=(source,), mode=mode)).report
    finally:
        await source.close()
    titles = {reference.number: reference.title for reference in report.references}
    quoted = {(titles[one.number], " ".join(one.quote.split())) for one in report.citations if one.number is not None}
    missing = [
        package
        for package, words in answers.items()
        if not any(title == package and words in quote for title, quote in quoted)
    ]
    assert missing == []
    assert report.unverified == ()
    assert not any("Source Code:" in quote for _, quote in quoted)
    assert not any("No sentence was found" in one for one in report.markdown.splitlines())
