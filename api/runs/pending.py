"""Finds calls that a run waits for silently: those that no worker can take, and those that are being retried.

A call waits in the task queue of its source or model; if nobody polls that, it waits in silence until it is given up,
which takes minutes. One that failed is tried again by Temporal before its run hears of it. Whoever looks at the run is
told of both, and of the first which worker to start.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from elcano.api.http.errors import RunForgotten, TemporalRefused, TemporalUnavailable
from elcano.api.http.schemas import PendingActivity
from elcano.api.temporal.client import Temporal
from elcano.graphs.text import shorten_text

FAILURE_CHARACTERS: Final = 300
MOST_FAILURES: Final = 3
"""Of calls that are tried again; a run shows all."""


async def with_unserved(pending: Sequence[PendingActivity], temporal: Temporal) -> tuple[PendingActivity, ...]:
    """Mark the calls that no worker can take.

    Of a server that does not answer nothing is known, and nothing is marked.
    """
    queues = tuple(dict.fromkeys(one.queue for one in pending if one.queue))
    try:
        polled = await asyncio.gather(*(temporal.queue_is_polled(queue) for queue in queues))
    except (TemporalUnavailable, TemporalRefused):
        return tuple(pending)
    idle = {queue for queue, there in zip(queues, polled, strict=True) if not there}
    return tuple(one.model_copy(update={"unserved": True}) if one.queue in idle else one for one in pending)


async def waited_for(run_id: str, temporal: Temporal) -> str:
    """What to tell of the calls of one workflow; empty if nothing is to be said, or it is not known."""
    try:
        pending = (await temporal.describe(run_id)).pending
    except (RunForgotten, TemporalUnavailable, TemporalRefused):
        return ""
    return summarize_pending_calls(await with_unserved(pending, temporal))


def summarize_pending_calls(pending: Iterable[PendingActivity]) -> str:
    """Summarize queues without a worker and calls that failed and are being retried; empty if there are neither."""
    calls = tuple(pending)
    queues = dict.fromkeys(one.queue for one in calls if one.unserved)
    named = ", ".join(repr(queue) for queue in queues)
    said = [f"no worker polls the task queue {named}: start one that does"] if queues else []
    again = dict.fromkeys(
        f"{one.activity} is tried again (attempt {one.attempt}): {shorten_text(one.last_failure, FAILURE_CHARACTERS)}"
        for one in calls
        if one.last_failure
    )
    return "; ".join([*said, *list(again)[:MOST_FAILURES]])
