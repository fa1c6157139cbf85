"""The run of one row: one call of a model for a document that can be read, none for others, whatever it is called."""

from collections.abc import AsyncIterator
from pathlib import Path

import jmespath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.doors.evidence_tables.document_graph import (
    LONGEST_PATH,
    MOST_PASSAGES,
    build_document_graph,
    explain_path,
    quote_literal,
)
from elcano.graphs.catalogue.sources import build_collection_spec
from elcano.graphs.checks.validation import require_valid
from elcano.graphs.frozen import JsonObject
from elcano.graphs.spec.graph import ResearchGraph
from elcano.settings import Settings
from elcano.subjects.documents.local_sources import open_collection
from elcano.subjects.documents.source import DocumentsSource
from elcano.testing.model import ScriptedModel
from elcano.testing.research import ResearchOutcome, run_research

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "Dose": {"type": "string", "description": "What was the dose of zinc?"},
        "Harms": {"type": "string", "description": "Which harms occurred, such as vomiting?"},
    },
}
FILLER = "The weather was fair on every day of the year, and nothing happened that anybody wrote down. " * 12


@pytest.fixture
async def source(tmp_path: Path) -> AsyncIterator[DocumentsSource]:
    folder = tmp_path / "trials"
    folder.mkdir()
    (folder / "short.md").write_text("# A trial\n\nThe dose was 15 mg of zinc.\n", encoding="utf-8")
    (folder / "empty.md").write_text("", encoding="utf-8")
    (folder / "it's \\ odd.md").write_text("# Odd\n\nThe dose was 15 mg.\n", encoding="utf-8")
    parts = [f"## Part {number}\n\n{FILLER}\n" for number in range(90)]
    parts[40] = "## Doses\n\nThe dose of zinc was 15 mg a day.\n"
    parts[80] = "## Harms\n\nOf the harms vomiting was the commonest.\n"
    (folder / "long.md").write_text("# A long trial\n\nIt begins here.\n\n" + "\n".join(parts), encoding="utf-8")
    settings = Settings(_env_file=None, data_dir=tmp_path / "index", collections={"trials": folder})
    opened = open_collection(build_collection_spec("trials"), settings)
    yield opened
    await opened.close()


async def fill_row(source: DocumentsSource, folder: Path, document: str, model: ScriptedModel) -> ResearchOutcome:
    graph = ResearchGraph.model_validate(build_document_graph("trials", document, "A 'trial' \\"))
    return await run_research(
        "What was done?", folder=folder, sources=[source], model=model, graph=graph, output_schema=SCHEMA
    )


@pytest.mark.parametrize("document", ["short.md", "it's \\ odd.md"])
async def test_a_document_takes_one_call_and_each_value_has_its_quote(
    source: DocumentsSource, tmp_path: Path, document: str
) -> None:
    model = ScriptedModel()
    came = await fill_row(source, tmp_path / "run", document, model)
    assert [task.kind for task in model.tasks] == ["form_filler"]
    filled = came.report.attachments["structured_answer"]
    assert isinstance(filled["answer"], dict)
    assert "15 mg" in str(filled["answer"]["Dose"])
    assert [one.verdict for one in came.report.citations]
    assert {one.verdict for one in came.report.citations} == {"verified"}
    assert (came.report.title, came.journal.run.ending) == ("A 'trial' \\", None)


@pytest.mark.parametrize(("document", "reason"), [("empty.md", "it is empty"), ("none.md", "deleted or renamed")])
async def test_a_document_that_cannot_be_read_costs_nothing_and_says_why(
    source: DocumentsSource, tmp_path: Path, document: str, reason: str
) -> None:
    model = ScriptedModel()
    came = await fill_row(source, tmp_path / "run", document, model)
    assert model.tasks == []
    assert came.journal.run.ending is not None
    assert reason in came.journal.run.ending.detail
    assert came.journal.run.budget.used.tokens == 0


async def test_of_a_long_document_the_passages_are_read_that_fit_the_columns(
    source: DocumentsSource, tmp_path: Path
) -> None:
    model = ScriptedModel()
    came = await fill_row(source, tmp_path / "run", "long.md", model)
    assert len(came.journal.run.state.evidence) == MOST_PASSAGES
    shown = " ".join(one.text for one in model.tasks[0].evidence)
    for words in ("It begins here", "15 mg a day", "vomiting was the commonest"):
        assert words in shown


@given(st.text(alphabet=st.sampled_from("a'\\\\`\"é\U0001f41f {}[]"), max_size=30))
def test_any_path_is_the_literal_that_it_is_written_as(path: str) -> None:
    assert jmespath.search(quote_literal(path), {}) == path


def test_the_longest_path_fits_into_an_expression_and_a_longer_one_is_refused() -> None:
    assert explain_path("p" * LONGEST_PATH) == ""
    require_valid(
        ResearchGraph.model_validate(build_document_graph(f"uploads:{'a' * 64}", "p" * LONGEST_PATH, "\\" * 1_000))
    )
    assert "401 characters" in explain_path("p" * (LONGEST_PATH + 1))
    assert explain_path("\\" * LONGEST_PATH)
