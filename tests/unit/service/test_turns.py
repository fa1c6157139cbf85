"""A few looks at a time, in the order of asking; one that takes long keeps nobody waiting, and leaves only once."""

import asyncio

import pytest

from elcano.service.temporal.shared_reads import Places


class Look:
    """A look that takes its turn and stays until it is told to leave."""

    def __init__(self, at: Places) -> None:
        self.inside = False
        self._at = at
        self._over = asyncio.Event()
        self.task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        async with self._at.take():
            self.inside = True
            await self._over.wait()
        self.inside = False

    async def leave(self) -> None:
        self._over.set()
        await self.task
        await asyncio.sleep(0)


async def list_inside(looks: list[Look]) -> list[int]:
    for _ in range(3):
        await asyncio.sleep(0)
    return [number for number, look in enumerate(looks) if look.inside]


async def test_looks_wait_for_a_place_in_the_order_of_asking() -> None:
    at = Places(at_once=2)
    looks = [Look(at) for _ in range(4)]
    assert await list_inside(looks) == [0, 1]
    await looks[1].leave()
    assert await list_inside(looks) == [0, 2]
    looks[3].task.cancel()
    await looks[0].leave()
    looks.append(Look(at))
    assert await list_inside(looks) == [2, 4]
    for number in (2, 4):
        await looks[number].leave()


async def test_a_look_that_takes_long_gives_its_place_away_once(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Places(at_once=1, seconds=0.0)
    slow = Look(at)
    assert await list_inside([slow]) == [0]
    monkeypatch.setattr(at, "_seconds", 600.0)
    looks = [Look(at), Look(at)]
    assert slow.inside
    assert await list_inside(looks) == [0]
    await slow.leave()
    assert await list_inside(looks) == [0]
    await looks[0].leave()
    assert await list_inside(looks) == [1]
    await looks[1].leave()


async def test_a_look_that_fails_leaves_its_place() -> None:
    at = Places(at_once=1)
    with pytest.raises(LookupError):
        async with at.take():
            raise LookupError
    look = Look(at)
    assert await list_inside([look]) == [0]
    await look.leave()
