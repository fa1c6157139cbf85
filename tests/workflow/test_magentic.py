"""A led team on the real server: what people do to it in the midst of a round and of a reset."""

import asyncio

from elcano.graphs.engine.control_actions import RollBack
from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import RunSnapshot
from elcano.graphs.state.budget import Limits, TopUp
from elcano.graphs.state.team import Ledger
from elcano.testing.script import Script, make_progress_ledger
from elcano.workflows.research import ResearchWorkflow
from tests.cases import BOTH_WAYS
from tests.control import ask, go_on, pause, steer, stop, top_up
from tests.workflow.conftest import Handle, Start
from tests.workflow.test_budget import paused
from tests.workflow.test_steering import Gate, root

LIMITS = Limits(tokens=500_000, iterations=30, stalls=2, resets=1)


def circling(script: Script) -> None:
    """The team comes no further, whatever it does."""
    script.overrides["progress_ledger"] = lambda given: make_progress_ledger("judge", "judge it")


def in_a_reset(given: JsonObject) -> bool:
    """Whether a call is the manager's that plans anew."""
    ledger = Ledger.model_validate(given["ledger"]) if given.get("ledger") else Ledger()
    return ledger.resets == 1 and not ledger.since_plan


async def snapshot(handle: Handle) -> RunSnapshot:
    told: RunSnapshot = await handle.query(ResearchWorkflow.snapshot)
    return told


@BOTH_WAYS
async def test_a_pause_and_a_word_in_a_reset(chain: bool, start: Start, script: Script) -> None:
    circling(script)
    gate = Gate(script, in_a_reset)
    handle = await start(mode="magentic", limits=LIMITS, chain=chain)
    await gate.reached()
    shown = await snapshot(handle)
    assert shown.ledger is not None
    assert (shown.node, shown.ledger.resets, shown.ledger.stalls) == ("task_ledger", 1, 0)
    await pause(handle, "wait")
    await steer(handle, instruction="Look at what it costs.")
    gate.open()
    await go_on(handle)
    result = await handle.result()
    assert result.ending is not None
    assert result.ending.kind == "stalled"
    assert script.calls.count("judge") == 2, "after somebody said something the same turn is another one"
    told = root(script).run.ledger
    assert told is not None
    assert (told.resets, told.turns[-1].stall) == (1, "repeated")


@BOTH_WAYS
async def test_a_stop_in_a_reset_ends_in_a_report(chain: bool, start: Start, script: Script) -> None:
    circling(script)
    gate = Gate(script, in_a_reset)
    handle = await start(mode="magentic", limits=LIMITS, chain=chain)
    await gate.reached()
    await stop(handle, "enough")
    gate.open()
    result = await handle.result()
    assert result.ending is not None
    assert result.ending.kind == "stopped"
    assert len(script.published) == 1
    assert script.calls[-1] == "writer"


@BOTH_WAYS
async def test_a_run_that_waits_for_rounds_goes_on_with_more_of_them(chain: bool, start: Start, script: Script) -> None:
    script.complete_in = 3
    limits = LIMITS.model_copy(update={"iterations": 2, "when_exhausted": "pause"})
    handle = await start(mode="magentic", limits=limits, chain=chain)
    await paused(handle)
    assert script.calls.count("progress_ledger") == 2
    await top_up(handle, TopUp(iterations=5))
    result = await handle.result()
    assert (result.ending, result.iterations) == (None, 5)
    assert script.calls.count("progress_ledger") == 5


@BOTH_WAYS
async def test_taken_back_out_of_a_reset_it_counts_as_it_did_then(chain: bool, start: Start, script: Script) -> None:
    circling(script)
    gate = Gate(script, in_a_reset)
    handle = await start(mode="magentic", limits=LIMITS, chain=chain)
    await gate.reached()
    await ask(handle, RollBack(step=2, reason="scripted"))
    gate.open()
    await asyncio.sleep(0)
    result = await handle.result()
    assert result.ending is not None
    assert result.ending.kind == "stalled"
    ledger = root(script).run.ledger
    assert ledger is not None
    assert (ledger.resets, ledger.stalls) == (1, 2)
    assert [turn.round for turn in ledger.turns] == sorted({turn.round for turn in ledger.turns})
