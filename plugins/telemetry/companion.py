"""What measures in the background while the API or a worker works, and what serves a worker's `/metrics`."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import Final, get_args

from prometheus_client import start_http_server
from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.contrib.opentelemetry import MetricsExporter

from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.contracts import TASK_QUEUE, model_queue
from elcano.graphs.mode_choice import MODES
from elcano.graphs.plugin import Surroundings
from elcano.graphs.run_contracts import WAITING_ATTRIBUTE
from elcano.graphs.state.failures import HoldReason
from elcano.plugins.telemetry import names
from elcano.plugins.telemetry.providers import get_providers
from elcano.plugins.telemetry.settings import TelemetrySettings
from elcano.plugins.telemetry.temporal import open_runtime, open_sdk_metrics
from elcano.redaction import without_secrets
from elcano.settings import Settings

LOOK_SECONDS: Final = 15.0
"""How often the API counts open and waiting runs, and asks the server for the backlog of task queues."""
TROUBLED_SECONDS: Final = 5.0
"""How soon it tries again if that failed: Temporal may be starting."""
CALL_TIMEOUT: Final = timedelta(seconds=5)
_TYPES: Final = {
    "workflow": TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    "activity": TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
}

_log = logging.getLogger("telemetry")


@asynccontextmanager
async def observe_program(around: Surroundings, chosen: TelemetrySettings) -> AsyncIterator[None]:
    """Measure while the block runs, and export the last spans after it."""
    providers = get_providers()
    try:
        async with AsyncExitStack() as stack:
            if chosen.metrics:
                open_runtime()
                await stack.enter_async_context(MetricsExporter(open_sdk_metrics(), providers.meter_provider))
                if around.program == "worker":
                    serve_metrics(chosen)
                else:
                    looking = asyncio.create_task(_look_regularly(around), name="look at runs and queues")
                    stack.callback(looking.cancel)
            yield
    finally:
        await asyncio.to_thread(providers.flush)


def serve_metrics(chosen: TelemetrySettings) -> None:
    """Serve `/metrics` on the worker's port, from a thread of its own; a port in use is reported."""
    if not chosen.metrics_port:
        return
    try:
        start_http_server(chosen.metrics_port, chosen.metrics_host)
    except OSError as error:
        place = f"{chosen.metrics_host}:{chosen.metrics_port}"
        _log.error("/metrics cannot be served at %s (%s): set ELCANO_METRICS_PORT to a free port", place, error)


async def _look_regularly(around: Surroundings) -> None:
    """Look at runs and queues until cancelled; values that cannot be had are left out rather than old."""
    instruments = get_providers().instruments
    while True:
        pause = LOOK_SECONDS
        try:
            instruments.set_gauge(names.RUNS_OPEN, await count_open_runs(around))
            client: Client = await around.connect()
            instruments.set_gauge(names.RUNS_WAITING, await count_waiting_runs(client))
            backlog, ages = await read_backlog(client, list_queues(around.settings))
            instruments.set_gauge(names.QUEUE_BACKLOG, backlog)
            instruments.set_gauge(names.QUEUE_AGE, ages)
        except Exception as error:
            for metric in (names.RUNS_OPEN, names.RUNS_WAITING, names.QUEUE_BACKLOG, names.QUEUE_AGE):
                instruments.set_gauge(metric, {})
            _log.warning("runs and queues cannot be counted now: %s", without_secrets(str(error)))
            pause = TROUBLED_SECONDS
        await asyncio.sleep(pause)


async def count_open_runs(around: Surroundings) -> Mapping[tuple[str, ...], float]:
    """Count the runs of all tenants that have not ended, by state and mode."""
    none_yet = {(state, mode): 0 for state in ("starting", "running") for mode in MODES}
    counted: Counter[tuple[str, ...]] = Counter(none_yet)
    for one in await around.store.open_runs(limit=around.settings.open_runs):
        counted["running" if one.begun else "starting", one.run.mode] += 1
    return counted


async def count_waiting_runs(client: Client) -> Mapping[tuple[str, ...], float]:
    """Count the runs and sections that wait, by reason."""
    found: dict[tuple[str, ...], float] = {}
    for reason in get_args(HoldReason):
        query = f"ExecutionStatus = 'Running' AND {WAITING_ATTRIBUTE} = '{reason}'"
        found[(reason,)] = float((await client.count_workflows(query, rpc_timeout=CALL_TIMEOUT)).count)
    return found


def list_queues(settings: Settings) -> list[str]:
    """List the task queues of runs, sources and models."""
    sources = (spec.queue for spec in SOURCES.values() if spec.queue)
    return list(dict.fromkeys([TASK_QUEUE, *sources, *map(model_queue, settings.model_rates)]))


async def read_backlog(
    client: Client, queues: list[str]
) -> tuple[Mapping[tuple[str, ...], float], Mapping[tuple[str, ...], float]]:
    """Read how many tasks wait in each queue, and for how many seconds the oldest has waited."""
    backlog: dict[tuple[str, ...], float] = {}
    ages: dict[tuple[str, ...], float] = {}
    for queue in queues:
        for name, kind in _TYPES.items():
            asked = DescribeTaskQueueRequest(
                namespace=client.namespace,
                task_queue=TaskQueue(name=queue),
                task_queue_type=kind,
                report_stats=True,
            )
            stats = (await client.workflow_service.describe_task_queue(asked, timeout=CALL_TIMEOUT)).stats
            backlog[queue, name] = float(stats.approximate_backlog_count)
            ages[queue, name] = stats.approximate_backlog_age.ToTimedelta().total_seconds()
    return backlog, ages
