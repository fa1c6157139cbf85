"""Finds the cause of a provider's refusal, and says what to do about it: a key, credit, a name, too long a prompt.

pydantic-ai's classes of errors say most of it. What they do not know yet is decided before by the codes that the body
names and, where only the message says it, by the sentences of one table. Everything that is not known to be for ever is
taken for something that passes, so a run is held and not ended by what no one foresaw.

Pages are the providers' own, as their consoles and manuals name them in 2026. A provider without an entry is named
without a page.
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

from elcano.graphs.model_names import PROVIDERS

Remedy: TypeAlias = Literal["key", "credit", "model", "request"]
"""Cause of a refusal: the key, the account's spending limit, the model's name, or the request itself."""
Verdict: TypeAlias = Remedy | Literal["too_long", "busy"]

CODES: Final[Mapping[str, Verdict]] = {
    "billing_not_active": "credit",  # OpenAI, with status 429: github.com/BerriAI/litellm issue 2743
    "enforced_spend_limit_reached": "credit",  # Anthropic, 429: Microsoft Learn, "Anthropic 529 overloaded_error"
    "insufficient_quota": "credit",  # OpenAI, and routers that answer with status 200: developers.openai.com
    "exceed_context_size_error": "too_long",  # llama.cpp: github.com/ggml-org/llama.cpp pull 15780
}
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


@dataclass(frozen=True)
class Sentence:
    """Words in the message of a refusal that nothing else in it says."""

    statuses: frozenset[int]
    words: str
    """In lower case."""
    verdict: Verdict
    source: str
    """Source from which it was read."""


SENTENCES: Final = (
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
        "you have reached your specified api usage limits",
        "credit",
        "Anthropic: github.com/anthropics/claude-code issue 2127",
    ),
)
_CLASSES: Final[tuple[tuple[type[ModelAPIError], Verdict], ...]] = (
    (ModelQuotaExceededError, "credit"),
    (ModelContextWindowExceededError, "too_long"),
    (ModelAuthenticationError, "key"),
    (ModelNotFoundError, "model"),
    (ModelRequestRejectedError, "request"),
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
        """Read the contents of `error`, wherever its provider writes them."""
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
    """Return the verdict on `error` with the contents `said`."""
    if known := [CODES[code] for code in said.codes & CODES.keys()]:
        return known[0]
    spoken = said.message.lower()
    for one in SENTENCES:
        if one.words in spoken and (said.status in one.statuses or (not said.status and one.verdict == "too_long")):
            return one.verdict
    if said.status == 400 and said.param == "model":
        return "model"
    if said.status == 413:  # which counts as a refused request for pydantic-ai
        return "too_long"
    for kind, verdict in _CLASSES:
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


SET_ELSEWHERE: Final = "or choose another model with `ELCANO_MODEL` or the run's `model`"


@dataclass(frozen=True)
class ProviderPages:
    """A provider's pages for fixing keys, credit and models."""

    keys: str
    billing: str
    models: str


PAGES: Final = {
    "openai": ProviderPages(
        keys="https://platform.openai.com/api-keys",
        billing="https://platform.openai.com/settings/organization/billing",
        models="https://platform.openai.com/docs/models",
    ),
    "anthropic": ProviderPages(
        keys="https://platform.claude.com/settings/keys",
        billing="https://platform.claude.com/settings/billing",
        models="https://platform.claude.com/docs/en/about-claude/models/overview",
    ),
    "google": ProviderPages(
        keys="https://aistudio.google.com/apikey",
        billing="https://ai.google.dev/gemini-api/docs/billing",
        models="https://ai.google.dev/gemini-api/docs/models",
    ),
    "mistral": ProviderPages(
        keys="https://console.mistral.ai/api-keys",
        billing="https://console.mistral.ai/billing",
        models="https://docs.mistral.ai/getting-started/models",
    ),
    "openrouter": ProviderPages(
        keys="https://openrouter.ai/settings/keys",
        billing="https://openrouter.ai/settings/credits",
        models="https://openrouter.ai/models",
    ),
    "groq": ProviderPages(
        keys="https://console.groq.com/keys",
        billing="https://console.groq.com/settings/billing",
        models="https://console.groq.com/docs/models",
    ),
    "deepseek": ProviderPages(
        keys="https://platform.deepseek.com/api_keys",
        billing="https://platform.deepseek.com/top_up",
        models="https://api-docs.deepseek.com/quick_start/pricing",
    ),
}
_LOCAL: Final = {"ollama": "`ollama pull` it where the server runs", "vllm": "see `/v1/models` of the server"}


HOSTS: Final = {"openai": "api.openai.com", "anthropic": "api.anthropic.com"}
"""Official hosts of providers whose protocol other servers also speak."""


def format_remedy_advice(remedy: Remedy, provider: str, *, own_address: bool = False) -> str:
    """Format advice on a remedy, as the end of a sentence; `provider` by pydantic-ai's name.

    A server of one's own that speaks the provider's protocol is described on none of the provider's pages.
    """
    pages = ProviderPages("", "", "") if own_address else PAGES.get(provider, ProviderPages("", "", ""))
    if remedy == "key":
        keys = [name for name in PROVIDERS.get(provider, ()) if not name.endswith("_URL")]
        variables = " or ".join(keys) or "the key"
        return (
            f"set {variables} to a key that holds{_format_page_hint(pages.keys)}, and start the workers again with it"
        )
    if remedy == "credit":
        return f"add credit or raise the limit{_format_page_hint(pages.billing)}, {SET_ELSEWHERE}"
    if remedy == "model":
        look = (
            _LOCAL.get("vllm" if own_address else provider) or f"see which there are{_format_page_hint(pages.models)}"
        )
        return f"correct its name, or the address it is asked at ({look}), {SET_ELSEWHERE}"
    return f"the same request can never be answered; choose another model{_format_page_hint(pages.models)}"


def _format_page_hint(page: str) -> str:
    return f" ({page})" if page else ""
