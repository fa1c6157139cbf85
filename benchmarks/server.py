"""What the benchmarks share: one real server, and activities that do nothing."""

import itertools
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from temporalio import activity
from temporalio.client import Client
from temporalio.runtime import LoggingConfig, Runtime, TelemetryConfig, TelemetryFilter
from temporalio.testing import WorkflowEnvironment

from elcano.dev.temporal import SEARCH_ATTRIBUTE_KEYS, SERVER_OPTIONS, temporal_binary
from elcano.graphs.contracts import (
    ARCHIVE_RUN,
    PUBLISH_REPORT,
    PublishCall,
    ToolCall,
    ToolResult,
)
from elcano.graphs.records import ArchiveCall
from elcano.graphs.report.draft import ReportRef
from elcano.graphs.spec.graph import ResearchGraph, SequentialEdge, ToolNode
from elcano.storage.objects import open_objects
from elcano.storage.payloads import data_converter
from elcano.testing.temporal import STARTUP


@lru_cache(maxsize=1)
def _runtime() -> Runtime:
    """The SDK's runtime, once a process; only its errors are shown.

    Some benchmarks fill one worker and one server to the brim on purpose. Both then warn of every task and every call
    that took seconds, hundreds of lines between the few that are the result; what was measured says the same. The
    server logs nothing at all: what it refuses reaches the benchmark as an exception.
    """
    level = TelemetryFilter(core_level="ERROR", other_level="ERROR")
    logging.getLogger("temporalio.activity").setLevel(logging.ERROR)  # scripted calls fail on purpose
    return Runtime(telemetry=TelemetryConfig(logging=LoggingConfig(filter=level)))


@asynccontextmanager
async def temporal_server() -> AsyncIterator[Client]:
    """A client of a fresh embedded server."""
    with TemporaryDirectory() as payloads:
        async with await WorkflowEnvironment.start_local(
            runtime=_runtime(),
            dev_server_existing_path=temporal_binary(),
            dev_server_extra_args=SERVER_OPTIONS,
            dev_server_startup_timeout=STARTUP,
            dev_server_log_level="never",
            search_attributes=SEARCH_ATTRIBUTE_KEYS,
            data_converter=data_converter(open_objects("", Path(payloads))),
        ) as environment:
            yield environment.client


def chain_of_noops(length: int) -> ResearchGraph:
    """A graph of `length` nodes in a row, none of which does anything."""
    nodes = tuple(ToolNode(id=f"n{number:03d}", tool="noop") for number in range(length))
    edges = tuple(SequentialEdge(from_node=one.id, to_node=other.id) for one, other in itertools.pairwise(nodes))
    return ResearchGraph(name="noops", nodes=nodes, edges=edges, entry_node=nodes[0].id, exit_nodes=(nodes[-1].id,))


@activity.defn
async def noop(call: ToolCall) -> ToolResult:
    """Does nothing."""
    return ToolResult(output={"ok": True}, told=call.told)


@activity.defn(name=PUBLISH_REPORT)
async def publish_nothing(call: PublishCall) -> ReportRef:
    """Publishes nothing."""
    return ReportRef(
        artifact="", title="", answered=True, partial=None, words=0, references=0, verified=0, unverified=0
    )


@activity.defn(name=ARCHIVE_RUN)
async def archive_nothing(call: ArchiveCall) -> None:
    """Archives nothing."""


NOOP_ACTIVITIES: Sequence[Callable[..., Any]] = (noop, publish_nothing, archive_nothing)
