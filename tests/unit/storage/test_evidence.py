"""Passages are parts of their texts, whatever a source says; a run's passages keep the order of finding."""

import asyncio
from hashlib import sha256

import pytest

from elcano.graphs.report.works import Work
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.store import TenantStore


def stored(text: str, document: str = "docs/a.md") -> StoredText:
    return StoredText(content_hash=sha256(text.encode()).hexdigest(), document=document, title="A", text=text)


def passage(text: StoredText, start: int, end: int, id: str = "") -> Evidence:
    return Evidence(
        id=id or f"{text.document}@{text.content_hash[:12]}:{start}",
        source="docs",
        document=text.document,
        content_hash=text.content_hash,
        title=text.title,
        locator=text.document,
        text=text.text[start:end],
        start=start,
        end=end,
        metadata={"page": 3, "tags": ["x", None]},
    )


OIL = stored("Öl ist teuer. Wasser ist billig. Wein liegt dazwischen.")
FIRST, SECOND, THIRD = passage(OIL, 0, 13), passage(OIL, 14, 32), passage(OIL, 33, 55)


async def test_passages_and_texts_come_back_as_they_were(store: TenantStore) -> None:
    await store.evidence.add("run", [FIRST, SECOND], [OIL])
    assert await store.evidence.get([SECOND.id, "unknown", FIRST.id]) == [SECOND, FIRST]
    assert await store.evidence.text(OIL.content_hash) == OIL
    assert await store.evidence.text("0" * 64) is None
    assert await store.evidence.texts([FIRST, SECOND]) == {OIL.content_hash: OIL}
    assert await store.evidence.texts([]) == {}
    assert await store.evidence.get([]) == []


async def test_adding_twice_changes_nothing(store: TenantStore) -> None:
    for _ in range(2):
        await store.evidence.add("run", [FIRST, SECOND, FIRST], [OIL, OIL])
    assert await store.evidence.of_run("run") == [FIRST, SECOND]


async def test_each_run_has_its_own_findings_in_the_order_of_finding(store: TenantStore) -> None:
    await store.evidence.add("one", [THIRD], [OIL])
    await store.evidence.add("two", [SECOND, FIRST], [OIL])
    await store.evidence.add("one", [FIRST, THIRD], [OIL])
    assert await store.evidence.of_run("one") == [THIRD, FIRST]
    assert await store.evidence.of_run("two") == [SECOND, FIRST]
    assert await store.evidence.of_run("three") == []


async def test_a_passage_keeps_its_number_when_a_run_is_rolled_back_or_forked(store: TenantStore) -> None:
    await store.evidence.add("one.0002.0", [FIRST, SECOND], [OIL])
    await store.evidence.add("one.0003.0", [THIRD, SECOND], [OIL])
    await store.evidence.add("one", [THIRD], [OIL])
    assert await store.evidence.numbers_of_run("one.0003.0") == {FIRST.id: 1, SECOND.id: 2, THIRD.id: 3}
    await store.lineage.undo("one", 2, execution="next", found=(THIRD.id,), but=("one.0003.0",))
    assert await store.evidence.numbers_of_run("one") == {SECOND.id: 2, THIRD.id: 3}
    await store.lineage.adopt("fork", "one", [THIRD.id], [])
    assert await store.evidence.numbers_of_run("fork") == {THIRD.id: 3}
    await store.evidence.add("fork", [FIRST], [OIL])
    assert await store.evidence.numbers_of_run("fork") == {THIRD.id: 3, FIRST.id: 4}


async def test_what_was_told_of_works_is_known_of_a_run_and_its_branches(store: TenantStore) -> None:
    told = [Work(title=title, source="s", flags=("retracted",)) for title in ("Oil", "Water")]
    await store.evidence.add("one.0002.0", [FIRST.model_copy(update={"work": told[0]}), THIRD], [OIL])
    await store.evidence.add("one", [SECOND.model_copy(update={"work": told[1]})], [OIL])
    await store.evidence.add("two", [THIRD], [OIL])
    assert await store.evidence.works_of_run("one") == told
    assert await store.evidence.works_of_run("one.0002.0") == told[:1]
    assert await store.evidence.works_of_run("two") == []


async def test_a_text_that_is_kept_need_not_be_given_again(store: TenantStore) -> None:
    await store.evidence.add("one", [FIRST], [OIL])
    await store.evidence.add("two", [THIRD], [])
    assert await store.evidence.of_run("two") == [THIRD]


async def test_a_text_without_a_passage_is_not_kept(store: TenantStore) -> None:
    await store.evidence.add("one", [], [OIL])
    assert await store.evidence.text(OIL.content_hash) is None


@pytest.mark.parametrize(
    ("evidence", "text", "fault"),
    [
        (FIRST.model_copy(update={"text": "Öl ist billig"}), OIL, "not what stands from 0 to 13"),
        (FIRST.model_copy(update={"end": 14}), OIL, "not what stands from 0 to 14"),
        (
            THIRD.model_copy(update={"end": 56}),
            OIL.model_copy(update={"text": OIL.text + "!"}),
            "does not have the hash",
        ),
        (FIRST.model_copy(update={"content_hash": "0" * 64}), OIL, "neither given nor kept"),
    ],
)
async def test_a_passage_that_is_not_in_its_text_is_refused(
    store: TenantStore, evidence: Evidence, text: StoredText, fault: str
) -> None:
    with pytest.raises(ValueError, match=fault):
        await store.evidence.add("run", [SECOND, evidence], [text])
    assert await store.evidence.of_run("run") == []
    assert await store.evidence.text(OIL.content_hash) is None


async def test_an_id_cannot_name_two_passages(store: TenantStore) -> None:
    await store.evidence.add("one", [FIRST], [OIL])
    with pytest.raises(ValueError, match="belongs to another passage"):
        await store.evidence.add("two", [SECOND, passage(OIL, 33, 55, id=FIRST.id)], [OIL])
    assert await store.evidence.of_run("two") == []
    assert await store.evidence.get([FIRST.id]) == [FIRST]


async def test_searches_that_find_the_same_at_once_keep_it_once(store: TenantStore) -> None:
    await asyncio.gather(*(store.evidence.add("run", [FIRST, SECOND, THIRD], [OIL]) for _ in range(30)))
    assert await store.evidence.of_run("run") == [FIRST, SECOND, THIRD]


async def test_a_run_has_what_its_branches_found_each_passage_once_in_pages(store: TenantStore) -> None:
    await store.evidence.add("run", [SECOND], [OIL])
    await store.evidence.add("run.0004.loop-1", [THIRD, SECOND], [OIL])
    await store.evidence.add("run.0004.loop-1.0003.y", [FIRST, THIRD], [OIL])
    await store.evidence.add("run-2", [FIRST], [OIL])
    assert await store.evidence.of_run("run") == [SECOND, THIRD, FIRST]
    assert await store.evidence.of_run("run.0004.loop-1") == [SECOND, THIRD, FIRST]
    assert await store.evidence.of_run("run", limit=2) == [SECOND, THIRD]
    assert await store.evidence.of_run("run", limit=2, offset=2) == [FIRST]
    assert await store.evidence.of_run("run", limit=2, offset=3) == []
    assert [await store.evidence.count_of_run(run) for run in ("run", "run-2", "nobody")] == [3, 1, 0]


async def test_passages_of_branches_are_counted_for_each_and_once_for_all(store: TenantStore) -> None:
    await store.evidence.add("run", [FIRST], [OIL])
    await store.evidence.add("run.0004.loop-1", [SECOND, THIRD], [OIL])
    await store.evidence.add("run.0004.loop-2", [THIRD], [OIL])
    await store.evidence.add("run-2.0004.loop-1", [FIRST], [OIL])
    assert await store.evidence.count_of_branches("run") == {"run.0004.loop-1": 2, "run.0004.loop-2": 1, "run": 2}
    assert await store.evidence.count_of_branches("run-3") == {"run-3": 0}
