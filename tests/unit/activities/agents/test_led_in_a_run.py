"""Led runs through the real agents: what a model says that cannot be used, and what comes of it."""

from pathlib import Path

import pytest

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.team import FACT_CHARACTERS, INSTRUCTION_CHARACTERS, MOST_FACTS, Ledger
from elcano.testing.model import Answers, Reply, ScriptedModel
from elcano.testing.research import ResearchOutcome, run_research
from elcano.testing.script import make_progress_ledger
from elcano.testing.source import ScriptedSource

pytestmark = pytest.mark.of_plugins("teams")

QUESTION = "What does the latest oil cost?"
TEXTS = {"price": "Oil costs 12 euro a litre since May.", "maker": "Oil is made by two makers."}
LIMITS = Limits(tokens=500_000, iterations=20)


async def run(model: ScriptedModel | None, folder: Path, limits: Limits = LIMITS, **texts: str) -> ResearchOutcome:
    source = ScriptedSource("library", texts or TEXTS)
    return await run_research(
        QUESTION, folder=folder, sources=[source], model=model, mode="magentic", limits=limits, today="2026-11-22"
    )


def ledger_of(came: ResearchOutcome) -> Ledger:
    assert came.journal.run.state.ledger is not None
    return came.journal.run.state.ledger


def asked(model: ScriptedModel, kind: str) -> int:
    return sum(task.kind == kind for task in model.tasks)


async def test_a_plain_team_comes_to_a_checked_report(tmp_path: Path) -> None:
    model = ScriptedModel()
    came = await run(model, tmp_path)
    assert came.journal.run.ending is None
    assert [turn.speaker for turn in ledger_of(came).turns] == ["searcher", "hypothesizer", "judge", "reporter"]
    assert came.report.citations
    assert not came.report.unverified
    (supported, _) = came.journal.run.state.hypotheses
    assert set(supported.supports) < {ref.id for ref in came.journal.run.state.evidence}
    writer = next(task for task in model.tasks if task.kind == "writer")
    assert any("Hypotheses: (1) It is so." in turn.thought for turn in writer.conversation)


@pytest.mark.parametrize("name", ["Researcher", "manager", "", "searcher and judge", "\u691c\u7d22\u8005", "x" * 5_000])
async def test_an_unknown_participant_goes_back_once_and_then_counts_as_a_stall(tmp_path: Path, name: str) -> None:
    model = ScriptedModel(
        {
            "progress_ledger": [
                make_progress_ledger(name, "search"),
                make_progress_ledger(name, "search"),
                make_progress_ledger("reporter", "write"),
            ]
        }
    )
    came = await run(model, tmp_path)
    assert [(turn.speaker, turn.stall) for turn in ledger_of(came).turns] == [("", "nobody"), ("reporter", "")]
    assert asked(model, "progress_ledger") == 3


async def test_a_participant_that_is_named_right_the_second_time_speaks(tmp_path: Path) -> None:
    said = [
        make_progress_ledger("Researcher", "search oil"),
        make_progress_ledger("**Searcher**", "search oil"),
        make_progress_ledger("reporter", "write"),
    ]
    model = ScriptedModel({"progress_ledger": said})
    came = await run(model, tmp_path)
    assert [(turn.speaker, turn.stall) for turn in ledger_of(came).turns] == [("searcher", ""), ("reporter", "")]
    assert asked(model, "progress_ledger") == 3


async def test_who_wants_a_report_of_nothing_is_told_so_once(tmp_path: Path) -> None:
    model = ScriptedModel({"progress_ledger": make_progress_ledger("reporter", "write", satisfied=True)})
    came = await run(model, tmp_path)
    assert asked(model, "progress_ledger") == 2
    assert asked(model, "tool_selector") == 0
    assert came.report.citations == ()


async def test_passages_that_there_are_not_go_back_once_and_are_then_left_out_and_said(tmp_path: Path) -> None:
    wrong: JsonObject = {
        "hypotheses": [
            {"statement": "It costs 12 euro", "supports": ["e1", "e99", "<script>"]},
            {"statement": "It costs more", "contradicts": ["e1"]},
        ]
    }
    model = ScriptedModel({"hypothesizer": wrong})
    came = await run(model, tmp_path)
    assert asked(model, "hypothesizer") == 2
    first, second = came.journal.run.state.hypotheses
    known = {ref.id for ref in came.journal.run.state.evidence}
    assert len(first.supports) == len(second.contradicts) == 1
    assert {*first.supports, *second.contradicts} <= known
    assert any("'e99'" in text for text in came.journal.run.state.warnings)


async def test_one_hypothesis_alone_goes_back_and_six_are_cut(tmp_path: Path) -> None:
    one: JsonObject = {"hypotheses": [{"statement": "It is so"}, {"statement": " It  is so "}, {"statement": ""}]}
    six: JsonObject = {"hypotheses": [{"statement": f"It is {number}", "searches": ["a"] * 9} for number in range(6)]}
    model = ScriptedModel({"hypothesizer": [one, six]})
    came = await run(model, tmp_path)
    assert [one.statement for one in came.journal.run.state.hypotheses] == [f"It is {number}" for number in range(4)]
    assert {one.searches for one in came.journal.run.state.hypotheses} == {("a",)}


async def test_two_resets_with_long_ledgers_wrong_names_and_json_in_prose_end_in_a_report(tmp_path: Path) -> None:
    """A model as models are: what it says is too long, in the wrong form at first, slow and of no use."""
    long = {name: [f"{name} {number} " + "x" * 2_000 for number in range(60)] for name in ("given", "plan", "guesses")}
    prose = (
        f"Sure! Here is the ledger:\n```json\n{make_progress_ledger('searcher', 'search oil')}\n```\nI hope this helps."
    )

    def manager(task: TaskEnvelope) -> JsonObject | Reply:
        said = make_progress_ledger("Searcher", f"search {'oil ' * 1_000} {task.iteration}", loop=True, progress=False)
        return Reply(said, seconds=0.01)

    answers: dict[str, Answers] = {"task_ledger": long, "progress_ledger": manager}
    spoken = [prose]
    answers["progress_ledger"] = lambda task: spoken.pop() if spoken else manager(task)
    model = ScriptedModel(answers)
    came = await run(model, tmp_path)
    ledger = ledger_of(came)
    ending = came.journal.run.ending
    assert ending is not None
    assert (ending.kind, ledger.resets, asked(model, "task_ledger")) == ("stalled", 2, 3)
    assert asked(model, "writer") == 1
    assert came.report.citations
    assert came.report.partial is not None
    assert len(ledger.task.plan) == MOST_FACTS
    assert max(map(len, ledger.task.plan)) <= FACT_CHARACTERS
    assert max(len(turn.instruction) for turn in ledger.turns) <= INSTRUCTION_CHARACTERS
    again = [task for task in model.tasks if task.kind == "task_ledger"][1:]
    assert all(task.given["resets"] for task in again)
    assert all(task.evidence for task in again), "new facts are made in view of what was found"


@pytest.mark.of_plugins("rules")
async def test_without_a_key_rules_lead_and_say_so(tmp_path: Path) -> None:
    came = await run(None, tmp_path)
    turns = [turn.speaker for turn in ledger_of(came).turns]
    assert turns[:3] == ["searcher", "hypothesizer", "judge"]
    assert turns[-1] == "reporter"
    assert came.journal.run.ending is None
    assert all(turn.reason.startswith("By rule") for turn in ledger_of(came).turns)
    assert {len(one.supports) for one in came.journal.run.state.hypotheses} <= {0, 1, 2}
    assert all("By rule" in one.reasoning for one in came.journal.run.state.hypotheses)


@pytest.mark.of_plugins("rules")
async def test_without_a_key_and_without_a_passage_the_report_says_that_nothing_was_found(tmp_path: Path) -> None:
    came = await run(None, tmp_path, pancakes="Pancakes are made of flour.")
    assert not came.report.answered
    assert len(ledger_of(came).turns) <= 10
