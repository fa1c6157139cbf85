"""What workers lack is known before a run is accepted, by their own word: nothing is paid for that cannot be done."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from temporalio import activity
from temporalio.client import Client
from temporalio.worker import Worker

from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.contracts import ToolCall, ToolResult
from elcano.graphs.extras import worker_identity
from elcano.graphs.mode_choice import auto_graph
from elcano.service.runs.mode_checks import find_barred_modes
from elcano.settings.settings import Settings
from tests.api.asking import QUESTION
from tests.api.serving import speaking

FILES = {"figures": "/srv/figures.csv"}
COMPUTING = {
    "name": "computing",
    "nodes": [
        {"id": "sums", "kind": "tool", "tool": "analyze", "inputs": {"question": "question"}},
        {
            "id": "writer",
            "kind": "agent",
            "agent": "writer",
            "inputs": {
                "question": "question",
                "sources": "sources",
                "conversation": "conversation",
                "evidence": "evidence[].id",
            },
        },
    ],
    "edges": [{"kind": "sequential", "from_node": "sums", "to_node": "writer"}],
    "entry_node": "sums",
    "exit_nodes": ["writer"],
}


@activity.defn
async def nothing(call: ToolCall) -> ToolResult:
    return ToolResult(output={})


def lacking(client: Client, queue: str, *extras: str) -> Worker:
    """A worker of the light installation."""
    return Worker(client, task_queue=queue, activities=[nothing], identity=worker_identity("1@light", extras))


@pytest.fixture
async def light(temporal: Client, task_queue: str, api: httpx.AsyncClient) -> AsyncIterator[None]:
    async with lacking(temporal, task_queue, "analysis", "databases", "forecast", "mcp", "plots"):
        while not (await mode(api, "analysis"))["unavailable"]:
            pass  # the server has not heard of the worker yet
        yield


async def mode(api: httpx.AsyncClient, name: str) -> dict[str, Any]:
    listed = (await api.get("/v1/modes")).raise_for_status().json()
    return next(one for one in listed if one["name"] == name)


async def faults(api: httpx.AsyncClient, **body: object) -> list[dict[str, str]]:
    answer = await api.post("/v1/runs", json={"question": QUESTION, **body})
    assert answer.status_code == 422, answer.text
    found: list[dict[str, str]] = answer.json()["errors"]
    return found


@pytest.mark.usefixtures("light")
async def test_a_mode_that_needs_one_is_refused_with_what_to_install(api: httpx.AsyncClient) -> None:
    (fault,) = await faults(api, mode="analysis")
    assert fault["field"] == "mode"
    assert "its extra `analysis`" in fault["message"]
    (fault,) = await faults(api, graph=COMPUTING)
    assert fault["field"] == "graph"
    assert "its extra `analysis`" in fault["message"]
    assert (await api.post("/v1/runs", json={"question": QUESTION, "mode": "iterative"})).status_code == 201


@pytest.mark.usefixtures("light")
async def test_modes_say_what_is_missing(api: httpx.AsyncClient) -> None:
    (why,) = (await mode(api, "analysis"))["unavailable"]
    assert "its extra `analysis`" in why
    data = await mode(api, "data")
    assert data["unavailable"] == []
    said = " ".join(data["left_out"])
    assert "its extra `forecast`" in said
    assert "its extra `plots`" in said
    assert "mcp" not in said, "no server of tools is named"
    auto = await mode(api, "auto")
    assert auto["unavailable"] == []
    assert "analysis" not in auto["ways"]
    assert any("its extra `analysis`" in what for what in auto["left_out"])
    assert (await mode(api, "deep"))["left_out"] == []


@pytest.mark.usefixtures("light")
async def test_a_run_that_chooses_its_mode_is_accepted(api: httpx.AsyncClient) -> None:
    accepted = await api.post("/v1/runs", json={"question": QUESTION, "mode": "auto"})
    assert accepted.status_code == 201, accepted.text


def test_it_cannot_choose_a_mode_that_workers_lack_an_extra_for(api_settings: Settings) -> None:
    limits = default_limits(auto_graph())
    assert "analysis" not in find_barred_modes(limits, ("handbook",), api_settings)
    closed = find_barred_modes(limits, ("handbook",), api_settings, lacking={"analysis", "forecast"})
    assert "its extra `analysis`" in closed["analysis"]


@pytest.mark.usefixtures("light")
async def test_databases_that_no_worker_opens_are_refused(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings
) -> None:
    async with speaking(make_app(api_settings.model_copy(update={"databases": FILES}))) as api:
        shown = {source["name"]: source for source in (await api.get("/v1/sources")).json()}
        assert "its extra `databases`" in shown["figures"]["missing"]
        for body in ({"mode": "data"}, {"mode": "data", "sources": ["figures"]}, {"sources": ["figures"]}):
            (fault,) = await faults(api, **body)
            assert fault["field"] == "sources"
            assert "its extra `databases`" in fault["message"]
    both = {**FILES, "sales": "sqlite:////srv/sales.db"}
    async with speaking(make_app(api_settings.model_copy(update={"databases": both}))) as api:
        accepted = await api.post("/v1/runs", json={"question": QUESTION, "mode": "data"})
        assert accepted.json()["sources"] == ["sales"]


async def test_without_a_word_nothing_is_held_against_a_run(
    api: httpx.AsyncClient, temporal: Client, task_queue: str
) -> None:
    assert (await api.post("/v1/runs", json={"question": QUESTION, "mode": "analysis"})).status_code == 201
    async with lacking(temporal, task_queue):
        assert (await api.post("/v1/runs", json={"question": QUESTION, "mode": "analysis"})).status_code == 201
    assert (await mode(api, "analysis"))["unavailable"] == []
