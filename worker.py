"""The worker: a program that runs research workflows and their activities until it is told to stop.

It waits for a Temporal server that cannot be reached, instead of dying. On SIGTERM or SIGINT it takes no new work,
lets running activities finish for `shutdown_seconds`, and ends.
"""

import asyncio
import logging
import os
import signal
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import uvloop
from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import Worker

import graphs
import workflows
from activities.agent_calls import AgentActivities
from activities.bookkeeping import BookActivities
from activities.publishing import ReportActivities
from activities.similarity.embedder import open_embedder
from activities.sources.registry import Sources, open_sources
from activities.tools import ToolActivities
from graphs.contracts import SEARCH_ATTRIBUTES, TASK_QUEUE
from settings import Settings, settings
from storage.payloads import connect_config
from storage.store import Store, open_store
from workflows.chain import ChainWorkflow
from workflows.research import ResearchWorkflow
from workflows.sandbox import workflow_runner

_log = logging.getLogger("worker")

STICKY_TIMEOUT = timedelta(seconds=3)
"""How long Temporal waits for the worker that holds a workflow in memory before it asks another one. A query to the
runs of a killed worker takes this long; the default of the SDK is 10 s."""
HEARTBEAT_THROTTLE = timedelta(milliseconds=100)
"""Activities beat every few seconds, and whenever there is progress to keep; the SDK would hold that back for 24 s, and
a worker that is killed meanwhile would lose it."""
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 15.0
"""Seconds between two attempts to reach the server: doubled from the first to the longest."""


def build_worker(client: Client, store: Store, sources: Sources, settings: Settings) -> Worker:
    """A worker with everything that a run needs, not yet started.

    Raises:
        InputInvalid: a setting names something that is not there.
    """
    agents = AgentActivities(store, sources, settings)
    tools = ToolActivities(store, sources, open_embedder(settings.embeddings))
    reports = ReportActivities(store)
    books = BookActivities(store)
    return Worker(
        client,
        task_queue=TASK_QUEUE,
        workflows=[ResearchWorkflow, ChainWorkflow],
        activities=[
            agents.run_agent,
            tools.run_tool,
            books.read_usage,
            books.reopen_run,
            reports.publish_report,
            reports.archive_run,
        ],
        workflow_runner=workflow_runner(),
        build_id=build_id(),
        max_cached_workflows=settings.worker_cached_workflows,
        max_concurrent_activities=settings.worker_activities,
        max_heartbeat_throttle_interval=HEARTBEAT_THROTTLE,
        sticky_queue_schedule_to_start_timeout=STICKY_TIMEOUT,
        graceful_shutdown_timeout=timedelta(seconds=settings.shutdown_seconds),
    )


def build_id() -> str:
    """What decides whether a history replays: a hash over the code of the two rooms that workflows are made of.

    Without one the SDK hashes every module of the process, which takes seconds.
    """
    files = sorted(file for room in (graphs, workflows) for file in Path(room.__path__[0]).rglob("*.py"))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


async def connect(settings: Settings) -> Client:
    """A client whose namespace is ready for runs, however long the server takes to appear."""
    config = connect_config(settings)
    pause = FIRST_PAUSE
    while True:
        try:
            client = await Client.connect(**config)
            await ensure_search_attributes(client)
        except (RuntimeError, RPCError) as error:  # RuntimeError is how the SDK says that it cannot connect
            _log.warning("Temporal at %s is not ready, next try in %g s: %s", config["target_host"], pause, error)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        else:
            return client


async def ensure_search_attributes(client: Client) -> None:
    """Registers the search attributes that the namespace lacks.

    Raises:
        RPCError: the server refuses, or the namespace does not exist (yet).
    """
    operator = client.operator_service
    known = await operator.list_search_attributes(ListSearchAttributesRequest(namespace=client.namespace))
    missing = [name for name in SEARCH_ATTRIBUTES if name not in known.custom_attributes]
    if not missing:
        return
    keyword = IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD
    request = AddSearchAttributesRequest(namespace=client.namespace, search_attributes=dict.fromkeys(missing, keyword))
    try:
        await operator.add_search_attributes(request)
    except RPCError as error:
        if error.status != RPCStatusCode.ALREADY_EXISTS:  # another worker was quicker
            raise
    _log.info("registered the search attributes %s", ", ".join(missing))


async def run(settings: Settings) -> None:
    """Works until SIGTERM or SIGINT, then drains. A second signal ends the draining at once."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    client = await connect(settings)
    async with (
        open_store(settings.data_dir) as store,
        open_sources(settings) as sources,
        build_worker(client, store, sources, settings),
    ):
        _log.info("working in namespace %r on task queue %r", client.namespace, TASK_QUEUE)
        try:
            await asyncio.Event().wait()
        finally:
            _log.info("stopping: running activities have %g s to finish", settings.shutdown_seconds)


def main() -> None:
    """The program; its exit code is 0 after a signal and 1 after an error."""
    logging.basicConfig(level=settings().log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    code = 0
    try:
        uvloop.run(run(settings()))
    except asyncio.CancelledError:
        _log.info("stopped")
    except Exception:
        _log.exception("the worker cannot go on")
        code = 1
    logging.shutdown()
    # The SDK's runtime can abort an interpreter that exits in the ordinary way (temporalio/sdk-python#300).
    os._exit(code)


if __name__ == "__main__":
    main()
