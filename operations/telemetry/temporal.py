"""The plugins of Temporal's client that trace and measure runs; they apply to workers too.

The context of a trace travels in headers, by the SDK's own plugin: from the request that starts a run to its workflow,
its activities and sections, and on to the next execution when a run continues as new. Every attempt of an activity has
a span and metrics. Numbers come from there, since nothing replays activities.

Every execution of a run has a span. Spans within workflows have ids and times that a replay repeats, and are exported
once: when they end outside a replay.
"""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from opentelemetry import trace
from opentelemetry.trace import Span
from temporalio import activity, workflow
from temporalio.client import Plugin
from temporalio.contrib.opentelemetry import OpenTelemetryPlugin
from temporalio.exceptions import ApplicationError
from temporalio.plugin import SimplePlugin
from temporalio.runtime import MetricBuffer, MetricBufferDurationFormat, Runtime
from temporalio.service import ConnectConfig, ServiceClient
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    ExecuteWorkflowInput,
    Interceptor,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
)

from elcano.graphs.contracts import AgentCall, AgentResult, ToolCall
from elcano.graphs.records import ArchiveCall
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.tenants import RunScoped
from elcano.measures import TENANT
from elcano.operations.telemetry import names
from elcano.operations.telemetry.providers import get_providers, mark_failed
from elcano.operations.telemetry.settings import TelemetrySettings
from elcano.service.temporal.connection import build_runtime


class TracedRuns(Interceptor):
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
        name = name_run(given) if isinstance(given, ResearchInput) else info.workflow_type
        with trace.get_tracer(names.SCOPE).start_as_current_span(
            f"{names.INVOKE_WORKFLOW} {name}", attributes=_describe_run(given, info)
        ):
            return await super().execute_workflow(input)


def name_run(given: ResearchInput) -> str:
    """Return the mode, and of a branch what it is called and its number: `deep section 3`."""
    if (branch := given.branch_of) is None:
        return given.mode
    _, _, number = branch.path.rpartition("-")
    return f"{given.mode} {branch.part} {number}" if number.isdecimal() else f"{given.mode} {branch.part}"


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


class ObservedActivities(Interceptor):
    """A span and the metrics of every attempt of an activity."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Observe each attempt."""
        return _ObservedAttempt(next)


class _ObservedAttempt(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        given = input.args[0] if input.args else None
        if isinstance(given, RunScoped):
            TENANT.set(given.tenant)
        info, instruments, began = activity.info(), get_providers().instruments, time.monotonic()
        waited = max(0.0, (info.started_time - info.current_attempt_scheduled_time).total_seconds())
        instruments.record(names.SCHEDULE_TO_START, waited, {"queue": info.task_queue})
        kind, name = _name_work(given, info.activity_type)
        outcome = "failed"
        with get_providers().tracer.start_as_current_span(
            _name_span(given, info.activity_type),
            attributes=_describe_attempt(given, info, waited),
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                result = await super().execute_activity(input)
                outcome = "completed"
            except ApplicationError as error:
                mark_failed(span, error.type or type(error).__name__)
                raise
            except BaseException as error:
                mark_failed(span, type(error).__name__)
                outcome = "cancelled" if not isinstance(error, Exception) else outcome
                raise
            finally:
                instruments.record(names.STEPS, 1, {"kind": kind, "name": name, "outcome": outcome})
                instruments.record(names.STEP_DURATION, time.monotonic() - began, {"kind": kind, "name": name})
            if isinstance(result, AgentResult):
                _describe_answer(span, result)
            if isinstance(given, ArchiveCall):
                _count_ended_run(span, given)
        return result


def _name_work(given: object, activity_type: str) -> tuple[str, str]:
    match given:
        case AgentCall():
            return "agent", activity_type
        case ToolCall():
            return "tool", activity_type
        case _:
            return "other", activity_type


def _name_span(given: object, activity_type: str) -> str:
    match given:
        case AgentCall():
            return f"{names.INVOKE_AGENT} {activity_type}"
        case ToolCall() if source := _read_source(given):
            return f"{names.RETRIEVAL} {source}"
        case ToolCall():
            return f"{names.EXECUTE_TOOL} {activity_type}"
        case _:
            return activity_type


def _read_source(call: ToolCall) -> str:
    source = call.input.get("source") if call.tool == "search" else None
    return source if isinstance(source, str) else ""


def _describe_attempt(given: object, info: activity.Info, waited: float) -> Mapping[str, Any]:
    found: dict[str, Any] = {
        names.RUN: info.workflow_id or "",
        names.CONVERSATION: info.workflow_id or "",
        names.ATTEMPT: info.attempt,
        names.QUEUE_SECONDS: waited,
    }
    if isinstance(given, RunScoped):
        found[names.TENANT] = given.tenant
    if isinstance(given, AgentCall | ToolCall):
        found |= {names.STEP: given.step, names.NODE: given.node}
    if isinstance(given, AgentCall):
        found |= {names.OPERATION: names.INVOKE_AGENT, names.AGENT_NAME: given.agent}
    if isinstance(given, ToolCall):
        source = _read_source(given)
        found |= {names.OPERATION: names.RETRIEVAL if source else names.EXECUTE_TOOL, names.TOOL_NAME: given.tool}
        if source:
            found[names.DATA_SOURCE] = source
    return found


def _describe_answer(span: Span, result: AgentResult) -> None:
    span.set_attributes(
        {
            names.RESPONSE_MODEL: result.model,
            f"elcano.all_attempts.{names.INPUT_TOKENS}": result.usage.input_tokens,
            f"elcano.all_attempts.{names.OUTPUT_TOKENS}": result.usage.output_tokens,
        }
    )


def _count_ended_run(span: Span, call: ArchiveCall) -> None:
    """Count a run that was archived; not its sections, which are parts of it."""
    run = call.run
    span.set_attributes({names.STATUS: run.status, names.MODE: run.mode})
    if run.branch_of is not None or run.finished_at is None:
        return
    labels = {"mode": run.mode, "status": run.status}
    instruments = get_providers().instruments
    instruments.record(names.RUNS_ENDED, 1, labels)
    instruments.record(names.RUN_DURATION, max(0.0, run.finished_at - run.started_at), labels)


SDK_UPDATES: Final = 50_000
"""Updates of the SDK's metrics that are kept until they are summed; a busy worker makes some 2,000 a second."""


@cache
def open_sdk_metrics() -> MetricBuffer:
    """Return the buffer of the SDK's metrics of this process."""
    return MetricBuffer(SDK_UPDATES, MetricBufferDurationFormat.SECONDS)


@cache
def open_runtime() -> Runtime:
    """Return the runtime of this process that measures."""
    return build_runtime(open_sdk_metrics())


def build_plugins(chosen: TelemetrySettings) -> Sequence[Plugin]:
    """Return the plugins that the settings ask for."""
    ours = ObservingPlugin(chosen)
    return [OpenTelemetryPlugin(add_temporal_spans=False), ours] if chosen.traces else [ours]


class ObservingPlugin(SimplePlugin):
    """Adds our spans and metrics, and the SDK's metrics."""

    def __init__(self, chosen: TelemetrySettings) -> None:
        self._chosen = chosen
        interceptors: list[Interceptor] = [ObservedActivities()]
        if chosen.traces:
            interceptors.append(TracedRuns())
        super().__init__("elcano.telemetry", interceptors=interceptors)

    async def connect_service_client(
        self, config: ConnectConfig, next: Callable[[ConnectConfig], Awaitable[ServiceClient]]
    ) -> ServiceClient:
        """Connect by the runtime that measures."""
        if self._chosen.metrics and config.runtime is None:
            config = replace(config, runtime=open_runtime())
        return await next(config)
