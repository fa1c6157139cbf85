"""Calls that no worker can take: they wait in a task queue which nobody polls, and say nothing by themselves.

So it is looked whether their queues are polled. A run whose worker for one source is gone is not silent until the call
is given up, which takes minutes: whoever looks at it is told which worker to start.
"""

import asyncio
from collections.abc import Iterable, Sequence

from elcano.api.http.errors import RunForgotten, TemporalRefused, TemporalUnavailable
from elcano.api.http.schemas import PendingActivity
from elcano.api.temporal.client import Temporal


async def with_unserved(pending: Sequence[PendingActivity], temporal: Temporal) -> tuple[PendingActivity, ...]:
    """The same calls, of which those are marked that nobody will take.

    Of a server that does not answer nothing is known, and nothing is marked.
    """
    queues = tuple(dict.fromkeys(one.queue for one in pending if one.queue))
    try:
        polled = await asyncio.gather(*(temporal.queue_is_polled(queue) for queue in queues))
    except (TemporalUnavailable, TemporalRefused):
        return tuple(pending)
    idle = {queue for queue, there in zip(queues, polled, strict=True) if not there}
    return tuple(one.model_copy(update={"unserved": True}) if one.queue in idle else one for one in pending)


async def nobody_takes(run_id: str, temporal: Temporal) -> str:
    """What to tell of the calls of one workflow that nobody will take; empty if there are none, or it is not known."""
    try:
        pending = (await temporal.describe(run_id)).pending
    except (RunForgotten, TemporalUnavailable, TemporalRefused):
        return ""
    return told(await with_unserved(pending, temporal))


def told(pending: Iterable[PendingActivity]) -> str:
    """The queues that nobody polls, in a sentence; empty if there are none."""
    queues = dict.fromkeys(one.queue for one in pending if one.unserved)
    named = ", ".join(repr(queue) for queue in queues)
    return f"no worker polls the task queue {named}: start one that does" if queues else ""
