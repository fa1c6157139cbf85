"""What can be searched is listed with what it lacks; what cannot be is refused before a run waits for it."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI
from temporalio import activity
from temporalio.client import Client
from temporalio.worker import Worker

from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.registry import Sources
from elcano.graphs.catalogue.sources import SOURCES, SourceLimits, SourcePolicy, SourceSpec
from elcano.graphs.contracts import ToolCall, ToolResult
from elcano.graphs.errors import SourceRefused
from elcano.graphs.providers import Provider, record_provider_answer, record_provider_failure
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.worker import provider_worker, source_workers
from tests.api.asking import QUESTION
from tests.api.serving import speaking
from tests.sources import Shelf, listed_shelf


def searching(client: Client, store: Store, shelf: Shelf) -> list[Worker]:
    """Who searches a shelf, and who looks after what is of no run."""
    settings = Settings(_env_file=None)
    sources = Sources({shelf.spec.name: shelf})
    return [*source_workers(client, store, sources, settings), provider_worker(client, store, settings)]


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    return listed_shelf(monkeypatch)


async def until_polled(api: httpx.AsyncClient, name: str) -> None:
    async with asyncio.timeout(30):
        while (await shown(api))[name]["state"] == "unserved":
            pass  # the server has not heard of the worker yet


@activity.defn
async def search(call: ToolCall) -> ToolResult:
    return ToolResult(output={})


@pytest.fixture
def locked(monkeypatch: pytest.MonkeyPatch) -> SourceSpec:
    """A source that needs a key which is not set."""
    spec = SourceSpec(
        name=f"locked-{uuid4()}",
        kind="articles",
        description="Articles.",
        key="LOCKED_KEY",
        needs_key=True,
        limits=SourceLimits(per_second=3),
        policy=SourcePolicy(),
    )
    monkeypatch.setitem(SOURCES, spec.name, spec)
    monkeypatch.delenv("LOCKED_KEY", raising=False)
    return spec


async def shown(api: httpx.AsyncClient) -> dict[str, dict[str, object]]:
    answer = await api.get("/v1/sources")
    assert answer.status_code == 200, answer.text
    return {source["name"]: source for source in answer.json()}


async def asked(api: httpx.AsyncClient, *sources: str) -> httpx.Response:
    body = {"question": QUESTION, **({"sources": list(sources)} if sources else {})}
    return await api.post("/v1/runs", json=body)


async def test_they_are_listed_with_what_they_lack(api: httpx.AsyncClient, locked: SourceSpec) -> None:
    sources = await shown(api)
    assert list(sources)[:2] == ["handbook", "packages"]
    assert sources["handbook"]["ready"] is True
    assert (sources[locked.name]["ready"], sources[locked.name]["per_second"]) == (False, 3.0)
    assert sources[locked.name]["missing"] == "set LOCKED_KEY where a worker runs, and start that again"


async def test_a_folder_without_documents_is_not_ready(api: httpx.AsyncClient, tmp_path: Path) -> None:
    (tmp_path / "handbook.md").unlink()
    handbook = (await shown(api))["handbook"]
    assert (handbook["ready"], handbook["state"]) == (False, "empty")
    assert "add files (PDF," in str(handbook["missing"])
    (tmp_path / "notes.md").write_text("# Notes\n\nSome.\n", encoding="utf-8")
    assert (await shown(api))["handbook"]["ready"] is True


async def test_one_without_its_key_is_refused_and_not_searched_by_default(
    api: httpx.AsyncClient, locked: SourceSpec
) -> None:
    refused = await asked(api, "handbook", locked.name)
    assert refused.status_code == 422
    (fault,) = refused.json()["errors"]
    assert fault["field"] == "sources"
    assert "cannot be searched: set LOCKED_KEY where a worker runs" in fault["message"]
    accepted = await asked(api)
    assert accepted.json()["sources"] == ["handbook"]


async def test_one_that_a_worker_polls_for_is_ready_though_this_process_has_no_key(
    api: httpx.AsyncClient, temporal: Client, locked: SourceSpec
) -> None:
    async with Worker(temporal, task_queue=locked.queue, activities=[search]):
        async with asyncio.timeout(30):
            while not (await shown(api))[locked.name]["ready"]:
                pass  # the server has not heard of the worker yet
        accepted = await asked(api, locked.name)
    assert accepted.status_code == 201, accepted.text


async def test_in_a_shared_environment_the_key_is_looked_for_here(
    make_app: Callable[[Settings], FastAPI],
    api_settings: Settings,
    locked: SourceSpec,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alike = api_settings.model_copy(update={"shared_environment": True})
    async with speaking(make_app(alike)) as api:
        refused = await asked(api, locked.name)
        assert "set LOCKED_KEY where the server runs and start it again" in refused.text
    monkeypatch.setenv("LOCKED_KEY", "a secret")
    async with speaking(make_app(alike)) as api:
        assert (await asked(api, locked.name)).status_code == 201
        assert "no worker polls" in str((await shown(api))[locked.name]["missing"])


async def test_one_that_no_worker_searches_is_said_at_once_where_workers_run(
    api: httpx.AsyncClient, temporal: Client, store: Store, shelf: Shelf, worker: None
) -> None:
    name = shelf.spec.name
    run_id = (await asked(api)).json()["run_id"]
    async with asyncio.timeout(30):
        while (refused := await asked(api, name, "handbook")).is_success:
            pass  # the server has not heard of the worker yet
    assert refused.status_code == 422
    (fault,) = refused.json()["errors"]
    assert fault["field"] == "sources"
    assert f"{name!r} cannot be searched: no worker polls the task queue" in fault["message"]
    again = await api.post(f"/v1/runs/{run_id}/fork", json={"step": 1, "sources": [name]})
    assert again.status_code == 422
    assert "no worker polls the task queue" in again.text
    assert (await asked(api)).json()["sources"] == ["handbook"]
    async with AsyncExitStack() as stack:
        for each in searching(temporal, store, shelf):
            await stack.enter_async_context(each)
        assert (await asked(api, name, "handbook")).status_code == 201, "one that has just begun is waited for"


async def test_one_that_no_worker_searches_is_left_out_where_none_is_named(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings, shelf: Shelf, worker: None
) -> None:
    name = shelf.spec.name
    both = api_settings.model_copy(update={"default_sources": ("handbook", name)})
    alone = api_settings.model_copy(update={"default_sources": (name,)})
    async with speaking(make_app(alone)) as api, asyncio.timeout(30):
        while (refused := await asked(api)).is_success:
            pass  # the server has not heard of the worker yet
        assert "no worker polls the task queue" in refused.text
    async with speaking(make_app(both)) as api:
        assert (await asked(api)).json()["sources"] == ["handbook"]


async def test_where_no_worker_runs_a_run_waits_for_one(api: httpx.AsyncClient, shelf: Shelf) -> None:
    assert (await asked(api, shelf.spec.name)).status_code == 201


async def test_an_unknown_one_is_refused_with_the_known_ones(api: httpx.AsyncClient) -> None:
    refused = await asked(api, "zzz")
    assert refused.status_code == 422
    known = refused.json()["errors"][0]["message"].partition("known: ")[2]
    assert {"handbook", "packages"} <= set(known.split(", "))


async def test_they_are_listed_without_temporal(away: httpx.AsyncClient, locked: SourceSpec) -> None:
    sources = await shown(away)
    assert sources["handbook"]["ready"] is True
    assert "Temporal" in str(sources[locked.name]["missing"])


async def test_what_asks_a_service_elsewhere_is_searched_only_where_it_is_named(
    api: httpx.AsyncClient, temporal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = SourceSpec(name="elsewhere", kind="articles", description="Articles.", by_default=False)
    monkeypatch.setitem(SOURCES, spec.name, spec)
    assert (await asked(api)).json()["sources"] == ["handbook"]
    assert [name for name, source in (await shown(api)).items() if source["default"]] == ["handbook"]
    assert (await asked(api, spec.name)).json()["sources"] == ["elsewhere"]


async def test_a_server_that_has_nothing_of_its_own_wants_a_source_to_be_named(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = SourceSpec(name="elsewhere", kind="articles", description="Articles.", by_default=False)
    monkeypatch.setitem(SOURCES, spec.name, spec)
    bare = api_settings.model_copy(update={"collections": {}, "package_readmes": False})
    async with speaking(make_app(bare)) as api:
        refused = await asked(api)
        assert refused.status_code == 422
        assert "name what shall be searched, of: " in refused.text
        assert (await asked(api, spec.name)).status_code == 201


async def test_one_that_is_switched_off_is_listed_so_and_not_searched(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings
) -> None:
    async with speaking(make_app(api_settings.model_copy(update={"package_readmes": False}))) as api:
        packages = (await shown(api))["packages"]
        assert (packages["state"], packages["ready"]) == ("off", False)
        assert packages["missing"] == "set ELCANO_PACKAGE_READMES to true"
        assert (await asked(api)).json()["sources"] == ["handbook"]
        named = await asked(api, "handbook", "packages")
        assert named.status_code == 422
        why = "it is switched off: set ELCANO_PACKAGE_READMES to true"
        assert named.json()["errors"][0]["message"] == f"'packages' cannot be searched: {why}"
        refused = await api.post("/v1/sources/packages/check", json={"query": "whales"})
        assert (refused.status_code, refused.json()["type"]) == (409, "urn:elcano:source-closed")


async def test_one_is_read_by_its_name(api: httpx.AsyncClient, locked: SourceSpec) -> None:
    answer = await api.get(f"/v1/sources/{locked.name}")
    assert (answer.json()["name"], answer.json()["state"]) == (locked.name, "needs_key")
    missing = await api.get("/v1/sources/zzz")
    assert (missing.status_code, missing.json()["type"]) == (404, "urn:elcano:source-not-found")
    assert "handbook" in missing.json()["detail"]


async def test_how_a_provider_stands_is_read_without_a_worker(
    api: httpx.AsyncClient, temporal: Client, store: Store, shelf: Shelf
) -> None:
    name = shelf.spec.name
    async with AsyncExitStack() as stack:
        for worker in searching(temporal, store, shelf):
            await stack.enter_async_context(worker)
        await until_polled(api, name)
        assert (await shown(api))[name]["state"] == "ready"
        await store.providers.change(
            name, lambda row, now: (record_provider_failure(row, now, "no route to shelf", None), None)
        )
        failed = (await shown(api))[name]
        assert (failed["state"], failed["ready"]) == ("search_failed", True), "the next search is made as usual"
        assert failed["last_error"] == "no route to shelf"
        await store.providers.change(name, lambda row, now: (record_provider_answer(row, now), None))
        assert (await shown(api))[name]["state"] == "ready"
        await store.providers.change(
            name, lambda row, now: (record_provider_failure(row, now, "shelf: HTTP 429", 600.0), None)
        )
        waiting = (await shown(api))[name]
        assert (waiting["state"], waiting["ready"], waiting["missing"]) == ("waiting", False, "")
        provider, _ = await store.providers.get(name)
        assert provider.held_until is not None
        assert datetime.fromisoformat(str(waiting["until"])).timestamp() == pytest.approx(provider.held_until)
        assert waiting["last_error"] == "shelf: HTTP 429"
        assert (await asked(api, name)).status_code == 201, "its run waits as long as it has to"
        refused = await api.post(f"/v1/sources/{name}/check", json={"query": "whales"})
        assert (refused.status_code, refused.json()["type"]) == (502, "urn:elcano:source-check-failed")
        assert f"{name} is not asked until" in refused.json()["detail"]
        assert shelf.asked == []
        await store.providers.change(
            name, lambda row, now: (record_provider_failure(Provider(failures=9), now, "down", None), None)
        )
        assert (await shown(api))[name]["state"] == "failing"
        await store.providers.change(name, lambda row, now: (row.model_copy(update={"held_until": now}), None))
        trial = (await shown(api))[name]
        assert (trial["state"], trial["ready"]) == ("trial", True)


async def test_a_check_searches_once_and_keeps_nothing(
    api: httpx.AsyncClient, temporal: Client, store: Store, shelf: Shelf
) -> None:
    name = shelf.spec.name
    async with AsyncExitStack() as stack:
        for worker in searching(temporal, store, shelf):
            await stack.enter_async_context(worker)
        await until_polled(api, name)
        answer = await api.post(f"/v1/sources/{name}/check", json={"query": "whales", "limit": 2})
        assert answer.status_code == 200, answer.text
        found = answer.json()
        assert [one["title"] for one in found["passages"]] == ["whales"]
        assert "has this on whales" in found["passages"][0]["excerpt"]
        assert [(query, limit) for _, query, limit in shelf.asked] == [("whales", 2)]
        shelf.answer = lambda query: SearchResults()
        empty = await api.post(f"/v1/sources/{name}/check", json={"query": "nothing"})
        assert (empty.status_code, empty.json()["passages"]) == (200, [])

        def refuse(query: str) -> SearchResults:
            raise SourceRefused("shelf: HTTP 400 Bad Request")

        shelf.answer = refuse
        refused = await api.post(f"/v1/sources/{name}/check", json={"query": "whales"})
        assert (refused.status_code, refused.json()["detail"]) == (502, "shelf: HTTP 400 Bad Request")
    assert await store.of("default").evidence.of_run("") == []


async def test_a_check_of_what_nobody_searches_is_refused_at_once(api: httpx.AsyncClient, shelf: Shelf) -> None:
    refused = await api.post(f"/v1/sources/{shelf.spec.name}/check", json={"query": "whales"})
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:elcano:source-closed")
    assert "no worker polls the task queue" in refused.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": ""},
        {"query": "  "},
        {"query": "x" * 1_001},
        {"query": 3},
        {"query": "a\u0000b"},
        {"query": "a", "limit": 0},
        {"query": "a", "limit": 51},
        {"query": "a", "more": 1},
    ],
)
async def test_a_check_that_makes_no_sense_is_refused(api: httpx.AsyncClient, body: dict[str, object]) -> None:
    assert (await api.post("/v1/sources/handbook/check", json=body)).status_code == 422


async def test_what_is_searched_without_being_named_is_for_the_operator_to_say(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings
) -> None:
    alone = api_settings.model_copy(update={"collections": {}})
    async with speaking(make_app(alone)) as api:
        assert (await asked(api)).json()["sources"] == ["packages"]
    chosen = api_settings.model_copy(update={"default_sources": ("packages", "pubmed", "nowhere")})
    async with speaking(make_app(chosen)) as api:
        assert (await asked(api)).json()["sources"] == ["packages", "pubmed"]
