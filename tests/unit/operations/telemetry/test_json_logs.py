"""A log entry is one line of JSON with its run, tenant and trace, and no secrets."""

import json
import logging
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from temporalio.testing import ActivityEnvironment

from elcano.measures import TENANT
from elcano.operations.telemetry.json_logs import JsonFormatter


def format_entry(text: str, *args: object, failing: bool = False) -> dict[str, Any]:
    info = None
    if failing:
        try:
            raise RuntimeError("it broke with sk-abcdefghijklmnop")
        except RuntimeError as error:
            info = (type(error), error, error.__traceback__)
    record = logging.LogRecord("api", logging.WARNING, __file__, 1, text, args, info)
    line = JsonFormatter("api").format(record)
    assert "\n" not in line
    found: dict[str, Any] = json.loads(line)
    return found


def test_an_entry_outside_any_run() -> None:
    entry = format_entry("started %s", "now\nthen")
    assert entry["time"].endswith("Z")
    assert {name: entry[name] for name in ("level", "logger", "program", "message")} == {
        "level": "WARNING",
        "logger": "api",
        "program": "api",
        "message": "started now\nthen",
    }
    assert "run" not in entry


def test_secrets_are_removed_from_messages_and_tracebacks() -> None:
    entry = format_entry("key %s", "sk-abcdefghijklmnop", failing=True)
    assert entry["message"] == "key [removed]"
    assert entry["exception"].endswith("RuntimeError: it broke with [removed]")


async def test_an_entry_of_an_activity_names_run_tenant_and_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> dict[str, Any]:
        TENANT.set("acme")
        with TracerProvider().get_tracer("test").start_as_current_span("step") as span:
            entry = format_entry("working")
            assert entry["trace_id"] == f"{span.get_span_context().trace_id:032x}"
        return entry

    environment = ActivityEnvironment()
    entry = await environment.run(work)
    assert entry["tenant"] == "acme"
    assert entry["run"] == environment.info.workflow_id
