"""Every exception leaves an activity as one sorted `ApplicationError`: never again, again, or again after n seconds.

Retries belong to Temporal alone, so this is the only place that decides about them. Exceptions are told apart by
their class, never by their text. Raise the result `from None`: Temporal writes causes into the history word for word,
and a cause has neither been shortened nor cleaned of keys.
"""

import re
from datetime import timedelta
from typing import Final

from pydantic import ValidationError
from pydantic_ai.exceptions import (
    FallbackExceptionGroup,
    ModelAPIError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
    UserError,
)
from temporalio import activity
from temporalio.exceptions import ApplicationError

from graphs.budget import Usage
from graphs.contracts import FailureDetails, FailureType
from graphs.errors import InputInvalid, ModelRefused, SourceRefused

MESSAGE_CHARACTERS: Final = 1_000
LONGEST_WAIT: Final = timedelta(minutes=5)
"""A provider that asks for more is asked again anyway: its run may have other things to do by then."""

_SECRET: Final = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|ghp|pat|key)[-_][\w*.-]{6,}"  # the shapes of provider keys
    r"|\bAIza[\w-]{10,}"
    r"|(?<=bearer )\S+"
    r"|(?<=basic )[\w+/=]{8,}"
    r"|(?<=[?&]key=)[^&\s]+|(?<=api_key=)[^&\s]+|(?<=apikey=)[^&\s]+|(?<=token=)[^&\s]+"
    r"|(?<=://)[^/\s@]+(?=@)",  # user:password in an address
    re.IGNORECASE,
)

_REFUSED: Final = (ModelRefused, ModelRequestRejectedError, ModelQuotaExceededError, UserError)
"""A key, a quota, a name, a prompt too long for the model: the same request can never succeed."""

_UNUSABLE: Final = (UnexpectedModelBehavior, UsageLimitExceeded)
"""The model answered, but not in the form that was asked for; models vary, so another try is worth it."""


def classified(error: Exception, usage: Usage | None = None) -> ApplicationError:
    """`error` as what Temporal should make of it; an `ApplicationError` is returned as it is.

    Within an activity its details are `FailureDetails`: which attempt failed, and the `usage` of all attempts so far.
    """
    if isinstance(error, ApplicationError):
        return error
    sorted_error = _sorted(error)
    if not activity.in_activity():
        return sorted_error
    details = FailureDetails(attempt=activity.info().attempt, usage=usage or Usage())
    return ApplicationError(
        sorted_error.message,
        details.model_dump(mode="json"),
        type=sorted_error.type,
        non_retryable=sorted_error.non_retryable,
        next_retry_delay=sorted_error.next_retry_delay,
    )


def safe_text(text: str) -> str:
    """`text` without anything shaped like a key, cut to 1,000 characters."""
    cleaned = _SECRET.sub("[removed]", text)
    return cleaned if len(cleaned) <= MESSAGE_CHARACTERS else cleaned[: MESSAGE_CHARACTERS - 1] + "…"


def _sorted(error: Exception) -> ApplicationError:
    if isinstance(error, FallbackExceptionGroup):
        return _of_fallback(error)
    if isinstance(error, ValidationError):
        return _never(_faults(error), FailureType.INPUT_INVALID)
    if isinstance(error, InputInvalid):
        return _never(str(error), FailureType.INPUT_INVALID)
    if isinstance(error, SourceRefused):
        return _never(str(error), FailureType.SOURCE_REFUSED)
    if isinstance(error, _REFUSED):
        return _never(str(error), FailureType.MODEL_REFUSED)
    if isinstance(error, _UNUSABLE):
        return _again(str(error), FailureType.MODEL_OUTPUT)
    if isinstance(error, ModelAPIError):
        return _again(str(error), type(error).__name__, error.retry_after)
    return _again(str(error) or type(error).__name__, type(error).__name__)


def _of_fallback(group: FallbackExceptionGroup) -> ApplicationError:
    """All models of a fallback list failed: worth another try if it is for one of them, at the earliest time named."""
    members = [_sorted(error) for error in group.exceptions]
    message = "Every model of the fallback list failed: " + "; ".join(member.message for member in members)
    again = [member for member in members if not member.non_retryable]
    if not again:
        return _never(message, FailureType.MODEL_REFUSED)
    waits = [member.next_retry_delay for member in again]
    known = [wait.total_seconds() for wait in waits if wait is not None]
    return _again(message, again[0].type or "", min(known) if len(known) == len(waits) else None)


def _never(message: str, kind: str) -> ApplicationError:
    return ApplicationError(safe_text(message), type=kind, non_retryable=True)


def _again(message: str, kind: str, after: float | None = None) -> ApplicationError:
    wait = None if after is None else timedelta(seconds=min(after, LONGEST_WAIT.total_seconds()))
    return ApplicationError(safe_text(message), type=kind, next_retry_delay=wait)


def _faults(error: ValidationError) -> str:
    """What is wrong with the input, field by field, without repeating the values."""
    faults = [
        f"{'.'.join(str(part) for part in fault['loc']) or 'input'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_input=False)
    ]
    return f"{error.title} is not valid: " + "; ".join(faults)
