"""Providers are kept for all tenants alike, and whoever asks at the same time gets another turn."""

import asyncio
import time
from itertools import pairwise

import pytest

from elcano.graphs.providers import SPACING, Provider, Turn, admit_provider_call, record_provider_failure
from elcano.storage.store import Store
from tests.unit.storage.conftest import Opened


async def test_one_of_which_nothing_is_kept_is_as_if_nothing_had_happened(whole: Store) -> None:
    provider, now = await whole.providers.get("shelf")
    assert provider == Provider()
    assert now == pytest.approx(time.time(), abs=60)
    assert (await whole.providers.all())[0] == {}


async def test_what_is_kept_is_seen_by_other_processes(opened: Opened) -> None:
    async with opened() as one, opened() as other:
        until = await one.providers.change(
            "shelf",
            lambda row, now: (
                (after := record_provider_failure(row, now, "shelf: \x00 HTTP 429", 60.0)),
                after.held_until,
            ),
        )
        assert (await other.providers.get("shelf"))[0].held_until == until
        providers, _ = await other.providers.all()
        assert providers["shelf"].error == "shelf: \x00 HTTP 429"


async def test_those_who_ask_at_once_get_turns_of_their_own(opened: Opened) -> None:
    async with opened() as one, opened() as other:

        async def turn(store: Store) -> float:
            def change(row: Provider, now: float) -> tuple[Provider, float]:
                after, given = admit_provider_call(row, now, 10.0)
                assert isinstance(given, Turn)
                return after, now + given.seconds

            return await store.providers.change("shelf", change)

        turns = sorted(await asyncio.gather(*(turn(store) for _ in range(15) for store in (one, other))))
    assert all(later - earlier >= SPACING / 10.0 - 1e-6 for earlier, later in pairwise(turns))


async def test_a_change_that_fails_leaves_the_row_as_it_was(whole: Store) -> None:
    def broken(row: Provider, now: float) -> tuple[Provider, None]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await whole.providers.change("shelf", broken)
    assert (await whole.providers.get("shelf"))[0] == Provider()
    assert await whole.providers.change("shelf", lambda row, now: (row.model_copy(update={"failures": 1}), 7)) == 7
