"""Iterative research from end to end in memory: every way in which it can end."""

import pytest

from elcano.graphs.frozen import JsonObject
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.failures import FailureType
from elcano.testing.script import Answer, Refused, Script
from tests.unit.graphs.samples import research, search_graph


def refusing(*, query: str = "", type: str = "Scripted") -> Answer:
    def answer(given: JsonObject) -> JsonObject:
        if str(given.get("query", "")).endswith(query):
            raise Refused("no such thing", type=type)
        return {"source": "library", "query": str(given["query"]), "evidence": []}

    return answer


def reason(journal: Journal) -> str | None:
    return journal.run.ending.kind if journal.run.ending else None


async def test_it_completes_when_nothing_is_missing() -> None:
    script = Script(complete_in=2)
    run = (await research(script)).run
    turn = ["thinking", "knowledge_gap", "tool_selector", "search", "search", "judge"]
    assert script.calls == ["search", *turn, "thinking", "knowledge_gap", "writer"]
    assert (run.finished, run.ending, run.failure) == (True, None, None)
    assert (run.budget.iterations, run.budget.steps) == (2, 13)
    first, second = run.state.conversation
    assert (first.number, second.number) == (1, 2)
    assert len(first.findings) == 3
    assert [ref.id for ref in run.state.evidence] == [*first.findings]
    assert [(call.found, call.new) for call in first.tool_calls] == [(1, 1)] * 3
    assert run.budget.used.requests == 7


async def test_it_writes_when_the_judge_is_content() -> None:
    script = Script(complete_in=99)
    script.overrides["judge"] = lambda given: {
        "sufficient": True,
        "confidence": 0.9,
        "recommendation": "synthesize",
        "reasoning": "enough",
    }
    journal = await research(script)
    assert (journal.run.finished, reason(journal), journal.run.budget.iterations) == (True, None, 1)


async def test_the_last_iteration_ends_in_a_report() -> None:
    script = Script(complete_in=99)
    journal = await research(script, limits=Limits(iterations=3))
    assert reason(journal) == "iterations"
    assert journal.run.budget.iterations == 3
    assert script.calls.count("judge") == 2, "in the last iteration its answer could change nothing"
    assert script.calls[-1] == "writer"


async def test_spent_tokens_end_in_a_report_within_the_limit() -> None:
    script = Script(complete_in=99, tokens=2_000)
    journal = await research(script, limits=Limits(tokens=30_000))
    assert reason(journal) == "tokens"
    assert script.calls[-1] == "writer"
    assert journal.run.budget.used.tokens <= 30_000


async def test_spent_money_ends_in_a_report() -> None:
    script = Script(complete_in=99)
    journal = await research(script, limits=Limits(cost_microusd=100))
    assert reason(journal) == "cost"
    assert script.calls[-1] == "writer"


async def test_time_that_is_up_ends_in_a_report() -> None:
    script = Script(complete_in=99)
    journal = await research(script, limits=Limits(seconds=60, iterations=50, steps=2_000), seconds_a_call=4.0)
    assert reason(journal) == "time"
    assert script.calls[-1] == "writer"
    assert journal.run.budget.elapsed < 60


async def test_the_last_step_is_the_report() -> None:
    script = Script(complete_in=99)
    journal = await research(script, limits=Limits(steps=6))
    assert (reason(journal), journal.run.budget.steps, script.calls[-1]) == ("steps", 6, "writer")


@pytest.mark.parametrize("name", ["thinking", "knowledge_gap", "tool_selector", "judge"])
async def test_a_failing_node_ends_in_a_report(name: str) -> None:
    script = Script(complete_in=99)
    script.overrides[name] = refusing()
    journal = await research(script)
    assert reason(journal) == "node_failed"
    assert journal.run.failure is None
    assert script.calls.count(name) == 1
    assert script.calls[-1] == "writer"
    assert name not in journal.run.state.outputs


async def test_a_fatal_failure_ends_the_run_at_once() -> None:
    script = Script()
    script.overrides["thinking"] = refusing(type=FailureType.MODEL_REFUSED)
    run = (await research(script)).run
    assert run.failure is not None
    assert (run.finished, run.failure.fatal, script.calls) == (True, True, ["search", "thinking"])


async def test_a_failing_writer_ends_the_run_with_its_evidence() -> None:
    script = Script()
    script.overrides["writer"] = refusing()
    run = (await research(script)).run
    assert run.failure is not None
    assert (run.finished, run.failure.node, len(run.state.evidence)) == (True, "writer", 3)


async def test_a_plan_without_searches_goes_on_to_the_judge() -> None:
    script = Script(complete_in=2)
    script.overrides["tool_selector"] = lambda given: {"tasks": []}
    journal = await research(script)
    assert script.calls.count("search") == 1
    assert script.calls.count("judge") == 1
    assert (reason(journal), len(journal.run.state.evidence)) == (None, 1)


async def test_one_failing_search_leaves_the_others() -> None:
    script = Script()
    script.overrides["search"] = refusing(query=" b")
    journal = await research(script)
    assert reason(journal) == "stalled", "nothing was found"
    first, fine, failed = journal.run.state.conversation[0].tool_calls
    assert (first.error, fine.error, failed.error) == (None, None, "no such thing")
    assert failed.query.endswith(" b")
    assert journal.run.state.warnings == (f"The search for {failed.query!r} in 'library' failed: no such thing",)


async def test_a_single_failing_search_fails_its_node() -> None:
    script = Script()
    script.overrides["search"] = refusing()
    journal = await research(script, graph=search_graph(for_each=None))
    assert (reason(journal), script.calls) == ("node_failed", ["search", "writer"])


async def test_the_same_outcomes_tell_the_same_story() -> None:
    one, two = [await research(Script(complete_in=4), seconds_a_call=1.0) for _ in range(2)]
    assert (one.run, one.entries, one.events) == (two.run, two.entries, two.events)
