"""Checks and parses the responses of services: a response is never read as less, or as something else, than it is.

A service's reason for refusing a request goes into the error, so that the user can correct the query. For other faults
only the status is reported.
"""

import re
from typing import Any, Final, TypeVar, get_origin

import httpx
from pydantic import (
    BaseModel,
    ConfigDict,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)

from elcano.activities.passages.document import normalize_text
from elcano.activities.sources.http.answers import require_answer
from elcano.activities.sources.http.fetching import Answer
from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.graphs.text import shorten_text

REASON_CHARACTERS: Final = 200
LARGEST_COUNT: Final = 1_000_000_000
"""Maximum of a work's figures, such as its citations; a larger one is damaged."""
_ADDRESS: Final = re.compile(r"https?://\S+")
"""An address in a message: services repeat the requested one, and a key may be in it."""


class ServiceData(BaseModel):
    """A part of a service's response. Fields that are not named here are not read.

    A field of the wrong type counts as missing, and so does an item of a list: it costs that field and not the work,
    and never becomes something plausible. Fields without a default define the response: they are required.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, coerce_numbers_to_str=True)

    @field_validator("*", mode="wrap")
    @classmethod
    def drop_unreadable_values(cls, value: Any, validate: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        """Return the value of a field as far as it can be read, or else its default."""
        if isinstance(value, str) and not value.isascii():
            value = normalize_text(value)  # half of a surrogate pair is no text
        try:
            return validate(value)
        except ValidationError:
            field = cls.model_fields[str(info.field_name)]
            if isinstance(value, list) and get_origin(field.annotation) is list:
                return [item for one in value for item in _validate_item(one, validate)]
            if field.is_required():
                raise
            return field.get_default(call_default_factory=True)


def _validate_item(item: Any, validate: ValidatorFunctionWrapHandler) -> list[Any]:
    """Return the item of a list in a list; nothing if it cannot be read."""
    try:
        return [*validate([item])]
    except ValidationError:
        return []


Shape = TypeVar("Shape", bound=ServiceData)


def require_answered(source: str, answer: Answer) -> None:
    """Return if `answer` has a status of success.

    Raises:
        SourceBusy: the service is down, overloaded, or asks to wait.
        SourceRefused: the same request will never be answered; its reason is in the message.
    """
    try:
        require_answer(source, httpx.Response(answer.status, headers=answer.headers))
    except SourceBusy as error:
        raise SourceBusy(_append_reason(str(error), answer), error.retry_after) from None
    except SourceRefused as error:
        raise SourceRefused(_append_reason(str(error), answer)) from None


def validate_shape(source: str, shape: type[Shape], data: Any) -> Shape:
    """Validate `data` as `shape`.

    Raises:
        SourceUnavailable: it lacks what makes it one.
    """
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise SourceUnavailable(f"{source}: the answer has another shape ({place}: {first['msg']})") from None


def parse_readable_items(shape: type[Shape], items: list[Any]) -> tuple[list[Shape], int]:
    """Return the items that can be read, and the number of those that cannot."""
    kept: list[Shape] = []
    for item in items:
        try:
            kept.append(shape.model_validate(item))
        except ValidationError:
            continue  # counted below: the others are still what was found
    return kept, len(items) - len(kept)


def _append_reason(error: str, answer: Answer) -> str:
    reason = shorten_text(" ".join(_ADDRESS.sub("[address]", _find_reason(answer)).split()), REASON_CHARACTERS)
    return f"{error}: {reason}" if reason else error


def _find_reason(answer: Answer) -> str:
    """Return the reason in a response's JSON or plain text; empty for a page of HTML and for all else."""
    if answer.media_type == "text/plain":
        return answer.text[:2_000]
    if not answer.media_type.endswith("json"):
        return ""
    try:
        body = answer.json("")
    except SourceUnavailable:  # the status has to speak for itself
        return ""
    # Other fields are not shown: some services put the caller's address or key there.
    given = [body.get("message"), body.get("error")] if isinstance(body, dict) else []
    listed = [one.get("message") for part in given if isinstance(part, list) for one in part if isinstance(one, dict)]
    reasons = ["; ".join(one for one in listed if isinstance(one, str)), *given]
    return next((reason for reason in reasons if isinstance(reason, str) and reason.strip()), "")
