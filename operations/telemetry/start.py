"""Entry point for programs: it decides by the settings, and imports OpenTelemetry only if something needs it."""

import logging
from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING

from temporalio.client import Plugin

from elcano.activities.services import missing_extras
from elcano.graphs.errors import InputInvalid
from elcano.graphs.extras import EXTRAS
from elcano.graphs.plugin import Surroundings
from elcano.operations.telemetry.settings import TelemetrySettings, read_telemetry_settings
from elcano.redaction import without_secrets
from elcano.settings import Settings
from elcano.settings.plugins import Finding

if TYPE_CHECKING:  # the API asks no models
    from elcano.activities.calls.models import Observe

EXTRA = "telemetry"


def start_telemetry(program: str, settings: Settings) -> None:
    """Set up logs, and traces and metrics as far as they are wanted, before the program opens anything.

    Raises:
        InputInvalid: a setting needs the extra, which is not installed.
    """
    chosen = read_telemetry_settings()
    if chosen.log_format == "json":
        from elcano.operations.telemetry.json_logs import log_as_json

        log_as_json(program)
    if not chosen.observes:
        return
    require_extra(chosen)
    from elcano.operations.telemetry.providers import install_providers

    install_providers(program, chosen, settings)
    logging.getLogger("telemetry").info("%s", describe_choice(chosen))


def accompany_program(surroundings: Surroundings) -> AbstractAsyncContextManager[None]:
    """Return the context that measures in the background while a program works, and flushes when it ends."""
    chosen = read_telemetry_settings()
    if not chosen.observes:
        return nullcontext()
    from elcano.operations.telemetry.companion import observe_program

    return observe_program(surroundings, chosen)


def build_temporal_plugins(settings: Settings) -> Sequence[Plugin]:
    """Return the plugins of Temporal's client and workers that trace, measure and name work in logs."""
    chosen = read_telemetry_settings()
    if not chosen.observes:
        if chosen.log_format != "json":
            return ()
        from temporalio.plugin import SimplePlugin

        from elcano.operations.telemetry.json_logs import WorkNames

        return (SimplePlugin("elcano.logs", interceptors=[WorkNames()]),)
    from elcano.operations.telemetry.temporal import build_plugins

    return build_plugins(chosen)


def open_model_observer(settings: Settings) -> "Observe | None":
    """Return the maker of spans of requests to models; None without traces."""
    chosen = read_telemetry_settings()
    if not chosen.traces:
        return None
    from elcano.operations.telemetry.providers import build_model_observer, get_providers

    return build_model_observer(get_providers().tracer_provider, contents=chosen.trace_contents)


def require_extra(chosen: TelemetrySettings) -> None:
    """Refuse to start without what the settings need.

    Raises:
        InputInvalid: the extra is not installed.
    """
    if EXTRA in missing_extras():
        setting = "traces" if chosen.traces else "metrics"
        variable = f"ELCANO_{setting.upper()}"
        raise InputInvalid(
            setting, f"{variable} needs what is not installed: {EXTRAS[EXTRA].install}, or set it to false"
        )


def describe_choice(chosen: TelemetrySettings) -> str:
    """Describe the telemetry that is on, in one line."""
    contents = " with contents" if chosen.trace_contents else ""
    parts = [f"traces{contents}"] * chosen.traces + ["metrics"] * chosen.metrics
    return f"telemetry: {' and '.join(parts)}"


DEFAULT_ENDPOINT = "http://localhost:4318"


def check_telemetry(settings: Settings) -> Iterable[Finding]:
    """Report whether traces and metrics are recorded, and where they go."""
    chosen = read_telemetry_settings()
    if not chosen.observes:
        return
    try:
        require_extra(chosen)
    except InputInvalid as error:
        yield Finding("fault", f"telemetry cannot start: {error}")
        return
    where = []
    if chosen.traces:
        where.append(f"spans go to {without_secrets(settings.key('OTEL_EXPORTER_OTLP_ENDPOINT') or DEFAULT_ENDPOINT)}")
    if chosen.metrics:
        where.append(f"a worker serves /metrics at {chosen.metrics_host}:{chosen.metrics_port}")
    yield Finding("good", f"{describe_choice(chosen)}; {'; '.join(where)}")
