"""A led team in memory: dynamic turns, and every limit that ends in a report."""

import pytest

from elcano.graphs.dry_run.dry_run import preview_graph
from elcano.graphs.dry_run.in_memory_run import run_in_memory
from elcano.graphs.frozen import JsonObject
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.lifecycle.start_and_fold import fold
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.state import ResearchState
from elcano.graphs.state.team import Ledger
from elcano.subjects.teams.reducers import Hypotheses, record_hypotheses
from elcano.testing.script import Answer, Refused, Script, make_progress_ledger
from tests.workflow.conftest import asking

ROOMY = Limits(tokens=500_000, iterations=30)


async def walked(script: Script, limits: Limits = ROOMY) -> Journal:
    asked = asking("led", mode="magentic", limits=limits)
    journal = await run_in_memory(asked, script.perform, clock=lambda: 0.0)
    assert fold(asked, journal.entries) == journal.run
    return journal


def ledger_of(journal: Journal) -> Ledger:
    assert journal.run.state.ledger is not None
    return journal.run.state.ledger


def saying(*rounds: JsonObject) -> Answer:
    """One round after the other, the last again and again."""
    left = list(rounds)
    return lambda given: left.pop(0) if len(left) > 1 else left[0]


async def test_who_speaks_next_is_what_the_manager_says() -> None:
    script = Script()
    script.overrides["progress_ledger"] = saying(
        make_progress_ledger("judge", "is there anything"),
        make_progress_ledger("searcher", "find it"),
        make_progress_ledger("hypothesizer", "why"),
        make_progress_ledger("reporter", "go"),
    )
    journal = await walked(script)
    called = [name for name in script.calls if name not in ("task_ledger", "progress_ledger", "search")]
    assert called == ["judge", "tool_selector", "hypothesizer", "writer"]
    assert journal.run.ending is None
    assert [turn.speaker for turn in ledger_of(journal).turns] == ["judge", "searcher", "hypothesizer", "reporter"]
    assert len(journal.run.state.hypotheses) == 2


async def test_the_events_are_those_of_the_team() -> None:
    journal = await walked(Script())
    told = {(event.node, event.type) for event in journal.events}
    assert {
        ("task_ledger", "judging"),
        ("progress_ledger", "judging"),
        ("search", "searching"),
        ("search", "search_complete"),
        ("hypothesizer", "hypothesizing"),
        ("judge", "judging"),
        ("judge", "judge_complete"),
        ("reporter", "synthesizing"),
    } <= told


async def test_two_resets_and_still_a_report_that_says_why_it_is_partial() -> None:
    script = Script()
    script.overrides["progress_ledger"] = lambda given: make_progress_ledger(
        "searcher", f"round {given['iteration']}", progress=False, loop=True
    )
    journal = await walked(script)
    ledger = ledger_of(journal)
    assert (ledger.resets, ledger.stalls) == (2, 3)
    assert script.calls.count("task_ledger") == 3
    assert script.calls[-1] == "writer"
    ending = journal.run.ending
    assert ending is not None
    assert ending.kind == "stalled"
    assert "no reset is left" in ending.detail
    found = len(journal.run.state.evidence)
    assert found == 2 * script.calls.count("tool_selector"), "a reset takes no evidence back"


@pytest.mark.parametrize("resets", [0, 1])
async def test_the_limits_of_stalls_and_resets_are_the_callers(resets: int) -> None:
    script = Script()
    script.overrides["progress_ledger"] = lambda given: make_progress_ledger(
        "searcher", f"round {given['iteration']}", progress=False
    )
    journal = await walked(script, ROOMY.model_copy(update={"stalls": 1, "resets": resets}))
    assert (script.calls.count("task_ledger"), ledger_of(journal).resets) == (resets + 1, resets)


@pytest.mark.parametrize("rounds", [1, 4, 9])
async def test_rounds_that_are_used_up_end_in_a_report(rounds: int) -> None:
    script = Script(complete_in=99)
    journal = await walked(script, Limits(tokens=500_000, iterations=rounds))
    assert journal.run.ending is not None
    assert journal.run.ending.kind == "iterations"
    assert script.calls.count("progress_ledger") == rounds == len(ledger_of(journal).turns)
    assert script.calls[-1] == "writer"


async def test_one_turn_again_and_again_sends_nobody_twice_on_the_same_evidence() -> None:
    script = Script()
    script.overrides["progress_ledger"] = lambda given: make_progress_ledger("judge", "judge it")
    journal = await walked(script)
    assert script.calls.count("judge") == 1
    assert journal.run.ending is not None
    assert journal.run.ending.kind == "stalled"
    assert script.calls[-1] == "writer"


async def test_a_manager_that_names_nobody_ends_in_a_report() -> None:
    script = Script()
    script.overrides["progress_ledger"] = lambda given: make_progress_ledger("", f"round {given['iteration']}")
    journal = await walked(script)
    assert set(script.calls) == {"task_ledger", "progress_ledger", "writer"}
    assert journal.run.ending is not None
    assert journal.run.ending.kind == "stalled"
    assert any(event.type == "routed" and "no speaker" in event.message for event in journal.events)


@pytest.mark.parametrize("failing", ["task_ledger", "progress_ledger", "hypothesizer", "tool_selector", "judge"])
async def test_whoever_fails_for_good_the_report_is_written(failing: str) -> None:
    def fails(given: JsonObject) -> JsonObject:
        raise Refused("scripted")

    script = Script()
    script.overrides[failing] = fails
    journal = await walked(script)
    assert journal.run.ending is not None
    assert journal.run.ending.kind == "node_failed"
    assert script.calls[-1] == "writer"


@pytest.mark.parametrize("tokens", range(14_000, 62_000, 4_000))
async def test_a_budget_that_ends_anywhere_in_a_round_or_a_reset_ends_in_a_report(tokens: int) -> None:
    script = Script(tokens=1_500)
    script.overrides["progress_ledger"] = lambda given: make_progress_ledger(
        "judge" if given["iteration"] == 2 else "searcher", f"round {given['iteration']}", progress=False
    )
    journal = await walked(script, Limits(tokens=tokens, iterations=30, stalls=2))
    assert journal.run.budget.used.tokens <= tokens
    assert journal.run.ending is not None
    assert journal.run.ending.kind in ("tokens", "stalled")
    assert script.calls[-1] == "writer"


@pytest.mark.parametrize("calls", range(1, 12))
async def test_time_that_is_up_after_any_turn_ends_in_a_report(calls: int) -> None:
    script = Script()
    script.overrides["progress_ledger"] = lambda given: make_progress_ledger("judge", "judge it")
    limits = Limits(tokens=500_000, iterations=30, seconds=600, stalls=2, resets=1)
    asked = asking("led", mode="magentic", limits=limits)
    late = 590.0
    journal = await run_in_memory(asked, script.perform, clock=lambda: late if len(script.calls) >= calls else 0.0)
    assert journal.run.ending is not None
    assert journal.run.ending.kind in ("time", "stalled")
    assert (len(script.calls), script.calls[-1]) == (calls + 1, "writer") or journal.run.ending.kind == "stalled"


def test_hypotheses_that_name_what_there_is_not_say_so_once_in_the_report() -> None:
    said = Hypotheses.model_validate({"hypotheses": [{"statement": "It is so"}], "unknown": ["E99"]})
    state = record_hypotheses(record_hypotheses(ResearchState(question="What is it?"), said), said)
    assert [text for text in state.warnings if "'E99'" in text] == list(state.warnings) != []
    assert state.hypotheses == said.hypotheses


async def test_a_dry_run_walks_the_team_and_shows_a_reset() -> None:
    asked = asking("dry", mode="magentic", limits=ROOMY)
    nodes = [step.node for step in (await preview_graph(asked, {})).steps]
    assert [node for node in nodes if node in ("searcher", "hypothesizer", "judge", "reporter")] == [
        *("searcher", "hypothesizer", "judge", "reporter"),
    ]
    stuck = {"progress_ledger": [make_progress_ledger("judge", "again")]}
    again = [step.node for step in (await preview_graph(asked, stuck)).steps]
    assert (again.count("reset"), again[-1]) == (2, "reporter")
