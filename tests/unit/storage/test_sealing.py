"""An encrypted store keeps nothing that was asked or found in clear, and reads what it kept before it was encrypted."""

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import text

from elcano.graphs.errors import SealedDataUnreadable
from elcano.graphs.records import ArchivedRun, RunFilter
from elcano.operations.encryption.keys import INDEX, make_key
from elcano.storage.runs import RunStore
from elcano.storage.sql.columns import ESCAPE
from elcano.storage.store import Store, open_store

SECRET = "Whether zinc-nonsuch helps"
VARIABLE = "ELCANO_ENCRYPTION_KEYS"


def run_called(number: int, question: str = SECRET) -> ArchivedRun:
    return ArchivedRun(
        run_id=f"default-{number:03}", question=question, mode="deep", status="completed", started_at=float(number)
    )


async def keep(store: Store, number: int, question: str = SECRET) -> None:
    kept = store.of("default")
    await kept.runs.archive(run_called(number, question), ())
    await kept.artifacts.put(f"default-{number:03}", f"# {question}", "text/markdown")


def files_with(folder: Path, words: str) -> list[str]:
    return [
        str(one.relative_to(folder))
        for one in folder.rglob("*")
        if one.is_file() and words.encode() in one.read_bytes()
    ]


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found = [make_key("first"), make_key(INDEX)]
    monkeypatch.setenv(VARIABLE, ",".join(found))
    return found


@pytest.mark.usefixtures("keys")
@pytest.mark.of_plugins("encryption")
async def test_no_word_of_a_question_is_in_any_file(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        await keep(store, 1)
        assert (await store.of("default").runs.page(limit=5)).runs[0].run.question == SECRET
    assert files_with(tmp_path, "zinc") == []
    assert files_with(tmp_path, "default-001") != []


async def test_what_was_kept_in_clear_is_read_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_store(tmp_path) as store:
        await keep(store, 1)
    assert files_with(tmp_path, "zinc") != []
    monkeypatch.setenv(VARIABLE, f"{make_key('first')},{make_key(INDEX)}")
    async with open_store(tmp_path) as store:
        await keep(store, 2)
        page = await store.of("default").runs.page(limit=5, wanted=RunFilter(question="NONSUCH"))
        assert [one.run_id for one in page.runs] == ["default-002", "default-001"]


@pytest.mark.of_plugins("encryption")
async def test_a_rotation_needs_the_old_key_as_long_as_data_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: list[str]
) -> None:
    async with open_store(tmp_path) as store:
        await keep(store, 1)
    monkeypatch.setenv(VARIABLE, ",".join([make_key("second"), *keys]))
    async with open_store(tmp_path) as store:
        await keep(store, 2)
        assert len((await store.of("default").runs.page(limit=5)).runs) == 2
    monkeypatch.setenv(VARIABLE, ",".join([make_key("third"), keys[1]]))
    async with open_store(tmp_path) as store:
        with pytest.raises(SealedDataUnreadable, match="the key 'first', and this program has 'third'"):
            await store.of("default").runs.get("default-001")
    monkeypatch.delenv(VARIABLE)
    async with open_store(tmp_path) as store:
        with pytest.raises(SealedDataUnreadable, match="set ELCANO_ENCRYPTION_KEYS"):
            await store.of("default").runs.get("default-001")


@pytest.mark.usefixtures("keys")
async def test_questions_are_searched_page_by_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elcano.storage.runs._SCANNED", 3)
    async with open_store(tmp_path) as store:
        await asyncio.gather(*(keep(store, n, f"About {'tea' if n % 4 else 'Coffee'} {n}") for n in range(20)))
        runs, seen, before = store.of("default").runs, [], None
        while True:
            page = await runs.page(limit=2, before=before, wanted=RunFilter(question="coffee"))
            seen += [one.run_id for one in page.runs]
            before = page.next
            if before is None:
                break
    assert seen == ["default-016", "default-012", "default-008", "default-004", "default-000"]


@pytest.mark.parametrize("encrypted", [False, True])
@pytest.mark.parametrize("question", [f"{ESCAPE}2bm8=", f"{ESCAPE}2", ESCAPE, f"a{ESCAPE}0\x00", "\ufeff", " "])
async def test_no_text_can_pass_as_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encrypted: bool, question: str
) -> None:
    if encrypted:
        monkeypatch.setenv(VARIABLE, f"{make_key('first')},{make_key(INDEX)}")
    async with open_store(tmp_path) as store:
        await keep(store, 1, question)
        runs: RunStore = store.of("default").runs
        found = await runs.get("default-001")
        assert found is not None
        assert found.question == question


@pytest.mark.usefixtures("keys")
@pytest.mark.of_plugins("encryption")
async def test_damage_is_told(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        await keep(store, 1)
        async with store._engine.begin() as connection:
            await connection.execute(text("UPDATE runs SET body = substr(body, 1, length(body) - 8) || 'AAAAAAAA'"))
        with pytest.raises(SealedDataUnreadable, match="it was changed or cut off"):
            await store.of("default").runs.get("default-001")
