"""The events of a response are the same in whatever order sections told theirs."""

import random
from collections.abc import Sequence
from typing import Any

from elcano.doors.openai_api.response_log import ResponseLog
from elcano.doors.openai_api.response_view import ResponseHead
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.events import AgentEvent, EventType
from elcano.service.events.feed import Feed, NumberedEvent
from elcano.service.events.journal_merge import Branch, Cursor

HEAD = ResponseHead(
    run_id="default-1", model="deep", created_at=1, previous_run="", metadata={"ticket": "4711"}, address=""
)
RUN = "default-1"


def event(seq: int, type: EventType, at: float, path: str = "", **data: Any) -> AgentEvent:
    return AgentEvent(
        seq=seq,
        type=type,
        message=f"{type} {seq} {path}",
        at=at,
        step=seq,
        iteration=0,
        path=path,
        section=path,
        data=data,
    )


OWN = (
    event(1, "started", 1),
    event(2, "branch_started", 2, "a", run_id="default-1.a"),
    event(3, "branch_started", 3, "b", run_id="default-1.b"),
    event(4, "branch_complete", 20, "b"),
    event(5, "branch_complete", 30, "a"),
    event(6, "complete", 40, status="completed", report=None),
)


def section(path: str) -> tuple[AgentEvent, ...]:
    return (
        event(1, "started", 4, path),
        event(2, "searching", 5, path, queries=[f"what of {path}"]),
        event(3, "search_complete", 6, path),
        event(4, "searching", 7, path, queries=[f"and of {path}"]),
        event(5, "complete", 8, path),
    )


def told(order: Sequence[tuple[tuple[int, ...], AgentEvent]]) -> list[dict[str, Any]]:
    """What a response tells if a run's journals arrive so."""
    opened: list[Branch] = []
    feed = Feed(lambda branch: opened.append(branch) or ())  # type: ignore[func-returns-value]
    for key, one in order:
        feed.add(key, (one,))
    log = ResponseLog(HEAD)
    found = list(log.open())
    cursor = Cursor()
    for merged in feed._merged:
        cursor = cursor.after(merged)  # type: ignore[arg-type]
        found += log.add(NumberedEvent(merged.event, cursor))  # type: ignore[union-attr]
    return found + list(log.close(None, Usage(input_tokens=3, output_tokens=1)))


def test_the_order_in_which_sections_tell_their_events_changes_nothing() -> None:
    chance = random.Random(7)
    branches: dict[tuple[int, ...], list[AgentEvent]] = {(2,): list(section("a")), (3,): list(section("b"))}
    journals: list[list[tuple[tuple[int, ...], AgentEvent]]] = [
        [((), one) for one in OWN],
        *([(key, one) for one in events] for key, events in branches.items()),
    ]
    first = None
    for _ in range(40):
        left = [list(journal) for journal in journals]
        order = [left[0].pop(0) for _ in range(3)]  # until both sections have begun
        while any(left):
            order.append(chance.choice([journal for journal in left if journal]).pop(0))
        found = told(order)
        first = first or found
        assert found == first
    assert first is not None
    assert [one["sequence_number"] for one in first] == list(range(len(first)))
    searches = [item for item in first[-1]["response"]["output"] if item["type"] == "web_search_call"]
    assert [item["action"]["query"] for item in searches] == ["what of b", "and of b", "what of a", "and of a"]
    assert [item["status"] for item in searches] == ["completed", "failed"] * 2
    assert first[-1]["response"]["usage"]["total_tokens"] == 4


def test_what_ends_otherwise_says_so() -> None:
    for kind, data, status, reason in (
        ("complete", {"status": "partial", "partial": "tokens"}, "incomplete", {"reason": "max_output_tokens"}),
        ("complete", {"status": "stopped", "partial": "stopped"}, "incomplete", {"reason": "steered"}),
        ("complete", {"status": "partial", "partial": "sections"}, "incomplete", {"reason": "sections"}),
        ("complete", {"status": "unanswered"}, "completed", None),
        ("failed", {"status": "failed"}, "failed", None),
        ("cancelled", {"status": "terminated", "outside": True}, "cancelled", None),
    ):
        last = told([((), event(1, "started", 1)), ((), event(2, kind, 2, **data))])[-1]  # type: ignore[arg-type]
        response = last["response"]
        assert (response["status"], response["incomplete_details"]) == (status, reason)
        assert (response["error"] is not None) == (kind != "complete")
        assert response["metadata"]["ticket"] == "4711"


def test_a_section_that_asks_for_approval_is_seen_before_its_events_are_told() -> None:
    log = ResponseLog(HEAD)
    cursor = Cursor(number=2)
    list(log.add(NumberedEvent(OWN[1], cursor)))
    asked = [
        (event(1, "approval_requested", 4, "a", call="c"), True),
        (event(2, "call_approved", 5, "a", call="c"), False),
    ]
    for one, open in asked:
        assert list(log.add(NumberedEvent(one, cursor))) == []
        assert log.asks_for_approval is open
