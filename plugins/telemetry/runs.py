"""A span of every execution of a run, and links between the traces of runs that continue each other.

Spans within workflows have ids and times that a replay repeats, and are exported once: when they end outside a replay.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from opentelemetry import propagate, trace
from temporalio import workflow
from temporalio.client import (
    DescribeWorkflowInput,
    Interceptor,
    OutboundInterceptor,
    StartWorkflowInput,
    WorkflowHandle,
)
from temporalio.service import RPCError
from temporalio.worker import ExecuteWorkflowInput, WorkflowInboundInterceptor, WorkflowInterceptorClassInput
from temporalio.worker import Interceptor as WorkerInterceptor

from elcano.graphs.run_contracts import ResearchInput
from elcano.plugins.telemetry import names

TRACE_MEMO: Final = "elcano_trace"
"""The memo in which an execution keeps its place in a trace, for those that continue its run."""
LOOK_TIMEOUT: Final = timedelta(seconds=2)


class TracedRuns(WorkerInterceptor):
    """A span of every execution of a workflow, from its start to its end, whatever workers died meanwhile."""

    def workflow_interceptor_class(
        self, input: WorkflowInterceptorClassInput
    ) -> type[WorkflowInboundInterceptor] | None:
        """Trace each execution."""
        return _TracedRun


class _TracedRun(WorkflowInboundInterceptor):
    async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:
        info = workflow.info()
        given = input.args[0] if input.args else None
        name = _name_run(given) if isinstance(given, ResearchInput) else info.workflow_type
        with trace.get_tracer(names.SCOPE).start_as_current_span(
            f"{names.INVOKE_WORKFLOW} {name}", attributes=_describe_run(given, info)
        ):
            return await super().execute_workflow(input)


def _name_run(given: ResearchInput) -> str:
    """The mode, and of a branch what it is called: a run and its sections are told apart at a glance."""
    return given.mode if given.branch_of is None else f"{given.mode} {given.branch_of.part}"


def _describe_run(given: object, info: workflow.Info) -> Mapping[str, Any]:
    found: dict[str, Any] = {
        names.OPERATION: names.INVOKE_WORKFLOW,
        names.RUN: info.workflow_id,
        names.CONVERSATION: info.workflow_id,
        names.ATTEMPT: info.attempt,
    }
    if isinstance(given, ResearchInput):
        found |= {names.MODE: given.mode, names.TENANT: given.tenant}
        if given.branch_of is not None:
            found[names.SECTION_OF] = given.branch_of.run_id
    return found


class LinkedStarts(Interceptor):
    """Keeps the place of each execution in its trace, and links the start of one to the run that it continues."""

    def intercept_client(self, next: OutboundInterceptor) -> OutboundInterceptor:
        """Link each start."""
        return _LinkedStart(next)


class _LinkedStart(OutboundInterceptor):
    async def start_workflow(self, input: StartWorkflowInput) -> WorkflowHandle[Any, Any]:
        carrier: dict[str, str] = {}
        propagate.inject(carrier)
        if carrier:
            input.memo = {**(input.memo or {}), TRACE_MEMO: carrier}
        given = input.args[0] if input.args else None
        if isinstance(given, ResearchInput) and (before := _find_continued_run(given)):
            await self._link_to(before)
        return await super().start_workflow(input)

    async def _link_to(self, run_id: str) -> None:
        """Link the current span to the trace of a run; a run that Temporal has forgotten is left out."""
        span = trace.get_current_span()
        asked = DescribeWorkflowInput(id=run_id, run_id=None, rpc_metadata={}, rpc_timeout=LOOK_TIMEOUT)
        try:
            description = await super().describe_workflow(asked)
        except RPCError:
            return
        carrier = await description.memo_value(TRACE_MEMO, default=None, type_hint=dict)
        earlier = trace.get_current_span(propagate.extract(carrier or {})).get_span_context()
        if earlier.is_valid:
            span.add_link(earlier, {names.RUN: run_id})


def _find_continued_run(given: ResearchInput) -> str:
    """The run whose work this one goes on with: itself if it is resumed, or the one that it was forked from."""
    if given.forked_from is not None:
        return given.forked_from.run_id
    if given.follows is not None:
        return given.follows.run_id
    return given.run_id if given.resumed_from is not None else ""
