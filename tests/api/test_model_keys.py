"""A run whose model has no key is refused before it starts, if the API knows the worker's environment."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from elcano.graphs.mode_choice import MODES
from elcano.graphs.model_names import PROVIDERS
from elcano.settings import Settings
from tests.api.asking import QUESTION
from tests.api.serving import speaking

MODEL = "openai:gpt-5.1"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for names in PROVIDERS.values():
        for name in names:
            monkeypatch.delenv(name, raising=False)


@pytest.fixture
async def knowing(make_app: Callable[[Settings], FastAPI], api_settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """An API that was started in the environment of its workers."""
    chosen = {"shared_environment": True, "agent_models": {"judge": "anthropic:claude-sonnet-4-5"}}
    async with speaking(make_app(api_settings.model_copy(update=chosen))) as made:
        yield made


@pytest.mark.parametrize(
    ("asked", "field", "variable"),
    [
        ({"model": MODEL}, "model.default", "OPENAI_API_KEY"),
        ({"model": f"{MODEL},offline"}, "model.default", "OPENAI_API_KEY"),
        ({"model": {"by_agent": {"writer": MODEL, "judge": "offline"}}}, "model.by_agent.writer", "OPENAI_API_KEY"),
        ({}, "model", "ANTHROPIC_API_KEY"),
    ],
)
async def test_a_missing_key_is_told_before_the_run(
    knowing: httpx.AsyncClient, asked: dict[str, Any], field: str, variable: str
) -> None:
    answer = await knowing.post("/v1/runs", json={"question": QUESTION, **asked})
    assert answer.status_code == 422
    (fault,) = answer.json()["errors"]
    assert fault["field"] == field
    assert variable in fault["message"]
    assert (await knowing.get("/v1/runs")).json()["runs"] == []


async def test_a_model_at_an_address_of_its_own_needs_no_key(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings
) -> None:
    urls = {"openai": "http://models.test/v1"}
    chosen = api_settings.model_copy(update={"shared_environment": True, "model_urls": urls})
    async with speaking(make_app(chosen)) as made:
        answers = [
            await made.post("/v1/runs", json={"question": QUESTION, "model": model})
            for model in (MODEL, "anthropic:claude-haiku-5-5")
        ]
    assert [answer.status_code for answer in answers] == [201, 422]


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "OPENAI_BASE_URL"])
async def test_a_key_or_a_server_that_needs_none_is_enough(
    knowing: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "http://models.test/v1")
    answer = await knowing.post("/v1/runs", json={"question": QUESTION, "model": MODEL})
    assert answer.status_code == 201


async def test_models_that_no_agent_of_the_run_calls_are_not_asked_for(knowing: httpx.AsyncClient) -> None:
    unused = {"default": "offline", "by_agent": {"planner": MODEL}}
    asked = {"question": QUESTION, "model": unused, "mode": "iterative"}
    assert (await knowing.post("/v1/runs", json=asked)).status_code == 201
    refused = await knowing.post("/v1/runs", json={"question": QUESTION, "model": unused, "mode": "deep"})
    assert [fault["field"] for fault in refused.json()["errors"]] == ["model.by_agent.planner"]


async def test_agents_of_branches_are_asked_for_too(knowing: httpx.AsyncClient) -> None:
    inner = {"default": "offline", "by_agent": {"thinking": MODEL}}
    refused = await knowing.post("/v1/runs", json={"question": QUESTION, "model": inner, "mode": "deep"})
    assert [fault["field"] for fault in refused.json()["errors"]] == ["model.by_agent.thinking"]


async def test_a_provider_whose_keys_are_not_known_is_left_to_the_worker(knowing: httpx.AsyncClient) -> None:
    answer = await knowing.post("/v1/runs", json={"question": QUESTION, "model": "bedrock:some-model"})
    assert answer.status_code == 201


async def test_an_api_that_does_not_know_the_workers_environment_refuses_nothing(api: httpx.AsyncClient) -> None:
    assert (await api.post("/v1/runs", json={"question": QUESTION, "model": MODEL})).status_code == 201


async def test_the_model_that_a_node_names_is_asked_for_in_place_of_its_agents(
    knowing: httpx.AsyncClient,
) -> None:
    graph = MODES["simple"].model_dump(mode="json")
    judge = next(node for node in graph["nodes"] if node["id"] == "judge")
    judge["limits"] = {"model": MODEL}
    asked = {"question": QUESTION, "graph": {**graph, "name": "mine"}}
    refused = await knowing.post("/v1/runs", json={**asked, "model": "offline"})
    (fault,) = refused.json()["errors"]
    assert (fault["field"], MODEL in fault["message"]) == ("graph", True)
    judge["limits"] = {"model": "offline"}
    unused = {"default": "offline", "by_agent": {"judge": MODEL}}
    assert (await knowing.post("/v1/runs", json={**asked, "model": unused})).status_code == 201
