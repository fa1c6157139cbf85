"""What is asked of a run: when it is refused, and what it leaves as it was."""

import pytest

from elcano.graphs.engine.control_actions import AddBudget, Pause, RollBack, Unpause, refuse_control
from elcano.graphs.engine.entries import Controlled
from elcano.graphs.engine.step_function import advance_run
from elcano.graphs.state.budget import TopUp
from elcano.graphs.state.failures import FailedTries, Hold
from tests.unit.graphs.samples import begun, completed, two_nodes

GRAPH = two_nodes()
HELD = Hold(reason="provider", node="a", detail="503", tries=1, since=100.0, until=130.0)


def test_a_run_goes_back_to_before_its_current_step_and_no_later_one() -> None:
    run = begun(GRAPH)
    assert run.step == 1
    assert refuse_control(GRAPH, run, RollBack(step=1), closing=False) is None
    refusal = refuse_control(GRAPH, run, RollBack(step=2), closing=False)
    assert refusal == "step 2 does not exist: the run is at step 1"
    further = advance_run(GRAPH, run, completed(run))
    assert refuse_control(GRAPH, further, RollBack(step=2), closing=False) is None


@pytest.mark.parametrize(("reason", "waits"), [("budget", False), ("provider", True), ("approval", True)])
def test_more_budget_ends_a_wait_for_budget_and_no_other(reason: str, waits: bool) -> None:
    held = begun(GRAPH).model_copy(update={"hold": HELD.model_copy(update={"reason": reason})})
    after = advance_run(GRAPH, held, Controlled(at=0.0, action=AddBudget(extra=TopUp(tokens=1_000))))
    assert after.budget.limits.tokens == held.budget.limits.tokens + 1_000
    assert (after.hold is not None) == waits


@pytest.mark.parametrize(("paused_at", "since"), [(150.0, 150.0), (90.0, 200.0)])
def test_a_pause_does_not_count_as_waiting_in_vain(paused_at: float, since: float) -> None:
    """A call that was under way when its run was paused may fail while it is."""
    held = begun(GRAPH).model_copy(update={"hold": HELD, "tried": FailedTries(tries=1, since=100.0)})
    paused = advance_run(GRAPH, held, Controlled(at=0.0, action=Pause(), when=paused_at))
    after = advance_run(GRAPH, paused, Controlled(at=0.0, action=Unpause(), when=200.0))
    assert after.tried is not None
    assert after.tried.since == since
