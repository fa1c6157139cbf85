"""Shared reads: few are made, none is older than its question, and nobody waits twice for who does not answer."""

import asyncio
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.service.errors import RunForgotten, TemporalUnavailable, WorkerUnavailable
from elcano.service.temporal.shared_reads import SharedReads

RUN = "run-1"


@given(st.lists(st.sampled_from(["ask", "change", "wait", "other"]), max_size=40), st.integers(0, 3))
def test_nobody_is_answered_with_what_was_read_before_they_asked(acts: list[str], pauses: int) -> None:
    async def play() -> None:
        reads, state = SharedReads(), 0
        asked: list[tuple[int, asyncio.Task[int]]] = []

        async def read() -> int:
            seen = state
            for _ in range(pauses):
                await asyncio.sleep(0)
            return seen

        for act in acts:
            if act == "change":
                state += 1
            elif act == "wait":
                await asyncio.sleep(0)
            else:
                asked.append((state, asyncio.create_task(reads.share(RUN if act == "ask" else act, read))))
        assert all(answer >= before for (before, _), answer in zip(asked, await _gather(asked), strict=True))

    asyncio.run(play())


async def _gather(asked: list[tuple[int, asyncio.Task[int]]]) -> list[int]:
    return await asyncio.gather(*(task for _, task in asked))


async def test_those_who_ask_while_a_read_is_under_way_share_the_next_one() -> None:
    reads, numbers, begun, go_on = SharedReads(), count(1), asyncio.Event(), asyncio.Event()

    async def read() -> int:
        number = next(numbers)
        begun.set()
        await go_on.wait()
        return number

    first = asyncio.create_task(reads.share(RUN, read))
    await begun.wait()
    others = [asyncio.create_task(reads.share(RUN, read)) for _ in range(20)]
    await asyncio.sleep(0)
    others.pop().cancel()  # who goes away takes it from nobody
    go_on.set()
    assert [await first, *await asyncio.gather(*others)] == [1, *[2] * 19]
    assert (reads._under_way, reads._next) == ({}, {})
    assert await reads.share(RUN, read) == 3


@pytest.mark.parametrize(
    ("error", "made"), [(WorkerUnavailable("away"), 1), (TemporalUnavailable("away"), 1), (RunForgotten("gone"), 2)]
)
async def test_who_asked_while_nobody_answered_does_not_wait_once_more(error: Exception, made: int) -> None:
    reads, numbers, begun, go_on = SharedReads(), count(1), asyncio.Event(), asyncio.Event()

    async def read() -> int:
        next(numbers)
        begun.set()
        await go_on.wait()
        raise error

    first = asyncio.create_task(reads.share(RUN, read))
    await begun.wait()
    second = asyncio.create_task(reads.share(RUN, read))
    await asyncio.sleep(0)
    go_on.set()
    assert [*await asyncio.gather(first, second, return_exceptions=True)] == [error, error]
    assert next(numbers) == made + 1
