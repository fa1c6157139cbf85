"""Every time in an answer is RFC 3339 in UTC, as the document says."""

import json
from datetime import UTC, datetime
from typing import Any

import httpx
from fastapi import FastAPI

from elcano.graphs.state.events import AgentEvent
from elcano.service.fields import event_view, format_rfc3339, with_moments
from elcano.storage.store import Store
from tests.api.test_results import reported as reported

NOW = 1_795_000_000.25
SAID = "2026-11-18T11:06:40.250000Z"


def test_a_moment_is_written_in_one_form() -> None:
    assert datetime.fromisoformat(format_rfc3339(NOW)) == datetime.fromtimestamp(NOW, UTC)
    assert (format_rfc3339(0.0), format_rfc3339(NOW)) == ("1970-01-01T00:00:00.000000Z", SAID)


def test_an_event_says_its_times_and_leaves_what_others_wrote() -> None:
    data: Any = {"until": NOW, "arguments": {"until": NOW}, "calls": [{"until": NOW, "call": "a"}], "since": None}
    event = AgentEvent(seq=1, type="held", message="m", at=NOW, step=1, iteration=0, data=data)
    shown: Any = event_view(event)
    assert shown["at"] == SAID
    assert shown["data"] == {
        "until": SAID,
        "arguments": {"until": NOW},
        "calls": [{"until": SAID, "call": "a"}],
        "since": None,
    }
    again = AgentEvent.model_validate_json(json.dumps({**shown, "data": {}}))
    assert again.at == NOW


def test_reports_say_when_their_works_were_read() -> None:
    kept: Any = {"references": [{"work": {"retrieved_at": NOW}}, {"work": {"retrieved_at": 0.0}}], "retrieved_at": "x"}
    assert with_moments(kept) == {
        "references": [{"work": {"retrieved_at": SAID}}, {"work": {"retrieved_at": None}}],
        "retrieved_at": "x",
    }


async def test_a_run_and_its_report_say_times_as_text(api: httpx.AsyncClient, store: Store, reported: str) -> None:
    run = (await api.get(f"/v1/runs/{reported}")).json()
    assert (run["started_at"], run["finished_at"]) == ("1970-01-01T00:00:01.000000Z", None)
    report = (await api.get(f"/v1/runs/{reported}/report", headers={"Accept": "application/json"})).json()
    assert report["references"][0]["work"]["retrieved_at"] is None


async def test_no_answer_declares_a_time_as_a_number(app: FastAPI) -> None:
    ends = {"started_at", "finished_at", "began_at", "ended_at", "happened_at", "retrieved_at", "last_error_at"}
    named = {*ends, "since", "until", "next_try"}
    for name, schema in app.openapi()["components"]["schemas"].items():
        for field, described in schema.get("properties", {}).items():
            if field in named:
                forms = described.get("anyOf", [described])
                assert any(form.get("format") == "date-time" for form in forms), f"{name}.{field}"
                assert "number" not in {form.get("type") for form in forms}, f"{name}.{field}"
