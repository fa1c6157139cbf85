"""The same scenarios as a graph, as a chain and in memory: the same calls, evidence, story and report."""

from collections import Counter
from typing import Any

import pytest
from temporalio.client import WorkflowFailureError

from elcano.graphs.contracts import CHAIN_MODES, PublishCall
from elcano.graphs.dry_run.in_memory_run import run_in_memory
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.lifecycle import finish as closing
from elcano.graphs.mode_choice import MODES
from elcano.graphs.state.budget import Limits, TopUp
from elcano.graphs.state.events import TERMINAL
from elcano.graphs.text import ensure_list
from elcano.testing.script import Answer, Refused, Script, make_progress_ledger
from tests.cases import long_case
from tests.control import stop, top_up
from tests.workflow.conftest import Start, asking
from tests.workflow.test_budget import paused

OF_GRAPHS = frozenset({"routed", "state_updated"})
"""A chain has neither decisions nor state nodes as steps."""
OF_TEAMS = frozenset({"failing judge", "nothing to search"})


def failing(type: str = "Scripted", topic: str = "") -> Answer:
    def answer(given: JsonObject) -> JsonObject:
        if topic in str(given):
            raise Refused("no such thing", type=type)
        return Script().answer("writer", given)

    return answer


def unanswered(topic: str = "") -> Answer:
    def answer(given: JsonObject) -> JsonObject:
        answers = topic not in str(given)
        return {**Script().answer("writer", given), "answered": answers, "claims": 2 if answers else 0}

    return answer


def led_in_a_circle(script: Script) -> Limits:
    """To search and to judge the same for ever, and every third time nobody that there is."""

    def answer(given: JsonObject) -> JsonObject:
        turn = given.get("iteration", 1)
        assert isinstance(turn, int)
        return make_progress_ledger(("searcher", "judge", "")[turn % 3], "the same again")

    script.overrides["progress_ledger"] = answer
    return Limits(tokens=300_000, iterations=15, resets=1)


def arrange_team(scenario: str, script: Script) -> Limits:
    """The same for what happens in teams alone."""
    if scenario == "failing judge":
        script.overrides["team_judge"] = failing()
    else:
        script.complete_in = 99
        script.overrides["tool_selector"] = lambda given: {"tasks": []}
    return Limits()


def search_as_judged(script: Script) -> Limits:
    """Sections have criteria, and their judge names searches until it has none left."""
    script.complete_in = 99

    def plan(given: JsonObject) -> JsonObject:
        planned = Script().answer("planner", given)
        outline = [one for one in ensure_list(planned["report_outline"]) if isinstance(one, dict)]
        criteria: list[Json] = ["names it"]
        sections: list[Json] = [{**one, "criteria": criteria if place else []} for place, one in enumerate(outline)]
        return {**planned, "report_outline": sections}

    def judge(given: JsonObject) -> JsonObject:
        source, turn = ensure_list(given["sources"])[0], given.get("iteration", 1)
        searches: list[Json] = [{"source": source, "query": f"{given['question']} {turn}"}]
        return {**Script().answer("judge", given), "searches": searches if turn in (1, 3) else []}

    script.overrides |= {"planner": plan, "judge": judge}
    return Limits(iterations=4)


def make_last_searches(script: Script) -> Limits:
    """Sections have criteria, and what their judge wants to be searched is the last."""
    limits = search_as_judged(script)
    judge = script.overrides["judge"]
    assert callable(judge)
    script.overrides["judge"] = lambda given: {**judge(given), "recommendation": "synthesize"}
    return limits


def find_nothing_for_judge(script: Script) -> Limits:
    """The judge names searches that find nothing."""
    limits = search_as_judged(script)
    script.overrides["search"] = lambda given: (
        {"source": given["source"], "query": given["query"]}
        if str(given["query"])[-1:].isdigit()
        else Script().answer("search", given)
    )
    return limits


def arrange(scenario: str, script: Script) -> Limits:
    """Sets the script up for a scenario and returns the run's limits."""
    match scenario:
        case "iterations":
            script.complete_in = 99
            return Limits(iterations=3)
        case "tokens":
            script.complete_in, script.tokens = 99, 2_000
            return Limits(tokens=20_000, iterations=9)
        case "stalled":
            script.complete_in = 99
            script.overrides["search"] = lambda given: {"source": given["source"], "query": given["query"]}
        case "failing node":
            script.overrides["judge"] = failing()
        case "failing search":
            script.overrides["search"] = failing()
        case "refused":
            script.overrides["thinking"] = failing("ModelRefused")
        case "failing exit":
            script.overrides["writer"] = failing()
        case "failing section":
            script.overrides["writer"] = script.overrides["drafter"] = failing(topic="method")
        case "unanswered section":
            script.overrides["writer"] = script.overrides["drafter"] = unanswered(topic="method")
        case "unanswered":
            script.overrides["writer"] = script.overrides["long_writer"] = unanswered()
        case "cut plan":
            return Limits(tokens=60_000)
    return Limits()


ALONE = {
    "led in a circle": led_in_a_circle,
    "judge searches": search_as_judged,
    "last searches": make_last_searches,
    "nothing for judge": find_nothing_for_judge,
}


def essence(published: list[PublishCall]) -> list[dict[str, Any]]:
    return [call.model_dump(exclude={"run_id"}) for call in published]


@pytest.mark.parametrize(
    ("mode", "scenario"),
    [
        ("iterative", "complete"),
        long_case("iterative", "iterations"),
        ("iterative", "tokens"),
        ("iterative", "stalled"),
        ("iterative", "failing node"),
        ("iterative", "judge searches"),
        ("iterative", "last searches"),
        ("iterative", "nothing for judge"),
        long_case("iterative", "failing search"),
        ("iterative", "refused"),
        ("iterative", "failing exit"),
        ("deep", "complete"),
        ("deep", "judge searches"),
        ("deep", "last searches"),
        ("deep", "failing section"),
        long_case("deep", "unanswered section"),
        long_case("deep", "unanswered"),
        long_case("deep", "cut plan"),
        long_case("deep", "failing exit"),
        ("magentic", "complete"),
        long_case("magentic", "led in a circle"),
        ("magentic", "tokens"),
        ("hierarchical", "complete"),
        long_case("hierarchical", "nothing to search"),
        ("hierarchical", "failing judge"),
        long_case("hierarchical", "cut plan"),
        ("simple", "complete"),
        ("simple", "failing exit"),
        ("literature_review", "complete"),
        ("auto", "complete"),
        long_case("auto", "deep"),
        long_case("auto", "magentic"),
        ("auto", "data"),
    ],
)
async def test_graph_chain_and_memory_agree(mode: str, scenario: str, start: Start, script: Script) -> None:
    arrange_alone = ALONE.get(scenario)
    arranged = arrange_alone(script) if arrange_alone else None
    limits = arranged or (arrange_team if scenario in OF_TEAMS else arrange)(scenario, script)
    if mode == "auto" and scenario in MODES:
        script.overrides["input_parser"] = lambda given: {
            "original_query": "q",
            "improved_query": "q",
            "research_mode": scenario,
            "mode_reason": "As was said.",
        }
    seen, stories = [], []
    chains = mode in CHAIN_MODES and (scenario in CHAIN_MODES or scenario not in MODES)
    for chain in (False, True) if chains else (False,):
        handle = await start(mode=mode, limits=limits, chain=chain)
        try:
            result = await handle.result()
            outcome = result.model_dump(exclude={"run_id", "steps"})
        except WorkflowFailureError as error:
            outcome = {"failed": str(error.cause)}
        kept = next(call for call in script.archived if call.run.run_id == handle.id)
        told = sorted((event.type, event.section, event.message) for event in kept.events)
        stories.append(told)
        shared = [one for one in told if one[0] not in OF_GRAPHS]
        seen.append((outcome, essence(script.published), sorted(script.calls), kept.run.evidence, shared))
        for log in (script.published, script.calls, script.archived):
            log.clear()
    graph = seen[0]
    assert seen[1:] == [graph] * (len(seen) - 1)

    asked = asking("in-memory", mode=mode, limits=limits)
    journal = await run_in_memory(asked, script.perform, clock=lambda: 0.0)
    _, published, calls, evidence, _ = graph
    reported = [] if journal.run.failure else [closing.publish_call(asked, journal)]
    assert essence(reported) == published
    assert sorted(script.calls) == calls
    assert tuple(ref.id for ref in journal.run.state.evidence) == evidence
    story = Counter((event.type, event.section, event.message) for event in journal.events)
    more = Counter(stories[0]) - story
    assert not story - Counter(stories[0])
    assert {type for type, _, _ in more} <= {"report_ready", *TERMINAL}, "what is told of publishing and closing"


async def test_a_chain_pauses_and_is_stopped(start: Start, script: Script) -> None:
    script.complete_in = 99
    handle = await start(limits=Limits(iterations=1, when_exhausted="pause"), chain=True)
    await paused(handle)
    await top_up(handle, TopUp(iterations=1))
    await paused(handle, iteration=2)
    await stop(handle, "enough")
    result = await handle.result()
    assert result.ending is not None
    assert (result.ending.kind, result.iterations) == ("stopped", 2)
