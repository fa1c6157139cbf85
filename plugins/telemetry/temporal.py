"""The plugins of Temporal's client that trace and measure runs; they apply to workers too.

The context of a trace travels in headers, by the SDK's own plugin: from the request that starts a run to its workflow,
its activities and sections, and on to the next execution when a run continues as new.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import Final

from temporalio.client import Interceptor, Plugin
from temporalio.contrib.opentelemetry import OpenTelemetryPlugin
from temporalio.plugin import SimplePlugin
from temporalio.runtime import MetricBuffer, MetricBufferDurationFormat, Runtime, TelemetryConfig
from temporalio.service import ConnectConfig, ServiceClient
from temporalio.worker import Interceptor as WorkerInterceptor

from elcano.graphs.contracts import WORKER_BEAT_SECONDS
from elcano.plugins.telemetry.attempts import ObservedActivities
from elcano.plugins.telemetry.runs import LinkedStarts, TracedRuns
from elcano.plugins.telemetry.settings import TelemetrySettings

SDK_UPDATES: Final = 50_000
"""Updates of the SDK's metrics that are kept until the next second's export; a busy worker makes some thousands."""


@cache
def open_sdk_metrics() -> MetricBuffer:
    """Return the buffer of the SDK's metrics of this process."""
    return MetricBuffer(SDK_UPDATES, MetricBufferDurationFormat.SECONDS)


@cache
def open_runtime() -> Runtime:
    """Return the runtime of this process that measures."""
    return Runtime(
        telemetry=TelemetryConfig(metrics=open_sdk_metrics()),
        worker_heartbeat_interval=timedelta(seconds=WORKER_BEAT_SECONDS),
    )


def build_plugins(chosen: TelemetrySettings) -> Sequence[Plugin]:
    """Return the plugins that the settings ask for."""
    ours = ObservingPlugin(chosen)
    return [OpenTelemetryPlugin(add_temporal_spans=False), ours] if chosen.traces else [ours]


class ObservingPlugin(SimplePlugin):
    """Adds our spans and metrics, and the SDK's metrics."""

    def __init__(self, chosen: TelemetrySettings) -> None:
        self._chosen = chosen
        interceptors: list[Interceptor | WorkerInterceptor] = [ObservedActivities()]
        if chosen.traces:
            interceptors += [TracedRuns(), LinkedStarts()]
        super().__init__("elcano.telemetry", interceptors=interceptors)

    async def connect_service_client(
        self, config: ConnectConfig, next: Callable[[ConnectConfig], Awaitable[ServiceClient]]
    ) -> ServiceClient:
        """Connect by the runtime that measures."""
        if self._chosen.metrics and config.runtime is None:
            config = replace(config, runtime=open_runtime())
        return await next(config)
