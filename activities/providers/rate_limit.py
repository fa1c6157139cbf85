"""The rate limit of a provider, kept before each call: in turn, and not while the provider wants to be left alone.

Its task queue gives calls out at that rate, but in bursts: a second's worth at once, from each of the queue's
partitions, and what was given out before the provider asked to wait is under way. So each call looks at the provider's
row once more. It waits here for its turn for some seconds at the most; everything longer goes back to Temporal.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final, TypeAlias

from elcano.activities.calls.retry_classification import safe_text
from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.graphs.providers import (
    Backoff,
    Provider,
    Turn,
    admit_provider_call,
    record_provider_answer,
    record_provider_failure,
)
from elcano.storage.providers import ProviderStore

MOST_TURNS: Final = 20
"""A worker that comes too late for so many turns has too much to do."""
LEAST_LATE: Final = 0.1
"""Seconds by which a call may always be late; otherwise a third of the way to the next turn. With turns a tenth further
apart than the rate says, a call may then take 0.3 s more from its turn to the service than another one, and no second
has more than one call above a rate of 3."""

Tell: TypeAlias = Callable[[str, str], Awaitable[None]]
"""Lets the workflow of a provider, with its task queue, know that its row has changed."""
Sleep: TypeAlias = Callable[[float], Awaitable[None]]


class Gate:
    """What every call of a provider with a queue goes through."""

    def __init__(self, kept: ProviderStore, tell: Tell, sleep: Sleep = asyncio.sleep) -> None:
        self._kept = kept
        self._tell = tell
        self._sleep = sleep

    @asynccontextmanager
    async def passing(self, provider: str, queue: str, per_second: float | None) -> AsyncIterator[None]:
        """The block calls the provider once; what becomes of that is written down for everybody.

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

        def change(before: Provider, now: float) -> tuple[Provider, bool]:
            after = record_provider_failure(before, now, safe_text(error), retry_after)
            return after, after.held_until != before.held_until

        if await self._kept.change(provider, change):
            await self._tell(provider, queue)

    async def answered(self, provider: str, queue: str) -> None:
        """The provider answered."""
        before, _ = await self._kept.get(provider)
        if not before.failures and not before.openings:
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
                return
        raise SourceBusy(f"{provider}: this worker was too late for {MOST_TURNS} turns to call it", retry_after=1.0)

    async def _asked(self, provider: str, per_second: float | None) -> Turn:
        def change(before: Provider, now: float) -> tuple[Provider, tuple[Turn | Backoff, float]]:
            after, turn = admit_provider_call(before, now, per_second)
            return after, (turn, now)

        before, now = await self._kept.get(provider) if per_second is None else (None, 0.0)
        if before is not None and not before.openings:  # nothing is written for a call without a rate
            _, turn = admit_provider_call(before, now, None)
        else:
            turn, now = await self._kept.change(provider, change)
        if isinstance(turn, Backoff):
            raise _build_held_error(provider, turn, now)
        return turn


def _build_held_error(provider: str, kept: Backoff, now: float) -> SourceBusy:
    until = datetime.fromtimestamp(now + kept.seconds, UTC)
    return SourceBusy(f"held by {provider} until {until:%Y-%m-%d %H:%M:%S} UTC: {kept.why}", kept.seconds)
