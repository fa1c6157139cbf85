"""What was kept in clear, or under an old key, is under the first key afterwards, and reads as before."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import String, select, type_coerce

from elcano.operations.encryption.keys import INDEX, make_key
from elcano.operations.encryption.readable_check import check_readable
from elcano.operations.encryption.reseal import CLEAR, KeyUse, Resealer, reseal_store
from elcano.settings import Settings
from elcano.storage.objects import artifacts_of
from elcano.storage.sql.tables import knowledge_words, metadata
from elcano.storage.store import Store, open_configured
from elcano.subjects.knowledge.knowledge_store import get_graph
from tests.unit.storage.test_evidence import FIRST
from tests.unit.storage.test_sealing import files_with
from tests.unit.storage.test_tenants import leave_all

VARIABLE = "ELCANO_ENCRYPTION_KEYS"
Turn = Callable[..., None]


@pytest.fixture
def index() -> str:
    return make_key(INDEX)


@pytest.fixture
def turn(monkeypatch: pytest.MonkeyPatch, index: str) -> Turn:
    """Sets the keys; none at all: encryption is off."""

    def set_keys(*keys: str) -> None:
        monkeypatch.setenv(VARIABLE, ",".join([*keys, index]) if keys else "")

    return set_keys


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    if request.param == "sqlite":
        return Settings(_env_file=None, data_dir=tmp_path)
    urls = {"store_url": request.getfixturevalue("postgres_tables"), "objects_url": request.getfixturevalue("s3")}
    return Settings(_env_file=None, data_dir=tmp_path, **urls)


async def fill(settings: Settings, *runs: str) -> None:
    async with open_configured(settings) as store:
        for run in runs:
            await leave_all(store.of("a"), run)


async def read_all(store: Store, run: str) -> tuple[object, ...]:
    """Everything that can be read of a run."""
    own = store.of("a")
    found = await get_graph(own).search("oil", limit=5)
    artifact = [await own.artifacts.get(key) for key in await own.artifacts.keys(run, "text/plain")]
    assert artifact
    assert found
    return (
        await own.runs.get(run),
        await own.runs.events(run),
        await own.evidence.of_run(run),
        await own.evidence.text(FIRST.content_hash),
        await own.ledger.entries(run),
        await own.controls.claim(run, "stop", "hash"),
        artifact,
        found,
    )


async def reseal(settings: Settings, *, rewrite: bool = True) -> KeyUse:
    return (await reseal_store(settings, rewrite=rewrite, histories=False))[1]


async def test_what_was_kept_in_clear_is_encrypted(settings: Settings, turn: Turn) -> None:
    turn()
    await fill(settings, "run-1")
    async with open_configured(settings) as store:
        before = await read_all(store, "run-1")
    first = make_key("first")
    turn(first)
    await fill(settings, "run-2")
    looked = await reseal(settings, rewrite=False)
    assert {key for _, key in looked.kept} == {CLEAR, "first"}
    assert looked.rewritten == 0
    done = await reseal(settings)
    assert done.rewritten > 0
    assert done.list_keys() == {key for _, key in done.kept} == {"first"}
    again = await reseal(settings)
    assert (again.rewritten, again.kept) == (0, done.kept)
    async with open_configured(settings) as store:
        assert await read_all(store, "run-1") == before
        words = select(type_coerce(knowledge_words.c.word, String()))
        async with store._engine.connect() as connection:
            assert all(len(word) == 32 for word in await connection.scalars(words))


async def test_a_key_is_rotated_out(settings: Settings, turn: Turn) -> None:
    first, second = make_key("2026-11-26.101010"), make_key("2026-11-26.101011")  # base64 tells them apart late
    turn(first)
    await fill(settings, "run-1")
    async with open_configured(settings) as store:
        before = await read_all(store, "run-1")
    turn(second, first)
    await fill(settings, "run-2")
    done = await reseal(settings)
    assert done.faults == []
    assert done.list_keys() == {"2026-11-26.101011"}
    turn(second)
    async with open_configured(settings) as store:
        assert await read_all(store, "run-1") == before


async def test_a_missing_key_is_named_and_the_rest_goes_on(settings: Settings, turn: Turn) -> None:
    lost, old, new = make_key("lost"), make_key("old"), make_key("new")
    turn(lost)
    await fill(settings, "run-1")
    turn(old)
    await fill(settings, "run-2")
    turn(new, old)
    done = await reseal(settings)
    assert done.list_keys() == {"lost", "new"}
    assert done.faults
    assert all("encrypted with the key 'lost'" in fault for fault in done.faults)


async def test_a_reseal_that_breaks_off_is_begun_again(
    settings: Settings, turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn()
    await fill(settings, "run-1", "run-2")
    turn(make_key("first"))
    monkeypatch.setattr("elcano.operations.encryption.reseal._REWRITTEN", 1)
    left = [7]
    rewrite_value = Resealer._rewrite_value

    async def rewrite_some(*given: object) -> None:
        left[0] -= 1
        if not left[0]:
            raise OSError("killed")
        await rewrite_value(*given)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(Resealer, "_rewrite_value", rewrite_some)
        with pytest.raises(OSError, match="killed"):
            await reseal(settings)
    assert (await reseal(settings)).list_keys() == {"first"}
    assert (await reseal(settings)).rewritten == 0


async def test_a_value_that_was_written_meanwhile_stays_as_it_was_written(
    settings: Settings, turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn()
    await fill(settings, "run-1")
    turn(make_key("first"))
    look = Resealer._rewrite_value
    async with open_configured(settings) as store:
        run = await store.of("a").runs.get("run-1")
        assert run is not None
        changed = run.model_copy(update={"question": "Something else?"})
        await reseal(settings)
        await store.of("a").runs.archive(changed, ())
        await reseal(settings)
        assert await store.of("a").runs.get("run-1") == changed
    assert look is Resealer._rewrite_value


async def test_an_object_of_a_run_that_is_deleted_meanwhile_does_not_come_back(
    tmp_path: Path, turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path)
    turn()
    await fill(settings, "run-1")
    turn(make_key("first"))
    async with open_configured(settings) as store:
        put = type(store.objects).put

        async def delete_then_put(objects: object, key: str, data: bytes) -> None:
            await store.of("a").runs.delete("run-1")
            await put(objects, key, data)  # type: ignore[arg-type]

        with monkeypatch.context() as patched:
            patched.setattr(type(store.objects), "put", delete_then_put)
            await reseal(settings)
        assert [keys async for keys in store.objects.list_below(artifacts_of("a", "run-1"))] == []
    assert files_with(tmp_path / "objects", "a report") == []


async def test_the_deep_check_says_which_key_the_store_needs(settings: Settings, turn: Turn) -> None:
    async def check() -> list[str]:
        found = await asyncio.to_thread(lambda: list(check_readable(settings)))
        return [f"{one.grade}: {one.text}" for one in found]

    first, second = make_key("first"), make_key("second")
    turn(first)
    await fill(settings, "a-1")
    (good,) = await check()
    assert good.startswith("good: the keys open the first and the last row of each of ")
    turn(second)
    await fill(settings, "a-2")
    (missing,) = await check()
    assert "the key 'first', and this program has 'second': put that key back" in missing
    turn(second, make_key("first"))
    assert "does not fit the key 'first'" in (await check())[0]
    turn()
    assert "this program has no keys" in (await check())[0]
    turn(second, first)
    assert (await check())[0].startswith("good: ")


def test_tables_of_plugins_are_looked_at_by_a_program_that_opens_no_store() -> None:
    asked = "from elcano.operations.encryption import reseal; print(*(table.name for table in reseal.list_tables()))"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout.split()
    assert {"runs", "webhook_endpoints", "batches", "uploaded_documents"} <= set(told)
    assert set(told) >= set(metadata.tables)
