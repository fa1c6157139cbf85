"""Parses answers as what they should be, or raises an error: they are never read as less than they were.

What a service says of a refused request is told on, since it says what to write otherwise; of other faults only the
status is told.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final, TypeVar

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from elcano.activities.sources.http.fetching import Answer, Service
from elcano.activities.sources.retry_after import require_answer
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.graphs.text import shorten_text

SAID_CHARACTERS: Final = 200
_LATER: Final = {408, 425, 429}
"""Refusals of now."""


class ServiceData(BaseModel):
    """A part of a service's answer: other fields are not read, and null is as if it were not there."""

    model_config = ConfigDict(extra="ignore", frozen=True, coerce_numbers_to_str=True)


Shape = TypeVar("Shape", bound=ServiceData)


async def request_answer(
    service: Service,
    path: str,
    params: Mapping[str, str],
    headers: Mapping[str, str] | None = None,
    *,
    absent: Collection[int] = (),
) -> Answer:
    """The answer to a GET.

    Args:
        service: who is asked.
        path: below its base.
        params: the query.
        headers: a key belongs here.
        absent: statuses that say that there is no such thing; they are answered.

    Raises:
        SourceUnavailable: nobody answered.
        SourceBusy: it is down, overloaded or asks to wait.
        SourceRefused: it refuses; its reason is told.
    """
    got = await service.ask(path, params=params, headers=headers)
    if got.status in absent:
        return got
    if 400 <= got.status < 500 and got.status not in _LATER and (reason := _extract_refusal_reason(got)):
        raise SourceRefused(f"{service.name}: HTTP {got.status}: {reason}")
    require_answer(service.name, httpx.Response(got.status, headers=got.headers))
    return got


def json_of(source: str, got: Answer) -> Any:
    """The content as JSON.

    Raises:
        SourceUnavailable: it is none, or nested deeper than anything that a service means.
    """
    try:
        return got.json(source)
    except RecursionError:
        raise SourceUnavailable(f"{source}: the answer is no JSON (nested too deeply)") from None


def validate_shape(source: str, model: type[Shape], data: Any) -> Shape:
    """`data` as `model`.

    Raises:
        SourceUnavailable: it has another shape.
    """
    try:
        return model.model_validate(without_null(data))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise SourceUnavailable(f"{source}: the answer has another shape ({place}: {first['msg']})") from None
    except RecursionError:
        raise SourceUnavailable(f"{source}: the answer has another shape (nested too deeply)") from None


def parse_readable_items(source: str, model: type[Shape], items: list[Any]) -> tuple[list[Shape], tuple[str, ...]]:
    """The items that can be read, and a warning if some cannot."""
    kept: list[Shape] = []
    for item in items:
        try:
            kept.append(validate_shape(source, model, item))
        except SourceUnavailable:
            continue  # counted below: the others are still what was found
    missing = len(items) - len(kept)
    return kept, (f"{source}: {missing} of the works found could not be read",) if missing else ()


def without_null(data: Any) -> Any:
    """`data` without the fields that are null."""
    if isinstance(data, dict):
        return {name: without_null(value) for name, value in data.items() if value is not None}
    return [without_null(one) for one in data if one is not None] if isinstance(data, list) else data


def _extract_refusal_reason(got: Answer) -> str:
    """Return the error text of an answer on one line; empty for a page or anything else not meant to be read."""
    if got.media_type == "text/plain":
        return _shorten_refusal(got.text)
    if got.media_type.endswith("json"):
        try:
            said = json_of("", got)
        except SourceUnavailable:
            return ""
        # Other fields are not told: some services put the caller's address or key there.
        found = next((said[key] for key in ("error", "message") if said.get(key)), "") if isinstance(said, dict) else ""
        return _shorten_refusal(found) if isinstance(found, str) else ""
    return ""


def _shorten_refusal(text: str) -> str:
    return shorten_text(" ".join(text.split()), SAID_CHARACTERS)
