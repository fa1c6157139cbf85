"""One branch of a visit, as its parent run sees it, and the gate that limits how many work at once.

The gate takes the same steps on every version of Python, which asyncio's `Semaphore` does not: a run started by one
Python could not be continued by another.
"""

from collections import deque
from contextlib import suppress
from dataclasses import dataclass

from temporalio import workflow
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes
from temporalio.exceptions import ApplicationError

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import CONTROL_SIGNAL
    from elcano.graphs.engine.entries import BranchStart
    from elcano.graphs.run_contracts import (
        ControlRequest,
        ResearchInput,
        ResearchResult,
        at_start,
        describe_workflow,
        format_label,
    )
    from elcano.graphs.state.budget import TopUp
    from elcano.graphs.state.failures import Ending, Hold, WaitingCall

Child = workflow.ChildWorkflowHandle[object, ResearchResult]


@dataclass
class Branch:
    """A branch that has begun and not ended."""

    run_id: str
    start: BranchStart
    child: Child | None = None
    """None while it is being started."""
    top_ups: int = 0
    """Number of top-ups sent."""
    paused: Ending | None = None
    """Set while it waits: what it is short of."""
    hold: Hold | None = None
    """Set while one of its own calls is held."""
    calls: tuple[WaitingCall, ...] = ()
    """Calls of the branch, and of its own branches, that wait for approval."""
    granted: TopUp | None = None
    """Its share of a top-up, to be sent once there is room for it to continue."""

    @property
    def handle(self) -> Child:
        """The handle of its workflow, which has started."""
        assert self.child is not None
        return self.child

    @property
    def at_rest(self) -> bool:
        """Whether it needs no room: it has ended, or waits."""
        return self.ended or (self.child is not None and self.paused is not None)

    @property
    def ended(self) -> bool:
        """Whether its workflow is over; its outcome may not be recorded yet."""
        return self.child is not None and self.child.done()


async def start_branch(asked: ResearchInput) -> Child:
    """Starts the workflow of a branch, which is cancelled with its run."""
    branch = asked.branch_of
    assert branch is not None
    keyword = SearchAttributeKey.for_keyword
    attributes = [SearchAttributePair(keyword(name), value) for name, value in at_start(asked).items()]
    return await workflow.start_child_workflow(
        workflow.info().workflow_type,
        asked,
        id=asked.run_id,
        result_type=ResearchResult,
        task_timeout=workflow.info().task_timeout,
        parent_close_policy=workflow.ParentClosePolicy.REQUEST_CANCEL,
        cancellation_type=workflow.ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
        search_attributes=TypedSearchAttributes(attributes),
        static_summary=format_label(f"{branch.part.capitalize()}: {branch.section}"),
        static_details=describe_workflow(asked),
    )


async def send_branch_control(child: Child, request: ControlRequest) -> None:
    """Asks something of a branch, as the run that it belongs to."""
    with suppress(ApplicationError):  # it ended by itself meanwhile
        await child.signal(CONTROL_SIGNAL, request)


class Gate:
    """A context manager, `async with gate:`, that at most `width` tasks hold at a time."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._inside = 0
        self._waiting: deque[object] = deque()

    async def __aenter__(self) -> None:
        """Waits until there is room and every earlier caller has been let in."""
        if self._waiting or self._inside >= self._width:
            place = object()
            self._waiting.append(place)
            try:
                await workflow.wait_condition(lambda: self._waiting[0] is place and self._inside < self._width)
            finally:  # one that is cancelled has no room, and is in no one's way
                self._waiting.remove(place)
        self._inside += 1

    async def __aexit__(self, *_: object) -> None:
        self._inside -= 1
