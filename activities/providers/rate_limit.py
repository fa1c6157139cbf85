"""Searches and requests to models pass the gate of their provider: in turn, and none while it wants to be left alone.

Each model of a fallback list has its own gate, so that the next one is asked at once where the first is held. A source
without a queue is searched at once.

A provider's task queue gives calls out at its rate, but in bursts: a second's worth at once, from each of the queue's
partitions, and what was given out before the provider asked to wait is under way. So each call looks at the provider's
row once more. It waits here for its turn for some seconds at the most; everything longer goes back to Temporal.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

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
from elcano.activities.calls.retry_classification import safe_text
from elcano.activities.providers.queue_limits import notify_provider_workflow
from elcano.activities.tools.tool_activities import Passing, pass_without_waiting
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.contracts import model_queue
from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.graphs.model_names import ModelChoice, model_names, provider_of
from elcano.graphs.providers import (
    MODEL_PREFIX,
    Backoff,
    Provider,
    Turn,
    admit_provider_call,
    record_provider_answer,
    record_provider_failure,
)
from elcano.measures import record_value
from elcano.settings import Settings
from elcano.storage.providers import ProviderStore
from elcano.storage.store import Store

_TROUBLED: Final = (
    ModelConnectionError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelServerError,
    ModelUnavailableError,
)
"""Failures of the provider, and not of the request or of its payer."""

_BUSY: Final = (408, 429)


MOST_TURNS: Final = 20
"""A worker that misses this many turns is overloaded."""
CALM_SECONDS: Final = 0.5
"""Seconds for which a row without trouble is not read again. What another worker hears from a provider stops this one's
calls so much later; those that were under way would not have been stopped either."""
LEAST_LATE: Final = 0.1
"""Seconds by which a call may always be late; otherwise a third of the way to the next turn. With turns a tenth further
apart than the rate says, a call may then take 0.3 s more from its turn to the service than another one, and no second
has more than one call above a rate of 3."""

Tell: TypeAlias = Callable[[str, str], Awaitable[None]]
"""Lets the workflow of a provider, with its task queue, know that its row has changed."""
Sleep: TypeAlias = Callable[[float], Awaitable[None]]


class Gate:
    """Gate for every call of a provider with a queue."""

    def __init__(self, kept: ProviderStore, tell: Tell, sleep: Sleep = asyncio.sleep) -> None:
        self._kept = kept
        self._tell = tell
        self._sleep = sleep
        self._calm: dict[str, float] = {}
        """When providers were last seen with which nothing was wrong, on the monotonic clock."""

    @asynccontextmanager
    async def passing(self, provider: str, queue: str, per_second: float | None) -> AsyncIterator[None]:
        """Let the block call the provider once; its outcome is recorded for all workers.

        Raises:
            SourceBusy: the provider is not to be called for `retry_after` seconds.
        """
        await self.take_turn(provider, per_second)
        try:
            yield
        except SourceUnavailable as error:
            await self.failed(provider, queue, str(error), getattr(error, "retry_after", None))
            raise
        except SourceRefused:
            await self.answered(provider, queue)
            raise
        await self.answered(provider, queue)

    async def failed(self, provider: str, queue: str, error: str, retry_after: float | None) -> None:
        """The provider did not answer, or asked to wait."""
        record_value("provider_refusal", provider=provider)

        def change(before: Provider, now: float) -> tuple[Provider, bool]:
            after = record_provider_failure(before, now, safe_text(error), retry_after)
            return after, after.held_until != before.held_until

        changed = await self._kept.change(provider, change)
        self._calm.pop(provider, None)
        if changed:
            await self._tell(provider, queue)

    async def answered(self, provider: str, queue: str) -> None:
        """The provider answered. If nothing was wrong when it was asked, there is nothing to take back."""
        if provider in self._calm:
            return

        def change(before: Provider, now: float) -> tuple[Provider, bool]:
            return record_provider_answer(before, now), before.openings > 0

        if await self._kept.change(provider, change):
            await self._tell(provider, queue)

    async def take_turn(self, provider: str, per_second: float | None) -> None:
        """Returns when the call may go.

        A turn that came and went while this process was busy with something else is left out: calls that are late
        together would reach the provider together. One that was slept for is worth nothing if the provider asked to
        wait meanwhile.

        Raises:
            SourceBusy: the provider is not to be called for `retry_after` seconds.
        """
        began = time.monotonic()
        for _ in range(MOST_TURNS):
            asked_at = time.monotonic()
            turn = await self._asked(provider, per_second)
            if turn.seconds:
                await self._sleep(turn.seconds)
                row, now = await self._kept.get(provider)
                if row.held_until > now:
                    raise _build_held_error(provider, Backoff(seconds=row.held_until - now, why=row.error), now)
            late = time.monotonic() - asked_at - turn.seconds
            if late <= max(turn.interval / 3, LEAST_LATE) or not turn.interval:
                record_value("provider_wait", time.monotonic() - began, provider=provider)
                return
        raise SourceBusy(f"{provider}: this worker was too late for {MOST_TURNS} turns to call it", retry_after=1.0)

    async def _look(self, provider: str) -> tuple[Provider, float]:
        """The row of a provider and the time, as a moment ago if nothing was wrong then."""
        seen = self._calm.get(provider)
        if seen is not None and time.monotonic() - seen < CALM_SECONDS:
            return Provider(), 0.0
        row, now = await self._kept.get(provider)
        self._note(provider, row, now)
        return row, now

    def _note(self, provider: str, row: Provider, now: float) -> None:
        """Note whether anything is wrong with a provider."""
        if row.failures or row.openings or row.held_until > now:
            self._calm.pop(provider, None)
        else:
            self._calm[provider] = time.monotonic()

    async def _asked(self, provider: str, per_second: float | None) -> Turn:
        def change(before: Provider, now: float) -> tuple[Provider, tuple[Turn | Backoff, float]]:
            self._note(provider, before, now)
            after, turn = admit_provider_call(before, now, per_second)
            return after, (turn, now)

        before, now = await self._look(provider) if per_second is None else (None, 0.0)
        if before is not None and not before.openings:  # nothing is written for a call without a rate
            _, turn = admit_provider_call(before, now, None)
        else:
            turn, now = await self._kept.change(provider, change)
        if isinstance(turn, Backoff):
            raise _build_held_error(provider, turn, now)
        return turn


def _build_held_error(provider: str, kept: Backoff, now: float) -> SourceBusy:
    until = datetime.fromtimestamp(now + kept.seconds, UTC)
    name = provider.removeprefix("model:")
    return SourceBusy(f"{name} is not asked until {until:%Y-%m-%d %H:%M:%S} UTC: {kept.why}", kept.seconds)


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
    """Return the public part of an error: a provider's own text may reveal a user's prompt or account."""
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
