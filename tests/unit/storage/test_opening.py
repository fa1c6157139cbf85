"""Opening the store: at once, again, in a folder that does not exist, and what is kept in it there."""

import asyncio
import sqlite3
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, make_url, select

from elcano.graphs.errors import InputInvalid, StoreDamaged, StoreUnavailable
from elcano.storage.sql import engine
from elcano.storage.sql.engine import database_url, open_engine
from elcano.storage.store import DATABASE_FILE, Store, TenantStore, open_store
from tests.unit.storage.conftest import Opened


async def test_what_is_kept_is_there_after_reopening(opened: Opened) -> None:
    async with opened() as store:
        key = await store.of("a").artifacts.put("run", "ein Bericht über Öl", "text/markdown")
    assert key == sha256("ein Bericht über Öl".encode()).hexdigest()
    async with opened() as store:
        assert await store.of("a").artifacts.get(key) == "ein Bericht über Öl"
        assert await store.of("a").artifacts.get("0" * 64) is None


async def test_a_folder_is_made_and_has_all_that_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    async with open_store(folder) as store:
        key = await store.of("a").artifacts.put("run", "content", "text/plain")
        assert (folder / DATABASE_FILE).is_file()
        assert [file.name for file in (folder / "objects").rglob("*") if file.is_file()] == [key]


async def test_a_database_and_objects_can_be_named_apart(tmp_path: Path) -> None:
    database, objects = f"sqlite:///{tmp_path}/one/runs.db", (tmp_path / "an other").as_uri()
    async with open_store(tmp_path / "unused", database=database, objects=objects) as store:
        await store.of("a").artifacts.put("run", "content", "text/plain")
    assert (tmp_path / "one" / "runs.db").is_file()
    assert (tmp_path / "an other" / "artifacts" / "a" / "run").is_dir()
    assert not (tmp_path / "unused").exists()


async def test_the_same_artifact_is_kept_once(store: TenantStore) -> None:
    keys = await asyncio.gather(*(store.artifacts.put("run", "content", "text/plain") for _ in range(20)))
    assert len(set(keys)) == 1


async def test_a_run_that_has_an_artifact_spares_the_search_for_one(
    store: TenantStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = await store.artifacts.put("run.0001.b", "content", "text/plain")
    assert await store.artifacts.get(key, of="another") == "content"

    async def list_owners(key: str) -> list[str]:
        raise AssertionError("the table was asked")

    monkeypatch.setattr(store.artifacts, "_list_owners", list_owners)
    assert await store.artifacts.get(key, of="run") == "content"


async def test_a_text_with_nul_comes_back_whole(store: TenantStore) -> None:
    text = "a\x00b\ue0000\ue000"
    key = await store.artifacts.put("run", text, "text/plain")
    assert await store.artifacts.get(key) == text
    assert await store.runs.get("no\x00run") is None
    claim = await store.admission.claim("k\x00", text, "run\ue000")
    assert (claim.request_hash, claim.run_id) == (text, "run\ue000")


async def test_the_probe_keeps_something_new(whole: Store) -> None:
    await whole.probe.write()
    await whole.probe.write()


async def test_readers_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        key = await store.of("a").artifacts.put("run", "content", "text/plain")
        writer = sqlite3.connect(tmp_path / DATABASE_FILE)
        writer.execute("BEGIN IMMEDIATE")
        try:
            assert await store.of("a").artifacts.get(key) == "content"
        finally:
            writer.rollback()
            writer.close()


async def test_many_openings_at_once_share_one_store(opened: Opened) -> None:
    async def put(number: int) -> str:
        async with opened() as store:
            return await store.of("a").artifacts.put("run", str(number), "text/plain")

    keys = await asyncio.gather(*(put(number) for number in range(10)))
    async with opened() as store:
        assert [await store.of("a").artifacts.get(key) for key in keys] == [str(number) for number in range(10)]


async def test_opening_waits_for_another_reader_of_a_new_file(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / DATABASE_FILE)
    other.execute("CREATE TABLE other (number INTEGER)")
    other.executemany("INSERT INTO other VALUES (?)", [(1,), (2,)])
    other.commit()
    reading = other.execute("SELECT number FROM other")
    assert reading.fetchone() == (1,)  # a read lock is held until the second row is fetched

    async def opened() -> str:
        async with open_store(tmp_path) as store:
            return await store.of("a").artifacts.put("run", "content", "text/plain")

    opening = asyncio.create_task(opened())
    for _ in range(10):
        await asyncio.sleep(0.02)
        assert not opening.done()
    reading.close()
    other.close()
    assert await opening == sha256(b"content").hexdigest()


@pytest.mark.parametrize("kept", [0, 4_096], ids=["its head", "what follows its head"])
async def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path, kept: int) -> None:
    file = tmp_path / DATABASE_FILE
    async with open_store(tmp_path) as store:
        await store.of("a").admission.claim("x" * 100_000, "hash", "run")
    whole = file.read_bytes()
    file.write_bytes(whole[:kept] + b"\xff" * (len(whole) - kept))
    with pytest.raises(StoreDamaged) as damaged:
        async with open_store(tmp_path) as store:
            await store.of("a").runs.get("run")
    assert str(file) in str(damaged.value)
    assert "put back a copy" in str(damaged.value)


async def test_a_damaged_object_is_not_used(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        key = await store.of("a").artifacts.put("run", "content", "text/plain")
        (file,) = [file for file in (tmp_path / "objects").rglob("*") if file.is_file()]
        file.write_text("another")
        with pytest.raises(StoreDamaged, match="does not have its hash"):
            await store.of("a").artifacts.get(key)


@pytest.mark.parametrize(
    ("changed", "advice"),
    [
        ({"host": "127.0.0.1", "port": 1, "query": {}}, "see that it runs"),
        ({"database": "no_such_database"}, "no such database"),
        ({"username": "nobody_known"}, "the user or the password"),
    ],
)
async def test_a_server_that_cannot_be_used_is_named_without_its_password(
    tmp_path: Path, postgres: str, changed: dict[str, Any], advice: str
) -> None:
    url = make_url(postgres).set(password="very secret").set(**changed)
    with pytest.raises(StoreUnavailable, match=advice) as refused:
        async with open_store(tmp_path, database=url.render_as_string(hide_password=False)):
            pass
    assert "secret" not in str(refused.value)


async def test_a_bucket_that_is_not_there_is_named(tmp_path: Path, s3: str) -> None:
    async with open_store(tmp_path, objects="s3://no-such-bucket/x") as store:
        with pytest.raises(StoreUnavailable, match="s3://no-such-bucket/x is not there: make the bucket"):
            await store.probe.write()


async def test_a_store_of_a_plugin_that_lacks_a_method_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Half:
        def of(self, tenant: str) -> None: ...

        async def close(self) -> None: ...

    monkeypatch.setattr("elcano.storage.store.load_stores", lambda: {"half": lambda engine, settings: Half()})
    with pytest.raises(InputInvalid, match="the store 'half' of a plugin lacks methods of `PluginStore`"):
        async with open_store(tmp_path):
            pass


async def test_only_a_connection_that_lay_idle_is_asked_whether_it_lives(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_engine(database_url(postgres, Path()))
    dialect, asked = opened.sync_engine.dialect, list[object]()
    ping = dialect.do_ping

    def count_ping(connection: Any) -> bool:
        asked.append(connection)
        return ping(connection)

    monkeypatch.setattr(dialect, "do_ping", count_ping)

    async def read_server_process() -> int:
        async with opened.connect() as connection:
            return int(await connection.scalar(select(func.pg_backend_pid())) or 0)

    first = await read_server_process()
    assert (await read_server_process(), asked) == (first, [])
    monkeypatch.setattr(engine, "IDLE_SECONDS", 0.0)
    assert (await read_server_process(), len(asked)) == (first, 1)
    administrator = open_engine(database_url(postgres, Path()))
    async with administrator.connect() as connection:
        await connection.execute(select(func.pg_terminate_backend(first)))
    await administrator.dispose()
    assert await read_server_process() not in (0, first)
    await opened.dispose()
