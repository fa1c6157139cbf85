"""A run that goes on is listed with where it is; if Temporal says nothing at once, as it was accepted.

Nothing here waits until Temporal's own list has caught up: what is told must not hang on that.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from temporalio.client import Client

from elcano.service.errors import TemporalRefused, TemporalUnavailable
from elcano.service.temporal import executions
from elcano.service.temporal.executions import Execution, describe_execution
from elcano.settings.settings import Settings
from elcano.storage.store import Store
from elcano.testing.script import Script
from tests.api.again.going_on import ended
from tests.api.again.test_steps import scripted, until
from tests.api.asking import start
from tests.api.serving import speaking


async def listed(api: httpx.AsyncClient, run_id: str = "") -> Any:
    """A run's row; without an id that of the only one."""
    answer = await api.get("/v1/runs?limit=200")
    assert answer.status_code == 200, answer.text
    (run,) = (one for one in answer.json()["runs"] if run_id in ("", one["run_id"]))
    return run["status"], run["stage"], run["choice"], run["stale"]


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often Temporal was asked of each run."""
    asked: Counter[str] = Counter()

    async def counted(client: Client, run_id: str, *, again: bool = True) -> Execution:
        asked[run_id] += 1
        return await describe_execution(client, run_id, again=again)

    monkeypatch.setattr(executions, "describe_execution", counted)
    return asked


@asynccontextmanager
async def another(make_app: Callable[[Settings], FastAPI], settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """An API process that has seen nothing yet."""
    async with speaking(make_app(settings)) as api:
        yield api


async def test_a_run_is_listed_with_its_stage_and_the_mode_that_it_chose(
    api: httpx.AsyncClient, away: httpx.AsyncClient, temporal: Client, store: Store, task_queue: str
) -> None:
    async with scripted(temporal, store, task_queue, Script()):
        # Named: what workers of other tests on this Temporal server search is searched by none of this one.
        run_id = await start(api, "a deep one?", mode="auto", approve_plan=True, sources=["handbook"])
        await until(api, f"/v1/runs/{run_id}", lambda run: run["stage"] == "approval")
        while (row := await listed(api))[1] != "approval":  # what others saw a moment before is shown too
            assert row[:2] == ("running", "researching")
            await asyncio.sleep(0.25)
        assert row == ("running", "approval", {"mode": "deep", "reason": ""}, False)
        assert await listed(away) == ("running", None, None, True)
        assert (await api.post(f"/v1/runs/{run_id}/approve")).status_code == 202
        await ended(api, run_id)
    status, stage, choice, stale = await listed(api)
    assert (status, stage, choice["mode"], stale) == ("completed", None, "deep", False)


async def test_what_has_just_happened_is_listed(
    api: httpx.AsyncClient,
    temporal: Client,
    make_app: Callable[[Settings], FastAPI],
    api_settings: Settings,
) -> None:
    """The server's list tells of both a moment later, or minutes if it is busy."""
    run_id = await start(api, "Why?", mode="auto")
    assert await listed(api) == ("running", "researching", None, False)
    await temporal.get_workflow_handle(run_id).terminate()
    async with another(make_app, api_settings) as other:
        status, stage, *_ = await listed(other)
    assert (status, stage) in (("running", "closed"), ("terminated", None))  # stored by then, or about to be


async def test_readers_share_what_is_seen(
    api: httpx.AsyncClient, looks: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executions, "SHARED_SECONDS", 3_600.0)
    runs = [await start(api, f"Why {number}?") for number in range(40)]
    pages = await asyncio.gather(*(api.get("/v1/runs?limit=30") for _ in range(5)), api.get("/v1/runs?limit=200"))
    assert looks == dict.fromkeys(runs, 1)
    assert [len(page.json()["runs"]) for page in pages] == [30] * 5 + [40]
    assert {(run["stage"], run["stale"]) for page in pages for run in page.json()["runs"]} == {("researching", False)}


async def test_what_was_seen_a_moment_ago_is_listed_while_it_is_looked_at_anew(
    api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_see = asyncio.Event()

    async def later(client: Client, run_id: str, *, again: bool = True) -> Execution:
        await may_see.wait()
        return Execution(id="one", status="running", closed_at=None, pending=(), mode="simple", stage="writing")

    monkeypatch.setattr(executions, "LOOK_SECONDS", 3_600.0)
    monkeypatch.setattr(executions, "SHARED_SECONDS", 0.0)
    monkeypatch.setattr(executions, "STALE_SECONDS", 3_600.0)
    await start(api, "Why?", mode="simple")
    assert await listed(api) == ("running", "researching", None, False)
    monkeypatch.setattr(executions, "describe_execution", later)
    for _ in range(2):
        assert await listed(api) == ("running", "researching", None, False)
    monkeypatch.setattr(executions, "STALE_SECONDS", 0.0)  # a moment has passed
    waiting = asyncio.create_task(listed(api))
    may_see.set()
    assert await waiting == ("running", "writing", None, False)


async def test_a_reader_who_goes_away_takes_the_look_from_nobody(
    api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    looking, may_see = asyncio.Event(), asyncio.Event()

    async def slow(client: Client, run_id: str, *, again: bool = True) -> Execution:
        looking.set()
        await may_see.wait()
        return await describe_execution(client, run_id, again=again)

    monkeypatch.setattr(executions, "describe_execution", slow)
    monkeypatch.setattr(executions, "LOOK_SECONDS", 3_600.0)
    monkeypatch.setattr(executions, "SHARED_SECONDS", 3_600.0)
    await start(api, "Why?")
    first = asyncio.create_task(listed(api))
    await looking.wait()
    second = asyncio.create_task(listed(api))
    first.cancel()
    await asyncio.wait([first])
    may_see.set()
    assert await second == ("running", "researching", None, False)


@pytest.mark.parametrize("error", [TemporalRefused("not for you"), TemporalUnavailable("busy")])
async def test_a_run_of_which_nothing_is_said_is_stale_and_the_others_are_not(
    api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    refused, other = await start(api, "Why?"), await start(api, "Why not?")

    async def some(client: Client, run_id: str, *, again: bool = True) -> Execution:
        if run_id == refused:
            raise error
        return await describe_execution(client, run_id, again=again)

    monkeypatch.setattr(executions, "describe_execution", some)
    monkeypatch.setattr(executions, "SHARED_SECONDS", 0.0)
    for _ in range(2):
        assert await listed(api, refused) == ("running", None, None, True)
        assert await listed(api, other) == ("running", "researching", None, False)


@pytest.mark.parametrize(
    ("mode", "stage", "shown"),
    [
        ("auto/deep", "approval", ("approval", {"mode": "deep", "reason": ""}, False)),
        ("auto/simple", "a stage of a later program", (None, {"mode": "simple", "reason": ""}, False)),
        ("", "", (None, None, False)),
    ],
)
async def test_what_a_run_shows_is_listed_as_far_as_it_is_known(
    api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, mode: str, stage: str, shown: tuple[Any, ...]
) -> None:
    async def as_shown(client: Client, run_id: str, *, again: bool = True) -> Execution:
        return Execution(id="one", status="running", closed_at=None, pending=(), mode=mode, stage=stage)

    monkeypatch.setattr(executions, "describe_execution", as_shown)
    await start(api, "Why?", mode="auto")
    assert await listed(api) == ("running", *shown)


@pytest.mark.parametrize("hangs", [True, False])
async def test_a_list_does_not_wait_for_temporal(
    api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, hangs: bool
) -> None:
    asked = []

    async def away(client: Client, run_id: str, *, again: bool = True) -> Execution:
        asked.append(run_id)
        if hangs:
            await asyncio.Event().wait()
        raise TemporalUnavailable("Temporal does not answer")

    monkeypatch.setattr(executions, "describe_execution", away)
    monkeypatch.setattr(executions, "LOOK_SECONDS", 0.2)
    monkeypatch.setattr(executions, "SHARED_SECONDS", 0.0)
    monkeypatch.setattr(executions, "SILENT_SECONDS", 3_600.0)
    await start(api, "Why?", mode="auto")
    assert [await listed(api) for _ in range(3)] == [("running", None, None, True)] * 3
    assert len(asked) == 1, "who did not answer is left in peace for a while"
