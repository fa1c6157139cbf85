"""A run that waits, or that Temporal's tools changed, says the same in list, view, stream, page and command line."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from temporalio.client import Client

from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Provider, ended, put_background_on, until, working
from tests.api.again.test_batches import working_on_batches
from tests.api.again.test_temporal_tools import pause, thinking
from tests.api.asking import start
from tests.api.sse import following
from tests.resetting import reset_before

ROOT = Path(__file__).parents[3]


class Told(NamedTuple):
    """What a view says of a run."""

    stage: str | None
    waits: str
    blocked: str


def read_told(view: dict[str, Any]) -> Told:
    return Told(view["stage"], (view["hold"] or {}).get("reason", ""), view["blocked"])


async def run_command(served: str, *arguments: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "elcano", *arguments),
        cwd=ROOT,
        env=Settings(api_url=served).environment() | {"COLUMNS": "200", "ELCANO_API_URL": served},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    return said.decode()


@asynccontextmanager
async def watching(served: str, run_id: str) -> AsyncIterator[asyncio.StreamReader]:
    """The lines of `elcano watch`."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "elcano", "watch", run_id),
        cwd=ROOT,
        env=Settings(api_url=served).environment() | {"ELCANO_API_URL": served},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    try:
        yield process.stdout
    finally:
        process.kill()
        await process.wait()


async def read_until(lines: asyncio.StreamReader, words: str) -> None:
    async with asyncio.timeout(60):
        while words not in (line := (await lines.readline()).decode()):
            assert line, f"it ended without {words!r}"


async def compare_views(api: httpx.AsyncClient, served: str, run_id: str, told: Told, *, watch: str) -> dict[str, Any]:
    """The run's view, once every other view says what is expected of it."""
    found: dict[str, Any] = {}

    async def says_so() -> bool:
        (listed,) = [one for one in (await api.get("/v1/runs")).json()["runs"] if one["run_id"] == run_id]
        found.update((await api.get(f"/v1/runs/{run_id}")).json())
        return read_told(listed) == told and read_told(found) == told

    async with asyncio.timeout(60):
        await until(says_so)
    word = "blocked" if told.blocked else f"running ({told.stage})" if told.waits else "running"
    listed = ""
    async with asyncio.timeout(60):
        while f" {word} " not in listed:  # a list asks Temporal no longer than a moment, and says `running` without it
            listed = await run_command(served, "runs")
    async with watching(served, run_id) as lines:
        await read_until(lines, watch)
    return found


ALL = {"stop", "top-up", "steer", "cancel"}


async def test_a_paused_run_says_so_everywhere_and_offers_to_be_unpaused(
    api: httpx.AsyncClient, served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    async with thinking(api, temporal, store, api_settings) as (run_id, _):
        assert {*(await api.get(f"/v1/runs/{run_id}")).json()["actions"]} == ALL | {"pause"}
        assert (await api.post(f"/v1/runs/{run_id}/pause", json={"reason": "The weekend"})).status_code == 202
        view = await compare_views(api, served, run_id, Told("paused", "pause", ""), watch="The weekend")
        assert {*view["actions"]} == ALL | {"unpause"}
        page = (await api.get(f"/runs/{run_id}", headers={"accept": "text/html"})).text
        assert "<strong>It is paused:</strong>" in page
        assert f'data-post="/v1/runs/{run_id}/unpause"' in page
        await api.post(f"/v1/runs/{run_id}/unpause")
        assert (await ended(api, run_id))["actions"] == []


async def test_a_run_whose_workers_are_gone_says_so_everywhere_and_what_it_did_before(
    api: httpx.AsyncClient, served: str, temporal: Client, store: Store, api_settings: Settings, task_queue: str
) -> None:
    async with thinking(api, temporal, store, api_settings) as (run_id, _):
        pass
    gone = f"no worker polls the task queue {task_queue!r}: start one that does"
    view = await compare_views(api, served, run_id, Told("researching", "", gone), watch="no worker polls")
    assert view["actions"] == ["cancel"]
    types: list[str] = []
    async with asyncio.timeout(10), following(f"{served}/v1/runs/{run_id}/events") as messages:
        async for message in messages:
            if message.event == "waiting":
                assert message.data["message"] == gone
                break
            types.append(message.event)
    assert types[:2] == ["started", "searching"], "its history has them, and is asked before a worker is"


async def test_a_run_that_a_provider_holds_says_so_everywhere(
    api: httpx.AsyncClient, served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    provider.off.add(("thinking", ""))  # a refused key needs a person
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, budget={"when_exhausted": "pause"})
        view = await compare_views(api, served, run_id, Told("held", "person", ""), watch="the key was refused")
        assert {*view["actions"]} == ALL | {"pause"}
        page = (await api.get(f"/runs/{run_id}", headers={"accept": "text/html"})).text
        assert "<strong>Something needs fixing:</strong>" in page
        provider.off.clear()
        await api.post(f"/v1/runs/{run_id}/stop")
        await ended(api, run_id)


async def test_a_paused_run_that_is_paused_in_temporal_too_still_says_what_it_waits_for(
    api: httpx.AsyncClient, served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    async with thinking(api, temporal, store, api_settings) as (run_id, _):
        await api.post(f"/v1/runs/{run_id}/pause")
        await compare_views(api, served, run_id, Told("paused", "pause", ""), watch="Paused")
        await pause(temporal, run_id)
        why = (await api.get(f"/v1/runs/{run_id}")).json()["blocked"]
        assert why.startswith("the run is paused in Temporal")
        view = await compare_views(api, served, run_id, Told("paused", "pause", why), watch=why)
        assert view["actions"] == ["cancel"]
        for action in ("unpause", "stop", "steer", "top-up", "rollback"):
            body = {"steer": {"instruction": "Costs."}, "top-up": {"tokens": 1_000}, "rollback": {"step": 1}}
            refused = await api.post(f"/v1/runs/{run_id}/{action}", json=body.get(action, {}))
            problem = refused.json()
            assert (refused.status_code, problem["type"], problem["detail"]) == (409, "urn:elcano:run-blocked", why)
        assert why in " ".join((await run_command(served, "stop", run_id)).split())
        page = (await api.get(f"/runs/{run_id}", headers={"accept": "text/html"})).text
        forms = [f"/v1/runs/{run_id}/{action}" in page for action in ("cancel", "unpause", "stop", "steer", "top-up")]
        assert forms == [True, False, False, False, False]
        await api.post(f"/v1/runs/{run_id}/cancel")
        assert (await ended(api, run_id))["status"] == "cancelled"


async def test_a_run_that_was_reset_in_temporal_is_running_everywhere(
    api: httpx.AsyncClient, served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION)
        over = await ended(api, run_id)
        assert over["status"] == "completed"
        provider.slow[("writer", "")] = 20.0
        (*_, search) = [one for one in await store.of("default").ledger.entries(run_id) if one.kind == "tool"]
        await reset_before(temporal, run_id, search.activity)
        view = await compare_views(api, served, run_id, Told("writing", "", ""), watch="rolled_back")
        assert view["actions"] == ["cancel"], "a run that writes its report takes no other"
        await ended(api, run_id)


async def test_a_batch_says_the_same_of_a_blocked_run_in_all_views(
    api: httpx.AsyncClient,
    served: str,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    task_queue: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put_background_on(f"{task_queue}-background", monkeypatch)
    provider = Provider()
    provider.slow[("thinking", "")] = 2.0
    async with working_on_batches(temporal, store, api_settings, task_queue, provider):
        batch = (
            await api.post(
                "/v1/batches", json={"questions": [{"question": one} for one in (QUESTION, "Who sends a question?")]}
            )
        ).json()["id"]
        await provider.asked(("thinking", QUESTION))
        runs = (await api.get("/v1/runs")).json()["runs"]
        (run_id,) = [one["run_id"] for one in runs if one["question"] == QUESTION]
        await pause(temporal, run_id)

        async def is_other_done() -> bool:
            view = (await api.get(f"/v1/batches/{batch}")).json()
            return bool(view["counts"].get("completed"))

        await until(is_other_done)
        (listed,) = (await api.get("/v1/batches")).json()["batches"]
        view = (await api.get(f"/v1/batches/{batch}")).json()
        assert (listed["state"], listed["counts"]) == (view["state"], view["counts"])
        assert view["state"] == "running"
        assert " running " in await run_command(served, "batch", "list")
        await api.post(f"/v1/runs/{run_id}/cancel")

        async def is_over() -> bool:
            return bool((await api.get(f"/v1/batches/{batch}")).json()["state"] != "running")

        await until(is_over)
