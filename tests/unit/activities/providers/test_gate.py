"""Whoever calls a provider goes through the gate, and what becomes of the call is known to everybody."""

import asyncio

import pytest

from elcano.activities.providers.rate_limit import Gate
from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.graphs.providers import FAILURES, Provider, get_provider_state
from elcano.storage.store import Store


class World:
    """Two gates, as of two workers, and what is told and slept."""

    def __init__(self, store: Store, late: float = 0.0) -> None:
        self.store = store
        self.late = late
        self.told: list[str] = []
        self.slept: list[float] = []
        self.asleep = asyncio.Event()
        self.gates = [Gate(store.providers, self.tell, self.sleep) for _ in range(2)]

    async def tell(self, provider: str, queue: str) -> None:
        self.told.append(f"{provider} on {queue}")

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.asleep.set()
        await asyncio.sleep(seconds + self.late)

    async def call(self, error: Exception | None = None, *, per_second: float | None = None, by: int = 0) -> None:
        async with self.gates[by].passing("shelf", "queue", per_second):
            if error is not None:
                raise error

    async def row(self) -> tuple[Provider, float]:
        return await self.store.providers.get("shelf")


async def test_a_wait_that_one_is_asked_for_holds_for_the_other_and_is_told_once(store: Store) -> None:
    world = World(store)
    with pytest.raises(SourceBusy, match="HTTP 429"):
        await world.call(SourceBusy("shelf: HTTP 429", retry_after=60.0))
    with pytest.raises(SourceBusy, match=r"shelf is not asked until 20.* UTC: shelf: HTTP 429") as held:
        await world.call(by=1)
    assert held.value.retry_after == pytest.approx(60.0, abs=30.0)
    assert world.told == ["shelf on queue"]


async def test_failures_of_both_open_it_and_a_refusal_is_an_answer(store: Store) -> None:
    world = World(store)
    for number in range(FAILURES - 1):
        with pytest.raises(SourceUnavailable):
            await world.call(SourceUnavailable("shelf: ConnectError"), by=number % 2)
    with pytest.raises(SourceRefused):
        await world.call(SourceRefused("shelf: HTTP 400"))
    assert (await world.row())[0].failures == 0
    for number in range(FAILURES):
        with pytest.raises(SourceUnavailable):
            await world.call(SourceUnavailable("shelf: ConnectError"), by=number % 2)
    assert get_provider_state(*await world.row()) == "failing"
    assert world.told == ["shelf on queue"]


async def test_what_is_no_fault_of_the_provider_is_not_held_against_it(store: Store) -> None:
    world = World(store)
    for _ in range(FAILURES):
        with pytest.raises(ZeroDivisionError):
            await world.call(ZeroDivisionError())
    with pytest.raises(asyncio.CancelledError):
        await world.call(asyncio.CancelledError())  # type: ignore[arg-type]
    assert (await world.row())[0] == Provider()


async def test_calls_of_both_at_once_wait_for_different_turns(store: Store) -> None:
    world = World(store)
    await asyncio.gather(*(world.call(per_second=0.5, by=number % 2) for number in range(3)))
    ahead = sorted(world.slept)
    assert ahead[-1] > 2.0
    assert ahead[-1] - ahead[-2] == pytest.approx(2.0, abs=1.0)


async def test_a_long_line_is_handed_back(store: Store) -> None:
    world = World(store)
    await world.call(per_second=0.01)
    with pytest.raises(SourceBusy, match="of other calls are before this one") as held:
        await world.call(per_second=0.01)
    assert held.value.retry_after == pytest.approx(100.0, abs=50.0)
    assert world.slept == []


async def test_a_turn_that_is_slept_through_is_left_out_for_another(store: Store) -> None:
    world = World(store, late=0.8)
    await world.call(per_second=2.0)
    await world.call(per_second=2.0)
    provider, now = await world.row()
    assert world.slept, "the second call had to wait for its turn"
    assert provider.next_turn > now, "it went in a turn of its own, which is not over"


async def test_a_call_that_sleeps_until_its_turn_learns_that_the_provider_asked_to_wait(store: Store) -> None:
    world = World(store)
    await world.call(per_second=1.0)
    sleeping = asyncio.create_task(world.call(per_second=1.0))
    await world.asleep.wait()
    await world.gates[1].failed("shelf", "queue", "HTTP 429", 60.0)
    with pytest.raises(SourceBusy, match="shelf is not asked"):
        await sleeping


async def test_the_row_tells_no_key(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELF_API_KEY", "very-secret-value")
    world = World(store)
    with pytest.raises(SourceUnavailable):
        await world.call(SourceUnavailable("shelf: https://a/?key=very-secret-value"))
    assert "very-secret-value" not in (await world.row())[0].model_dump_json()


async def test_an_answer_costs_no_look_at_a_provider_with_which_nothing_was_wrong(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, looks, get = World(store), [], store.providers.get

    async def look(name: str) -> tuple[Provider, float]:
        looks.append(name)
        return await get(name)

    monkeypatch.setattr(store.providers, "get", look)
    monkeypatch.setattr("elcano.activities.providers.rate_limit.CALM_SECONDS", 0.0)
    for _ in range(3):
        await world.call()
    assert looks == ["shelf"] * 3  # one before each call
    with pytest.raises(SourceUnavailable):
        await world.call(SourceUnavailable("shelf: ConnectError"), by=1)
    assert (await get("shelf"))[0].failures == 1
    await world.call()
    assert (await get("shelf"))[0].failures == 0  # what the other worker noted is taken back
