"""A run's events as those of a response, numbered; the same run always gives the same ones, in any process.

Sections emit their events side by side, in an order that is known only when they have ended. So the events of a section
are passed on when it is complete, and numbers never depend on who was quicker. A client that comes again with the last
number that it has gets exactly what follows.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

from elcano.doors.openai_api.output_items import (
    APPROVAL,
    Item,
    build_call_approval,
    build_message,
    build_plan_approval,
    build_reasoning,
    build_search,
    build_text,
    list_annotations,
    write_text,
)
from elcano.doors.openai_api.response_view import ResponseHead, build_outcome
from elcano.graphs.report.report import Report
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.events import AgentEvent, EventType
from elcano.service.events.feed import NumberedEvent

StreamEvent: TypeAlias = dict[str, Any]

DELTA_CHARACTERS: Final = 400
"""Length of the pieces in which a report is sent; a fixed one, for pieces have numbers."""
_SILENT: Final[frozenset[EventType]] = frozenset({"started", "state_updated", "streaming", "execution_ended"})
"""Events that say nothing to who waits for an answer."""
_CALL_DECIDED: Final[frozenset[EventType]] = frozenset({"call_approved", "call_refused", "approval_expired"})


class ResponseLog:
    """Turns events into those of a response, one by one, and keeps the items that they make."""

    def __init__(self, head: ResponseHead) -> None:
        self.head = head
        self.output: list[Item] = []
        """The items so far, by their index."""
        self.last_event = 0
        """The number of the run's own last event that was taken."""
        self.terminal: AgentEvent | None = None
        """The run's last event, once it has come."""
        self._number = 0
        self._reasoning: list[str] = []
        self._reasoning_index = 0
        self._searches: dict[str, tuple[int, AgentEvent]] = {}
        """The open search of each path: the index of its item, and its first event."""
        self._held_back: dict[str, list[AgentEvent]] = {}
        """Events of open sections so far, by path."""
        self._decided: set[str] = set()

    @property
    def asks_for_approval(self) -> bool:
        """Whether the run or an open section asked for approval, and nothing has come since that decides it."""
        items = (item for item in self.output if item["type"] == APPROVAL)
        return any(item["id"] not in self._decided for item in items) or any(
            _list_open_calls(held) for held in self._held_back.values()
        )

    def open(self) -> Iterator[StreamEvent]:
        """The first events, of every response."""
        started = self.head.build("in_progress")
        yield self._tell("response.created", response={**started, "status": "queued"})
        yield self._tell("response.queued", response={**started, "status": "queued"})
        yield self._tell("response.in_progress", response=started)

    def add(self, item: NumberedEvent) -> Iterator[StreamEvent]:
        """The events for one of the run, all but those of its end; `close` has these once `terminal` is set."""
        event = item.event
        if item.cursor.number == self.last_event:  # a section's own
            self._held_back.setdefault(event.path, []).append(event)
            return
        self.last_event = item.cursor.number
        if event.type == "branch_complete":
            yield from self._release(event.path)
        if event.terminal:
            self.terminal = event
            return
        yield from self._narrate(event, "")

    def close(self, report: Report | None, usage: Usage) -> Iterator[StreamEvent]:
        """The events of the end: the report, if there is one, and the whole response."""
        assert self.terminal is not None, "only a run that has ended has an end"
        for path in list(self._searches):
            yield from self._end_search(path, "failed")
        yield from self._end_reasoning()
        if report is not None:
            yield from self._tell_report(report)
        outcome = build_outcome(self.head, self.terminal, report, usage, self.output)
        kind = outcome["status"] if outcome["status"] in ("completed", "incomplete") else "failed"
        yield self._tell(f"response.{kind}", response=outcome)

    def _tell(self, kind: str, **fields: Any) -> StreamEvent:
        event = {"type": kind, "sequence_number": self._number, **fields}
        self._number += 1
        return event

    def _release(self, path: str) -> Iterator[StreamEvent]:
        """The events of a section and those within it, one path after the other."""
        for held in sorted(one for one in self._held_back if one == path or one.startswith(f"{path}/")):
            for event in self._held_back.pop(held):
                yield from self._narrate(event, held)
            yield from self._end_search(held, "failed")

    def _narrate(self, event: AgentEvent, path: str) -> Iterator[StreamEvent]:
        queries = event.type == "searching" and event.data.get("queries")
        if queries:
            yield from self._end_search(path, "completed")
            yield from self._end_reasoning()
            yield from self._begin_search(path, event)
        elif event.type == "search_complete" and path in self._searches:
            yield from self._end_search(path, "completed")
            yield from self._tell_reasoning(event)
        elif event.type == "plan_proposed":
            yield from self._tell_approval(build_plan_approval(self.head.run_id, event))
        elif event.type == "approval_requested":
            yield from self._tell_approval(build_call_approval({"run_id": self.head.run_id, **event.data}))
        elif event.type not in _SILENT:
            if event.type in ("plan_approved", "plan_refused"):
                self._decided.update(item["id"] for item in self.output if item.get("name") == "approve_plan")
            if event.type in _CALL_DECIDED:
                call = f"/{event.data.get('call')}"
                self._decided.update(item["id"] for item in self.output if item["id"].endswith(call))
            yield from self._tell_reasoning(event)

    def _begin_search(self, path: str, event: AgentEvent) -> Iterator[StreamEvent]:
        index = len(self.output)
        item = build_search(self.head.run_id, index, event, "in_progress")
        self._searches[path] = (index, event)
        self.output.append(item)
        yield self._tell("response.output_item.added", output_index=index, item=item)
        for state in ("in_progress", "searching"):
            yield self._tell(f"response.{item['type']}.{state}", output_index=index, item_id=item["id"])

    def _end_search(self, path: str, status: str) -> Iterator[StreamEvent]:
        if (search := self._searches.pop(path, None)) is None:
            return
        index, event = search
        item = self.output[index] = build_search(self.head.run_id, index, event, status)
        if status == "completed":
            yield self._tell(f"response.{item['type']}.completed", output_index=index, item_id=item["id"])
        yield self._tell("response.output_item.done", output_index=index, item=item)

    def _tell_approval(self, item: Item) -> Iterator[StreamEvent]:
        yield from self._end_reasoning()
        index = len(self.output)
        self.output.append(item)
        yield self._tell("response.output_item.added", output_index=index, item=item)
        yield self._tell("response.output_item.done", output_index=index, item=item)

    def _tell_reasoning(self, event: AgentEvent) -> Iterator[StreamEvent]:
        if not self._reasoning:
            self._reasoning_index = len(self.output)
            self.output.append(build_reasoning(self.head.run_id, self._reasoning_index, []))
            item = self.output[self._reasoning_index]
            yield self._tell("response.output_item.added", output_index=self._reasoning_index, item=item)
        text = (
            f"{event.section}: {event.message}"
            if event.section and event.section not in event.message
            else event.message
        )
        place = {
            "item_id": self.output[self._reasoning_index]["id"],
            "output_index": self._reasoning_index,
            "summary_index": len(self._reasoning),
        }
        self._reasoning.append(text)
        item = build_reasoning(self.head.run_id, self._reasoning_index, self._reasoning)
        self.output[self._reasoning_index] = item
        part = {"type": "summary_text", "text": text}
        yield self._tell("response.reasoning_summary_part.added", **place, part={"type": "summary_text", "text": ""})
        yield self._tell("response.reasoning_summary_text.delta", **place, delta=text)
        yield self._tell("response.reasoning_summary_text.done", **place, text=text)
        yield self._tell("response.reasoning_summary_part.done", **place, part=part)

    def _end_reasoning(self) -> Iterator[StreamEvent]:
        if self._reasoning:
            self._reasoning = []
            item = self.output[self._reasoning_index]
            yield self._tell("response.output_item.done", output_index=self._reasoning_index, item=item)

    def _tell_report(self, report: Report) -> Iterator[StreamEvent]:
        text, annotations, index = (
            write_text(report),
            list_annotations(report, self.head.evidence_address),
            len(self.output),
        )
        message = build_message(self.head.run_id, text, annotations)
        place = {"item_id": message["id"], "output_index": index, "content_index": 0}
        begun = build_message(self.head.run_id, "", [], "in_progress")
        yield self._tell("response.output_item.added", output_index=index, item=begun)
        yield self._tell("response.content_part.added", **place, part=build_text("", []))
        for start in range(0, len(text), DELTA_CHARACTERS):
            delta = text[start : start + DELTA_CHARACTERS]
            yield self._tell("response.output_text.delta", **place, delta=delta, logprobs=[])
        for number, annotation in enumerate(annotations):
            added = {"annotation_index": number, "annotation": annotation}
            yield self._tell("response.output_text.annotation.added", **place, **added)
        yield self._tell("response.output_text.done", **place, text=text, logprobs=[])
        yield self._tell("response.content_part.done", **place, part=build_text(text, annotations))
        self.output.append(message)
        yield self._tell("response.output_item.done", output_index=index, item=message)


def _list_open_calls(events: Iterable[AgentEvent]) -> set[Any]:
    """The calls that a section asked approval for and that nothing decided."""
    calls: set[Any] = set()
    for event in events:
        if event.type == "approval_requested":
            calls.add(event.data.get("call"))
        elif event.type in _CALL_DECIDED:
            calls.discard(event.data.get("call"))
    return calls
