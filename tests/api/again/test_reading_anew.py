"""Documents that an older version of the readers read are read anew, beside other work, and nothing quoted is lost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial

import httpx
import pytest
from temporalio.client import Client
from temporalio.testing import ActivityEnvironment

from elcano.activities.background_work import working_in_background
from elcano.activities.child_processes import START_SECONDS
from elcano.activities.passages.document import Document, FileSkipped, Gap
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.storage.threads import Threads
from elcano.subjects.documents.file_formats import READER
from elcano.subjects.documents.parser import OCR_SECONDS, PARSE_SECONDS, PATIENCE, Parser
from elcano.subjects.uploads import background
from elcano.subjects.uploads.background import (
    LOOK_SECONDS,
    ReadingActivities,
    build_reading_work,
    mark_readable,
)
from elcano.subjects.uploads.document_store import get_upload_store, get_uploads
from elcano.subjects.uploads.source import UploadedCollection, open_indexes
from elcano.subjects.uploads.workflows import BATCH_TIMEOUT, ReadingWork
from tests.api.again.going_on import leaving_no_readings, until

COLLECTION = "/v1/collections/manuals"
SCANS = "/v1/collections/scans"
"""Another one: what reads a collection anew is one workflow, and that of another test may be open still."""
NUMBER = 8


@pytest.fixture(autouse=True)
def own_queues(monkeypatch: pytest.MonkeyPatch, task_queue: str) -> None:
    monkeypatch.setattr(background, "TASK_QUEUE", f"{task_queue}-uploads")
    monkeypatch.setattr(background, "OUTDATED_QUEUE", f"{task_queue}-outdated")


@asynccontextmanager
async def reading(client: Client, store: Store, settings: Settings, *, outdated: bool) -> AsyncIterator[None]:
    threads = Threads("read", 1)
    activities = ReadingActivities(store, open_indexes(settings), threads, 1_000_000)
    work = build_reading_work(client, activities, outdated=outdated)
    often = [(what, look, LOOK_SECONDS) for what, look, _ in work.looks]
    async with leaving_no_readings(client), working_in_background(client, [replace(work, looks=often)]):
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
    monkeypatch.setattr("elcano.subjects.uploads.document_store.READER", READER + 1)
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
        from elcano.subjects.uploads.source import TextReader

        (key,) = collection.listing().documents
        content = collection.content(key)
        return TextReader().parse(content.name, content.data)

    assert (await asyncio.to_thread(read)).passages[0].last_page == 0


async def test_what_ocr_could_not_read_is_read_anew_once_it_is_installed(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed, parse, parsed = set[str](), Parser.parse, list[str]()

    def parse_with_ocr(parser: Parser, name: str, content: bytes) -> Document:
        parsed.append(name)
        if name == "scan.md" and not installed:
            raise FileSkipped("it is a picture, and OCR is not installed", "ocr")
        gaps = (Gap("page 2 is a picture", (2,), needs="ocr"),) if name == "half.md" and not installed else ()
        return replace(parse(parser, name, content), gaps=gaps)

    monkeypatch.setattr(Parser, "parse", parse_with_ocr)
    monkeypatch.setattr(background, "can_read", installed.__contains__)
    for name in ("scan", "half", "whole"):
        await api.put(f"{SCANS}/documents/{name}.md", content=f"A ladder of {name}.".encode())

    async def view() -> dict[str, int]:
        found: dict[str, int] = (await api.get(SCANS)).json()
        return found

    async def is_done() -> bool:
        return (await view())["unread"] == 0 == (await view())["outdated"]

    async with reading(temporal, store, api_settings, outdated=False):
        await until(is_done)
    assert [(await view())[name] for name in ("indexed", "refused", "incomplete")] == [2, 1, 1]
    assert await mark_readable(get_upload_store(store)) == 0

    installed.add("ocr")
    assert await mark_readable(get_upload_store(store)) == 2
    assert (await view())["outdated"] == 2
    parsed.clear()
    async with reading(temporal, store, api_settings, outdated=True):
        await until(is_done)
    assert sorted(parsed) == ["half.md", "scan.md"], "others are left as they are"
    assert [(await view())[name] for name in ("indexed", "refused", "incomplete")] == [3, 0, 0]
    assert await mark_readable(get_upload_store(store)) == 0


async def test_slow_documents_are_read_in_several_batches_each_within_its_time(
    api: httpx.AsyncClient, store: Store, api_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch of scans, of which each takes half an hour, would else be ended again and again by its timeout."""
    batches, read_batch = list[int](), ReadingActivities.read_batch
    for number in range(3):
        await api.put(f"{COLLECTION}/documents/{number}.md", content=b"A ladder.")
    work = ReadingWork(tenant="default", collection="manuals")
    activities = ReadingActivities(store, open_indexes(api_settings), Threads("read", 1), 1_000_000)
    monkeypatch.setattr(background, "BATCH_SECONDS", 0.0)
    while left := await ActivityEnvironment().run(partial(read_batch, activities), work):
        batches.append(left)
    activities.threads.close()
    assert batches == [1, 1], "each reads one at least, however long it takes, and says that something is left"


def test_the_last_document_of_a_batch_has_time_left() -> None:
    longest = PATIENCE * PARSE_SECONDS + OCR_SECONDS + START_SECONDS
    assert timedelta(seconds=background.BATCH_SECONDS + longest) < BATCH_TIMEOUT
