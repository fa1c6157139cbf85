"""The plugin `telemetry`. Nothing of OpenTelemetry is imported unless a setting asks for it."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="telemetry",
    description="Traces and metrics by OpenTelemetry, `/metrics` for Prometheus, and logs as JSON.",
    package="elcano.operations.telemetry",
    settings=(".settings:TelemetrySettings",),
    starters=(".start:start_telemetry",),
    companions=(".start:accompany_program",),
    parts={
        "model_observer": ".start:open_model_observer",
        "temporal_plugins": ".start:build_temporal_plugins",
    },
    routes=(".routes:router",),
    checks=(".start:check_telemetry",),
)
