"""Many readers of one feed that come, lag, are cut off and come back while it is told: each gets everything once."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from typing import Final, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.state.events import AgentEvent
from elcano.service.events import feed as feeds
from elcano.service.events.feed import Feed, Item, NumberedEvent, encode_message
from elcano.service.events.journal_merge import Branch, Cursor, Key
from tests.api.test_merging import RUN, Journals, Tale, assert_in_bounds, names, tales, visible

READERS: Final = 3


class Reader:
    """A client that reads batch after batch, and may be cut off between two of them."""

    def __init__(self, feed: Feed) -> None:
        self.told: list[NumberedEvent] = []
        self._feed = feed
        self._reading: AsyncGenerator[Sequence[Item]] | None = None
        self._batch: asyncio.Task[Sequence[Item]] | None = None

    async def read(self) -> bool:
        """Take the next batch if there is one; False: the feed is closed and read."""
        if self._reading is None:
            since = Cursor.parse(str(self.told[-1].cursor)) if self.told else Cursor()
            self._reading = cast(AsyncGenerator[Sequence[Item]], self._feed.follow(since))
        if self._batch is None:
            self._batch = asyncio.create_task(self._next(self._reading))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        if not self._batch.done():
            return True
        batch, self._batch = self._batch, None
        try:
            self.told += [item for item in batch.result() if isinstance(item, NumberedEvent)]
        except StopAsyncIteration:
            return False
        return True

    async def cut(self) -> None:
        """Lose the connection, with the batch that was under way."""
        if self._batch is not None:
            self._batch.cancel()
            await asyncio.gather(self._batch, return_exceptions=True)
        if self._reading is not None:
            await self._reading.aclose()
        self._batch = self._reading = None

    @staticmethod
    async def _next(reading: AsyncGenerator[Sequence[Item]]) -> Sequence[Item]:
        return await anext(reading)


async def play(journals: Journals, acts: Sequence[tuple[str, int]]) -> list[Reader]:
    """Tell the journals in pieces while readers do as they are told; then everything is told, and read to the end."""
    left = {run_id: deque(events) for run_id, events in journals.items()}
    keys: dict[Key, str] = {(): RUN}

    def opened(branch: Branch) -> Sequence[AgentEvent]:
        keys[branch.key] = branch.run_id
        return ()

    feed = Feed(opened)
    readers = [Reader(feed) for _ in range(READERS)]
    for act, number in acts:
        if act == "tell":
            key = sorted(keys)[number % len(keys)]
            events = left[keys[key]]
            feed.add(key, [events.popleft() for _ in range(min(len(events), 1 + number % 3))])
        elif act == "read":
            await readers[number % READERS].read()
        else:
            await readers[number % READERS].cut()
    while not feed.closed:
        for key, run_id in list(keys.items()):
            feed.add(key, left[run_id])
            left[run_id].clear()
    for reader in readers:
        while await reader.read():
            pass
    return readers


@given(
    tales(),
    st.lists(st.tuples(st.sampled_from(["tell", "tell", "read", "read", "cut"]), st.integers(0, 50)), max_size=80),
    st.integers(1, 4),
)
def test_readers_get_everything_once_whenever_they_come_and_are_cut_off(
    journals: Journals, acts: list[tuple[str, int]], shared: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feeds, "SHARED", shared)
        readers = asyncio.run(play(journals, acts))
    for reader in readers:
        assert sorted(names(reader.told)) == sorted(visible(journals))
        assert_in_bounds([item.event for item in reader.told])
        for item in reader.told:
            assert encode_message(item) == encode_message(NumberedEvent(item.event, item.cursor))
    ids = [[str(item.cursor) for item in reader.told] for reader in readers]
    assert ids[0] == ids[1] == ids[2]


def test_readers_at_the_same_place_are_given_one_message_and_no_reader_another_place() -> None:
    tale = Tale()
    child = tale.begin(RUN, "b1")
    tale.tell(child, "thinking")
    tale.finish(child)
    tale.tell(RUN, "complete")
    first, second, third = asyncio.run(play(tale.journals, []))
    assert all(one is other is another for one, other, another in zip(first.told, second.told, third.told, strict=True))
    assert [str(item.cursor) for item in first.told] == ["1", "2+2:0", "2+2:2", "3", "4"]
