"""A report says what is missing of it, and never that sources do not answer which were not searched."""

from pathlib import Path

import pytest

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.errors import SourceRefused
from elcano.graphs.lifecycle.finish import status_of
from elcano.graphs.state.failures import FailureType
from elcano.testing import Failing, ScriptedModel, ScriptedSource, run_research
from elcano.testing.default_answers import build_plain_answer

TEXTS = {
    "harbour.md": "The harbour is open from March to October.",
    "island.md": "On the island there is water, and in winter the harbour is closed.",
}
QUESTION = "When is the harbour open?"
NO_NETWORK = "no address was found for eutils.example.org"


@pytest.fixture
def log() -> ScriptedSource:
    return ScriptedSource("log", TEXTS)


@pytest.fixture
def away() -> ScriptedSource:
    source = ScriptedSource("pubmed", {})
    source.error = SourceRefused(NO_NETWORK)
    return source


@pytest.mark.parametrize("mode", ["literature_review", "iterative", "simple"])
@pytest.mark.parametrize("model", [None, ScriptedModel()], ids=["keyless", "scripted"])
@pytest.mark.of_plugins("literature")
async def test_without_a_source_that_could_be_searched_nothing_is_said_of_what_it_answers(
    tmp_path: Path, away: ScriptedSource, mode: str, model: ScriptedModel | None
) -> None:
    report, journal = await run_research(QUESTION, folder=tmp_path, sources=[away], mode=mode, model=model)
    ending = journal.run.ending
    assert ending is not None
    assert (ending.kind, ending.detail) == ("sources", f"no source could be searched: pubmed ({NO_NETWORK})")
    assert status_of(journal, None, None, cancelled=False) == "partial"
    assert f"no source could be searched: pubmed ({NO_NETWORK})" in report.markdown
    assert "do not answer" not in report.markdown
    assert "Nothing was found" not in report.markdown
    assert "ended early" not in report.markdown


async def test_a_source_that_failed_every_time_makes_a_good_report_partial(
    tmp_path: Path, log: ScriptedSource, away: ScriptedSource
) -> None:
    report, journal = await run_research(QUESTION, folder=tmp_path, sources=[log, away], model=ScriptedModel())
    assert report.answered
    assert journal.run.ending is not None
    assert journal.run.ending.kind == "sources"
    assert f"1 of 2 sources could not be searched: pubmed ({NO_NETWORK})" in report.markdown


async def test_a_source_that_answers_once_is_not_missing(tmp_path: Path, log: ScriptedSource) -> None:
    log.error = SourceRefused("not now")

    def gap(task: TaskEnvelope) -> dict[str, object]:
        log.error = None
        return dict(build_plain_answer(task))

    model = ScriptedModel({"knowledge_gap": gap})
    report, journal = await run_research(QUESTION, folder=tmp_path, sources=[log], model=model)
    assert (report.answered, journal.run.ending) == (True, None)
    assert "not now" in report.markdown, "it is told among the warnings"


OUTLINE = [{"title": title, "key_question": f"When is the {title} open?"} for title in ("harbour", "market", "bridge")]


def refused_in(section: str, agent: str) -> ScriptedModel:
    def answer(task: TaskEnvelope) -> dict[str, object] | Failing:
        return (
            Failing(400, "this content is not allowed") if section in task.question else dict(build_plain_answer(task))
        )

    return ScriptedModel({"planner": {"report_title": "Opening", "report_outline": OUTLINE}, agent: answer})


@pytest.mark.parametrize("agent", ["thinking", "writer"])
async def test_a_refused_request_of_one_section_leaves_the_others(
    tmp_path: Path, log: ScriptedSource, agent: str
) -> None:
    model = refused_in("market", agent)
    mode = "deep" if agent == "thinking" else "deep_brief"
    report, journal = await run_research(QUESTION, folder=tmp_path, sources=[log], model=model, mode=mode)
    assert journal.run.failure is None
    assert report.answered
    assert status_of(journal, None, None, cancelled=False) == "partial"
    whole = {one.title for one in journal.run.state.sections if one.to_write and not one.incomplete}
    assert whole == {"harbour", "bridge"}
    assert "this content is not allowed" in report.markdown


async def test_a_refused_key_ends_the_run_before_its_sections_begin(tmp_path: Path, log: ScriptedSource) -> None:
    model = ScriptedModel({"planner": Failing(401, "no such key")})
    _, journal = await run_research(QUESTION, folder=tmp_path, sources=[log], model=model, mode="deep")
    assert journal.run.failure is not None
    assert (journal.run.failure.type, journal.run.state.sections) == (FailureType.MODEL_REFUSED, ())
