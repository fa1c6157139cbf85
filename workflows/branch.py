"""One branch of a visit, as the run that it belongs to has it."""

from contextlib import suppress
from dataclasses import dataclass

from temporalio import workflow
from temporalio.exceptions import ApplicationError

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import CONTROL_SIGNAL
    from elcano.graphs.engine.commands import BranchStart
    from elcano.graphs.run_contracts import ControlRequest, ResearchResult
    from elcano.graphs.state.budget import TopUp
    from elcano.graphs.state.failures import Ending
    from elcano.graphs.state.holds import Hold, WaitingCall

Child = workflow.ChildWorkflowHandle[object, ResearchResult]


@dataclass
class Branch:
    """A branch that has begun and not ended."""

    run_id: str
    start: BranchStart
    child: Child | None = None
    """None while it is being started."""
    top_ups: int = 0
    """How many it was sent."""
    paused: Ending | None = None
    """Set while it waits: what it is short of."""
    hold: Hold | None = None
    """Set while a call of its own cannot be answered."""
    calls: tuple[WaitingCall, ...] = ()
    """Calls of its own, and of its branches, that wait for approval."""
    granted: TopUp | None = None
    """Its part of a top-up, to be sent once there is room for it to go on."""

    @property
    def handle(self) -> Child:
        """The handle of its workflow, which has started."""
        assert self.child is not None
        return self.child

    @property
    def at_rest(self) -> bool:
        """It needs no room: it has ended, or waits."""
        return self.ended or (self.child is not None and self.paused is not None)

    @property
    def ended(self) -> bool:
        """Its workflow is over; its outcome may not be in the books yet."""
        return self.child is not None and self.child.done()


async def send_branch_control(child: Child, request: ControlRequest) -> None:
    """Asks something of a branch, as the run that it belongs to."""
    with suppress(ApplicationError):  # it ended by itself meanwhile
        await child.signal(CONTROL_SIGNAL, request)
