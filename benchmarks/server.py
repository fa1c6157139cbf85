"""What the benchmarks share: one real server, workers and the API, activities that do nothing, sizes of histories."""

import asyncio
import itertools
import multiprocessing
import sys
import warnings
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any, Final, NamedTuple

import httpx
import uvloop
from temporalio import activity
from temporalio.client import Client
from temporalio.runtime import LoggingConfig, Runtime, TelemetryConfig, TelemetryFilter
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from elcano.api.app import create_app
from elcano.dev.claims import free_ports
from elcano.dev.stack import child_environment
from elcano.dev.temporal import SEARCH_ATTRIBUTE_KEYS, SERVER_OPTIONS, temporal_binary
from elcano.graphs.contracts import (
    ARCHIVE_RUN,
    PUBLISH_REPORT,
    PublishCall,
    ToolCall,
    ToolResult,
)
from elcano.graphs.records import ArchiveCall
from elcano.graphs.spec.graph import ResearchGraph, SequentialEdge, ToolNode
from elcano.graphs.state.state import ReportRef
from elcano.settings.settings import Settings
from elcano.storage.objects import open_objects
from elcano.storage.payloads import data_converter
from elcano.storage.store import Store
from elcano.testing.temporal import STARTUP
from elcano.worker import HEARTBEAT_THROTTLE
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner

START_SECONDS: Final = 120.0
"""How long the API may take to become ready; of a worker in the place of another it hears within a minute."""


@lru_cache(maxsize=1)
def _runtime() -> Runtime:
    """The SDK's runtime, once a process; only its errors are shown.

    Some benchmarks fill one worker and one server to the brim on purpose. Both then warn of every task and every call
    that took seconds, hundreds of lines between the few that are the result; what was measured says the same. The
    server logs nothing at all: what it refuses reaches the benchmark as an exception.
    """
    level = TelemetryFilter(core_level="ERROR", other_level="ERROR")
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
    await asyncio.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it


def chain_of_noops(length: int) -> ResearchGraph:
    """A graph of `length` nodes in a row, none of which does anything."""
    return chain_of(tuple(ToolNode(id=f"n{number:03d}", tool="noop") for number in range(length)))


def chain_of(nodes: tuple[ToolNode, ...]) -> ResearchGraph:
    """A graph of these nodes, in a row."""
    edges = tuple(SequentialEdge(from_node=one.id, to_node=other.id) for one, other in itertools.pairwise(nodes))
    return ResearchGraph(name="noops", nodes=nodes, edges=edges, entry_node=nodes[0].id, exit_nodes=(nodes[-1].id,))


@activity.defn
async def noop(call: ToolCall) -> ToolResult:
    """Does nothing."""
    return ToolResult(output={"ok": True}, last_event=call.last_event)


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


def research_worker(
    client: Client, queue: str, activities: Sequence[Callable[..., Any]], *others: type, cached: int = 1_000
) -> Worker:
    """A worker of research, and of `others`, that remembers so many workflows."""
    return Worker(
        client,
        task_queue=queue,
        workflows=[ResearchWorkflow, *others],
        activities=activities,
        workflow_runner=workflow_runner(),
        max_concurrent_activities=500,
        max_cached_workflows=cached,
        max_heartbeat_throttle_interval=HEARTBEAT_THROTTLE,
        build_id="benchmark",
    )


class Size(NamedTuple):
    """Of one history."""

    events: int
    size: int
    """Bytes. Payloads over the threshold of the data converter are elsewhere and not counted."""

    def __str__(self) -> str:
        return f"{self.events} events, {self.size / 1000:.0f} kB"


async def measure_history(client: Client, run_id: str) -> Size:
    """The size of a run's history."""
    described = await client.get_workflow_handle(run_id).describe()
    info = described.raw_description.workflow_execution_info
    return Size(info.history_length, info.history_size_bytes)


@contextmanager
def postgresql() -> Iterator[str]:
    """The URL of a PostgreSQL server of its own, which has Apache AGE."""
    folder = Path(mkdtemp(prefix="pg"))  # not in a folder that nobody else may enter: it runs as another user
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgserver.postgres_server import get_server

        server = get_server(folder, cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        rmtree(folder, ignore_errors=True)


@asynccontextmanager
async def served_here(settings: Settings, store: Store, client: Client, queue: str) -> AsyncIterator[httpx.AsyncClient]:
    """The API over a store, in this process."""

    async def connected() -> Client:
        return client

    app = create_app(settings, store=store, client=connected, task_queue=queue)
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as api,
    ):
        yield api


Work = Callable[[Settings], Coroutine[Any, Any, None]]
"""Runs a worker until it is stopped."""


def _run(work: Work, settings: Settings) -> None:
    uvloop.run(work(settings))


@asynccontextmanager
async def working(work: Work, settings: Settings, *, here: bool) -> AsyncIterator[None]:
    """Runs a worker for the duration of the block: as a process of its own, or as a task of this one."""
    if here:
        task = asyncio.create_task(work(settings))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task  # a worker that failed is why nothing else came of it
        return
    process = multiprocessing.get_context("spawn").Process(target=_run, args=(work, settings))
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """Runs the API as a process, from the moment at which it finds a worker."""
    log = settings.data_dir / "api.log"
    with log.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "elcano.api", env=child_environment(settings), stderr=stderr
        )
    try:
        async with httpx.AsyncClient(base_url=settings.base_url, timeout=30, trust_env=False) as client:
            try:
                await asyncio.wait_for(_until_ready(client), START_SECONDS)
            except TimeoutError:
                raise RuntimeError(f"the API is not ready: {log.read_text(encoding='utf-8')}") from None
            yield client
    finally:
        process.terminate()
        await process.wait()


async def _until_ready(client: httpx.AsyncClient) -> None:
    while True:
        try:
            if (await client.get("/readyz")).is_success:
                return
        except httpx.TransportError:  # it does not listen yet
            pass
        await asyncio.sleep(0.2)


def settings_for(client: Client, folder: Path) -> Settings:
    """Of an API and a worker that are processes of their own, with one collection, which is the folder."""
    (port,) = free_ports(1)
    given = {"TEMPORAL_ADDRESS": client.service_client.config.target_host, "data_dir": folder}
    return Settings.model_validate(
        {**given, "api_url": "", "api_port": port, "collections": {"library": folder}, "package_readmes": False}
    )
