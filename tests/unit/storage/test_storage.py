"""Opening the store: at once, again, in a folder that does not exist, and not with another version's tables."""

import asyncio
import sqlite3
from hashlib import sha256
from pathlib import Path

import pytest

from elcano.graphs.errors import StoreDamaged, StoreIncompatible
from elcano.storage.store import DATABASE_FILE, open_store


async def test_what_is_kept_is_there_after_reopening(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    async with open_store(folder) as store:
        key = await store.of("default").artifacts.put("run", "ein Bericht über Öl", "text/markdown")
    assert key == sha256("ein Bericht über Öl".encode()).hexdigest()
    async with open_store(folder) as store:
        assert await store.of("default").artifacts.get(key) == "ein Bericht über Öl"
        assert await store.of("default").artifacts.get("0" * 64) is None


async def test_the_same_artifact_is_kept_once(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        keys = await asyncio.gather(
            *(store.of("default").artifacts.put("run", "content", "text/plain") for _ in range(20))
        )
    assert len(set(keys)) == 1
    with sqlite3.connect(tmp_path / DATABASE_FILE) as file:
        assert file.execute("SELECT count(*) FROM artifacts").fetchone() == (1,)
    file.close()


async def test_readers_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        key = await store.of("default").artifacts.put("run", "content", "text/plain")
        writer = sqlite3.connect(tmp_path / DATABASE_FILE)
        writer.execute("BEGIN IMMEDIATE")
        try:
            assert await store.of("default").artifacts.get(key) == "content"
        finally:
            writer.rollback()
            writer.close()


async def test_many_openings_at_once_share_one_file(tmp_path: Path) -> None:
    async def put(number: int) -> str:
        async with open_store(tmp_path) as store:
            return await store.of("default").artifacts.put("run", str(number), "text/plain")

    keys = await asyncio.gather(*(put(number) for number in range(10)))
    async with open_store(tmp_path) as store:
        assert [await store.of("default").artifacts.get(key) for key in keys] == [str(number) for number in range(10)]


async def test_opening_waits_for_another_reader_of_a_new_file(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / DATABASE_FILE)
    other.execute("CREATE TABLE other (number INTEGER)")
    other.executemany("INSERT INTO other VALUES (?)", [(1,), (2,)])
    other.commit()
    reading = other.execute("SELECT number FROM other")
    assert reading.fetchone() == (1,)  # a read lock is held until the second row is fetched

    async def opened() -> str:
        async with open_store(tmp_path) as store:
            return await store.of("default").artifacts.put("run", "content", "text/plain")

    opening = asyncio.create_task(opened())
    for _ in range(10):
        await asyncio.sleep(0.02)
        assert not opening.done()
    reading.close()
    other.close()
    assert await opening == sha256(b"content").hexdigest()


async def test_another_versions_tables_are_refused_and_left_alone(tmp_path: Path) -> None:
    async with open_store(tmp_path):
        pass
    with sqlite3.connect(tmp_path / DATABASE_FILE) as file:
        file.execute("UPDATE schema_version SET version = 99")
        file.execute("DROP TABLE artifacts")
    with pytest.raises(StoreIncompatible, match="version 99"):
        async with open_store(tmp_path):
            pass
    tables = file.execute("SELECT name FROM sqlite_master WHERE name = 'artifacts'").fetchall()
    file.close()
    assert tables == []


@pytest.mark.parametrize("kept", [0, 4_096], ids=["its head", "what follows its head"])
async def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path, kept: int) -> None:
    file = tmp_path / DATABASE_FILE
    async with open_store(tmp_path) as store:
        key = await store.of("default").artifacts.put("run", "x" * 100_000, "text/plain")
    whole = file.read_bytes()
    file.write_bytes(whole[:kept] + b"\xff" * (len(whole) - kept))
    with pytest.raises(StoreDamaged) as damaged:
        async with open_store(tmp_path) as store:
            await store.of("default").artifacts.get(key)
    assert str(file) in str(damaged.value)
    assert "put back a copy" in str(damaged.value)
