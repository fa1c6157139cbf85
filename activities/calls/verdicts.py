"""Finds the cause of a provider's refusal: a key, credit, a name, too long a prompt, or a temporary outage.

Decided by the status, then by the codes and types that the body names, then, where only the message tells, by the
sentences of one table. Everything that is not known to be for ever is taken for something that passes, so a run is
held and not ended by what nobody foresaw.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
)

from elcano.activities.calls.advice import Remedy

Verdict: TypeAlias = Remedy | Literal["too_long", "busy"]

CREDIT_CODES: Final = frozenset(
    {
        "insufficient_quota",  # OpenAI; this and the next five: developers.openai.com, "Error codes"
        "billing_hard_limit_reached",
        "credit_balance_exhausted",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
        "organization_usage_limit_exceeded",
        "billing_not_active",  # OpenAI, with status 429: github.com/BerriAI/litellm issue 2743
        "enforced_spend_limit_reached",  # Anthropic, with status 429: Microsoft Learn, "Anthropic 529 overloaded_error"
        "billing_error",  # Anthropic, with status 402: docs.claude.com/en/api/errors
    }
)
TOO_LONG_CODES: Final = frozenset(
    {
        "context_length_exceeded",  # OpenAI, with status 400: developers.openai.com, "Error codes"
        "request_too_large",  # Anthropic, with status 413: docs.claude.com/en/api/errors
        "exceed_context_size_error",  # llama.cpp: github.com/ggml-org/llama.cpp pull 15780
        "3051",  # Mistral: as pydantic-ai reads it
    }
)
MODEL_CODES: Final = frozenset({"model_not_found"})
FILTER_CODES: Final = frozenset(
    {
        "content_filter",  # Azure, with status 400, or 200 and an error for a body
        "responsibleaipolicyviolation",  # Azure, as the inner code of the same
    }
)
FORM_CODES: Final = frozenset(
    {
        "tool_use_failed",  # Groq, with status 400: the model's call of a tool was malformed; the next may not be
        "json_validate_failed",  # Groq, the same of JSON
    }
)
KEY_CODES: Final = frozenset({"invalid_api_key", "api_key_invalid"})


@dataclass(frozen=True)
class Sentence:
    """Words in the message of a refusal that nothing else in it tells."""

    statuses: frozenset[int]
    words: str
    """In lower case."""
    verdict: Verdict
    source: str
    """Where it was read."""


SENTENCES: Final = (
    Sentence(frozenset({400}), "prompt is too long", "too_long", "Anthropic: anthropic/error_400_prompt_too_long.json"),
    Sentence(
        frozenset({400}), "exceed context limit", "too_long", "Anthropic: github.com/anthropics/claude-code issue 4951"
    ),
    Sentence(
        frozenset({429}),
        "required for long context requests",
        "too_long",
        "Anthropic, a prompt over what the account may send: github.com/anthropics/claude-code issues 29584, 64982",
    ),
    Sentence(
        frozenset({413, 429}),
        "request too large for",
        "too_long",
        "OpenAI and Groq, more tokens than a minute allows: openai/error_429_request_too_large.json",
    ),
    Sentence(
        frozenset({400, 422}),
        "maximum context length",
        "too_long",
        "vLLM, OpenRouter and OpenAI of old: github.com/cwzsquare/chatgpt-streamlit issue 1",
    ),
    Sentence(
        frozenset({400, 500}),
        "exceeds the available context size",
        "too_long",
        "llama.cpp: github.com/continuedev/continue issue 9797",
    ),
    Sentence(
        frozenset({400, 500}),
        "exceed context window of",
        "too_long",
        "llama-cpp-python: github.com/fedora-copr/logdetective-website pull 193",
    ),
    Sentence(
        frozenset({400}),
        "exceeds the maximum number of tokens allowed",
        "too_long",
        "Gemini: as pydantic-ai reads it",
    ),
    Sentence(frozenset({400}), "credit balance is too low", "credit", "Anthropic: as pydantic-ai reads it"),
    Sentence(
        frozenset({400}),
        "you have reached your specified api usage limits",
        "credit",
        "Anthropic: github.com/anthropics/claude-code issue 2127",
    ),
)
_CODE_FIELDS: Final = ("code", "type", "status", "error_code", "reason")
_OF_STATUS: Final[Mapping[int, Verdict]] = {401: "key", 402: "credit", 403: "key", 404: "model"}
_PASSES: Final = frozenset({408, 409, 425, 429})
"""Refusals that a later try may not meet; those from 500 on are others."""


@dataclass(frozen=True)
class RefusalContents:
    """The contents of a refusal."""

    status: int
    """0: it came without one."""
    codes: frozenset[str]
    """Its codes, types and reasons, in lower case."""
    param: str
    """The part of the request that it names."""
    message: str

    @classmethod
    def by(cls, error: ModelAPIError) -> "RefusalContents":
        """What `error` says, wherever its provider writes that."""
        codes = {str(code).lower() for code in (error.provider_error_code, error.provider_error_type) if code}
        param = message = ""
        for part in _iter_error_parts(error.body):
            codes |= {str(part[field]).lower() for field in _CODE_FIELDS if _has_field_value(part, field)}
            param = param or (str(part["param"]) if _has_field_value(part, "param") else "")
            message = message or (str(part["message"]) if _has_field_value(part, "message") else "")
        status = error.status_code if isinstance(error, ModelHTTPError) else 0
        if not message:
            message = _format_bare_body(error.body) if status else error.message
        return cls(status=status, codes=frozenset(codes), param=param, message=message)


def verdict_of(error: ModelAPIError, said: RefusalContents) -> Verdict:
    """What `error`, which said `said`, is for."""
    if said.codes & CREDIT_CODES:
        return "credit"
    if said.codes & TOO_LONG_CODES or said.status == 413:
        return "too_long"
    spoken = said.message.lower()
    for one in SENTENCES:
        if one.words in spoken and (said.status in one.statuses or (not said.status and one.verdict == "too_long")):
            return one.verdict
    if said.codes & MODEL_CODES or (said.status == 400 and said.param == "model"):
        return "model"
    if said.codes & KEY_CODES:
        return "key"
    classes: tuple[tuple[type[ModelAPIError], Verdict], ...] = (
        (ModelQuotaExceededError, "credit"),
        (ModelContextWindowExceededError, "too_long"),
        (ModelAuthenticationError, "key"),
        (ModelNotFoundError, "model"),
        (ModelRequestRejectedError, "request"),
    )
    for kind, verdict in classes:
        if isinstance(error, kind):
            return verdict
    if 400 <= said.status < 500 and said.status not in _PASSES:
        return _OF_STATUS.get(said.status, "request")
    return "busy"


def _iter_error_parts(body: object) -> Iterator[dict[str, object]]:
    """The objects of an error body that may say something: itself, its `error`, and the details of that."""
    read = read_body(body)
    for one in read if isinstance(read, list) else [read]:
        if not isinstance(one, dict):
            continue
        error = one.get("error")
        inner = error if isinstance(error, dict) else one
        yield inner
        if isinstance(error, str):
            yield {"message": error}
        details = inner.get("details")
        yield from (part for part in (details if isinstance(details, list) else [details]) if isinstance(part, dict))


def read_body(body: object) -> object:
    """`body` as JSON if it is the text of some."""
    if not isinstance(body, str | bytes):
        return body
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body


def _format_bare_body(body: object) -> str:
    """Return the text to show for a body that has no message where one is expected."""
    if isinstance(body, bytes):
        return body.decode(errors="replace")
    return str(body) if body else "it does not say why"


def _has_field_value(part: dict[str, object], name: str) -> bool:
    return isinstance(part.get(name), str | int) and part[name] != ""
