"""The route that follows a run, and what OpenAPI says of its stream."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any, Final, TypeAlias

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.sse import KEEPALIVE_COMMENT, EventSourceResponse
from starlette.exceptions import HTTPException

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided
from elcano.graphs.state.events import EVENT_TYPES
from elcano.service.errors import LastEventIdInvalid, RunNotFound
from elcano.service.events.feed import Feed, encode_message, get_event_name
from elcano.service.events.journal_merge import Cursor
from elcano.service.events.watcher import Feeds

LONGEST_SECONDS: Final = 3_600.0
"""After this time a stream ends between two messages, and its client reconnects with its last id: no connection stays
open forever for a client that has gone, and those of an old process end in time."""
STREAM_HEADERS: Final = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}  # a proxy is not to collect messages


def event_stream(feed: Feed, since: Cursor) -> EventSourceResponse:
    """A response with every event after `since`, as they come; it ends with the feed or when the client leaves."""
    return EventSourceResponse(_stream_messages(feed, since), headers=STREAM_HEADERS)


async def _stream_messages(feed: Feed, since: Cursor) -> AsyncIterator[bytes]:
    ends = time.monotonic() + LONGEST_SECONDS
    async for batch in feed.follow(since):
        yield b"".join(map(encode_message, batch)) or KEEPALIVE_COMMENT
        if time.monotonic() > ends:
            return
        await asyncio.sleep(0)  # lets others have their turn, and a client's leaving be noticed, during a long replay


def _describe_message_schema(model: str, *names: str, numbered: bool) -> dict[str, Any]:
    data = {
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": {"$ref": f"#/components/schemas/{model}"},
    }
    place = {"id": {"type": "string", "examples": ["12", "12+9:5+10:0"]}} if numbered else {}
    return {
        "type": "object",
        "properties": {"event": {"enum": list(names)}, "data": data, **place, "retry": {"type": "integer"}},
        "required": ["event", "data", *place],
    }


MESSAGES: Final[Mapping[str, Any]] = {
    "schema": {"$ref": "#/components/schemas/RunMessage"},
    "x-itemSchema": {
        "oneOf": [
            _describe_message_schema(
                "AgentEvent", *(get_event_name(one) for one in EVENT_TYPES if one != "streaming"), numbered=True
            ),
            _describe_message_schema("Waiting", "waiting", numbered=False),
            _describe_message_schema("UnreadableBranch", "unreadable", numbered=False),
            _describe_message_schema("Streaming", "streaming", numbered=False),
        ]
    },
}
"""The media type of a stream in OpenAPI. Generators that follow streams take `schema` for the data of a message; each
whole message is described by `x-itemSchema`, which is `itemSchema` of OpenAPI 3.2 and has no name in 3.1."""
RUN_MESSAGE: Final[Mapping[str, Any]] = {
    "title": "RunMessage",
    "description": "The data of one message of a stream. Only events have `seq`, and only `streaming` has `text`.",
    "anyOf": [shape["properties"]["data"]["contentSchema"] for shape in MESSAGES["x-itemSchema"]["oneOf"]],
}
"""The schema of what a client reads from any message."""


router = APIRouter(tags=["runs"], dependencies=[requires("read_run")])


async def last_event_id(
    since: Annotated[
        str | None, Query(description="Go on after the event with this id.", examples=["12", "12+9:5+10:0"])
    ] = None,
    last_event_id: Annotated[
        str | None, Header(description="The same, as browsers send it when they reconnect; it goes before `since`.")
    ] = None,
) -> Cursor:
    """Return the client's last event id; none if it sends none."""
    text = last_event_id if last_event_id is not None else since
    return Cursor() if text is None else Cursor.parse(text)


def get_feeds(request: Request) -> Feeds:
    """The feeds of this process: a dependency of routes that follow runs."""
    found: Feeds = request.app.state.feeds
    return found


ProvidedFeeds: TypeAlias = Annotated[Feeds, Depends(get_feeds)]


async def open_feed(
    run_id: str,
    since: Annotated[Cursor, Depends(last_event_id)],
    services: Provided,
    feeds: ProvidedFeeds,
) -> AsyncIterator[Feed]:
    """The run's feed, shared and open as long as the response is being sent."""
    async with feeds.open(services.tenant, run_id) as feed:
        if feed.exhausted(since):
            raise HTTPException(204)  # the one answer after which a browser's EventSource does not come again
        yield feed


@router.get(
    "/v1/runs/{run_id}/events",
    response_class=Response,
    responses={
        200: {"description": "The events, each as it comes", "content": {"text/event-stream": dict(MESSAGES)}},
        204: {"description": "The run has ended and you have its last event"},
        **problem_docs(LastEventIdInvalid, RunNotFound),
    },
)
async def follow_run(
    feed: Annotated[Feed, Depends(open_feed)], since: Annotated[Cursor, Depends(last_event_id)]
) -> Response:
    """Follow a run as server-sent events, from its first event to its last.

    Each message is one event: `event` is its type, `data` the event as JSON, `id` the place in the stream. The stream
    ends after the terminal one (`complete`, `failed` or `cancelled`). A client that reconnects with the last `id` as
    `Last-Event-ID` gets exactly what it missed, from any server.

    The event of the type `error` (a node failed, the run continues) is sent as `event: node_error`, because browsers
    use `error` for a broken connection.

    Sections are researched side by side, and their events come between the `branch_started` and the
    `branch_complete` of their run, with their `path` and `section`. The numbers (`seq`) of the run's own events rise,
    and so do those of each section's; these two have the section's path, and numbers of the run.

    The `id` is the number of the run's last event, and for each open branch the number of the event that started it and
    of the last event of its own: `12`, `12+9:5+10:0`.

    Three messages have no `id`: `waiting` says that no worker answers at the moment, `unreadable` that a branch has
    ended whose events cannot be read any more, and `streaming` shows the text that an agent is writing: its end, as far
    as it has come, about twice a second. Each takes the place of the one before it of the same `path`; an empty `text`
    says that what was shown is void: it is finished, or its attempt failed. Nothing of it is kept. A client that comes
    gets the newest at once, and one that comes again drops what it had.
    """
    return event_stream(feed, since)
