"""Each kind of work has threads of its own: an indexing that takes long delays neither payloads nor other sources."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from pathlib import Path

import pytest

from elcano.activities.passages.document import Listing
from elcano.graphs.catalogue.sources import build_collection_spec
from elcano.graphs.contracts import AgentResult
from elcano.storage.objects import open_objects
from elcano.storage.payloads import close_payloads, data_converter
from elcano.storage.threads import Threads
from elcano.subjects.documents.source import DocumentsSource
from tests.unit.subjects.documents.collections import Shelf

LARGE = AgentResult(output={"text": "ä" * 50_000}, model="offline")
PATIENCE = 30
"""Seconds until a test that waits for a thread which is never free is given up; it measures nothing."""


class Endless(Shelf):
    """A collection whose listing takes until it is let go."""

    def __init__(self) -> None:
        super().__init__({"a.md": b"anchovies"})
        self._loop = asyncio.get_running_loop()
        self.begun = asyncio.Event()
        self.let_go = threading.Event()

    def listing(self) -> Listing:
        self._loop.call_soon_threadsafe(self.begun.set)
        self.let_go.wait()
        return super().listing()


def test_payloads_and_other_sources_do_not_wait_for_an_indexing(tmp_path: Path) -> None:
    asyncio.run(beside_an_indexing(tmp_path))


async def beside_an_indexing(tmp_path: Path) -> None:
    """In a loop of its own, whose pool has a single thread: whoever blocks it would block all who use it."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    converter = data_converter(open_objects("", tmp_path / "payloads"))
    endless = Endless()
    slow = DocumentsSource(build_collection_spec("slow"), endless, tmp_path / "slow.sqlite")
    quick = DocumentsSource(build_collection_spec("quick"), Shelf({"b.md": b"barnacles"}), tmp_path / "quick.sqlite")
    indexing = asyncio.create_task(slow.search("anchovies", 5))
    try:
        async with asyncio.timeout(PATIENCE):
            await endless.begun.wait()
            payloads = await converter.encode([LARGE])
            assert await converter.decode(payloads, [AgentResult]) == [LARGE]
            assert [one.text for one in (await quick.search("barnacles", 5)).evidence] == ["barnacles"]
            assert await asyncio.to_thread(threading.active_count), "what computes is not held up either"
    finally:
        endless.let_go.set()
    assert [one.text for one in (await indexing).evidence] == ["anchovies"]
    await slow.close()
    await quick.close()
    close_payloads(converter)


async def test_threads_are_named_and_bounded() -> None:
    threads = Threads("reading", 2)
    names = await asyncio.gather(*(threads.run(lambda: threading.current_thread().name) for _ in range(20)))
    assert set(names) <= {"reading_0", "reading_1"}
    threads.close()


async def test_work_sees_the_context_of_who_asked_for_it() -> None:
    asked = ContextVar("asked", default="nobody")
    asked.set("somebody")
    threads = Threads("reading", 1)
    assert await threads.run(asked.get) == "somebody"
    threads.close()


async def test_what_was_closed_does_no_more(tmp_path: Path) -> None:
    converter = data_converter(open_objects("", tmp_path))
    source = DocumentsSource(build_collection_spec("quick"), Shelf({"b.md": b"barnacles"}), tmp_path / "quick.sqlite")
    await converter.encode([LARGE])
    await source.search("barnacles", 5)
    close_payloads(converter)
    await source.close()
    with pytest.raises(RuntimeError):
        await converter.encode([LARGE.model_copy(update={"model": "other"})])
    with pytest.raises(RuntimeError):
        await source.search("anchovies", 5)
