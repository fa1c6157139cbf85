"""What Temporal's SDK logs goes through our log: without secrets, without colours, as JSON where that is asked for."""

import logging
from typing import Any

import pytest

from elcano.service.temporal import connection


def test_the_sdk_logs_through_our_log(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = {}
    monkeypatch.setattr(connection, "Runtime", lambda **given: made.update(given))
    connection.build_runtime()
    forwarding = made["telemetry"].logging.forwarding
    assert forwarding.logger is logging.getLogger("temporal")
