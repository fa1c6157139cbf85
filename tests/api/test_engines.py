"""What a run walks: a mode, a graph of one's own, or plain code; and limits with which that cannot work."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from temporalio.client import Client

from elcano.graphs.contracts import CHAIN_MODES, CHAIN_WORKFLOW, RESEARCH_WORKFLOW
from elcano.graphs.mode_choice import MODES
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.asking import QUESTION
from tests.api.serving import speaking


async def ask(api: httpx.AsyncClient, **changes: Any) -> httpx.Response:
    return await api.post("/v1/runs", json={"question": QUESTION, **changes})


async def workflow_type(temporal: Client, answer: httpx.Response) -> str | None:
    assert answer.status_code == 201, answer.text
    return (await temporal.get_workflow_handle(answer.json()["run_id"]).describe()).workflow_type


async def asked(temporal: Client, answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 201, answer.text
    history = await temporal.get_workflow_handle(answer.json()["run_id"]).fetch_history()
    payloads = history.events[0].workflow_execution_started_event_attributes.input.payloads
    [found] = await temporal.data_converter.decode(payloads)
    return dict(found)


def mine(**changes: Any) -> dict[str, Any]:
    return {**MODES["iterative"].model_dump(mode="json"), "name": "mine", **changes}


@pytest.fixture
async def chained(make_app: Callable[[Settings], FastAPI], api_settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """An API that is set up for chains."""
    app = make_app(api_settings.model_copy(update={"use_graph_execution": False}))
    async with speaking(app) as client:
        yield client


@pytest.mark.parametrize("mode", CHAIN_MODES)
async def test_a_mode_runs_as_a_chain_where_that_is_wanted(api: httpx.AsyncClient, temporal: Client, mode: str) -> None:
    graph = await ask(api, mode=mode)
    assert await workflow_type(temporal, graph) == RESEARCH_WORKFLOW
    assert graph.json()["engine"] == "graph"
    chain = await ask(api, mode=mode, use_graph=False)
    assert await workflow_type(temporal, chain) == CHAIN_WORKFLOW
    assert chain.json()["engine"] == "chain"


async def test_the_setting_chooses_and_the_request_goes_before_it(chained: httpx.AsyncClient, temporal: Client) -> None:
    assert await workflow_type(temporal, await ask(chained)) == CHAIN_WORKFLOW
    assert await workflow_type(temporal, await ask(chained, use_graph=True)) == RESEARCH_WORKFLOW
    assert (await chained.post("/v1/graphs", json=mine())).status_code == 201
    assert await workflow_type(temporal, await ask(chained, mode="mine", use_graph=True)) == RESEARCH_WORKFLOW
    refused = await ask(chained, mode="mine")
    own = await ask(chained, graph=mine())
    assert refused.status_code == 422
    (fault,) = refused.json()["errors"]
    assert fault["field"] == "mode"
    assert "USE_GRAPH_EXECUTION=false" in fault["message"]
    assert "iterative, deep, deep_brief" in fault["message"]
    assert [fault["field"] for fault in own.json()["errors"]] == ["graph"]


@pytest.mark.parametrize("mode", sorted(MODES.keys() - set(CHAIN_MODES)))
async def test_other_modes_have_no_chain(api: httpx.AsyncClient, store: Store, mode: str) -> None:
    answer = await ask(api, mode=mode, use_graph=False)
    assert answer.status_code == 422
    assert "mode" in [fault["field"] for fault in answer.json()["errors"]]
    assert (await store.of("default").runs.page(limit=1)).runs == ()


async def test_a_graph_of_ones_own_is_the_mode(api: httpx.AsyncClient, temporal: Client) -> None:
    answer = await ask(api, graph=mine(description="With a twist."))
    run = await asked(temporal, answer)
    assert answer.json()["mode"] == run["mode"] == run["graph"]["name"] == "mine"
    assert run["graph"]["description"] == "With a twist."


async def test_every_fault_of_ones_own_graph_is_told(api: httpx.AsyncClient, store: Store) -> None:
    answer = await ask(api, graph=mine(entry_node="nowhere", exit_nodes=["nobody"]))
    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:elcano:graph-invalid"
    faults = [fault["message"] for fault in answer.json()["errors"]]
    assert any("'nowhere'" in fault for fault in faults)
    assert any("'nobody'" in fault for fault in faults)
    assert (await store.of("default").runs.page(limit=1)).runs == ()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"graph": {"name": "x"}}, "graph.nodes"),
        ({"graph": "iterative"}, "graph"),
        ({"graph": mine(), "mode": "deep"}, "mode"),
        ({"graph": mine(), "use_graph": False}, "graph"),
        ({"use_graph": "no"}, "use_graph"),
        ({"budget": {"when_exhausted": "wait"}}, "budget.when_exhausted"),
    ],
)
async def test_what_cannot_be_walked_is_refused_by_name(
    api: httpx.AsyncClient, changes: dict[str, Any], field: str
) -> None:
    answer = await ask(api, **changes)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


@pytest.mark.parametrize(
    ("mode", "tokens", "seconds"),
    [("iterative", 150_000, 600), ("simple", 100_000, 600), ("deep", 450_000, 1_800), ("auto", 1_200_000, 1_800)],
)
async def test_graphs_with_sections_may_use_more(
    api: httpx.AsyncClient, temporal: Client, mode: str, tokens: int, seconds: float
) -> None:
    limits = (await asked(temporal, await ask(api, mode=mode)))["limits"]
    assert (limits["tokens"], limits["seconds"], limits["when_exhausted"]) == (tokens, seconds, "finish")
    budget = {"tokens": 90_000, "when_exhausted": "pause"}
    limits = (await asked(temporal, await ask(api, mode=mode, budget=budget)))["limits"]
    assert (limits["tokens"], limits["seconds"], limits["when_exhausted"]) == (90_000, seconds, "pause")


@pytest.mark.parametrize(
    ("mode", "budget", "said"),
    [
        ("iterative", {"tokens": 5_000}, "half of 5,000 tokens, 2,500, can be kept for 'writer', which needs 6,800"),
        ("deep", {"tokens": 15_000}, "kept for 'synthesizer', which needs 7,600"),
        ("deep", {"sections": 60, "steps": 30}, "60 sections are more than the 30 steps"),
        ("deep", {"seconds": 10}, "8 sections, 4 at a time, take at least 10.5 s"),
    ],
)
async def test_limits_that_cannot_work_are_refused_with_their_arithmetic(
    api: httpx.AsyncClient, store: Store, mode: str, budget: dict[str, Any], said: str
) -> None:
    answer = await ask(api, mode=mode, budget=budget)
    assert answer.status_code == 422
    assert {fault["field"] for fault in answer.json()["errors"]} == {"budget"}
    assert said in answer.json()["detail"]
    assert (await store.of("default").runs.page(limit=1)).runs == ()
