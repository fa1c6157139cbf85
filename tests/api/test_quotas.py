"""Quotas over HTTP: a hundred starts at once, what a refusal says, and what a tenant sees of itself and of others."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from elcano.graphs.state.budget import Usage
from elcano.settings import Settings
from elcano.storage.ledger import LedgerEntry
from elcano.storage.store import Store
from tests.api.asking import QUESTION, start
from tests.api.serving import speaking

Write = Callable[[str], None]
Serve = Callable[[str], AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture
def write_quotas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes the file that the API reads."""
    path = tmp_path / "quotas.toml"
    monkeypatch.setenv("ELCANO_QUOTAS", str(path))

    def write(content: str) -> None:
        path.write_text(content)

    return write


@pytest.fixture
def serve(make_app: Callable[[Settings], FastAPI], api_settings: Settings, write_quotas: Write) -> Serve:
    """An API whose proxy names tenants, with quotas."""

    @asynccontextmanager
    async def served(content: str) -> AsyncIterator[httpx.AsyncClient]:
        write_quotas(content)
        app = make_app(api_settings.model_copy(update={"tenant_header": "X-Tenant", "operator_tenant": "ops"}))
        async with speaking(app) as client:
            client.headers["X-Tenant"] = "acme"
            yield client

    return served


async def ask(api: httpx.AsyncClient, tenant: str = "acme") -> httpx.Response:
    return await api.post("/v1/runs", json={"question": QUESTION}, headers={"X-Tenant": tenant})


async def spend(store: Store, tenant: str, tokens: int, dollars: float = 0.0) -> None:
    usage = Usage(requests=1, input_tokens=tokens, cost_microusd=int(dollars * 1_000_000))
    line = LedgerEntry(
        run_id=f"{tenant}-1",
        activity="a",
        step=1,
        attempt=1,
        node="n",
        kind="agent",
        name="judge",
        model="=small",
        usage=usage,
        at=time.time(),
    )
    await store.of(tenant).ledger.record(line)


async def test_of_a_hundred_starts_at_once_none_is_one_too_many(serve: Serve) -> None:
    async with serve("[every_tenant]\nruns_a_day = 5\n") as api:
        answers = await asyncio.gather(*(ask(api) for _ in range(100)))
        assert sorted(answer.status_code for answer in answers) == [201] * 5 + [429] * 95
        assert (await ask(api, "other")).status_code == 201, "each tenant has its own"
        refused = next(answer for answer in answers if answer.status_code == 429)
    assert refused.headers["content-type"] == "application/problem+json"
    assert 0 < int(refused.headers["retry-after"]) <= 86_400
    assert refused.json()["type"] == "urn:elcano:quota-used-up"
    says = "runs_a_day of the tenant 'acme' is 5, of which 5 are used; it returns at"
    assert says in refused.json()["detail"]


async def test_used_up_money_is_402_and_an_idempotency_key_stays_free(
    serve: Serve, store: Store, write_quotas: Write
) -> None:
    await spend(store, "acme", 1_000, dollars=3.0)
    async with serve("[every_tenant]\nusd_a_day = 2\n") as api:
        headers = {"Idempotency-Key": "once", "X-Tenant": "acme"}
        refused = await api.post("/v1/runs", json={"question": QUESTION}, headers=headers)
        assert refused.status_code == 402
        assert refused.json()["type"] == "urn:elcano:money-used-up"
        assert "$2.00, of which $3.00 are used" in refused.json()["detail"]
        assert (await api.get("/v1/runs")).json()["runs"] == []
        write_quotas("[every_tenant]\nusd_a_day = 20\n")
        accepted = await api.post("/v1/runs", json={"question": QUESTION}, headers=headers)
        assert accepted.status_code == 201, "the changed file counts at once"


async def test_a_broken_file_starts_nothing_and_says_where(serve: Serve, write_quotas: Write) -> None:
    async with serve("") as api:
        write_quotas("[every_tenant]\ntokens_a_day = 'many'\n")
        for answer in (await ask(api), await api.get("/v1/quotas")):
            assert answer.status_code == 503
            assert answer.json()["type"] == "urn:elcano:quotas-broken"
            assert "every_tenant.tokens_a_day = 'many'" in answer.json()["detail"]


async def test_a_tenant_sees_how_its_limits_stand(serve: Serve, store: Store) -> None:
    await spend(store, "acme", 400, dollars=0.5)
    await spend(store, "other", 7_000)
    content = "[every_tenant]\nruns_at_once = 3\ntokens_a_day = 1_000\nusd_a_month = 10\n"
    async with serve(content) as api:
        await start(api)
        found = (await api.get("/v1/quotas")).json()
    assert found["tenant"] == "acme"
    shown = [(one["name"], one["unit"], one["limit"], one["used"], one["left"]) for one in found["limits"]]
    assert shown == [
        ("runs_at_once", "runs", 3, 1, 2),
        ("tokens_a_day", "tokens", 1_000, 400, 510),
        ("usd_a_month", "usd", 10, 0.5, 8.075),
    ]
    assert found["limits"][1]["claimed"] == 90, "what the open run keeps for its report"
    assert found["limits"][0]["resets_at"] is None
    assert found["limits"][1]["resets_at"].endswith("T00:00:00.000000Z")


async def test_usage_is_a_tenants_own_but_for_the_operators(serve: Serve, store: Store) -> None:
    await spend(store, "acme", 400)
    await spend(store, "other", 7_000)
    async with serve("") as api:
        mine = (await api.get("/v1/usage", params={"group_by": ["tenant", "model"]})).json()
        assert [(row["tenant"], row["model"], row["tokens"]) for row in mine["rows"]] == [("acme", "=small", 400)]
        assert mine["total"]["tokens"] == 400
        refused = await api.get("/v1/usage", params={"all_tenants": True})
        assert refused.status_code == 403
        everybody = await api.get(
            "/v1/usage", params={"all_tenants": True, "group_by": "tenant"}, headers={"X-Tenant": "ops"}
        )
        assert {row["tenant"]: row["tokens"] for row in everybody.json()["rows"]} == {"acme": 400, "other": 7_000}
        table = await api.get("/v1/usage", params={"group_by": "model"}, headers={"Accept": "text/csv"})
    assert table.headers["content-type"].startswith("text/csv")
    head, row = table.text.splitlines()
    assert head == "model,runs,calls,requests,input_tokens,output_tokens,tokens,cost_usd,unpriced_requests"
    assert row == "'=small,0,1,1,400,0,400,0.0,0", "no spreadsheet takes it for a formula"


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"from": "2026-11-27", "to": "2026-11-26"}, "which is after `to`"),
        ({"from": "1900-01-01"}, "3,660 days"),
        ({"from": "yesterday"}, "valid date"),
        ({"group_by": "user"}, "must be"),
    ],
)
async def test_what_cannot_be_asked_is_said(serve: Serve, params: dict[str, str], says: str) -> None:
    async with serve("") as api:
        answer = await api.get("/v1/usage", params=params)
    assert answer.status_code == 422
    assert says in answer.text


async def test_without_quotas_there_are_none(api: httpx.AsyncClient) -> None:
    assert (await api.get("/v1/quotas")).json() == {"tenant": "default", "limits": []}
    assert (await api.get("/v1/usage")).json()["rows"] == []
