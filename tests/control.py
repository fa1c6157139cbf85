"""Asking something of a run under way, as the API does."""

from typing import Any

import pytest
from temporalio.client import WorkflowHandle, WorkflowUpdateFailedError

from elcano.graphs.contracts import CONTROL_UPDATE
from elcano.graphs.engine.control_actions import Action, AddBudget, Pause, Stop, Unpause
from elcano.graphs.engine.steering import Steer, Steering
from elcano.graphs.frozen import Json
from elcano.graphs.run_contracts import ControlAnswer, ControlRequest
from elcano.graphs.state.budget import Limits, TopUp
from elcano.graphs.state.plan import SectionPlan


async def ask(handle: WorkflowHandle[Any, Any], action: Action, *, id: str | None = None, by: str = "") -> Json:
    """What the run answers."""
    request = ControlRequest(action=action, by=by)
    told = await handle.execute_update(CONTROL_UPDATE, request, id=id, result_type=ControlAnswer)
    return ControlAnswer.model_validate(told).answer


async def refused(handle: WorkflowHandle[Any, Any], action: Action) -> str:
    """Why the run does not do it."""
    with pytest.raises(WorkflowUpdateFailedError) as raised:
        await ask(handle, action)
    return str(raised.value.cause)


async def stop(handle: WorkflowHandle[Any, Any], reason: str = "", *, id: str | None = None) -> None:
    """Ends the run's research."""
    assert await ask(handle, Stop(reason=reason), id=id) is None


async def top_up(handle: WorkflowHandle[Any, Any], extra: TopUp, *, id: str | None = None) -> Limits:
    """Raises the run's limits, which are returned."""
    return Limits.model_validate(await ask(handle, AddBudget(extra=extra), id=id))


async def pause(handle: WorkflowHandle[Any, Any], reason: str = "", *, by: str = "") -> None:
    """Lets the run rest."""
    assert await ask(handle, Pause(reason=reason), by=by) is None


async def go_on(handle: WorkflowHandle[Any, Any], *, by: str = "") -> None:
    """Continues a run that was paused."""
    assert await ask(handle, Unpause(retry_now=True), by=by) is None


async def steer(handle: WorkflowHandle[Any, Any], *, id: str | None = None, **changes: Any) -> Steering:
    """Has the run go on otherwise; from when on is returned."""
    return Steering.model_validate(await ask(handle, Steer(**changes), id=id))


def section(title: str, question: str = "") -> SectionPlan:
    """A section as somebody adds it."""
    return SectionPlan(title=title, key_question=question or f"What of {title}?")
