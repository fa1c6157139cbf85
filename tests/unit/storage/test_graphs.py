"""Graphs of a tenant's own are kept in versions that never change and whose numbers are never used again."""

import asyncio

import pytest

from elcano.graphs.errors import TooManyGraphs
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import ResearchGraph
from elcano.storage import versions
from elcano.storage.store import Store, TenantStore
from tests.unit.storage.conftest import Opened


def called(name: str, description: str = "") -> ResearchGraph:
    return MODES["simple"].model_copy(update={"name": name, "description": description})


async def test_what_is_kept_under_a_name_again_is_the_next_version(store: TenantStore) -> None:
    first, new = await store.graphs.keep(called("mine", "one"))
    assert (first.version, new) == (1, True)
    second, new = await store.graphs.keep(called("mine", "two"))
    assert (second.version, new) == (2, True)
    assert await store.graphs.get("mine") == second
    assert await store.graphs.get("mine", 1) == first
    assert await store.graphs.get("mine", 3) is None
    assert await store.graphs.get("others") is None
    assert await store.graphs.versions("mine") == [(2, second.at), (1, first.at)]


async def test_the_same_graph_again_is_the_version_that_there_is(store: TenantStore) -> None:
    first, _ = await store.graphs.keep(called("mine"))
    assert await store.graphs.keep(called("mine")) == (first, False)
    await store.graphs.keep(called("mine", "changed"))
    third, new = await store.graphs.keep(called("mine"))
    assert (third.version, new) == (3, True)  # back to what it was: a version of its own


async def test_the_latest_of_each_is_listed_by_name(store: TenantStore) -> None:
    for name, description in (("b", "one"), ("a", "one"), ("b", "two")):
        await store.graphs.keep(called(name, description))
    assert [(one.item.name, one.version) for one in await store.graphs.all()] == [("a", 1), ("b", 2)]


async def test_a_graph_is_deleted_with_its_versions_and_its_numbers_are_not_used_again(store: TenantStore) -> None:
    for description in ("one", "two"):
        await store.graphs.keep(called("mine", description))
    await store.graphs.keep(called("other"))
    assert await store.graphs.delete("mine")
    assert not await store.graphs.delete("mine")
    assert await store.graphs.get("mine") is None
    assert await store.graphs.get("mine", 1) is None
    assert await store.graphs.versions("mine") == []
    assert [one.item.name for one in await store.graphs.all()] == ["other"]
    again, new = await store.graphs.keep(called("mine", "two"))
    assert (again.version, new) == (3, True)


async def test_a_tenant_sees_its_own_graphs_alone(whole: Store) -> None:
    mine, other = whole.of("default"), whole.of("other")
    await mine.graphs.keep(called("mine"))
    assert await other.graphs.get("mine") is None
    assert await other.graphs.all() == []
    assert not await other.graphs.delete("mine")
    theirs, _ = await other.graphs.keep(called("mine", "theirs"))
    assert theirs.version == 1
    assert (await mine.graphs.versions("mine"))[0][0] == 1


async def test_those_who_keep_at_once_get_versions_of_their_own(opened: Opened) -> None:
    async with opened() as one, opened() as two:
        stores = [one.of("default"), two.of("default")]
        kept = await asyncio.gather(
            *(stores[number % 2].graphs.keep(called("mine", f"text {number}")) for number in range(10))
        )
        assert sorted(made.version for made, _ in kept) == list(range(1, 11))
        for made, new in kept:
            assert new
            assert await stores[0].graphs.get("mine", made.version) == made


async def test_there_is_an_end_to_graphs_and_to_versions(store: TenantStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "MOST_NAMES", 2)
    monkeypatch.setattr(versions, "MOST_VERSIONS", 3)
    for name in ("a", "b"):
        await store.graphs.keep(called(name))
    with pytest.raises(TooManyGraphs, match="delete one first"):
        await store.graphs.keep(called("c"))
    await store.graphs.keep(called("b", "two"))
    await store.graphs.keep(called("b", "three"))
    with pytest.raises(TooManyGraphs, match="under another name"):
        await store.graphs.keep(called("b", "four"))
    assert await store.graphs.delete("a")
    await store.graphs.keep(called("c"))
