"""Times as answers say them: RFC 3339 in UTC. Inside a time is a number, seconds since the epoch.

A view declares its times as `Moment`: pydantic makes one of the number, and writes it as it has to be written. What
is answered as it is kept, events and reports, is rewritten here.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final, TypeAlias, overload

from pydantic import PlainSerializer, WithJsonSchema

from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.state.events import AgentEvent

_OF_EVENTS: Final = ("since", "until")
"""Times in the data of an event, and of each of its `calls`."""
RETRIEVED: Final = "retrieved_at"
"""When a passage or a work was read, wherever that stands in a report; 0: nobody knows."""
SCHEMA: Final = {"type": "string", "format": "date-time"}


@overload
def datetime_from_seconds(seconds: float) -> datetime: ...
@overload
def datetime_from_seconds(seconds: None) -> None: ...
def datetime_from_seconds(seconds: float | None) -> datetime | None:
    """A number of seconds since the epoch as a moment in UTC; None stays None."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def format_rfc3339(seconds: float) -> str:
    """The same as text: `2026-11-23T18:51:08.250000Z`, always with microseconds, so that texts are ordered as times."""
    return _format_datetime(datetime_from_seconds(seconds))


def _format_datetime(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


Moment: TypeAlias = Annotated[
    datetime, PlainSerializer(_format_datetime, when_used="json"), WithJsonSchema(SCHEMA, mode="serialization")
]
"""A time in a view."""


def event_view(event: AgentEvent) -> JsonObject:
    """An event as clients get it."""
    told = event.model_dump(mode="json")
    calls = told["data"].get("calls")
    for data in (told["data"], *(calls if isinstance(calls, list) else ())):
        if isinstance(data, dict):
            data |= {name: format_rfc3339(data[name]) for name in _OF_EVENTS if isinstance(data.get(name), float)}
    return {**told, "at": format_rfc3339(event.at)}


def with_moments(value: Json) -> Json:
    """The JSON of a report, or of evidence, with the times in it as clients get them."""
    if isinstance(value, list):
        return [with_moments(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: _read_at(one) if name == RETRIEVED else with_moments(one) for name, one in value.items()}


def _read_at(value: Json) -> Json:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return format_rfc3339(value) if value else None


def declare_moments(schemas: Mapping[str, Any]) -> None:
    """Declare the rewritten timestamps in the schemas."""
    for name, schema in schemas.items():
        properties = schema.get("properties", {})
        if name == "AgentEvent":
            properties["at"] = {**SCHEMA, "title": "At", "description": "When, by the workflow's clock."}
        if RETRIEVED in properties:
            either = {"anyOf": [SCHEMA, {"type": "null"}], "title": "Retrieved At"}
            properties[RETRIEVED] = {**either, "description": "When it was read, the last time; null: nobody knows."}
