"""Calls of a provider with a rate wait in its queue, in sections too; a run that gets another model leaves it."""

import httpx
import pytest
from fastapi import FastAPI
from temporalio.client import Client

from elcano.activities.sources.registry import open_sources
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.worker import model_workers
from tests.api.again.going_on import QUESTION, Provider, ended, log_of, working
from tests.api.asking import start

MODEL = "sambanova:llama"
QUEUE = "elcano-model-sambanova"


@pytest.fixture
def api_settings(api_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("SAMBANOVA_API_KEY", "a key of no use")
    return api_settings.model_copy(update={"model_rates": {"sambanova": 200.0}})


async def queues_of(temporal: Client, run_id: str) -> dict[str, set[str]]:
    """The activities of a run by the queue that they were put in."""
    found: dict[str, set[str]] = {}
    async for event in temporal.get_workflow_handle(run_id).fetch_history_events():
        if event.HasField("activity_task_scheduled_event_attributes"):
            told = event.activity_task_scheduled_event_attributes
            found.setdefault(told.task_queue.name, set()).add(told.activity_type.name)
    return found


async def test_agents_wait_in_the_queue_of_their_provider_and_all_else_does_not(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, app: FastAPI, task_queue: str
) -> None:
    provider = Provider(sections=2)
    async with open_sources(api_settings) as sources, working(temporal, store, api_settings, provider):
        (worker,) = model_workers(temporal, store, sources, api_settings, resolve=provider.model.resolve)
        async with worker:
            model = {"default": MODEL, "by_agent": {"planner": "offline"}}
            run_id = await start(api, QUESTION, mode="deep", model=model)
            view = await ended(api, run_id)
            assert view["status"] == "completed"
            queues = await queues_of(temporal, run_id)
            assert "planner" in queues[task_queue]
            assert {"search", "publish_report"} <= queues[task_queue]
            assert queues[QUEUE] == {"long_writer"}
            section = view["branches"][0]["run_id"]
            assert "judge" in (await queues_of(temporal, section))[QUEUE]
            assert "sambanova" in (await log_of(store, section)).asked.model_providers.values()
        forked = await api.post(f"/v1/runs/{run_id}/fork", json={"step": view["steps"], "model": "offline"})
        assert forked.status_code == 201, forked.text
        own = forked.json()["run_id"]
        assert (await ended(api, own))["status"] == "completed"
        assert set(await queues_of(temporal, own)) == {task_queue}
        assert (await log_of(store, own)).asked.model_providers == {}
