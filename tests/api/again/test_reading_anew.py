"""Documents that an older version of the readers read are read anew, beside other work, and nothing quoted is lost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from temporalio.client import Client

from elcano.activities.passages.document import Document
from elcano.plugins.documents.file_formats import READER
from elcano.plugins.documents.parser import Parser
from elcano.plugins.uploads import background
from elcano.plugins.uploads.background import ReadingActivities, begin_readings, build_reading_worker
from elcano.plugins.uploads.document_store import get_upload_store, get_uploads
from elcano.plugins.uploads.source import UploadedCollection, open_indexes
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.storage.threads import Threads
from tests.api.again.going_on import until

COLLECTION = "/v1/collections/manuals"
NUMBER = 8


@pytest.fixture(autouse=True)
def own_queues(monkeypatch: pytest.MonkeyPatch, task_queue: str) -> None:
    monkeypatch.setattr(background, "TASK_QUEUE", f"{task_queue}-uploads")
    monkeypatch.setattr(background, "OUTDATED_QUEUE", f"{task_queue}-outdated")


@asynccontextmanager
async def reading(client: Client, store: Store, settings: Settings, *, outdated: bool) -> AsyncIterator[None]:
    threads = Threads("read", 1)
    activities = ReadingActivities(store, open_indexes(settings), threads, 1_000_000)
    async with build_reading_worker(client, activities, outdated=outdated):
        await begin_readings(client, get_upload_store(store), outdated=outdated)
        yield
    threads.close()


async def test_documents_of_an_older_reader_are_read_anew_in_spite_of_a_death_and_reports_keep_their_text(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(NUMBER):
        text = f"# Ladder {number}\n\nLadder {number} should be climbed by two, as was read before.\n"
        await api.put(f"{COLLECTION}/documents/{number}.md", content=text.encode())
    own = store.of("default")
    uploads = get_uploads(own)

    async def view() -> dict[str, int]:
        found: dict[str, int] = (await api.get(COLLECTION)).json()
        return found

    async def is_read() -> bool:
        return (await view())["unread"] == 0

    async with reading(temporal, store, api_settings, outdated=False):
        await until(is_read)
    assert (await view())["outdated"] == 0
    async with open_indexes(api_settings).open(own, "manuals") as source:
        before = await source.search("ladder 3", 1)
    await own.evidence.add("run-1", before.evidence, before.texts)

    parse, parsed = Parser.parse, list[str]()

    def parse_anew(parser: Parser, name: str, content: bytes) -> Document:
        parsed.append(name)
        return parse(parser, name, content.replace(b"should be", b"should not be"))

    monkeypatch.setattr(Parser, "parse", parse_anew)
    monkeypatch.setattr("elcano.plugins.uploads.document_store.READER", READER + 1)
    monkeypatch.setattr(background, "READER", READER + 1)
    assert (await view())["outdated"] == NUMBER
    assert (await view())["indexed"] == NUMBER, "they are searched meanwhile"

    note, noted = type(uploads).note_outcome, list[str]()

    async def die(own: object, document: object, **values: object) -> bool:
        if len(noted) == 3:
            await asyncio.sleep(3_600)
        noted.append("")
        return await note(own, document, **values)  # type: ignore[arg-type]

    monkeypatch.setattr(type(uploads), "note_outcome", die)
    async with reading(temporal, store, api_settings, outdated=True):
        await until(lambda: _is(len(noted) == 3))
    monkeypatch.setattr(type(uploads), "note_outcome", note)
    assert (await view())["outdated"] == NUMBER - 3

    async def is_read_anew() -> bool:
        return (await view())["outdated"] == 0

    async with reading(temporal, store, api_settings, outdated=True):
        await until(is_read_anew)
    assert len(parsed) <= NUMBER + 1, "only what was being read is read twice"
    async with open_indexes(api_settings).open(own, "manuals") as source:
        after = await source.search("ladder 3", 1)
    assert "should not be climbed" in after.evidence[0].text
    assert after.evidence[0].id != before.evidence[0].id, "an id has the hash of the text"
    (kept,) = await own.evidence.get([before.evidence[0].id])
    assert "should be climbed" in (await own.evidence.texts([kept]))[kept.content_hash].text


async def _is(there: bool) -> bool:
    return there


async def test_what_a_former_release_stored_of_a_document_can_still_be_read(
    api: httpx.AsyncClient, store: Store
) -> None:
    await api.put(f"{COLLECTION}/documents/a.md", content=b"A ladder.")
    own = store.of("default")
    (document,) = await get_uploads(own).page("manuals", limit=1)
    await get_uploads(own).note_outcome(document, state="indexed", media_type="text/markdown")
    former = (
        b'{"title":"a","media_type":"text/markdown","text":"A ladder.","passages":[[0,9,"",0,"",0]],'
        b'"authors":[],"year":0,"empty_pages":2,"work":""}'
    )
    await own.files.put(document.text_file, former)
    collection = UploadedCollection(own, "manuals", asyncio.get_running_loop())

    def read() -> Document:
        from elcano.plugins.uploads.source import TextReader

        (key,) = collection.listing().documents
        content = collection.content(key)
        return TextReader().parse(content.name, content.data)

    assert (await asyncio.to_thread(read)).passages[0].last_page == 0
