"""Who cannot have a certificate is told why before a byte is sent; what was lost breaks it off."""

from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from elcano.graphs.contracts import BranchOf
from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.state import ReportRef
from elcano.storage.store import Store

REPORT = ReportRef(
    artifact="0" * 64, title="t", answered=True, partial=None, words=1, references=0, verified=0, unverified=0
)
ENDED = ArchivedRun(
    run_id="run-1", question="q", mode="iterative", status="completed", started_at=1.0, finished_at=2.0, report=REPORT
)
REFUSED: Mapping[str, tuple[dict[str, Any], str]] = {
    "it goes on": ({"status": "running", "report": None}, "has not ended"),
    "it failed": ({"status": "failed", "report": None}, "its status is 'failed'"),
    "it was ended from outside": ({"status": "terminated"}, "its status is 'terminated'"),
    "it left no log": ({}, "left no log"),
    "it is a section": (
        {"branch_of": BranchOf(run_id="run-0", path="0001.a", section="A"), "log": "0" * 64},
        "is a section: ask for the certificate of its run 'run-0'",
    ),
}


@pytest.mark.parametrize("why", REFUSED)
async def test_a_run_that_can_have_none_is_told_why(away: httpx.AsyncClient, store: Store, why: str) -> None:
    changes, said = REFUSED[why]
    await store.of("default").runs.archive(ENDED.model_copy(update=changes), [])
    answer = await away.get("/v1/runs/run-1/certificate")
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:elcano:not-certifiable")
    assert said in answer.json()["detail"]


async def test_no_run_has_none(away: httpx.AsyncClient) -> None:
    assert (await away.get("/v1/runs/run-1/certificate")).status_code == 404


async def test_a_report_that_was_lost_is_said_to_be(away: httpx.AsyncClient, store: Store) -> None:
    await store.of("default").runs.archive(ENDED.model_copy(update={"log": "1" * 64}), [])
    answer = await away.get("/v1/runs/run-1/certificate")
    assert (answer.status_code, answer.json()["type"]) == (500, "urn:elcano:report-lost")


async def test_a_log_that_was_lost_is_said_to_be(away: httpx.AsyncClient, store: Store) -> None:
    key = await store.of("default").artifacts.put("run-1", "{}", "application/json")
    lost = {"log": "1" * 64, "report": REPORT.model_copy(update={"artifact": key})}
    await store.of("default").runs.archive(ENDED.model_copy(update=lost), [])
    answer = await away.get("/v1/runs/run-1/certificate")
    assert (answer.status_code, answer.json()["type"]) == (502, "urn:elcano:run-unreadable")
