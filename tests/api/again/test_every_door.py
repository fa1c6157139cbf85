"""The limit of open runs holds at every door that opens one, and two requests never share its last place."""

import ast
import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from fastapi import FastAPI
from temporalio.client import Client

import elcano
from elcano.api.http.request_identity import map_route_permissions
from elcano.service.errors import TemporalRefused, TemporalUnavailable
from elcano.service.runs import endings
from elcano.service.runs.endings import Reconciler
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Provider, asked, ended, working
from tests.api.asking import start
from tests.api.serving import connecting, speaking

Json = dict[str, Any]
ASKED: Final = {"role": "user", "content": QUESTION}
DOORS: Final[dict[str, Json]] = {
    "/v1/runs": {"question": QUESTION},
    "/v1/runs/{run_id}/fork": {"step": 2},
    "/v1/runs/{run_id}/edits": {"instruction": "Shorter."},
    "/v1/runs/{run_id}/updates": {},
    "/v1/runs/{run_id}/rollback": {"step": 2},
    "/v1/runs/{failed}/resume": {},
    "/openai/v1/responses": {"model": "iterative", "input": QUESTION},
    "/openai/v1/chat/completions": {"model": "iterative", "messages": [ASKED]},
    "/ag-ui": {
        "threadId": "t",
        "runId": "r",
        "state": {},
        "messages": [{"id": "m", **ASKED}],
        "tools": [],
        "context": [],
        "forwardedProps": {},
    },
}
"""Requests that open a run at once, with their bodies."""
LATER: Final = {
    "/v1/batches",
    "/v1/evidence-tables",
    *(f"/v1/evidence-tables/{{table_id}}/{one}" for one in ("columns", "fill")),
    "/v1/schedules",
    "/v1/schedules/{name}",
    "/v1/schedules/{name}/trigger",
}
"""These have a worker open runs, which uses `submit_run`."""
OPENING_NONE: Final = {
    *(f"/v1/runs/{{run_id}}/{one}" for one in ("stop", "top-up", "pause", "unpause", "steer", "clarifications")),
    *(f"/v1/runs/{{run_id}}/{one}" for one in ("approve", "refuse", "cancel")),
    *(f"/v1/schedules/{{name}}/{one}" for one in ("pause", "unpause")),
    *(f"/v1/batches/{{batch_id}}/{one}" for one in ("top-up", "cancel")),
    *(f"/v1/evidence-tables/{{table_id}}/{one}" for one in ("top-up", "cancel")),
    *(f"/v1/evidence-tables/{{table_id}}/rows/{{row}}/{one}" for one in ("screening", "cells/{column}")),
    "/openai/v1/responses/{run_id}/cancel",
}


NOT_RUNS: Final = {
    "activities/providers/queue_limits.py",
    "service/temporal/looks.py",
    "doors/webhooks/webhook_store.py",
}
"""Files that start other workflows than runs; background work of plugins starts by `begin_workflow`."""


@pytest.fixture(autouse=True)
def with_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "scripted")


@pytest.fixture
def small(make_app: Callable[[Settings], FastAPI], api_settings: Settings) -> FastAPI:
    """An API with room for one open run."""
    return make_app(api_settings.model_copy(update={"open_runs": 1}))


async def test_each_route_that_may_start_or_continue_a_run_is_known_here(app: FastAPI) -> None:
    found = map_route_permissions(app.routes).items()
    able = {path for (_, path), permission in found if permission in ("start_run", "control_run")}
    opening = {path.replace("{failed}", "{run_id}") for path in DOORS}
    assert able == opening | LATER | OPENING_NONE, "say whether the new route opens a run, and try it in a full house"


def find_callers(names: set[str]) -> Iterator[tuple[str, str]]:
    """The files of the product that call a method, by its name, or by that and the name of what has it."""
    root = Path(elcano.__file__).parent
    for path in root.rglob("*.py"):
        if {"tests", ".venv", "benchmarks", "dev", "testing"} & set(path.relative_to(root).parts):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func).split(".")
                for name in names & {called[-1], ".".join(called[-2:])}:
                    yield name, path.relative_to(root).as_posix()


async def test_runs_are_admitted_and_started_in_one_place() -> None:
    starting = {"temporal.start", "temporal.go_on", "admission.admit", "admission.readmit"}
    assert set(find_callers(starting)) == {(name, "service/runs/submission.py") for name in starting}
    others = {path for _, path in find_callers({"start_workflow"})}
    known = NOT_RUNS | {"service/temporal/background_starts.py", "service/temporal/run_start.py"}
    assert others == known, "if these workflows are runs, they have to be admitted"


async def test_no_door_opens_a_run_in_a_full_house(
    api: httpx.AsyncClient, small: FastAPI, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    async with working(temporal, store, api_settings, provider):
        done = await start(api, QUESTION, model="openai:gpt-5.1")
        assert (await ended(api, done))["status"] == "completed"
        provider.off.add(("judge", ""))
        failed = await start(api, QUESTION)
        assert (await ended(api, failed))["status"] == "failed"
    async with speaking(small) as full:
        await start(full, "Who is first?")
        before = await kept_runs(full)
        for path, body in DOORS.items():
            refused = await full.post(path.format(run_id=done, failed=failed), json=body)
            assert refused.status_code == 429, (path, refused.text)
            assert "1 runs are open and 1 may be" in refused.text, path
            assert refused.headers["retry-after"].isdigit(), path
        assert await kept_runs(full) == before
        assert sum((await store.count_open_runs()).values()) == 1


async def kept_runs(api: httpx.AsyncClient) -> dict[str, str]:
    return {run["run_id"]: run["status"] for run in (await api.get("/v1/runs")).json()["runs"]}


async def two_failed_runs(
    api: httpx.AsyncClient, temporal: Client, store: Store, settings: Settings, provider: Provider
) -> list[str]:
    provider.off.add(("judge", ""))
    async with working(temporal, store, settings, provider):
        runs = [await start(api, f"{QUESTION} {number}") for number in range(2)]
        for run_id in runs:
            assert (await ended(api, run_id))["status"] == "failed"
    provider.off.clear()
    return runs


async def test_of_two_resumes_for_the_last_place_one_gets_it_and_the_other_when_it_has_ended(
    api: httpx.AsyncClient, small: FastAPI, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    runs = await two_failed_runs(api, temporal, store, api_settings, provider)
    async with speaking(small) as last:
        answers = await asyncio.gather(*(last.post(f"/v1/runs/{one}/resume", json={}) for one in runs * 3))
        statuses = [answer.status_code for answer in answers]
        assert statuses.count(202) == 1, statuses
        winner = runs[statuses.index(202) % 2]
        (loser,) = set(runs) - {winner}
        assert {answer.status_code for answer, one in zip(answers, runs * 3, strict=True) if one == loser} == {429}
        async with working(temporal, store, api_settings, provider):
            assert (await ended(last, winner))["status"] == "completed"
            await asked(last, loser, "resume")
            assert (await ended(last, loser))["status"] == "completed"


async def test_a_place_comes_back_when_the_run_is_not_started(
    api: httpx.AsyncClient,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    task_queue: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    provider = Provider()
    runs = await two_failed_runs(api, temporal, store, api_settings, provider)
    with monkeypatch.context() as failing:
        for error in (TemporalRefused("no"), TemporalUnavailable("away")):

            async def fail(*_: object, error: Exception = error) -> str:
                raise error

            failing.setattr(Temporal, "go_on", fail)
            assert (await api.post(f"/v1/runs/{runs[0]}/resume", json={})).status_code in (502, 503)
            assert sum((await store.count_open_runs()).values()) == isinstance(error, TemporalUnavailable)
    assert (await api.get(f"/v1/runs/{runs[0]}")).json()["status"] == "failed"
    assert (await api.delete(f"/v1/runs/{runs[0]}")).status_code == 409, "it may be running"
    reconciler = Reconciler(Temporal(Connection(connecting(temporal)), task_queue), store)
    await reconciler.look()
    assert sum((await store.count_open_runs()).values()) == 1, "another process may be starting it just now"
    monkeypatch.setattr(endings, "START_GRACE", -1.0)
    await reconciler.look()
    assert await store.count_open_runs() == {}
    assert (await api.get(f"/v1/runs/{runs[0]}")).json()["status"] == "failed"
    async with working(temporal, store, api_settings, provider):
        await asked(api, runs[0], "resume")
        assert (await ended(api, runs[0]))["status"] == "completed"
