"""One stream of many journals: whatever the order of arrival, every reader gets everything once and in bounds."""

import asyncio
from collections import deque
from collections.abc import Sequence
from itertools import count, groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.state.events import AgentEvent, EventType
from elcano.service.errors import LastEventIdInvalid
from elcano.service.events.feed import Feed, NumberedEvent, Streaming, UnreadableBranch, Waiting
from elcano.service.events.journal_merge import MAX_LENGTH, Branch, Cursor, Key, Merge, MergedEvent
from elcano.service.events.watcher import archived_feed

RUN = "run-1"
Journals = dict[str, list[AgentEvent]]


class Tale:
    """A run with branches within branches, told one event after the other."""

    def __init__(self) -> None:
        self.journals: Journals = {}
        self._clock = count()
        self.tell(RUN, "started")

    def tell(self, journal_of: str, kind: EventType, branch: str = "", **data: object) -> None:
        journal = self.journals.setdefault(journal_of, [])
        path = journal_of.removeprefix(RUN).removeprefix(".").replace(".", "/")
        told = {
            "seq": len(journal) + 1,
            "type": kind,
            "message": kind,
            "at": float(next(self._clock)),
            "step": 1,
            "iteration": 1,
            "path": "/".join(filter(None, (path, branch))),
            "data": data,
        }
        journal.append(AgentEvent.model_validate(told))

    def begin(self, run_id: str, branch: str) -> str:
        child = f"{run_id}.{branch}"
        self.tell(run_id, "branch_started", branch, run_id=child)
        self.tell(child, "started")
        return child

    def finish(self, child: str) -> None:
        self.tell(child, "complete")
        parent, _, branch = child.rpartition(".")
        self.tell(parent, "branch_complete", branch)


@st.composite
def tales(draw: st.DrawFn) -> Journals:
    """Runs with up to six branches, some of them within others, some still open when the run ends."""
    tale = Tale()
    names = count()
    running: list[list[str]] = [[RUN]]  # each with the branches that it is in
    for choice in draw(st.lists(st.integers(0, 9), max_size=40)):
        place = running[choice % len(running)]
        if choice >= 7 and len(place) < 3 and (number := next(names)) < 6:
            running.append([*place, tale.begin(place[-1], f"b{number}")])
        elif choice == 0 and len(running[-1]) > 1:
            tale.finish(running.pop()[-1])
        else:
            tale.tell(place[-1], "thinking")
    kept = draw(st.integers(0, len(running) - 1))
    while len(running) - 1 > kept:
        tale.finish(running.pop()[-1])
    tale.tell(RUN, "complete")
    while len(running) > 1:  # branches that outlive their run are cancelled
        tale.tell(running.pop()[-1], "cancelled")
    return tale.journals


def arrivals(journals: Journals, order: Sequence[int]) -> Feed:
    """A feed to which the journals came in pieces, in some order."""
    left = {run_id: deque(events) for run_id, events in journals.items()}
    open_keys: dict[Key, str] = {(): RUN}

    def opened(branch: Branch) -> Sequence[AgentEvent]:
        open_keys[branch.key] = branch.run_id
        return ()

    feed = Feed(opened)
    for number in order:
        key = sorted(open_keys)[number % len(open_keys)]
        waiting = left[open_keys[key]]
        feed.add(key, [waiting.popleft() for _ in range(min(len(waiting), 1 + number % 3))])
    while not feed.closed:
        for key, run_id in list(open_keys.items()):
            feed.add(key, left[run_id])
            left[run_id].clear()
    return feed


def read(feed: Feed, cursor: Cursor | None = None) -> list[NumberedEvent]:
    return [item for item in everything(feed, cursor or Cursor()) if isinstance(item, NumberedEvent)]


def everything(feed: Feed, cursor: Cursor) -> list[NumberedEvent | Waiting | UnreadableBranch | Streaming]:
    async def collected() -> list[NumberedEvent | Waiting | UnreadableBranch | Streaming]:
        return [item async for batch in feed.follow(cursor) for item in batch]

    return asyncio.run(collected())


def names(items: Sequence[NumberedEvent]) -> list[tuple[str, int]]:
    """Each event by its journal and number; `branch_started` and `branch_complete` belong to the parent's journal."""
    return [(_journal(item.event), item.event.seq) for item in items]


def _journal(event: AgentEvent) -> str:
    path = event.path.rpartition("/")[0] if event.type in ("branch_started", "branch_complete") else event.path
    return path.replace("/", ".")


def visible(journals: Journals) -> set[tuple[str, int]]:
    return {
        (run_id.removeprefix(RUN).removeprefix("."), event.seq)
        for run_id, events in journals.items()
        for event in events
        if run_id == RUN or not (event.terminal or event.type == "started")
    }


def assert_in_bounds(told: Sequence[AgentEvent]) -> None:
    last: dict[str, int] = {}
    begun, over = set[str](), set[str]()
    for event in told:
        journal = _journal(event)
        assert event.seq > last.get(journal, 0)
        last[journal] = event.seq
        if event.type == "branch_started":
            begun.add(event.path)
        elif event.type == "branch_complete":
            over.add(event.path)
        inside = (
            event.path if event.type not in ("branch_started", "branch_complete") else event.path.rpartition("/")[0]
        )
        if inside:
            assert inside in begun
            assert not any(inside == path or inside.startswith(f"{path}/") for path in over)
    assert [event.terminal for event in told] == [False] * (len(told) - 1) + [True]


@given(tales(), st.lists(st.integers(0, 50), max_size=60))
def test_everything_is_told_once_and_in_bounds(journals: Journals, order: list[int]) -> None:
    told = read(arrivals(journals, order))
    assert sorted(names(told)) == sorted(visible(journals))
    assert_in_bounds([item.event for item in told])


@given(tales(), st.lists(st.integers(0, 50), max_size=60), st.lists(st.integers(0, 50), max_size=60), st.data())
def test_a_reader_goes_on_in_another_process_without_loss_or_repetition(
    journals: Journals, here: list[int], there: list[int], data: st.DataObject
) -> None:
    whole = read(arrivals(journals, here))
    cut = data.draw(st.integers(1, len(whole)))
    cursor = Cursor.parse(str(whole[cut - 1].cursor))
    rest = read(arrivals(journals, there), cursor)
    assert sorted(names(whole[:cut] + rest)) == sorted(visible(journals))
    assert_in_bounds([item.event for item in whole[:cut] + rest])


@given(tales(), st.lists(st.integers(0, 50), max_size=60))
def test_a_reader_who_names_a_number_gets_all_that_open_branches_told_since(
    journals: Journals, order: list[int]
) -> None:
    archived = archived_feed(RUN, journals)
    assert archived is not None
    for feed in (archived, arrivals(journals, order)):
        whole = read(feed)
        for one in (item.event for item in whole if not item.event.path or item.event.type.startswith("branch_")):
            if one not in journals[RUN]:
                continue
            rest = read(feed, Cursor(one.seq))
            told = [item.event for item in rest]
            assert names(rest) == [name for name in names(whole) if name in set(names(rest))], "in their order"
            later = [item for item in whole if item.event.at > one.at]
            assert set(names(later)) <= set(names(rest))
            assert all(event.at > one.at for event in told)
            assert [str(item.cursor) for item in rest[-1:]] == [str(item.cursor) for item in whole[-1:] if rest]


@given(tales())
def test_the_archive_is_one_order_with_a_cursor_at_every_event(journals: Journals) -> None:
    feed = archived_feed(RUN, journals)
    assert feed is not None
    whole = read(feed)
    again = archived_feed(RUN, dict(reversed(journals.items())))
    assert again is not None
    assert [str(item.cursor) for item in read(again)] == [str(item.cursor) for item in whole]
    for position, item in enumerate(whole, 1):
        rest = read(feed, Cursor.parse(str(item.cursor)))
        assert names(rest) == names(whole[position:])
        assert [str(one.cursor) for one in rest] == [str(one.cursor) for one in whole[position:]]
    assert feed.exhausted(whole[-1].cursor)
    assert str(whole[-1].cursor) == str(whole[-1].event.seq)


def test_the_archive_has_branches_side_by_side_in_the_order_of_time() -> None:
    tale = Tale()
    one, two = tale.begin(RUN, "b1"), tale.begin(RUN, "b2")
    for child in (one, two, one, two):
        tale.tell(child, "thinking")
    tale.finish(two)
    tale.tell(one, "judging")
    tale.finish(one)
    tale.tell(RUN, "complete")
    feed = archived_feed(RUN, tale.journals)
    assert feed is not None
    assert [(item.event.path, item.event.type, str(item.cursor)) for item in read(feed)] == [
        ("", "started", "1"),
        ("b1", "branch_started", "2+2:0"),
        ("b2", "branch_started", "3+2:0+3:0"),
        ("b1", "thinking", "3+2:2+3:0"),
        ("b2", "thinking", "3+2:2+3:2"),
        ("b1", "thinking", "3+2:3+3:2"),
        ("b2", "thinking", "3+2:3+3:3"),
        ("b2", "branch_complete", "4+2:3"),
        ("b1", "judging", "4+2:4"),
        ("b1", "branch_complete", "5"),
        ("", "complete", "6"),
    ]


def test_a_branch_whose_events_are_lost_is_named_to_those_who_have_not_passed_it() -> None:
    tale = Tale()
    child = tale.begin(RUN, "b1")
    tale.tell(child, "cancelled", outside=True, incomplete=True)
    tale.tell(RUN, "branch_complete", "b1")
    tale.tell(RUN, "complete")
    feed = archived_feed(RUN, tale.journals)
    assert feed is not None
    told = everything(feed, Cursor())
    assert [type(item) for item in told] == [
        NumberedEvent,
        NumberedEvent,
        UnreadableBranch,
        NumberedEvent,
        NumberedEvent,
    ]
    assert isinstance(told[2], UnreadableBranch)
    assert told[2].path == "b1"
    assert [type(item) for item in everything(feed, Cursor.parse("3"))] == [NumberedEvent]


def test_a_run_whose_branch_is_not_in_the_store_has_no_archive_yet() -> None:
    tale = Tale()
    child = tale.begin(RUN, "b1")
    tale.tell(RUN, "cancelled")
    assert archived_feed(RUN, {RUN: tale.journals[RUN]}) is None
    tale.tell(child, "cancelled")
    assert archived_feed(RUN, tale.journals) is not None


def test_two_hundred_open_branches_fit_into_a_cursor() -> None:
    tale = Tale()
    children = [tale.begin(RUN, f"loop-{number}") for number in range(200)]
    for _ in range(20):
        for child in children:
            tale.tell(child, "thinking")
    cursor = Cursor()
    merge = Merge(lambda branch: tale.journals[branch.run_id])
    told = [one for one in merge.add((), tale.journals[RUN]) if isinstance(one, MergedEvent)]
    for one in told:
        assert not cursor.covers(one)
        cursor = cursor.after(one)
    assert len(told) == 1 + 200 + 200 * 20
    assert len(cursor.branches) == 200
    assert Cursor.parse(str(cursor)) == cursor
    assert len(str(cursor)) < 2_000


@pytest.mark.parametrize(
    "text", ["", "+", "1+", "1+2", "1+2:", "1+.2:3", "1+2.:3", "1+2:3:4", "-1", " 1", "1 ", "1+2:-1"]
)
def test_a_text_that_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(LastEventIdInvalid, match="is not an event's id"):
        Cursor.parse(text)


def test_a_cursor_of_any_length_is_not_read() -> None:
    with pytest.raises(LastEventIdInvalid):
        Cursor.parse("1" + "+2:3" * (MAX_LENGTH // 4))


def test_events_of_one_journal_stay_together_where_times_are_equal() -> None:
    tale = Tale()
    one, two = tale.begin(RUN, "b1"), tale.begin(RUN, "b2")
    for child in (one, two):
        tale.tell(child, "thinking")
    same = {run_id: [event.model_copy(update={"at": 1.0}) for event in told] for run_id, told in tale.journals.items()}
    merge = Merge(lambda branch: same[branch.run_id])
    paths = [one.event.path for one in merge.add((), same[RUN]) if isinstance(one, MergedEvent)]
    assert [path for path, _ in groupby(paths)] == ["", "b1", "b2", "b1", "b2"]
