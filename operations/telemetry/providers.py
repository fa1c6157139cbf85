"""The providers of spans and metrics of this process, and how they export.

Nothing waits for a collector: spans go into a bounded queue, from which a thread sends batches; what does not fit is
dropped. What is exported has no secrets, and no contents unless the operator wants them: all spans leave through one
exporter, those of libraries included, since exceptions of pydantic-ai, for example, repeat what a model answered.
"""

import logging
import os
import socket
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from opentelemetry import metrics, trace
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.sdk.metrics import AlwaysOffExemplarFilter, Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import ExplicitBucketHistogramAggregation, View
from opentelemetry.sdk.resources import (
    SERVICE_INSTANCE_ID,
    SERVICE_NAME,
    SERVICE_VERSION,
    OTELResourceDetector,
    Resource,
)
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Span, Status, StatusCode, TracerProvider
from opentelemetry.util.types import Attributes, AttributeValue
from temporalio.contrib.opentelemetry import ReplaySafeMeterProvider, create_tracer_provider

from elcano import __version__
from elcano.graphs.errors import InputInvalid
from elcano.measures import install_recorder
from elcano.operations.telemetry import names
from elcano.operations.telemetry.measurements import Instruments, KernelRecorder, measure_statements
from elcano.operations.telemetry.names import CONTENTS, SECONDS
from elcano.operations.telemetry.settings import TelemetrySettings
from elcano.redaction import without_these_secrets
from elcano.settings import Settings, list_secrets

if TYPE_CHECKING:
    from elcano.activities.calls.models import Observe


def mark_failed(span: Span, kind: str) -> None:
    """Mark a span as failed, by the type of the error alone."""
    span.set_attribute(names.ERROR_TYPE, kind)
    span.set_status(Status(StatusCode.ERROR))


class SafeSpanExporter(SpanExporter):
    """Hands cleaned copies of spans to another exporter."""

    def __init__(self, inner: SpanExporter, *, contents: bool) -> None:
        self._inner = inner
        self._contents = contents

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export cleaned copies."""
        secrets = list_secrets()
        return self._inner.export([self._clean(span, secrets) for span in spans])

    def shutdown(self) -> None:
        """Shut the exporter down."""
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush the exporter."""
        return self._inner.force_flush(timeout_millis)

    def _clean(self, span: ReadableSpan, secrets: tuple[str, ...]) -> ReadableSpan:
        attributes = self._clean_attributes(span.attributes, secrets)
        if attributes == span.attributes and not span.events and not span.status.description:
            return span
        description = span.status.description if self._contents else None  # it is the exception's text
        return ReadableSpan(
            name=span.name,
            context=span.context,
            parent=span.parent,
            resource=span.resource,
            attributes=attributes,
            events=[
                Event(one.name, self._clean_attributes(one.attributes, secrets), one.timestamp) for one in span.events
            ],
            links=span.links,
            kind=span.kind,
            status=Status(span.status.status_code, description and without_these_secrets(description, secrets)),
            start_time=span.start_time,
            end_time=span.end_time,
            instrumentation_scope=span.instrumentation_scope,
        )

    def _clean_attributes(self, attributes: Attributes, secrets: tuple[str, ...]) -> Mapping[str, AttributeValue]:
        return {
            name: without_these_secrets(value, secrets) if isinstance(value, str) else value
            for name, value in (attributes or {}).items()
            if self._contents or name not in CONTENTS
        }


def build_model_observer(provider: TracerProvider, *, contents: bool) -> "Observe":
    """Build the maker of spans around requests to a model, as pydantic-ai makes them.

    Tokens are measured by the kernel, so the measurements of the library are left out.

    Args:
        provider: Where the spans go.
        contents: Whether they have prompts and answers.
    """
    from pydantic_ai.models.instrumented import InstrumentationSettings, InstrumentedModel  # the API asks no models

    how = InstrumentationSettings(
        tracer_provider=provider,
        meter_provider=NoOpMeterProvider(),
        include_content=contents,
        include_binary_content=False,
        include_model_request_parameters=False,
    )
    return lambda model: InstrumentedModel(model, how)


FLUSH_SECONDS: Final = 1.5
"""Seconds that a program waits for its last spans when it ends; an unreachable collector delays no shutdown further."""
EXPORT_SECONDS: Final = 5.0
"""Time limit of one export, unless `OTEL_EXPORTER_OTLP_TIMEOUT` says otherwise; OpenTelemetry's default is 10 s."""

_installed: list["Providers"] = []


class Providers:
    """The providers of this process."""

    def __init__(self, program: str, chosen: TelemetrySettings, settings: Settings) -> None:
        require_http_protocol(settings)
        resource = describe_process(program, settings)
        timeout = None if settings.key("OTEL_EXPORTER_OTLP_TIMEOUT") else EXPORT_SECONDS
        self.tracer_provider = create_tracer_provider(resource=resource, shutdown_on_exit=False)
        if chosen.traces:
            safe = SafeSpanExporter(OTLPSpanExporter(timeout=timeout), contents=chosen.trace_contents)
            self.tracer_provider.add_span_processor(BatchSpanProcessor(safe))
        readers: list[MetricReader] = [PrometheusMetricReader(scope_info_enabled=False)] if chosen.metrics else []
        if readers and _exports(settings):
            readers.append(PeriodicExportingMetricReader(OTLPMetricExporter()))
        self.meter_provider = MeterProvider(
            readers,
            resource,
            shutdown_on_exit=False,
            # All histograms are of seconds, and have buckets from a millisecond to a day.
            views=[
                View(
                    instrument_type=Histogram,
                    instrument_unit="s",
                    aggregation=ExplicitBucketHistogramAggregation(SECONDS),
                )
            ],
            # Every measurement would be offered to one; OpenTelemetry's variable turns them on.
            exemplar_filter=None if settings.key("OTEL_METRICS_EXEMPLAR_FILTER") else AlwaysOffExemplarFilter(),
        )
        self.tracer = self.tracer_provider.get_tracer(names.SCOPE)
        """Tracer of our spans in activities; making one takes as long as a span."""
        self.instruments = Instruments(self.meter_provider, settings)

    def flush(self) -> None:
        """Export the rest, for `FLUSH_SECONDS` at most; what is left then is lost.

        In a thread that ends with the process: an exporter retries for longer than it is asked to wait.
        """
        exporting = threading.Thread(target=self._export_all, name="last spans", daemon=True)
        exporting.start()
        exporting.join(FLUSH_SECONDS)

    def _export_all(self) -> None:
        self.tracer_provider.force_flush()
        self.meter_provider.force_flush()


def install_providers(program: str, chosen: TelemetrySettings, settings: Settings) -> Providers:
    """Install the providers of this process, once: later calls return those of the first."""
    if _installed:
        return _installed[0]
    found = Providers(program, chosen, settings)
    _installed.append(found)
    trace.set_tracer_provider(found.tracer_provider)
    # Of libraries that measure within a workflow; ours and the SDK's are measured outside, where nothing is replayed.
    metrics.set_meter_provider(ReplaySafeMeterProvider(found.meter_provider))
    install_recorder(KernelRecorder(found.instruments))
    measure_statements(found.instruments)
    return found


def get_providers() -> Providers:
    """Return the providers of this process.

    Raises:
        RuntimeError: none are installed.
    """
    if not _installed:
        raise RuntimeError("telemetry was not started in this process")
    return _installed[0]


def describe_process(program: str, settings: Settings) -> Resource:
    """Describe this process; `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` take precedence."""
    found = Resource({SERVICE_VERSION: __version__, SERVICE_INSTANCE_ID: f"{socket.gethostname()}-{os.getpid()}"})
    if not settings.key("OTEL_SERVICE_NAME"):
        found = found.merge(Resource({SERVICE_NAME: f"elcano-{program}"}))
    return Resource.create().merge(found).merge(OTELResourceDetector().detect())


def require_http_protocol(settings: Settings) -> None:
    """Refuse a protocol for which no exporter is installed.

    Raises:
        InputInvalid: `OTEL_EXPORTER_OTLP_PROTOCOL` is not `http/protobuf`.
    """
    for name in ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"):
        if (said := settings.key(name) or "http/protobuf") != "http/protobuf":
            remedy = "remove it, and give the collector's port for HTTP (usually 4318)"
            raise InputInvalid(name, f"{name} is {said!r}, and only http/protobuf is spoken: {remedy}")


def _exports(settings: Settings) -> bool:
    """Whether metrics are exported."""
    return any(settings.key(f"OTEL_EXPORTER_OTLP_{kind}ENDPOINT") for kind in ("", "METRICS_"))


logging.getLogger("opentelemetry.exporter.otlp").setLevel(logging.ERROR)
