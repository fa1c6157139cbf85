"""The settings of the plugin. Where data goes, and how traces are sampled, is set by the usual `OTEL_*` variables."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from elcano.settings.plugins import read_plugin_settings


class TelemetrySettings(BaseModel):
    """Settings of traces, metrics and logs."""

    model_config = ConfigDict(frozen=True)

    traces: bool = Field(
        default=False,
        description="Whether traces are exported by OTLP over HTTP, to where `OTEL_EXPORTER_OTLP_ENDPOINT` says "
        "(default: port 4318 of this machine). Set it alike for the API and all workers; it needs the extra "
        "`telemetry`.",
    )
    trace_contents: bool = Field(
        default=False,
        description="Whether spans carry questions, prompts and answers. Without it they carry names and figures only.",
    )
    metrics: bool = Field(
        default=False,
        description="Whether the API and workers measure, and serve the result under `/metrics` for Prometheus. It is "
        "exported by OTLP too if `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT` is set. It "
        "needs the extra `telemetry`.",
    )
    metrics_host: str = Field(
        default="127.0.0.1", description="The address on which a worker serves `/metrics`; `0.0.0.0` for all."
    )
    metrics_port: int = Field(
        default=9464,
        ge=0,
        le=65_535,
        description="The port on which a worker serves `/metrics`; 0: none. A port in use is reported, and the worker "
        "works on without one: give each worker of a machine its own.",
    )
    log_format: Literal["text", "json"] = Field(
        default="text",
        description="How the API and workers write their logs: `text`, or `json`, a line for each entry with its run, "
        "tenant and trace.",
    )

    @property
    def observes(self) -> bool:
        """Whether anything needs OpenTelemetry."""
        return self.traces or self.metrics


def read_telemetry_settings() -> TelemetrySettings:
    """Read the settings of this process."""
    return read_plugin_settings(TelemetrySettings)
