"""The check of `elcano doctor`: what is observed, and whether its settings can work."""

from collections.abc import Iterable

from elcano.graphs.errors import InputInvalid
from elcano.plugins.telemetry.settings import read_telemetry_settings
from elcano.plugins.telemetry.start import describe_choice, require_extra
from elcano.redaction import without_secrets
from elcano.settings import Settings
from elcano.settings.plugins import Finding

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
