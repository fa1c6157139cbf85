"""Two tenants that ask at random, also for what is the other's: neither ever reads a word of the other."""

import asyncio
import random
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from elcano.api.app import create_app
from elcano.doors.batches.batch_store import get_batches
from elcano.doors.batches.batch_tables import Batch, BatchQuestion
from elcano.doors.evidence_tables.table_store import EvidenceTable, TableDocument, get_tables
from elcano.doors.webhooks.webhook_store import get_webhooks
from elcano.operations.access.access_store import AccessStore
from elcano.settings import Settings
from elcano.storage.store import Store, TenantStore
from tests.api.every_route import Route, routes
from tests.unit.operations.access.conftest import EACH_DATABASE, Bearer, make_key
from tests.unit.operations.access.runs import connect_to_nothing, leave_run

pytestmark = EACH_DATABASE

REQUESTS = 200
"""Per database."""
WORDS = {"acme": "quicksilver", "zebra": "obsidian"}
"""Words that are in one tenant's questions alone."""


@pytest.fixture
def app(store: Store, tmp_path: Path) -> FastAPI:
    return create_app(Settings(data_dir=tmp_path, _env_file=None), store=store, client=connect_to_nothing)


async def keep_batch(own: TenantStore, word: str) -> str:
    """A batch with one question about the word, and the evidence table that it fills; returns their id."""
    batch = Batch(id=f"batch-of-{own.tenant}", name=word, at_once=1, created_at=1.0, since=1.0)
    document = TableDocument(source="uploads:handbook", path=f"{word}.pdf")
    table = EvidenceTable(id=batch.id, name=word, output_schema={}, documents=(document,), created_at=1.0)
    question = BatchQuestion(number=0, request={"question": word})
    return await get_batches(own).create(batch, [question], None, [get_tables(own).insert(table)])


LEFT_OUT = (
    "POST /v1/session",
    "GET /v1/session",
    "POST /v1/keys/{key_id}/rotate",
    "POST /v1/tenants/{tenant}/deletion",
)
"""What ends the access of a tenant that asks on."""


class Asking:
    """Requests of one tenant: of every route, with ids, names and filters of both."""

    def __init__(self, known: list[Route], ids: dict[str, list[str]], chance: random.Random) -> None:
        self._routes = [route for route in known if str(route) not in LEFT_OUT]
        self._ids = ids
        self._chance = chance

    async def ask(self, api: httpx.AsyncClient, key: Bearer) -> httpx.Response:
        route = self._chance.choice(self._routes)
        pick = {kind: self._chance.choice(found) for kind, found in self._ids.items()}
        path = route.path.format(
            run_id=pick["run"], other_id=pick["run"], name=pick["name"], number=1, page=1, step=1, node_id=pick["node"],
            key_id=pick["key"], link_id=pick["link"], link=pick["secret"], tenant=pick["tenant"],
            webhook_id=pick["webhook"], message_id="none", form=self._chance.choice(["csv", "jsonl"]),
            collection="handbook", path="a.txt", batch_id=pick["batch"],
            table_id=pick["batch"], row=0, column=0,
        )  # fmt: skip
        body: Any = route.body
        if body and self._chance.random() < 0.5:
            body = {**body, "previous_run": pick["run"]}
        params = {"q": self._chance.choice([*WORDS.values()])} if route.path.endswith("/search") else {}
        if route.path == "/v1/runs" and route.method == "get":
            params = {"question": self._chance.choice([*WORDS.values()])}
        accept = self._chance.choice(["application/json", "text/html", "text/csv", "application/jsonl", "*/*"])
        return await api.request(route.method, path, json=body, params=params, headers={"Accept": accept}, auth=key)


async def test_no_request_reads_anything_of_the_other_tenant(
    api: httpx.AsyncClient, app: FastAPI, access: AccessStore, store: Store
) -> None:
    ids: dict[str, list[str]] = {"node": [f"claim-{0:024}"], "secret": ["ell_none"], "tenant": [*WORDS]}
    keys = {tenant: await make_key(access, "admin", tenant=tenant) for tenant in WORDS}
    secrets: dict[str, set[str]] = {}
    for tenant, word in WORDS.items():
        run_id = await leave_run(store.of(tenant), f"What of {word}?")
        _, link = await access.of(tenant).create_link(run_id, 4e9, word)
        key_id = keys[tenant].token.split("_")[1]
        webhooks = get_webhooks(store.of(tenant))
        webhook = await webhooks.create("https://example.org/hook", ["run.completed"], "", word, "x")
        batch = await keep_batch(store.of(tenant), word)
        for kind, one in (("run", run_id), ("name", f"graph_of_{tenant}"), ("name", f"agent_of_{tenant}"),
                          ("key", key_id), ("link", link.id), ("webhook", webhook.id), ("batch", batch)):  # fmt: skip
            ids.setdefault(kind, []).append(one)
        secrets[tenant] = {word, link.id}
    chance = random.Random(20261126)
    asking = Asking([route for route in routes(app.openapi()) if route.method != "delete"], ids, chance)
    statuses = set[int]()

    async def ask(number: int) -> None:
        tenant, other = list(WORDS)[:: 1 if number % 2 else -1]
        answer = await asking.ask(api, keys[tenant])
        statuses.add(answer.status_code)
        sent = str(answer.request.url) + str(answer.request.content)
        for secret in secrets[other]:
            if secret not in sent:
                assert secret not in answer.text, (answer.request.method, answer.request.url)

    for start in range(0, REQUESTS, 20):
        await asyncio.gather(*(ask(number) for number in range(start, start + 20)))
    assert {200, 404} <= statuses
    assert not statuses & {401, 500}
    assert (await api.get("/v1/runs", auth=keys["acme"])).json()["runs"][0]["question"] == "What of quicksilver?"
