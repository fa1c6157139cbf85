"""What became of a request that a model did not answer, and what to do about it, as one of our own faults.

Everything that pydantic-ai raises for a model goes through here; what it raises for our own mistakes does not.
"""

from datetime import UTC, datetime
from typing import Final
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

from elcano.activities.calls.advice import HOSTS, format_remedy_advice
from elcano.activities.calls.verdicts import FILTER_CODES, FORM_CODES, Said, read_body, verdict_of
from elcano.activities.calls.waits import asked_wait
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
from elcano.graphs.shortening import shorten_text

UNREADABLE: Final = (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError, httpx2.DecodingError)
"""What clients of providers stumble over in answers of a form that nobody foresaw: an object that is a list, a field
that is not there, bytes that are no text. They check less than they should."""
SAID_CHARACTERS: Final = 400
"""Of what a provider says, in our own sentence about it."""
QUOTA_SECONDS: Final = 3_600.0
"""A quota of Gemini that is back later than this is that of a day: nobody waits for it in a run."""


def fault_of(error: Exception, model: Model | None = None) -> ActivityFault | None:
    """What `error`, which a model or pydantic-ai raised, means for its call; None if it is of another kind: a bug."""
    name = _name_of(model) if model is not None else getattr(error, "model_name", "") or "a model"
    if isinstance(error, ActivityFault):
        return error
    if isinstance(error, OutputTokenLimitExceeded):
        return AnswerCutOff(f"{name} was cut off before its answer was complete")
    if isinstance(error, ContentFilterError):
        return AnswerDeclined(f"{name} or its provider's filter would not answer: {_shorten_to_one_line(str(error))}")
    if isinstance(error, UnexpectedModelBehavior | UsageLimitExceeded):
        first, _, _ = _shorten_to_one_line(str(error)).partition(". ")  # what follows is for whoever writes agents
        return AnswerUnusable(f"{name} gave no answer in the form that was asked for: {first}")
    if isinstance(error, UserError):
        return ModelRefused(str(error))
    return _of_api(error, name, model) if isinstance(error, ModelAPIError) else None


def build_unreadable_answer_error(error: Exception, model: Model) -> AnswerUnusable:
    """What to raise for an answer of `model` that its own client stumbled over."""
    told = f"{type(error).__name__}: {_shorten_to_one_line(str(error))}"
    return AnswerUnusable(f"{_name_of(model)} gave an answer that its client cannot read ({told})")


def build_content_filter_error(response: ModelResponse) -> ContentFilterError:
    """Return the error for a response that its model or its provider's filter ended, whatever it contains."""
    details = response.provider_details or {}
    said = details.get("refusal") or details.get("finish_reason") or "content filter"
    return ContentFilterError(f"the answer was withheld ({said})")


def _of_api(error: ModelAPIError, name: str, model: Model | None) -> ActivityFault:
    said = Said.by(error)
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
    told = f"{name}: " + (f"HTTP {said.status}: " if said.status else "") + _shorten_to_one_line(said.message)
    if verdict == "busy":
        return ModelBusy(told, wait)
    if verdict == "too_long":
        return PromptTooLong(f"{told} (the prompt is too long for this model, or for what its account may send)")
    headline = {
        "key": "the key was refused",
        "credit": "there is no credit, or a limit of spending is reached",
        "model": "there is no such model",
        "request": "the request was refused",
    }[verdict]
    provider = model.system if model is not None else ""
    what_to_do = format_remedy_advice(verdict, provider, own_address=model is not None and bool(_own_address(model)))
    refused = RequestRefused if verdict == "request" else ModelRefused
    return refused(f"{headline} ({told}): {what_to_do}.")


def _name_of(model: Model) -> str:
    """How a model is called in a sentence: with its provider, or with the address of a server of one's own."""
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
