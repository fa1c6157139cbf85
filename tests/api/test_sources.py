"""What can be searched is listed with what it lacks; what cannot be is refused before a run waits for it."""

import asyncio
from collections.abc import Callable
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI
from temporalio import activity
from temporalio.client import Client
from temporalio.worker import Worker

from elcano.graphs.catalogue.sources import SOURCES, SourceLimits, SourcePolicy, SourceSpec
from elcano.graphs.contracts import ToolCall, ToolResult
from elcano.settings import Settings
from tests.api.asking import QUESTION
from tests.api.serving import speaking


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


async def test_one_without_its_key_is_refused_and_not_searched_by_default(
    api: httpx.AsyncClient, locked: SourceSpec
) -> None:
    refused = await asked(api, "handbook", locked.name)
    assert refused.status_code == 422
    (fault,) = refused.json()["errors"]
    assert fault["field"] == "sources"
    assert "cannot be searched: set LOCKED_KEY where a worker runs" in fault["message"]
    accepted = await asked(api)
    assert accepted.json()["sources"] == ["handbook", "packages"]


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
        assert (await asked(api, locked.name)).status_code == 201
        assert "no worker polls" in str((await shown(api))[locked.name]["missing"])


async def test_an_unknown_one_is_refused_with_the_known_ones(api: httpx.AsyncClient) -> None:
    refused = await asked(api, "zzz")
    assert refused.status_code == 422
    assert "known: handbook, packages" in refused.text


async def test_they_are_listed_without_temporal(away: httpx.AsyncClient, locked: SourceSpec) -> None:
    sources = await shown(away)
    assert sources["handbook"]["ready"] is True
    assert "Temporal" in str(sources[locked.name]["missing"])
