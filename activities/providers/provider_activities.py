"""What the workflow of a provider does each time that it looks: its queue is made to go by the provider's row.

For a short wait nothing is given out. For a long one the queue stays open: each call is handed back by the worker that
gets it, so its run is told why it is held and until when, instead of waiting in a queue that says nothing.
"""

from datetime import UTC, datetime
from typing import Final

from temporalio import activity

from elcano.activities.calls.failures import SHORT_WAIT, classify_failure
from elcano.activities.providers.queues import limit_queue
from elcano.graphs.providers import (
    KEEP_QUEUE,
    TRIAL_LASTS,
    Provider,
    ProviderQueue,
    QueueState,
    get_provider_state,
    looked_at,
)
from elcano.storage.providers import ProviderStore

TRICKLE: Final = 1.0
"""Calls a second that are given out while single ones try whether a provider is back; the others are handed back."""
LOOK_SECONDS: Final = 60.0
"""Between two looks at a provider that is tried, should nobody have told that it answered."""
_MARGIN: Final = 0.05
"""Seconds after the end of a wait, so that it is over by every clock."""


class ProviderActivities:
    """The activity `keep_queue`."""

    def __init__(self, kept: ProviderStore) -> None:
        self._kept = kept

    @activity.defn(name=KEEP_QUEUE)
    async def keep_queue(self, looked: ProviderQueue) -> QueueState:
        """Limits the queue of a provider as its row says; doing it twice changes nothing."""
        try:
            standing = await self._kept.change(looked.provider, _assess_provider)
            await limit_queue(activity.client(), looked.queue, standing.per_second, standing.said)
        except Exception as error:
            raise classify_failure(error) from None
        return standing


def _assess_provider(before: Provider, now: float) -> tuple[Provider, QueueState]:
    provider = looked_at(before, now)
    stands = get_provider_state(provider, now)
    left = provider.held_until - now
    until = f"until {datetime.fromtimestamp(provider.held_until, UTC):%Y-%m-%d %H:%M:%S} UTC: {provider.error}"
    if stands == "ready":
        return provider, QueueState(state=stands, said="it answers")
    if stands == "trial":
        look = min(LOOK_SECONDS, max(TRIAL_LASTS + left, 0.0) + _MARGIN)
        return provider, QueueState(
            state=stands, next_look=look, per_second=TRICKLE, said=f"tried by single calls: {provider.error}"
        )
    short = left <= SHORT_WAIT.total_seconds()
    what = "it asked to wait" if stands == "waiting" else f"it failed {provider.failures} times in a row"
    return provider, QueueState(
        state=stands,
        next_look=left + _MARGIN,
        per_second=0.0 if short else None,
        said=f"{what}, {until}",
    )
