"""A limit of money is refused at every door for a model without a known price, which it would not limit."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from temporalio.client import Client

from elcano.settings import Settings
from elcano.settings.model_prices import TokenPrice
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Provider, asked, ended, working
from tests.api.asking import start
from tests.api.serving import speaking

UNPRICED = "sambanova:unheard-of"
MONEY = {"cost_usd": 0.5}


@pytest.fixture(autouse=True)
def with_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "SAMBANOVA_API_KEY"):
        monkeypatch.setenv(name, "scripted")


async def require_refused(api: httpx.AsyncClient, path: str, body: dict[str, Any], *fields: str) -> None:
    refused = await api.post(path, json=body)
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json"), refused.text
    faults = {fault["field"]: fault["message"] for fault in refused.json()["errors"]}
    assert set(faults) == set(fields or ("budget.cost_usd",))
    assert all(f"no price is known for '{UNPRICED}'" in one and "ELCANO_MODEL_PRICES" in one for one in faults.values())


async def test_no_door_takes_a_limit_of_money_that_limits_nothing(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    async with working(temporal, store, api_settings, Provider()):
        done = await start(api, QUESTION, model="openai:gpt-5.1", budget=MONEY)
        assert (await ended(api, done))["status"] == "completed"
    run = {"question": QUESTION, "model": UNPRICED}
    await require_refused(api, "/v1/runs", {**run, "budget": MONEY})
    fallback = {"default": "openai:gpt-5.1", "by_agent": {"writer": f"openai:gpt-5.1,{UNPRICED}"}}
    await require_refused(api, "/v1/runs", {**run, "model": fallback, "budget": MONEY})
    await require_refused(api, f"/v1/runs/{done}/fork", {"step": 2, "model": UNPRICED})
    await require_refused(
        api, f"/v1/runs/{done}/edits", {"instruction": "Shorter.", "model": UNPRICED, "budget": MONEY}
    )
    await require_refused(api, f"/v1/runs/{done}/updates", {"model": UNPRICED, "budget": MONEY})
    batch = {"questions": [{"question": QUESTION}], "defaults": {"model": UNPRICED}, "budget": {"cost_usd": 5}}
    await require_refused(api, "/v1/batches", batch, "questions.0.budget.cost_usd")
    assert (await api.post("/v1/runs", json=run)).status_code == 201, "without such a limit it may run"


async def test_a_resumed_run_keeps_its_limit_of_money_with_another_model(
    api: httpx.AsyncClient,
    make_app: Callable[[Settings], FastAPI],
    temporal: Client,
    store: Store,
    api_settings: Settings,
) -> None:
    provider = Provider()
    provider.off.add(("judge", ""))
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, budget=MONEY)
        assert (await ended(api, run_id))["status"] == "failed"
    provider.off.clear()
    await require_refused(api, f"/v1/runs/{run_id}/resume", {"model": UNPRICED})
    assert await store.count_open_runs() == {}
    dear = TokenPrice(input=1_000, output=1_000)
    priced = api_settings.model_copy(update={"model_prices": {UNPRICED: dear}})
    async with speaking(make_app(priced)) as able, working(temporal, store, priced, provider):
        before = (await able.get(f"/v1/runs/{run_id}")).json()["budget"]["used"]["cost_usd"]
        await asked(able, run_id, "resume", model=UNPRICED)
        view = await ended(able, run_id)
    assert view["budget"]["used"]["cost_usd"] > before
    assert (view["status"], view["budget"]["reason"]) == ("partial", "cost"), view["budget"]
