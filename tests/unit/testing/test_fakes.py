"""The shipped fakes do what their manual says."""

import subprocess
import sys
from pathlib import Path

import pytest

from elcano import testing
from elcano.graphs.errors import SourceRefused
from elcano.graphs.mode_choice import MODES
from elcano.graphs.state.failures import FailureType
from elcano.testing import Failing, Reply, ScriptedModel, ScriptedSource, run_research
from elcano.testing.default_answers import generate_prose

TEXTS = {
    "harbour.md": "The harbour is open from March to October.",
    "island.md": "On the island there is water, and in winter the harbour is closed.",
}


@pytest.fixture
def log() -> ScriptedSource:
    return ScriptedSource("log", TEXTS)


@pytest.mark.parametrize("mode", sorted(MODES))
async def test_every_mode_is_answered_plainly(tmp_path: Path, log: ScriptedSource, mode: str) -> None:
    model = ScriptedModel()
    asked = "When is the harbour open?"
    report, journal = await run_research(asked, folder=tmp_path, sources=[log], model=model, mode=mode)
    assert journal.run.failure is None
    assert report.answered, report.markdown
    assert report.model == "scripted"
    assert {one.title for one in report.references} == set(TEXTS)
    assert report.unverified == ()


async def test_without_a_model_it_is_quoted(tmp_path: Path, log: ScriptedSource) -> None:
    report, _ = await run_research("When is the harbour open?", folder=tmp_path, sources=[log])
    assert report.answered
    assert report.model == "extractive-v6"


async def test_a_model_answers_in_order_and_the_last_answer_again(tmp_path: Path, log: ScriptedSource) -> None:
    gaps = [{"research_complete": False, "outstanding_gaps": [name]} for name in ("one", "two")]
    model = ScriptedModel({"knowledge_gap": [*gaps, {"research_complete": True}]})
    for _ in range(4):
        await run_research("When is the harbour open?", folder=tmp_path, sources=[log], model=model)
    assert [task.gap for task in model.tasks if task.kind == "tool_selector"] == ["one", "two"]
    assert [task.kind for task in model.tasks].count("knowledge_gap") == 4


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("I would rather not say.", FailureType.MODEL_OUTPUT),
        ({"thought": 7}, FailureType.MODEL_OUTPUT),
        (Failing(401, "no such key"), FailureType.MODEL_REFUSED),
        (Failing(400, "too long"), FailureType.REQUEST_REFUSED),
        (Failing(429, retry_after=30), FailureType.PROVIDER),
        (Failing(500), FailureType.PROVIDER),
        (Failing(503), FailureType.PROVIDER),
        (RuntimeError("a wheel came off"), "RuntimeError"),
    ],
)
async def test_a_model_fails_as_it_is_told_to(
    tmp_path: Path, log: ScriptedSource, answer: testing.model.Answer, kind: str
) -> None:
    model = ScriptedModel({"thinking": answer})
    _, journal = await run_research("Why?", folder=tmp_path, sources=[log], model=model)
    failed = [entry.failure.type for entry in journal.entries if entry.kind == "step_failed"]
    assert failed[:1] == [kind]


async def test_what_a_model_uses_is_charged(tmp_path: Path, log: ScriptedSource) -> None:
    reply = Reply(
        {"thought": generate_prose(200)},
        thinking=generate_prose(20),
        reasoning_tokens=1_000,
        input_tokens=40,
        output_tokens=9,
    )
    model = ScriptedModel({"thinking": reply})
    _, journal = await run_research("Why?", folder=tmp_path, sources=[log], model=model)
    first = next(entry for entry in journal.entries if entry.kind == "step_completed" and entry.node == "thinking")
    assert (first.usage.input_tokens, first.usage.output_tokens) == (40, 1_009)
    assert not first.usage.estimated


def test_prose_has_so_many_words() -> None:
    assert [len(generate_prose(words).split()) for words in (0, 1, 10, 4_321)] == [0, 1, 10, 4_321]
    assert generate_prose(4_321) == generate_prose(4_321)


async def test_a_source_finds_by_words_or_as_it_is_told(log: ScriptedSource) -> None:
    found = await log.search("harbour winter", 5)
    assert [one.title for one in found.evidence] == ["island.md", "harbour.md"]
    assert len((await log.search("harbour winter", 1)).evidence) == 1
    assert (await log.search("pancakes", 5)).evidence == ()
    told = ScriptedSource("log", TEXTS, answers={"q": ["harbour.md"], "nothing": []}, warnings=["half of it is gone"])
    assert [one.title for one in (await told.search("q", 5)).evidence] == ["harbour.md"]
    assert (await told.search("nothing", 5)).warnings == ("half of it is gone",)
    assert told.queries == ["q", "nothing"]


async def test_a_source_fails_until_its_error_is_taken_away(tmp_path: Path, log: ScriptedSource) -> None:
    log.error = SourceRefused("nobody is let in")
    report, journal = await run_research("When is the harbour open?", folder=tmp_path, sources=[log])
    assert "nobody is let in" in str(journal.entries)
    assert not report.answered
    log.error = None
    assert (await log.search("harbour", 5)).evidence


def test_what_is_pure_needs_neither_temporal_nor_a_model() -> None:
    program = (
        "import sys\nfrom elcano.testing import Script, make_passages, run_in_memory\n"
        "sys.exit(', '.join(sorted({'temporalio', 'pydantic_ai', 'sqlalchemy', 'httpx'} & set(sys.modules))) or 0)"
    )
    shown = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr


def test_a_name_that_is_not_there_is_an_error_that_lists_those_that_are() -> None:
    with pytest.raises(AttributeError, match=r"no 'FakeModel'; it has: .*ScriptedModel"):
        testing.FakeModel  # noqa: B018
