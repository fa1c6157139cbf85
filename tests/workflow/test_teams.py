"""Teams on the real server: what is done to them in a sub-iteration, what they tell, and how their budget holds."""

import uuid

import pytest
from temporalio.client import Client

from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.frozen import JsonObject
from elcano.graphs.lifecycle.step_rows import StepRow
from elcano.graphs.mode_choice import MODES
from elcano.graphs.state.budget import Limits, TopUp
from elcano.testing.script import Refused, Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows.research import ResearchWorkflow
from tests.cases import BOTH_WAYS
from tests.control import go_on, pause, section, steer, stop, top_up
from tests.folding import list_step_rows
from tests.workflow.conftest import Start, asking, worker_for
from tests.workflow.test_budget import paused
from tests.workflow.test_steering import COSTS, Gate, root, sections

LIMITS = default_limits(MODES["hierarchical"])


def second_draft(given: JsonObject, team: str = "method") -> bool:
    """Whether this is what the writer of a team is given in its second sub-iteration."""
    return given["question"] == f"What of {team}?" and given.get("iteration") == 2 and "review" in given


@BOTH_WAYS
async def test_events_say_which_team_and_which_sub_iteration(chain: bool, start: Start, script: Script) -> None:
    handle = await start(mode="hierarchical", limits=LIMITS, chain=chain)
    await handle.result()
    kept = sections(script)
    assert kept.keys() == set(script.sections)
    for title, left in kept.items():
        told = [
            event for event in left.events if event.type in ("searching", "synthesizing", "judging", "judge_complete")
        ]
        assert {event.section for event in told} == {title}
        assert {event.path.rpartition(".")[2].partition("-")[0] for event in told} == {"team"}
        assert [event.iteration for event in told if event.type == "judge_complete"] == [1, 2]
        judged = [event for event in told if event.type == "judge_complete"]
        assert [event.data["sufficient"] for event in judged] == [False, True]
        assert judged[0].data["feedback"] == f"judge 1: more on What of {title}?"
        begun = [event.message for event in told if event.type == "judging"]
        assert begun[1].startswith("Judge: judging the draft of sub-iteration 2 of at most 3")
    branches = {branch.section: branch for branch in root(script).run.branches}
    assert {title: (one.status, one.iterations) for title, one in branches.items()} == dict.fromkeys(
        script.sections, ("drafted", 2)
    )


@BOTH_WAYS
async def test_a_stop_in_a_sub_iteration_has_every_team_write_up_what_it_has(
    chain: bool, start: Start, script: Script
) -> None:
    gate = Gate(script, second_draft)
    handle = await start(mode="hierarchical", limits=LIMITS, chain=chain)
    await gate.reached()
    await stop(handle, "enough")
    gate.open()
    result = await handle.result()
    assert result.ending is not None
    assert result.ending.kind == "stopped"
    (published,) = script.published
    assert published.draft is not None
    assert {one.title: one.draft for one in published.sections}["method"] == "draft of What of method?"


@BOTH_WAYS
async def test_a_pause_in_a_sub_iteration_lets_nothing_be_done_twice(chain: bool, start: Start, script: Script) -> None:
    gate = Gate(script, second_draft)
    handle = await start(mode="hierarchical", limits=LIMITS, chain=chain)
    await gate.reached()
    await pause(handle, "lunch")
    gate.open()
    await go_on(handle)
    result = await handle.result()
    assert result.ending is None
    assert script.calls.count("drafter") == script.calls.count("team_judge") == 2 * 3


async def test_teams_are_added_and_dropped_while_others_work_and_all_hear_what_is_said(
    start: Start, script: Script
) -> None:
    gate = Gate(script, second_draft)
    handle = await start(mode="hierarchical", limits=LIMITS)
    await gate.reached()
    await steer(handle, instruction=COSTS, add_sections=(section("law"),), drop_sections=("method",))
    gate.open()
    await handle.result()
    assert [one.title for one in script.published[0].sections] == ["history", "cost", "law"]
    assert sections(script)["method"].run.status == "cancelled"
    law = [given for given in gate.given if given["question"] == "What of law?"]
    assert law
    assert all(given["guidance"] == [COSTS] for given in law)


@BOTH_WAYS
async def test_a_team_that_waits_for_an_iteration_more_goes_on_from_its_judge(
    chain: bool, start: Start, script: Script
) -> None:
    limits = LIMITS.model_copy(update={"iterations": 1, "when_exhausted": "pause"})
    handle = await start(mode="hierarchical", limits=limits, chain=chain)
    snapshot = await paused(handle)
    assert snapshot.paused is not None
    assert snapshot.paused.kind == "iterations"
    await top_up(handle, TopUp(iterations=1))
    result = await handle.result()
    assert result.ending is None
    assert script.calls.count("drafter") == script.calls.count("team_judge") == 2 * 3, "nothing was done again"


@pytest.mark.long
async def test_another_worker_goes_on_in_the_sub_iteration_in_which_one_went_away(
    temporal: Client, script: Script
) -> None:
    queue = run_id = f"run-{uuid.uuid4()}"
    gate = Gate(script, second_draft)
    asked = asking(run_id, mode="hierarchical", limits=LIMITS)
    async with worker_for(temporal, queue, scripted_activities(script), cached_workflows=0):
        handle = await temporal.start_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=queue)
        await gate.reached()
    gate.open()
    async with worker_for(temporal, queue, scripted_activities(script)):
        result = await handle.result()
    assert result.ending is None
    assert script.calls.count("drafter") == script.calls.count("team_judge") == 2 * 3, (
        "what was done was not done again"
    )
    begun = [given for given in gate.given if second_draft(given)]
    assert len(begun) == 2
    assert {given["feedback"] for given in begun} == {"judge 1: more on What of method?"}


@BOTH_WAYS
async def test_a_run_of_which_teams_ended_early_is_partial_and_its_budget_holds(
    chain: bool, start: Start, script: Script
) -> None:
    script.complete_in, script.tokens = 99, 5_000
    limits = Limits(tokens=200_000, iterations=9)
    result = await (await start(mode="hierarchical", limits=limits, chain=chain)).result()
    assert result.ending is not None
    assert result.ending.kind == "sections"
    assert result.usage.tokens <= limits.tokens
    assert all(one.draft for one in script.published[0].sections)
    for left in sections(script).values():
        assert left.log is not None
        assert not [event.message for event in left.events if event.type == "error"]
        steps = [row for row in list_step_rows(left.log, left.events, going_on=False) if isinstance(row, StepRow)]
        assert {row.outcome for row in steps} == {"completed"}
        own = left.log.run.budget
        assert own.used.tokens <= own.limits.tokens


async def test_one_team_that_fails_leaves_a_gap_and_the_others_their_sections(start: Start, script: Script) -> None:
    def broken(given: JsonObject) -> JsonObject:
        if "method" in str(given["question"]):
            raise Refused("broken")
        return Script().answer("drafter", given)

    script.overrides["drafter"] = broken
    await (await start(mode="hierarchical", limits=LIMITS)).result()
    (published,) = script.published
    assert {one.title: one.gap is not None for one in published.sections} == {
        "history": False,
        "method": True,
        "cost": False,
    }
