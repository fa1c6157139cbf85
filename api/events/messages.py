"""The messages of a stream, and how they are sent: server-sent events (HTML standard, 9.2), one message an event.

The `event` of a message is the type of its event, but for `error`: browsers dispatch `error` themselves when a
connection breaks, so that one is sent as `node_error`. The type in its data is `error` as everywhere.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from fastapi.sse import format_sse_event
from pydantic import Field

from elcano.api.events.journal_merge import Cursor
from elcano.api.http.fields import Described, Moment, event_view
from elcano.api.temporal.connection import NO_WORKER
from elcano.graphs.state.events import AgentEvent

RECONNECT_MILLISECONDS: Final = 2_000
_RENAMED: Final[Mapping[str, str]] = {"error": "node_error"}


def get_event_name(type: str) -> str:
    """The `event` of the message for an event of this type."""
    return _RENAMED.get(type, type)


class Waiting(Described):
    """The data of a `waiting` message: there are no new events to send at the moment."""

    message: str = Field(examples=[NO_WORKER])
    """What does not answer, which worker is not running, or what is being retried."""
    at: Moment = Field(examples=["2026-11-18T08:26:40.250000Z"])
    """Since when, or when it was last tried."""


class UnreadableBranch(Described):
    """The data of an `unreadable` message: a branch has ended, and events of it are missing from the stream."""

    message: str = Field(examples=["the events of 'Costs' cannot be read any more"])
    """What is missing."""
    path: str = Field(examples=["0004.loop-2"])
    """The branch, as its parent's events name it."""
    section: str = Field(examples=["Costs"])
    """The branch's title."""


class Streaming(Described):
    """The data of a `streaming` message: what an agent has written so far. It is shown and forgotten, and no event."""

    node: str = Field(examples=["writer"])
    """The node of its graph that writes."""
    step: int = Field(examples=[17])
    """The step of its run, as its events name it."""
    attempt: int = Field(examples=[1])
    """Which attempt of the call writes."""
    text: str = Field(examples=["# The harbour\n\nIt froze in the winter of"])
    """The end of the text, 2,000 characters at most, as Markdown; empty: what was shown of this path is void."""
    characters: int = Field(examples=[40])
    """The length of the whole text so far."""
    path: str = Field(examples=["0004.loop-2"])
    """The branch that writes, as its events name it; empty for the run itself."""
    section: str = Field(examples=["Costs"])
    """The branch's title."""


@dataclass(frozen=True)
class NumberedEvent:
    """An event, and the place of a reader who has it."""

    event: AgentEvent
    cursor: Cursor

    @cached_property
    def encoded(self) -> bytes:
        """The message as it is sent: made once for all readers who are given this same object."""
        name = get_event_name(self.event.type)
        data = json.dumps(event_view(self.event), ensure_ascii=False, separators=(",", ":"))
        return format_sse_event(data_str=data, event=name, id=str(self.cursor), retry=RECONNECT_MILLISECONDS)


Item: TypeAlias = NumberedEvent | Waiting | UnreadableBranch | Streaming
"""A message to a reader."""


_NAMES: Final[Mapping[type[object], str]] = {Waiting: "waiting", UnreadableBranch: "unreadable", Streaming: "streaming"}
"""Names of messages that are not events: they have no `id`, so that a client continues after its last event."""


def encode_message(item: Item) -> bytes:
    """One message as it is sent."""
    if isinstance(item, NumberedEvent):
        return item.encoded
    return format_sse_event(data_str=item.model_dump_json(), event=_NAMES[type(item)], retry=RECONNECT_MILLISECONDS)
