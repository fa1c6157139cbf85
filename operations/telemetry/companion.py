"""Background measurements of the API or a worker, and the server of a worker's `/metrics`."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from prometheus_client import start_http_server
from temporalio.client import Client
from temporalio.common import MetricAttributes
from temporalio.contrib.opentelemetry import MetricsExporter
from temporalio.runtime import (
    BUFFERED_METRIC_KIND_COUNTER,
    BUFFERED_METRIC_KIND_HISTOGRAM,
    BufferedMetric,
    BufferedMetricUpdate,
    MetricBuffer,
)

from elcano.graphs.plugin import Surroundings
from elcano.operations.telemetry import names
from elcano.operations.telemetry.providers import get_providers
from elcano.operations.telemetry.queues import count_open_runs, count_waiting_runs, list_queues, read_backlog
from elcano.operations.telemetry.settings import TelemetrySettings
from elcano.operations.telemetry.temporal import open_runtime, open_sdk_metrics
from elcano.redaction import without_secrets

LOOK_SECONDS: Final = 15.0
"""Interval at which the API counts open and waiting runs and asks the server for the backlog of task queues, in
seconds."""
SDK_SECONDS: Final = 5.0
"""Interval at which the SDK's updates are summed, in seconds; the longer they wait, the fewer are left of them."""
TROUBLED_SECONDS: Final = 5.0
"""Delay of the retry if that failed, in seconds: Temporal may be starting."""

_log = logging.getLogger("telemetry")


class SummedUpdates(MetricBuffer):
    """The SDK's updates, of which a step has dozens: counters are added up, of a gauge only the last value counts."""

    def __init__(self, buffer: MetricBuffer) -> None:
        self._buffer = buffer

    def retrieve_updates(self) -> Sequence[BufferedMetricUpdate]:
        """Return the updates since the last time."""
        found: dict[object, BufferedMetricUpdate] = {}
        for number, update in enumerate(self._buffer.retrieve_updates()):
            if update.metric.kind == BUFFERED_METRIC_KIND_HISTOGRAM:
                found[number] = update
                continue
            key = id(update.metric), id(update.attributes)
            if update.metric.kind == BUFFERED_METRIC_KIND_COUNTER and key in found:
                update = Sum(update.metric, found[key].value + update.value, update.attributes)
            found[key] = update
        return list(found.values())


@dataclass(frozen=True)
class Sum:
    """Several updates of a counter as one."""

    metric: BufferedMetric
    value: int | float
    attributes: MetricAttributes


@asynccontextmanager
async def observe_program(around: Surroundings, chosen: TelemetrySettings) -> AsyncIterator[None]:
    """Measure while the block runs, and export the last spans after it."""
    providers = get_providers()
    try:
        async with AsyncExitStack() as stack:
            if chosen.metrics:
                open_runtime()
                await stack.enter_async_context(
                    MetricsExporter(
                        SummedUpdates(open_sdk_metrics()),
                        providers.meter_provider,
                        poll_interval=timedelta(seconds=SDK_SECONDS),
                    )
                )
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
