"""A deleted tenant leaves nothing but the audit: no row, no object, no history. Others keep everything."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select
from temporalio.client import Client

from elcano.graphs.contracts import TASK_QUEUE
from elcano.graphs.spec.own_agent import OwnAgent
from elcano.operations.encryption.keys import INDEX, make_key
from elcano.operations.tenants import deletion_store
from elcano.settings import Settings
from elcano.storage.sql.columns import RETAINED
from elcano.storage.sql.tables import metadata
from elcano.storage.store import Store, open_store
from tests.api.asking import start
from tests.api.handbook import handbook_settings
from tests.api.serving import serving, speaking
from tests.api.sse import read_all
from tests.cases import long_case

HEADER = "X-Tenant"
QUESTION = "What belongs to Temporal alone, and how does the delay of a retry change?"


@pytest.fixture
def names() -> tuple[str, str]:
    """Two tenants of a test's own, one called nearly like the other: Temporal's server is that of all tests."""
    mark = secrets.token_hex(4)
    return f"acme-{mark}", f"acme-{mark}-eu"


@pytest.fixture(params=[long_case("sqlite"), "postgresql", long_case("sqlite encrypted")])
async def store(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Store]:
    if request.param == "sqlite encrypted":
        monkeypatch.setenv("ELCANO_ENCRYPTION_KEYS", f"{make_key()},{make_key(INDEX)}")
    on_servers = request.param == "postgresql"
    database: str = request.getfixturevalue("postgres_tables") if on_servers else ""
    objects: str = request.getfixturevalue("s3") if on_servers else ""
    async with open_store(tmp_path / "data", database=database, objects=objects) as opened:
        yield opened


@pytest.fixture
def api_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, str]) -> Settings:
    monkeypatch.setattr(deletion_store, "QUIET_SECONDS", 1.0)
    monkeypatch.setenv("ELCANO_AUDIT", "true")
    changes = {"tenant_header": HEADER, "operator_tenant": "ops", "reconcile_seconds": 0.5}
    return handbook_settings(tmp_path).model_copy(update=changes)


@pytest.fixture
def task_queue() -> str:
    return TASK_QUEUE


async def dump_rows(store: Store, tenant: str) -> dict[str, list[tuple[object, ...]]]:
    """All rows of a tenant, as the database has them."""
    found: dict[str, list[tuple[object, ...]]] = {}
    async with store._engine.connect() as connection:
        for table in metadata.sorted_tables:
            if "tenant" in table.c:
                rows = await connection.execute(select(table).where(table.c.tenant == tenant))
                if kept := sorted((tuple(row) for row in rows), key=str):
                    found[table.name] = kept
    return found


async def list_objects(store: Store, tenant: str) -> list[str]:
    """The keys of objects that are the tenant's, by its name or by that of one of its runs."""
    found: list[str] = []
    for prefix in ("artifacts", "payloads"):
        async for some in store.objects.list_below(prefix):
            owners = {key: key.split("/")[1] for key in some}
            is_run = prefix == "payloads"
            found += [key for key, one in owners.items() if tenant == (one.rpartition("-")[0] if is_run else one)]
    return sorted(found)


async def list_histories(temporal: Client, tenant: str) -> list[str]:
    return sorted([one.id async for one in temporal.list_workflows(f"ElcanoTenant = '{tenant}'")])


async def live(served: str, store: Store, tenant: str) -> str:
    """A tenant with everything: ended runs, one that waits, a graph, an agent, keys, a session, a link, knowledge."""
    async with httpx.AsyncClient(base_url=served, headers={HEADER: tenant}, timeout=60) as client:
        for mode in ("iterative", "deep"):
            run_id = await start(client, QUESTION, mode=mode)
            await read_all(f"{served}/v1/runs/{run_id}/events", headers=client.headers)
            assert (await client.get(f"/v1/runs/{run_id}/report")).status_code == 200
        waiting = await start(client, QUESTION, mode="deep", approve_plan=True)
        async with asyncio.timeout(30):
            while (await client.get(f"/v1/runs/{waiting}")).json()["stage"] != "approval":  # noqa: ASYNC110
                await asyncio.sleep(0.25)
        assert (await client.post(f"/v1/runs/{run_id}/links", json={"days": 1})).status_code == 201
        assert (await client.post("/v1/keys", json={"name": "mine", "role": "admin"})).status_code == 201
    own = store.of(tenant)
    await own.agents.keep(OwnAgent(name="reader", instructions="Read.", output={"type": "object"}))
    await own.plugins["access"].begin_session("somebody", "reader", frozenset(), "", 60)
    return waiting


async def wait_until_gone(client: httpx.AsyncClient, tenant: str) -> dict[str, object]:
    async with asyncio.timeout(60):
        while (found := (await client.get(f"/v1/tenants/{tenant}/deletion")).json())["state"] != "finished":  # noqa: ASYNC110
            await asyncio.sleep(0.25)
    assert isinstance(found, dict)
    return found


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("researching")
async def test_a_deleted_tenant_leaves_nothing_and_another_keeps_everything(
    served: str, other: str, store: Store, temporal: Client, names: tuple[str, str]
) -> None:
    gone, kept = names
    for tenant in names:
        await live(served, store, tenant)
    before = await dump_rows(store, kept), await list_objects(store, kept), await list_histories(temporal, kept)
    assert (await dump_rows(store, gone)).keys() == before[0].keys()
    assert all(before)
    async with httpx.AsyncClient(base_url=served, headers={HEADER: "ops"}, timeout=60) as ops:
        path = f"/v1/tenants/{gone}/deletion"
        asked = [ops.post(path, json={"confirm": gone}), ops.post(f"{other}{path}", json={"confirm": gone})]
        assert [answer.status_code for answer in await asyncio.gather(*asked)] == [202, 202]
        refused = await ops.post("/v1/runs", json={"question": QUESTION}, headers={HEADER: gone})
        assert (refused.status_code, refused.json()["type"]) == (409, "urn:elcano:tenant-being-deleted")
        told = await wait_until_gone(ops, gone)
        assert all(isinstance(told[name], int) and told[name] for name in ("histories", "objects", "rows")), told
        retained = {table.name for table in metadata.sorted_tables if table.info == RETAINED}
        assert (await dump_rows(store, gone)).keys() <= retained
        assert await list_objects(store, gone) == []
        assert await list_histories(temporal, gone) == []
        assert await list_histories(temporal, kept) == before[2]
        assert await list_objects(store, kept) == before[1]
        assert _without_time(await dump_rows(store, kept)) == _without_time(before[0])
        again = await ops.post(path, json={"confirm": gone})
        assert again.json()["state"] == "going_on"
        assert (await wait_until_gone(ops, gone))["rows"] == 0
        ops.headers[HEADER] = gone
        run_id = await start(ops, QUESTION)  # the name is free again
        assert [run["run_id"] for run in (await ops.get("/v1/runs")).json()["runs"]] == [run_id]


def _without_time(rows: dict[str, list[tuple[object, ...]]]) -> dict[str, list[tuple[object, ...]]]:
    """Without what goes on by itself: the run that waits has its record written now and then."""
    return {name: some for name, some in rows.items() if name not in ("runs", "audit_entries")}


@pytest.mark.long
@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
@pytest.mark.usefixtures("researching")
async def test_a_deletion_that_was_cut_off_goes_on_in_another_process(
    app: FastAPI,
    make_app: Callable[[Settings], FastAPI],
    api_settings: Settings,
    store: Store,
    temporal: Client,
    names: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone, _ = names
    async with serving(app) as address:
        await live(address, store, gone)
    whole = await dump_rows(store, gone)

    async def break_off(*_: object) -> int:
        raise asyncio.CancelledError

    with monkeypatch.context() as patched:
        patched.setattr("elcano.operations.tenants.deletion.delete_rows", break_off)
        async with speaking(make_app(api_settings)) as first:
            first.headers[HEADER] = gone
            assert (await first.post(f"/v1/tenants/{gone}/deletion", json={"confirm": gone})).status_code == 202
            async with asyncio.timeout(30):
                while await list_objects(store, gone):  # noqa: ASYNC110
                    await asyncio.sleep(0.25)
    assert (await dump_rows(store, gone)).keys() >= whole.keys() - {"api_keys", "sessions", "run_links"}
    async with speaking(make_app(api_settings)) as second:
        second.headers[HEADER] = gone
        await wait_until_gone(second, gone)
    assert (await dump_rows(store, gone)).keys() == {"audit_entries", "tenant_deletions"}
    assert await list_histories(temporal, gone) == []


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
async def test_who_may_not_and_what_is_mistyped_is_refused(api: httpx.AsyncClient, store: Store) -> None:
    api.headers[HEADER] = "zebra"
    await store.of("acme").agents.keep(OwnAgent(name="reader", instructions="Read.", output={"type": "object"}))
    foreign = await api.post("/v1/tenants/acme/deletion", json={"confirm": "acme"})
    assert (foreign.status_code, foreign.json()["type"]) == (404, "urn:elcano:tenant-not-found")
    assert "admins of 'ops' manage others" in foreign.json()["detail"]
    unknown = await api.post("/v1/tenants/zebra/deletion", json={"confirm": "zebra"})
    assert (unknown.status_code, unknown.json()["type"]) == (404, "urn:elcano:tenant-not-found")
    api.headers[HEADER] = "ops"
    for wrong in ("", "acm", "ACME", "acme "):
        mistyped = await api.post("/v1/tenants/acme/deletion", json={"confirm": wrong})
        assert (mistyped.status_code, mistyped.json()["errors"][0]["field"]) == (422, "confirm")
    for name in ("acme'", "%25", "-acme", "a" * 41):
        impossible = await api.post(f"/v1/tenants/{name}/deletion", json={"confirm": name})
        assert (impossible.status_code, impossible.json()["errors"][0]["field"]) == (422, "tenant"), impossible.text
    assert (await api.get("/v1/tenants/acme/deletion")).status_code == 404
    assert await store.of("acme").agents.get("reader") is not None
