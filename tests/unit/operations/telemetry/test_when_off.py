"""Without its settings the plugin loads nothing of OpenTelemetry, and changes no program."""

import subprocess
import sys

import pytest

from elcano.graphs.errors import InputInvalid
from elcano.operations.telemetry import start
from elcano.operations.telemetry.settings import TelemetrySettings
from elcano.settings import Settings

PROGRAM = """
import sys
from elcano import worker
from elcano.api.app import create_app
from elcano.graphs.plugin import Surroundings, load_objects, load_registries, open_part
from elcano.settings import Settings
load_registries()
settings = Settings()
for kind in ("starters", "companions", "parts", "routes", "checks", "settings"):
    load_objects(kind)
for start in load_objects("starters"):
    start("worker", settings)
assert open_part("temporal_plugins", settings) == ()
for accompany in load_objects("companions"):
    accompany(Surroundings("worker", settings, None, None))
for check in load_objects("checks"):
    if "telemetry" in check.__module__:
        assert list(check(settings)) == []
create_app(settings)
loaded = ("opentelemetry.sdk", "opentelemetry.exporter", "prometheus_client", "temporalio.contrib.opentelemetry")
print(sorted(name for name in sys.modules if name.startswith(loaded)))
"""


def test_nothing_of_it_is_imported() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


@pytest.mark.parametrize("name", ["traces", "metrics"])
def test_a_missing_extra_is_refused_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(start, "missing_extras", lambda: {"telemetry"})
    with pytest.raises(InputInvalid, match=rf"ELCANO_{name.upper()} needs .*its extra `telemetry`"):
        start.require_extra(TelemetrySettings.model_validate({name: True}))


def test_a_protocol_without_an_exporter_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from elcano.operations.telemetry.providers import require_http_protocol

    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    with pytest.raises(InputInvalid, match="PROTOCOL is 'grpc', and only http/protobuf is spoken"):
        require_http_protocol(Settings())
