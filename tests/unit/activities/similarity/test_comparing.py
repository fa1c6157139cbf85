"""Comparing as passages come says what comparing all of them at once says, whoever did the searches before."""

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from elcano.activities.similarity.similar_passages import (
    CONTAINED,
    LEAST_WORDS,
    SHINGLE,
    ComparedPassages,
    PassageComparison,
)
from elcano.activities.sources.registry import Sources
from elcano.activities.tools.tool_activities import ToolActivities
from elcano.storage.evidence import Evidence, EvidenceStore, StoredText
from elcano.storage.store import open_store
from tests.unit.activities.similarity.material import BREAD, WHALES, passage
from tests.unit.activities.similarity.test_tools import MIRROR, PUBMED, marks, search

BASES = (WHALES, BREAD, f"{WHALES} {BREAD}", "Too short to repeat anything.")


def plain(passages: Sequence[Evidence]) -> dict[str, str]:
    """The rule as it is written down: every passage against every original before it."""
    found: dict[str, str] = {}
    for at, one in enumerate(passages):
        for older in passages[:at]:
            if one.id not in found and older.id not in found and repeats(one, older):
                found[one.id] = older.id
    return found


def repeats(one: Evidence, older: Evidence) -> bool:
    runs, known = runs_of(one.text), runs_of(older.text)
    long_enough = len(words(one.text)) >= LEAST_WORDS
    return long_enough and len(runs & known) >= CONTAINED * len(runs) and facts(one) <= facts(older)


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def runs_of(text: str) -> set[tuple[str, ...]]:
    every = words(text)
    return {tuple(every[at : at + SHINGLE]) for at in range(max(1, len(every) - SHINGLE + 1))}


def facts(one: Evidence) -> Counter[str]:
    return Counter(word for word in words(one.text) if word == "never" or any(sign.isdigit() for sign in word))


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Copies and near copies of a few texts."""
    kept = draw(st.sampled_from(BASES)).split()
    for _ in range(draw(st.integers(0, 4))):
        kept[draw(st.integers(0, len(kept) - 1))] = draw(st.sampled_from(["slip", "never", "7", "the"]))
    return " ".join(kept[: draw(st.sampled_from([len(kept), len(kept) - 3]))])


class Found(EvidenceStore):
    """What runs found, in memory and in order; it counts the passages that are read with their texts."""

    def __init__(self) -> None:
        self._tenant = "default"
        self.found: list[Evidence] = []
        self.read = 0

    async def of_run(self, run_id: str, *, limit: int | None = None, offset: int = 0) -> list[Evidence]:
        self.read += len(self.found)
        return list(self.found)

    async def ids_of_run(self, run_id: str) -> list[str]:
        return [one.id for one in self.found]

    async def get(self, ids: Sequence[str]) -> list[Evidence]:
        self.read += len(ids)
        return [one for one in self.found if one.id in ids]


Step = tuple[list[str], int, bool]
"""The texts that a search found, which of two workers did it, and whether that one was restarted before."""
steps = st.lists(st.tuples(st.lists(texts(), max_size=4), st.integers(0, 1), st.booleans()), max_size=12)


@given(steps=steps, most=st.sampled_from([0, 3, 1_000]))
def test_any_workers_with_any_memory_say_what_the_plain_way_says(steps: list[Step], most: int) -> None:
    store = Found()
    workers = [PassageComparison(most), PassageComparison(most)]

    async def research() -> None:
        for added, number, restarted in steps:
            store.found += [passage(f"p{len(store.found) + at}", text) for at, text in enumerate(added)]
            if restarted:
                workers[number] = PassageComparison(most)
            said: list[Mapping[str, str]] = await asyncio.gather(
                *(workers[number].repeats(store, "run") for _ in range(2))
            )
            assert said == [plain(store.found)] * 2

    asyncio.run(research())
    assert ComparedPassages().followed_by(store.found).repeats == plain(store.found)


@given(given_texts=st.lists(texts(), max_size=20), cuts=st.lists(st.integers(0, 20), max_size=5))
def test_the_steps_in_which_passages_are_added_do_not_matter(given_texts: list[str], cuts: list[int]) -> None:
    passages = [passage(f"p{at}", text) for at, text in enumerate(given_texts)]
    compared = ComparedPassages()
    for start, stop in pairwise([0, *sorted(min(cut, len(passages)) for cut in cuts), len(passages)]):
        compared = compared.followed_by(passages[start:stop])
    assert compared.ids == tuple(one.id for one in passages)
    assert compared.repeats == plain(passages)


async def test_a_search_reads_only_what_is_new() -> None:
    store = Found()
    comparing = PassageComparison()
    for number in range(50):
        store.found += [passage(f"{number}-{at}", f"{WHALES} {number} {at}") for at in range(10)]
        await comparing.repeats(store, "run")
    assert store.read == 500


async def test_runs_that_were_not_asked_for_longest_are_forgotten_first() -> None:
    store = Found()
    store.found = [passage("whale", WHALES), passage("bread", BREAD)]
    comparing = PassageComparison(most=4)
    for run_id in ("a", "b", "a", "c"):
        await comparing.repeats(store, run_id)
    before = store.read
    await comparing.repeats(store, "a")
    await comparing.repeats(store, "c")
    assert store.read == before
    await comparing.repeats(store, "b")
    assert store.read == before + 2


async def test_a_run_that_is_another_than_what_is_kept_is_compared_anew() -> None:
    store = Found()
    store.found = [passage("whale", WHALES), passage("copy", WHALES)]
    comparing = PassageComparison()
    assert await comparing.repeats(store, "run") == {"docs:copy": "docs:whale"}
    store.found.reverse()
    assert await comparing.repeats(store, "run") == {"docs:whale": "docs:copy"}


async def test_of_searches_by_two_workers_at_once_exactly_one_copy_is_older(tmp_path: Path) -> None:
    async with open_store(tmp_path) as one, open_store(tmp_path) as other:
        workers = [ToolActivities(store, Sources({"pubmed": PUBMED, "mirror": MIRROR})) for store in (one, other)]
        for number in range(10):
            outputs = await asyncio.gather(
                *(search(tools, name, run_id=f"run-{number}") for tools in workers for name in ("mirror", "pubmed"))
            )
            named = {mark for output in outputs for mark in marks(output).items() if mark[0] != "pubmed:bread"}
            assert named in (
                {("mirror:copy", "pubmed:whale"), ("pubmed:whale", None)},
                {("mirror:copy", None), ("pubmed:whale", "mirror:copy")},
            )


async def test_ids_of_a_run_are_in_the_order_of_its_passages(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        for number in (3, 1, 2):
            text = f"{WHALES} {number}"
            found = passage(f"{number}", text)
            kept = StoredText(content_hash=found.content_hash, document=found.document, title="", text=text)
            await store.of("default").evidence.add("run" if number != 1 else "run.0001.branch", [found], [kept])
        assert await store.of("default").evidence.ids_of_run("run") == ["docs:3", "docs:1", "docs:2"]
        assert await store.of("default").evidence.ids_of_run("run.0001.branch") == ["docs:1"]
        assert await store.of("default").evidence.ids_of_run("other") == []
