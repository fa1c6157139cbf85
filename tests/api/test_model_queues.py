"""Where a rate is set for a provider of models, calls wait in its queue; whom nobody serves is told at once."""

import asyncio
from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from fastapi import FastAPI
from temporalio.client import Client

from elcano.activities.sources.registry import open_sources
from elcano.graphs.contracts import model_queue
from elcano.graphs.mode_choice import MODES
from elcano.graphs.model_names import ModelChoice
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.limits import AgentLimits
from elcano.service.runs.model_checks import assign_model_queues
from elcano.settings.settings import Settings
from elcano.storage.store import Store
from elcano.worker import model_workers
from tests.api.asking import QUESTION
from tests.api.serving import speaking

RATED = {"cerebras": 50.0}
"""A provider whose queue no other test polls."""
MODEL = "cerebras:qwen-3"


@pytest.fixture
def rated(api_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("CEREBRAS_API_KEY", "")
    return api_settings.model_copy(update={"model_rates": RATED})


@pytest.fixture
async def knowing(make_app: Callable[[Settings], FastAPI], rated: Settings) -> AsyncIterator[httpx.AsyncClient]:
    async with speaking(make_app(rated)) as made:
        yield made


def asked(**changes: object) -> ResearchInput:
    return ResearchInput(run_id="run-1", question=QUESTION, mode="deep", graph=MODES["deep"]).model_copy(update=changes)


def test_what_waits_where_is_written_into_the_run_its_branches_agents_too() -> None:
    settings = Settings.model_validate(
        {"model": "offline", "agent_models": {"tool_selector": f"{MODEL},offline"}, "model_rates": RATED}
    )
    assert assign_model_queues(asked(), settings).model_providers == {"tool_selector": "cerebras"}
    choice = ModelChoice(default=MODEL, by_agent={"tool_selector": "openai:gpt-5.1", "judge": "offline"})
    chosen = assign_model_queues(asked(models=choice), settings).model_providers
    assert {"planner", "long_writer", "knowledge_gap"} <= set(chosen)
    assert not {"tool_selector", "judge"} & set(chosen)
    plain = Settings.model_validate({"model": MODEL})
    assert assign_model_queues(asked(), plain).model_providers == {}
    first, *others = MODES["simple"].nodes
    judge = next(node for node in others if node.id == "judge").model_copy(update={"limits": AgentLimits(model=MODEL)})
    nodes = (first, *(judge if node.id == "judge" else node for node in others))
    own = asked(graph=MODES["simple"].model_copy(update={"nodes": nodes}), models=ModelChoice(default="offline"))
    told = assign_model_queues(own, settings)
    assert told.model_providers == {MODEL: "cerebras"}


async def test_a_provider_that_no_worker_calls_is_refused_while_workers_run(
    knowing: httpx.AsyncClient, worker: None
) -> None:
    async with asyncio.timeout(30):
        while (refused := await knowing.post("/v1/runs", json={"question": QUESTION, "model": MODEL})).is_success:
            pass  # the server has not heard of the worker yet
    assert refused.status_code == 422
    (fault,) = refused.json()["errors"]
    assert fault["field"] == "model.default"
    assert "no worker polls the task queue 'elcano-model-cerebras'" in fault["message"]
    assert (await knowing.post("/v1/runs", json={"question": QUESTION})).status_code == 201


async def test_without_any_worker_the_run_waits_for_one(knowing: httpx.AsyncClient) -> None:
    answer = await knowing.post("/v1/runs", json={"question": QUESTION, "model": MODEL})
    assert answer.status_code == 201


async def test_a_worker_polls_for_whom_it_has_a_key(
    temporal: Client, store: Store, rated: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_sources(rated) as sources:
        assert model_workers(temporal, store, sources, rated) == []
        monkeypatch.setenv("CEREBRAS_API_KEY", "a key")
        (worker,) = model_workers(temporal, store, sources, rated)
    assert worker.task_queue == model_queue("cerebras")
    assert worker.config()["max_task_queue_activities_per_second"] == 50.0
