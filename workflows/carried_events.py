"""Carries a run's events in its history, so that followers who watch that need not query the run.

The events of an activation travel with its last command that a history keeps data of: a call, a section, or the end of
the run. They are no input of anything, and a replay repeats them. What cannot be carried is queried: events of an
activation without such a command, more of them than fit, and those of encrypted runs, since headers stay readable.
"""

from typing import TYPE_CHECKING, Any, Final

from temporalio import workflow
from temporalio.api.common.v1 import Payload
from temporalio.worker import ExecuteWorkflowInput, WorkflowInboundInterceptor

from elcano.graphs.contracts import CARRIED_EVENTS, MOST_CARRIED_BYTES
from elcano.graphs.lifecycle.journal import Journal, build_progress_page

if TYPE_CHECKING:
    from temporalio.bridge.proto.workflow_completion import WorkflowActivationCompletion

_CARRIERS: Final = ("schedule_activity", "start_child_workflow_execution", "complete_workflow_execution")


class CarriedEvents:
    """The events of one run that its history does not have yet."""

    def __init__(self) -> None:
        self._journal: Journal | None = None
        self._last = 0
        """The number of the last event that was carried, or that was too much to be."""

    def make_interceptor(self) -> type[WorkflowInboundInterceptor]:
        """Return the interceptor that finds the journal of the run, if its events may be carried."""
        carried = self

        class FindJournal(WorkflowInboundInterceptor):
            async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:
                if not getattr(next(iter(input.args), None), "confidential", True):
                    carried._journal = getattr(workflow.instance(), "journal", None)  # no workflow but a run has one
                return await super().execute_workflow(input)

        return FindJournal

    def attach(self, completion: "WorkflowActivationCompletion") -> None:
        """Add the events that are new to the last command that can carry them."""
        commands = completion.successful.commands
        carrier = next((one for one in reversed(commands) if one.WhichOneof("variant") in _CARRIERS), None)
        if carrier is None or self._journal is None:
            return
        page = build_progress_page(self._journal, self._last)
        self._last = self._journal.last
        data = page.model_dump_json().encode()
        if page.more or len(data) > MOST_CARRIED_BYTES:
            return
        if carrier.HasField("complete_workflow_execution"):
            carrier.complete_workflow_execution.result.metadata[CARRIED_EVENTS] = data
            return
        call, section = carrier.schedule_activity, carrier.start_child_workflow_execution
        headers = call.headers if carrier.HasField("schedule_activity") else section.headers
        headers[CARRIED_EVENTS].CopyFrom(Payload(metadata={"encoding": b"json/plain"}, data=data))
