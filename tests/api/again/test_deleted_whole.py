"""What a real run leaves is its tenant's, and a deleted one leaves nothing: not a row in any table."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest
from sqlalchemy import func, select
from temporalio.client import Client

from elcano.graphs.contracts import TASK_QUEUE
from elcano.settings import Settings
from elcano.storage.sql.tables import metadata, usage_totals
from elcano.storage.store import Store
from tests.api.asking import start
from tests.api.handbook import handbook_settings
from tests.api.sse import read_all
from tests.cases import long_case

HEADER = "X-Tenant"
TENANTS = ("acme", "zebra")
QUESTION = "What belongs to Temporal alone, and how does the delay of a retry change?"


@pytest.fixture
def api_settings(tmp_path: Path) -> Settings:
    return handbook_settings(tmp_path).model_copy(update={"tenant_header": HEADER})


@pytest.fixture
def task_queue() -> str:
    return TASK_QUEUE


async def rows(store: Store) -> Mapping[str, Mapping[str, int]]:
    """How many rows each tenant has in each table that has tenants, but for sums of usage: those stay.

    A worker on the product's own queue also goes on with what other tests left in Temporal: those tenants do not count.
    """
    found: dict[str, dict[str, int]] = {}
    async with store._engine.connect() as connection:
        for table in metadata.sorted_tables:
            if "tenant" in table.c and table is not usage_totals:
                own = table.c.tenant.in_(TENANTS)
                counted = select(table.c.tenant, func.count()).where(own).group_by(table.c.tenant)
                for tenant, number in await connection.execute(counted):
                    found.setdefault(tenant, {})[table.name] = number
    return found


async def researched(client: httpx.AsyncClient, mode: str) -> tuple[str, str]:
    """A finished run's id, and its report."""
    run_id = await start(client, QUESTION, mode=mode)
    await read_all(f"{client.base_url}/v1/runs/{run_id}/events", headers=client.headers)
    report = await client.get(f"/v1/runs/{run_id}/report")
    assert report.status_code == 200, report.text
    return run_id, report.text


@pytest.mark.usefixtures("researching")
@pytest.mark.parametrize("mode", ["iterative", long_case("deep")])
async def test_a_deleted_run_leaves_nothing_and_others_keep_what_they_share(
    served: str, store: Store, temporal: Client, mode: str
) -> None:
    async with AsyncExitStack() as stack:
        clients = [httpx.AsyncClient(base_url=served, headers={HEADER: name}, timeout=60) for name in TENANTS]
        acme, zebra = [await stack.enter_async_context(client) for client in clients]
        first, report = await researched(acme, mode)
        alone = await rows(store)
        second, _ = await researched(acme, mode)
        other, _ = await researched(zebra, mode)
        whole = await rows(store)
        assert {"texts", "evidence", "findings", "artifacts", "ledger", "runs", "events"} <= alone["acme"].keys()
        assert whole.keys() == {"acme", "zebra"}
        assert whole["acme"]["evidence"] == alone["acme"]["evidence"]  # both of its runs found the same
        workflows = [found async for found in temporal.list_workflows(f"WorkflowId STARTS_WITH '{first}'")]
        assert all(found.search_attributes["ElcanoTenant"] == ["acme"] for found in workflows)
        assert len(workflows) == 1 if mode == "iterative" else len(workflows) > 1

        assert (await acme.delete(f"/v1/runs/{second}")).status_code == 204
        assert (await rows(store))["acme"] == alone["acme"]
        assert (await rows(store))["zebra"] == whole["zebra"]
        assert (await acme.get(f"/v1/runs/{first}/report")).text == report
        assert (await acme.get(f"/v1/runs/{first}/evidence")).json()["total"] > 0

        assert (await acme.delete(f"/v1/runs/{first}")).status_code == 204
        assert (await rows(store)) == {"zebra": whole["zebra"]}
        assert (await zebra.delete(f"/v1/runs/{other}")).status_code == 204
        assert await rows(store) == {}
