"""What open runs wait for, as Temporal knows it without a worker: calls, workers that take them, and why none does."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from elcano.graphs.text import shorten_text
from elcano.service.errors import RunForgotten, TemporalRefused, TemporalUnavailable
from elcano.service.temporal.blocked_runs import describe_paused_call
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.executions import Execution, PendingActivity


def join_blocked(
    whole: str, sections: Iterable[tuple[str, Execution]] = (), pending: Iterable[PendingActivity] = ()
) -> str:
    """Join why a run and its sections, each behind its title, cannot continue, and why none of its calls is taken."""
    of_sections = [f"{title}: {one.blocked}" for title, one in sections if one.blocked]
    unserved = [one.unserved for one in pending]
    stopped = dict.fromkeys(unserved) if all(unserved) else ()  # else other calls go on, and the run may without these
    return "; ".join(dict.fromkeys(filter(None, [whole, *of_sections, *stopped])))


async def mark_idle_workflows(executions: Mapping[str, Execution], temporal: Temporal) -> dict[str, Execution]:
    """Mark the workflows that no worker will continue; of a server that does not answer nothing is known."""
    found = dict(executions)
    waiting = {name: one for name, one in found.items() if one.waits_for_worker and not one.halted}
    if waiting:
        with suppress(TemporalUnavailable, TemporalRefused):
            fault = await temporal.workers.find_task_fault()
            found |= {name: replace(one, halted=fault) for name, one in waiting.items()}
    return found


FAILURE_CHARACTERS: Final = 300
MOST_FAILURES: Final = 3
"""Retried calls shown in a list; a single run shows all."""


async def mark_unserved(pending: Sequence[PendingActivity], temporal: Temporal) -> tuple[PendingActivity, ...]:
    """Mark the calls that no worker can take.

    Of a server that does not answer nothing is known, and nothing is marked.
    """
    return put_faults(pending, await find_queue_faults(pending, temporal))


async def find_queue_faults(pending: Iterable[PendingActivity], temporal: Temporal) -> dict[str, str]:
    """Why the queues in which calls wait give them to no worker; empty texts if they do."""
    queues = tuple(dict.fromkeys(one.queue for one in pending if one.queue))
    try:
        faults = await asyncio.gather(*map(temporal.workers.find_queue_fault, queues))
    except (TemporalUnavailable, TemporalRefused):
        return {}
    return dict(zip(queues, faults, strict=True))


def put_faults(pending: Iterable[PendingActivity], faults: Mapping[str, str]) -> tuple[PendingActivity, ...]:
    """The calls, those of a queue with a fault with that fault."""
    return tuple(
        one.model_copy(update={"unserved": faults[one.queue]}) if faults.get(one.queue) else one for one in pending
    )


async def waited_for(run_id: str, temporal: Temporal) -> str:
    """Return the pending calls of one workflow; empty if there are none, or they are not known."""
    try:
        execution = await temporal.describe(run_id)
    except (RunForgotten, TemporalUnavailable, TemporalRefused):
        return ""
    execution = (await mark_idle_workflows({run_id: execution}, temporal))[run_id]
    pending = await mark_unserved(execution.pending, temporal)
    return join_blocked(execution.blocked, pending=pending) or summarize_pending_calls(pending)


def summarize_pending_calls(pending: Iterable[PendingActivity]) -> str:
    """Summarize calls that no worker takes, paused calls, calls of silent workers, and failed ones that are retried.

    Empty if there are none of these.
    """
    calls = tuple(pending)
    silent = [one for one in calls if one.repeated_at is not None]
    said = [*dict.fromkeys(one.unserved for one in calls if one.unserved)]
    said += [
        f"the worker of {one.activity} has stopped reporting; another one repeats the call at "
        f"{one.repeated_at:%H:%M:%S} UTC, unless it reports before"
        for one in silent[:MOST_FAILURES]
    ]
    again = dict.fromkeys(
        f"{one.activity} is tried again (attempt {one.attempt}): {shorten_text(one.last_failure, FAILURE_CHARACTERS)}"
        for one in calls
        if one.last_failure
    )
    paused = dict.fromkeys(describe_paused_call(one.activity, one.paused_by) for one in calls if one.paused)
    return "; ".join([*said, *list(paused)[:MOST_FAILURES], *list(again)[:MOST_FAILURES]])
