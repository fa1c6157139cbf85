"""Searches and requests to models pass the gate of their provider: in turn, and none while it wants to be left alone.

Each model of a fallback list has its own gate, so that the next one is asked at once where the first is held. A source
without a queue is searched at once.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final

from pydantic_ai import RunContext
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelServerError,
    ModelUnavailableError,
)
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from elcano.activities.calls.models import Resolve, model_text
from elcano.activities.providers.queue_limits import notify_provider_workflow
from elcano.activities.providers.rate_limit import Gate
from elcano.activities.tools.tool_activities import Passing, pass_without_waiting
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.contracts import ModelChoice
from elcano.graphs.errors import SourceBusy
from elcano.graphs.model_names import model_names, provider_of
from elcano.graphs.providers import MODEL_PREFIX, model_queue
from elcano.settings import Settings
from elcano.storage.store import Store

_TROUBLED: Final = (
    ModelConnectionError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelServerError,
    ModelUnavailableError,
)
"""What says something of the provider, and not of the request or of who pays for it."""

_BUSY: Final = (408, 429)


class GatedModel(WrapperModel):
    """A model whose requests pass the gate of its provider."""

    def __init__(self, wrapped: Model, gate: Gate, provider: str, per_second: float | None) -> None:
        super().__init__(wrapped)
        self._gate = gate
        self._called = MODEL_PREFIX + provider
        self._calls = model_queue(provider)
        self._per_second = per_second

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """One request; see `Model.request`.

        Raises:
            ModelUnavailableError: its provider is not to be asked for `retry_after` seconds.
        """
        async with self._passing():
            return await super().request(messages, model_settings, model_request_parameters)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """The same, word by word."""
        async with (
            self._passing(),
            super().request_stream(messages, model_settings, model_request_parameters, run_context) as stream,
        ):
            yield stream

    @asynccontextmanager
    async def _passing(self) -> AsyncIterator[None]:
        try:
            await self._gate.take_turn(self._called, self._per_second)
        except SourceBusy as held:
            raise ModelUnavailableError(self.model_name, str(held), retry_after=held.retry_after) from None
        try:
            yield
        except ModelAPIError as error:
            if _is_provider_trouble(error):
                await self._gate.failed(self._called, self._calls, _describe_model_error(error), error.retry_after)
            else:
                await self._gate.answered(self._called, self._calls)
            raise
        await self._gate.answered(self._called, self._calls)


def _is_provider_trouble(error: ModelAPIError) -> bool:
    if isinstance(error, ModelQuotaExceededError):  # of one account; who says when it ends may be left alone until then
        return bool(error.retry_after)
    status = getattr(error, "status_code", 0)
    return isinstance(error, _TROUBLED) or status >= 500 or status in _BUSY


def _describe_model_error(error: ModelAPIError) -> str:
    """Return what anyone may read of an error: a provider's own text may reveal a user's prompt or account."""
    status = getattr(error, "status_code", None)
    return f"HTTP {status}" if status is not None else type(error).__name__.lstrip("_")


def gate_models(resolving: Resolve, store: Store, settings: Settings) -> Resolve:
    """`resolving`, with every model that it names behind the gate of its provider; `offline` has none."""
    gate = Gate(store.providers, notify_provider_workflow)
    known: dict[tuple[int, str], GatedModel] = {}

    def single(model: Model, name: str) -> Model:
        if not (provider := provider_of(name)):
            return model
        key = id(model), name  # a wrapper keeps its model, so no other one gets its identity
        if key not in known:
            known[key] = GatedModel(model, gate, provider, settings.model_rates.get(provider))
        return known[key]

    def resolved(choice: ModelChoice, agent: str, chosen: Settings) -> Model:
        model, names = resolving(choice, agent, chosen), model_names(model_text(choice, agent, chosen))
        if not isinstance(model, FallbackModel):
            return single(model, names[0])
        first, *others = (single(one, name) for one, name in zip(model.models, names, strict=True))
        return FallbackModel(first, *others)

    return resolved


def through_gate(store: Store, settings: Settings) -> Passing:
    """Return the gate that searches of a worker with these settings pass through."""
    gate = Gate(store.providers, notify_provider_workflow)

    def passing(source: SourceSpec) -> AbstractAsyncContextManager[None]:
        if not source.queue:
            return pass_without_waiting(source)
        return gate.passing(source.name, source.queue, source.rate(settings.has))

    return passing
