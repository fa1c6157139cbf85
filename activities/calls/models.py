"""Which model answers: a run's choice before the worker's setting, an agent's exception before the default.

Models are made once per name and address and shared by all calls. Provider SDKs make one HTTP request per call and
never retry by themselves; Temporal does. Keys are read by the providers from their usual variables. A model that is
asked at an address of its own needs none: a server that wants one says so.

Removes control characters and noncharacters from models' answers, where they may be JSON escapes.
"""

import inspect
import json
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, TypeAlias

import httpx
from pydantic_ai.exceptions import ModelRequestTimeout, UserError
from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponsePart, TextPart, ToolCallPart
from pydantic_ai.models import DEFAULT_HTTP_TIMEOUT, Model, ModelRequestParameters, infer_model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class
from pydantic_ai.settings import CacheConfig, ModelSettings

from elcano.activities.calls.delta_merging import merge_streamed_deltas
from elcano.activities.calls.heartbeats import CallTimedOut, wait_patiently
from elcano.activities.calls.refusal_causes import SET_ELSEWHERE
from elcano.activities.sources.http.trust_guard import BY_EGRESS, apply_trust, require_contact
from elcano.graphs.errors import ModelRefused, SourceRefused
from elcano.graphs.model_names import (
    OFFLINE,
    PROVIDERS,
    ModelChoice,
    address_of,
    chosen_model,
    model_fault,
    model_names,
    parse_model_provider,
)
from elcano.graphs.plugin import find_model, import_object
from elcano.graphs.text import clean_text
from elcano.graphs.trust import Trust
from elcano.settings import Settings, is_set

_ESCAPES: Final = re.compile(r"(?<!\\)((?:\\\\)*)((?:\\u[0-9a-fA-F]{4})+)")
r"""Escaped characters, `\ud83d\ude00` being one, after an even number of backslashes."""


def clean_response(response: ModelResponse) -> ModelResponse:
    """The response with clean text, and clean arguments of its tool calls."""
    parts = [_clean_part(part) for part in response.parts]
    return response if parts == list(response.parts) else replace(response, parts=parts)


def _clean_part(part: ModelResponsePart) -> ModelResponsePart:
    if isinstance(part, TextPart):
        return replace(part, content=_clean_json(part.content))
    if isinstance(part, ToolCallPart) and part.args:
        return replace(part, args=_clean_json(part.args) if isinstance(part.args, str) else _clean_value(part.args))
    return part


def _clean_json(text: str) -> str:
    """JSON, or a part of it, or prose with JSON in it."""
    return _ESCAPES.sub(lambda found: found[1] + _clean_escapes(found[2]), clean_text(text))


def _clean_escapes(escaped: str) -> str:
    said = json.loads(f'"{escaped}"')
    clean = clean_text(said)
    return escaped if clean == said else json.dumps(clean)[1:-1]


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {_clean_value(key): _clean_value(one) for key, one in value.items()}
    return [_clean_value(one) for one in value] if isinstance(value, list) else value


NO_KEY: Final = "no-key"
"""The key for a server of your own while its variable is not set: SDKs insist on sending one."""
CACHED: Final = CacheConfig(messages=False)
"""Instructions and the form of the answer are the same in every call of an agent, the task never is: only the first are
marked to be kept by the provider, where that has to be asked for (Anthropic, OpenAI's latest)."""
CALL_SETTINGS: Final = ModelSettings(max_retries=0, cache=CACHED)
"""Settings of every request: one HTTP request, and what is to be cached. `PatientModel` sets the timeout."""
CLIENT_SECONDS: Final = DEFAULT_HTTP_TIMEOUT - 10.0
"""Providers' clients end a request after about as long by default."""

Resolve: TypeAlias = Callable[[ModelChoice, str, Settings], Model]
"""From a run's choice, an agent and the worker's settings to the model that answers: `resolve_model`, or a test's."""
Observe: TypeAlias = Callable[[Model], Model]
"""From a model to one that does the same and is watched (`Plugin.parts`)."""


class PatientModel(WrapperModel):
    """A model whose answer is waited for no longer than it may take."""

    def __init__(self, wrapped: Model, seconds: float) -> None:
        super().__init__(wrapped)
        self._seconds = seconds

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The answer.

        Raises:
            ModelRequestTimeout: none came in time.
        """
        asked = self.wrapped.request(messages, model_settings, model_request_parameters)
        try:
            return clean_response(await wait_patiently(asked, self._seconds))
        except CallTimedOut:
            raise ModelRequestTimeout(self.model_name, self._seconds) from None


def build_call_settings(settings: Settings, max_tokens: int | None) -> ModelSettings:
    """The settings of a request whose answer may have so many tokens; None: as many as the model gives."""
    chosen = CALL_SETTINGS.copy()
    if settings.model_timeout_seconds > CLIENT_SECONDS:
        chosen["timeout"] = settings.model_timeout_seconds
    if max_tokens is not None:
        chosen["max_tokens"] = max_tokens
    return chosen


def watch_model(model: Model, seconds: float, observe: Observe | None) -> Model:
    """`model`, which is waited for no longer than `seconds`, within what observes it."""
    model = PatientModel(model, seconds)
    return model if observe is None else observe(model)


def resolve_model(choice: ModelChoice, agent: str, settings: Settings) -> Model:
    """The model that `agent` calls in a run with this choice.

    Raises:
        ModelRefused: its name, its provider's key or its provider's package is missing; the text says what to do.
    """
    addresses = tuple(sorted(settings.model_urls.items()))
    return _build_model(model_text(choice, agent, settings), settings.model_base_url, addresses)


def list_models(resolve: Resolve, choice: ModelChoice, agent: str, settings: Settings) -> list[tuple[str, Model]]:
    """The models that `agent` asks in a run with this choice, in order, each by the name that it was chosen by.

    Raises:
        ModelRefused: as of `resolve_model`.
    """
    models, names = in_order(resolve(choice, agent, settings)), model_names(model_text(choice, agent, settings))
    return [(names[min(place, len(names) - 1)], model) for place, model in enumerate(models)]


def in_order(model: Model) -> tuple[Model, ...]:
    """The models of a fallback list, the first one first; of a single model itself."""
    return tuple(model.models) if isinstance(model, FallbackModel) else (model,)


def model_text(choice: ModelChoice, agent: str, settings: Settings) -> str:
    """The name of the model, or the fallback list, before it is resolved."""
    return chosen_model(agent, choice, ModelChoice(default=settings.model, by_agent=settings.agent_models))


def require_model_contact(model: Model, trust: Trust, private_hosts: Collection[str]) -> None:
    """Return if a model may be called by a run with these rules.

    Raises:
        ModelRefused: its host is outside the egress scope of the run, or its client does not say which host it asks.
    """
    if trust.egress in ("any", "public") or model.system == OFFLINE:
        return
    url = model.base_url
    with apply_trust(trust, private_hosts):
        try:
            if not url:
                raise SourceRefused(f"{model.model_id}: {BY_EGRESS}: its client does not say which host it asks")
            require_contact(model.model_id, httpx.URL(url))
        except SourceRefused as error:
            raise ModelRefused(f"The model {error}") from None


def may_answer_offline(text: str) -> bool:
    """Whether the extractive model is among the models that `text` names."""
    return OFFLINE in model_names(text)


@lru_cache(maxsize=64)
def _build_model(text: str, base_url: str, addresses: tuple[tuple[str, str], ...]) -> Model:
    if (fault := model_fault(text)) is not None:
        raise ModelRefused(fault)
    urls = dict(addresses)
    if unknown := next((key for key in urls if parse_model_provider(key) not in PROVIDERS), None):
        raise ModelRefused(f"`ELCANO_MODEL_URLS` names {unknown!r}, which begins with no provider that there is.")
    models = [_build_single_model(name, address_of(name, base_url, urls)) for name in model_names(text)]
    return models[0] if len(models) == 1 else FallbackModel(models[0], *models[1:])


@lru_cache(maxsize=256)
def _build_single_model(name: str, address: str) -> Model:
    """One model; asked at `address`, or where its provider is if that is empty."""
    if (own := find_model(name)) is not None:
        model: Model = import_object(own, f"the model {name!r}")()
        return model
    made: list[Provider[Any]] = []

    def opened(called: str) -> Provider[Any]:
        made.append(_build_provider_at(called, address) if address else infer_provider(called))
        return made[-1]

    try:
        model = infer_model(name, opened)
        merge_streamed_deltas(made[-1]._own_http_client)
        return _use_counting_chat_model(model, made[-1])
    except UserError as error:
        raise ModelRefused(f"The model {name!r} cannot be used: {error}; {SET_ELSEWHERE}.") from error
    except ImportError as error:
        raise ModelRefused(f"The model {name!r} needs a package: {error}; {SET_ELSEWHERE}.") from error


def _build_provider_at(called: str, address: str) -> Provider[Any]:
    """The provider `called`, asked at `address`.

    Raises:
        UserError: its address is set in another way.
    """
    kind = infer_provider_class(called)
    if "base_url" not in inspect.signature(kind.__init__).parameters:
        raise UserError(
            f"{called!r} cannot be asked at an address of `ELCANO_MODEL_URLS`; a server that speaks as OpenAI does can "
            "be asked as `openai-chat`"
        )
    keyed = any(is_set(name) for name in PROVIDERS.get(called, ()) if not name.endswith("_URL"))
    options = {"base_url": address} if keyed else {"base_url": address, "api_key": NO_KEY}
    return kind(**options)


def _use_counting_chat_model(model: Model, of: Provider[Any]) -> Model:
    """Return `model` as a `ChatModel`, which counts all reported tokens, if it speaks OpenAI's chat completions."""
    if type(model).__name__ != "OpenAIChatModel":  # only the SDK of the model that was made is imported
        return model
    from elcano.activities.calls.chat_model import ChatModel

    return ChatModel(model.model_name, provider=of)


def can_ask_provider(provider: str, settings: Settings) -> bool:
    """Whether a model provider has a key here, needs none, or has an address that the operator set."""
    addressed = address_of(f"{provider}:", settings.model_base_url, settings.model_urls)
    own = any(name.partition(":")[0] == provider for name in settings.model_urls)
    return bool(addressed or own or not PROVIDERS.get(provider)) or any(is_set(name) for name in PROVIDERS[provider])
