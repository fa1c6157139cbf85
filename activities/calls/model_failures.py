"""Turns a model's failed request into one of our own faults, which says what to do about it.

Everything that pydantic-ai raises for a model goes through here; what it raises for our own mistakes does not.

How long a provider asks to wait is read from a refusal alone: providers send these headers with good answers too. Each
has its own place and form; unreadable values are ignored. In the order in which they are read:

- `Retry-After-Ms`, `Retry-After`: seconds or a date, all providers.
- `RetryInfo.retryDelay` in the body (`"55s"`), Gemini.
- `x-ratelimit-reset-requests` and `-tokens` (`"6m0s"`, `"300ms"`), OpenAI, Groq and servers like them; Anthropic's
  `anthropic-ratelimit-*-reset`, which are times. Only the limits that are used up count, if the answer says which.
"""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAPIError,
    ModelHTTPError,
    OutputTokenLimitExceeded,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
    UserError,
)
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import Model

from elcano.activities.calls.refusal_causes import (
    FILTER_CODES,
    FORM_CODES,
    HOSTS,
    RefusalContents,
    format_remedy_advice,
    read_body,
    verdict_of,
)
from elcano.graphs.errors import (
    ActivityFault,
    AnswerCutOff,
    AnswerDeclined,
    AnswerUnusable,
    ModelBusy,
    ModelRefused,
    PromptTooLong,
    RequestRefused,
)
from elcano.graphs.text import shorten_text

_UNITS: Final = {"h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_PART: Final = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|ns)", re.ASCII)
_RESET: Final = re.compile(r"(?:x|anthropic)-ratelimit-(?:reset-(?P<of>[a-z-]+)|(?P<for>[a-z-]+)-reset)")
_LONGEST_TEXT: Final = 100
"""Maximum length of a wait."""


def seconds_of(text: str, now: datetime) -> float | None:
    """Seconds from `now` on that `text` represents, never below 0; None if it is no wait.

    Args:
        text: a duration as Go writes it (`1h2m3.5s`, `300ms`), or a moment as RFC 3339 writes it.
        now: with its zone.
    """
    text = text.strip()
    if not text or len(text) > _LONGEST_TEXT:
        return None
    parts = list(_PART.finditer(text))
    if parts and "".join(part.group() for part in parts) == text:
        return math.fsum(float(part.group(1)) * _UNITS[part.group(2)] for part in parts)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds())


def asked_wait(headers: Mapping[str, str], body: object, now: datetime) -> float | None:
    """Seconds that a refusal without `Retry-After` asks to wait; None if it does not say.

    Args:
        headers: of the refusal, names in lower case.
        body: of the refusal, as far as it could be read as JSON.
        now: with its zone.
    """
    named = next((wait for text in _iter_retry_delays(body) if (wait := seconds_of(text, now)) is not None), None)
    return _until_reset(headers, now) if named is None else named


def _iter_retry_delays(body: object) -> Iterator[str]:
    """Every `retryDelay` of an error body as Google words it; its endpoint for others wraps it into a list."""
    for one in body if isinstance(body, list) else [body]:
        outer: Any = one if isinstance(one, dict) else {}
        error = outer.get("error", outer)
        details = error.get("details") if isinstance(error, dict) else None
        for detail in details if isinstance(details, list) else ():
            delay = detail.get("retryDelay") if isinstance(detail, dict) else None
            if isinstance(delay, str):
                yield delay


def _until_reset(headers: Mapping[str, str], now: datetime) -> float | None:
    """Until the limits are back that are used up; until all of them are if none is said to be."""
    waits: dict[str, float] = {}
    spent: set[str] = set()
    for name, value in headers.items():
        if (found := _RESET.fullmatch(name)) is None or (wait := seconds_of(value, now)) is None:
            continue
        of = found["of"] or found["for"]
        waits[name] = wait
        left = headers.get(f"x-ratelimit-remaining-{of}") or headers.get(f"anthropic-ratelimit-{of}-remaining")
        if left is not None and left.strip() == "0":
            spent.add(name)
    return max((waits[name] for name in spent or waits), default=None)


UNREADABLE: Final = (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError, httpx2.DecodingError)
"""Errors of providers' clients for answers of an unforeseen form: an object that is a list, a missing field, bytes that
are no text. They check less than they should."""
SAID_CHARACTERS: Final = 400
"""Maximum length of a provider's message in our own sentence."""
QUOTA_SECONDS: Final = 3_600.0
"""A quota of Gemini that is back later than this is a daily one: a run does not wait for it."""


def fault_of(error: Exception, model: Model | None = None) -> ActivityFault | None:
    """Classify `error`, which a model or pydantic-ai raised; None if it is of another kind: a bug."""
    name = _name_of(model) if model is not None else getattr(error, "model_name", "") or "a model"
    if isinstance(error, ActivityFault):
        return error
    if isinstance(error, OutputTokenLimitExceeded):
        return AnswerCutOff(f"{name} was cut off before its answer was complete")
    if isinstance(error, ContentFilterError):
        return AnswerDeclined(f"{name} or its provider's filter would not answer: {_shorten_to_one_line(str(error))}")
    if isinstance(error, UnexpectedModelBehavior | UsageLimitExceeded):
        first, _, _ = _shorten_to_one_line(str(error)).partition(". ")  # what follows is for authors of agents
        return AnswerUnusable(f"{name} gave no answer in the form that was asked for: {first}")
    if isinstance(error, UserError):
        return ModelRefused(str(error))
    return _of_api(error, name, model) if isinstance(error, ModelAPIError) else None


def build_unreadable_answer_error(error: Exception, model: Model) -> AnswerUnusable:
    """Build the error for an answer of `model` that its own client could not read."""
    text = f"{type(error).__name__}: {_shorten_to_one_line(str(error))}"
    return AnswerUnusable(f"{_name_of(model)} gave an answer that its client cannot read ({text})")


def build_content_filter_error(response: ModelResponse) -> ContentFilterError:
    """Return the error for a response that its model or its provider's filter ended, whatever it contains."""
    details = response.provider_details or {}
    said = details.get("refusal") or details.get("finish_reason") or "content filter"
    return ContentFilterError(f"the answer was withheld ({said})")


def _of_api(error: ModelAPIError, name: str, model: Model | None) -> ActivityFault:
    said = RefusalContents.by(error)
    if said.codes & FILTER_CODES:
        return AnswerDeclined(
            f"{name}: its provider's filter would not take the prompt: {_shorten_to_one_line(said.message)}"
        )
    if said.codes & FORM_CODES:
        return AnswerUnusable(
            f"{name} gave no answer in the form that was asked for: {_shorten_to_one_line(said.message)}"
        )
    verdict = verdict_of(error, said)
    headers = (error.headers or {}) if isinstance(error, ModelHTTPError) else {}
    wait = error.retry_after
    if wait is None:
        wait = asked_wait(headers, read_body(error.body), datetime.now(UTC))
    if verdict == "busy" and "resource_exhausted" in said.codes and (wait or 0) > QUOTA_SECONDS:
        verdict = "credit"
    text = f"{name}: " + (f"HTTP {said.status}: " if said.status else "") + _shorten_to_one_line(said.message)
    if verdict == "busy":
        return ModelBusy(text, wait)
    if verdict == "too_long":
        return PromptTooLong(f"{text} (the prompt is too long for this model, or for what its account may send)")
    headline = {
        "key": "the key was refused",
        "credit": "there is no credit, or a limit of spending is reached",
        "model": "there is no such model",
        "request": "the request was refused",
    }[verdict]
    provider = model.system if model is not None else ""
    what_to_do = format_remedy_advice(verdict, provider, own_address=model is not None and bool(_own_address(model)))
    refused = RequestRefused if verdict == "request" else ModelRefused
    return refused(f"{headline} ({text}): {what_to_do}.")


def _name_of(model: Model) -> str:
    """Name a model in a sentence: with its provider, or with the address of the user's own server."""
    address = _own_address(model)
    return f"{model.model_name} at {address}" if address else model.model_id


def _own_address(model: Model) -> str:
    """The server that a model is asked at, without a password, if it only speaks as its provider does; else empty."""
    official = HOSTS.get(model.system)
    asked = urlsplit(model.base_url or "")
    if official is None or asked.hostname in (official, None):
        return ""
    return f"{asked.scheme}://{asked.netloc.rpartition('@')[2]}"


def _shorten_to_one_line(text: str) -> str:
    return shorten_text(" ".join(text.split()), SAID_CHARACTERS)
