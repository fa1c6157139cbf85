"""A call that is given up in the middle: what it had used is written down and charged, and the run goes on at once."""

import asyncio

import httpx
import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from temporalio.client import Client

from elcano.activities.calls import models
from elcano.graphs.model_names import ModelChoice
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import ended, working
from tests.api.asking import start
from tests.api.handbook import IN_ROUNDS


class Silent:
    """A model of the judge that answers once in a form that was not asked for, and then not at all."""

    def __init__(self) -> None:
        self.asked = 0
        self.waiting = asyncio.Event()

    async def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.asked += 1
        if self.asked > 1:
            self.waiting.set()
            await asyncio.Event().wait()
        return ModelResponse(parts=[TextPart("I would rather not say.")])


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Silent:
    silent, real = Silent(), models.resolve_model

    def resolve(choice: ModelChoice, agent: str, settings: Settings) -> Model:
        return FunctionModel(silent.answer) if agent == "judge" else real(choice, agent, settings)

    monkeypatch.setattr("elcano.activities.agents.agent_activity.resolve_model", resolve)
    return silent


@pytest.mark.parametrize("cancelled", [False, True])
async def test_what_a_call_that_was_given_up_had_used_is_charged(
    cancelled: bool,
    api: httpx.AsyncClient,
    temporal: Client,
    store: Store,
    silent: Silent,
    api_settings: Settings,
) -> None:
    async with working(temporal, store, api_settings):
        run_id = await start(api, IN_ROUNDS)
        async with asyncio.timeout(30):
            await silent.waiting.wait()
        if cancelled:
            await temporal.get_workflow_handle(run_id).cancel()
        else:
            assert (await api.post(f"/v1/runs/{run_id}/stop")).status_code == 202
        view = await ended(api, run_id)
    assert view["status"] == ("cancelled" if cancelled else "stopped")
    lines = await store.of("default").ledger.entries(run_id)
    (judged,) = [line for line in lines if line.node == "judge"]
    assert (judged.outcome, judged.usage.requests) == ("abandoned", 1)
    assert view["budget"]["used"]["tokens"] == (await store.of("default").ledger.used(run_id)).tokens
    steps = [line.step for line in lines if line.step and line.kind == "agent"]
    assert len(steps) == len(set(steps))
    assert view["steps"] >= judged.step
