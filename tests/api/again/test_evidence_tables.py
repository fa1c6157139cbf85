"""Evidence tables on the real server: filled from uploads and a folder, screened, edited, exported, stopped, topped up."""

import asyncio
import csv
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from temporalio.client import Client

from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import Provider, until
from tests.api.again.test_batches import working_on_batches
from tests.api.again.test_uploads import LADDERS, reading
from tests.unit.plugins.documents.files import pdf

Json = dict[str, Any]
TABLES = "/v1/evidence-tables"
DOCUMENTS = "/v1/collections/safety/documents"
COLUMNS: list[Json] = [
    {"name": "Thing", "question": "What is checked?"},
    {"name": "When", "question": "In which season is it checked?"},
]
MODEL = "openai:gpt-5.1"


@pytest.fixture(autouse=True)
def own_queues(monkeypatch: pytest.MonkeyPatch, task_queue: str) -> None:
    monkeypatch.setattr("elcano.plugins.batches.background.TASK_QUEUE", f"{task_queue}-batches")
    monkeypatch.setattr("elcano.plugins.uploads.background.TASK_QUEUE", f"{task_queue}-uploads")
    monkeypatch.setenv("OPENAI_API_KEY", "none is asked")


@asynccontextmanager
async def filling(
    client: Client, store: Store, settings: Settings, queue: str, provider: Provider
) -> AsyncIterator[None]:
    """A worker that reads uploads and fills tables."""
    async with working_on_batches(client, store, settings, queue, provider), reading(client, store, settings):
        yield


def text_of(number: int) -> bytes:
    return f"# Thing {number}\n\nThe thing {number} is checked for cracks every spring.\n".encode()


async def upload(api: httpx.AsyncClient, count: int) -> None:
    for number in range(count):
        await api.put(f"{DOCUMENTS}/thing-{number:03}.md", content=text_of(number))


async def until_read(api: httpx.AsyncClient) -> None:
    async def is_read() -> bool:
        return bool((await api.get("/v1/collections/safety")).json()["unread"] == 0)

    await until(is_read)


async def make(api: httpx.AsyncClient, status: int = 201, key: str = "", **fields: Any) -> Json:
    headers = {"Idempotency-Key": key} if key else {}
    body = {"documents": [{"source": "uploads:safety"}], "columns": COLUMNS, "model": MODEL, **fields}
    answer = await api.post(TABLES, json=body, headers=headers)
    assert answer.status_code == status, answer.text
    found: Json = answer.json()
    return found


async def until_state(api: httpx.AsyncClient, table: Json, *states: str) -> Json:
    found: Json = {}

    async def holds() -> bool:
        found.update((await api.get(f"{TABLES}/{table['id']}", params={"limit": 100})).json())
        return found["state"] in states

    await until(holds)
    return found


async def test_a_table_is_filled_by_one_call_a_document_and_says_why_a_cell_is_empty(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, task_queue: str
) -> None:
    provider = Provider()
    await upload(api, 3)
    await api.put(f"{DOCUMENTS}/copy.md", content=text_of(0))
    await api.put(f"{DOCUMENTS}/scan.pdf", content=pdf([[], []]))
    async with filling(temporal, store, api_settings, task_queue, provider):
        await until_read(api)
        twice = [make_response(api, "once") for _ in range(2)]
        answers = await asyncio.gather(*twice)
        assert sorted(one.status_code for one in answers) == [200, 201]
        made = answers[0].json()
        assert answers[1].json()["id"] == made["id"]
        await make(api, 422, "once", name="other")
        table = await until_state(api, made, "ended")
    rows = {one["path"]: one for one in table["rows"]}
    assert {path: one["state"] for path, one in rows.items()} == {
        "copy.md": "filled",
        "scan.pdf": "unreadable",
        "thing-000.md": "duplicate",
        "thing-001.md": "filled",
        "thing-002.md": "filled",
    }
    asked = [task.kind for task in provider.model.tasks]
    assert asked == ["form_filler"] * 3, "one call a document, none for what has no text or is there twice"
    for row in table["rows"]:
        assert list(row["cells"]) == ["Thing", "When"]
        for cell in row["cells"].values():
            assert cell["reason"] or cell["quotes"][0]["verified"]
    cell = rows["thing-001.md"]["cells"]["Thing"]
    assert cell["state"] == "found"
    quote = cell["quotes"][0]
    assert quote["quote"] in text_of(1).decode()
    assert quote["end"] - quote["start"] == len(quote["quote"])
    assert rows["scan.pdf"]["cells"]["When"]["reason"] == "there is no text in it"
    assert rows["thing-000.md"]["reason"] == "the same file is in row 1"
    flow = table["flow"]
    assert (flow["records"], flow["duplicates"], flow["unreadable"], flow["undecided"]) == (5, 1, 1, 4)


async def make_response(api: httpx.AsyncClient, key: str) -> httpx.Response:
    body = {"documents": [{"source": "uploads:safety"}], "columns": COLUMNS, "model": MODEL}
    return await api.post(TABLES, json=body, headers={"Idempotency-Key": key})
