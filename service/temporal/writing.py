"""Text that an agent is writing, read from the heartbeats of its call."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError
from temporalio.api.common.v1 import Payloads
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.client import Client

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.contracts import Words
from elcano.service.temporal.executions import ask_for_execution


def list_writers() -> frozenset[str]:
    """The agents whose heartbeats can have words."""
    return frozenset(name for name, agent in AGENTS.items() if agent.writes)


@dataclass(frozen=True)
class Writing:
    """An agent of a workflow at work."""

    words: Words | None
    """None: this attempt has none yet, or cannot be watched."""
    beaten: float | None
    """Seconds since the last heartbeat came, by this machine's clock and the server's; None: none came."""
    is_started: bool = True
    """Whether a worker has taken its call."""


async def read_current_writing(client: Client, run_id: str) -> Writing | None:
    """Return the writer in a workflow's last execution; None if there is none. Asks once, without retry.

    Raises:
        RunForgotten: there is no such workflow.
        TemporalUnavailable: the server does not answer.
    """
    answer = await ask_for_execution(client, run_id, again=False)
    for pending in answer.pending_activities:
        if pending.activity_type.name not in list_writers():
            continue
        came = pending.last_heartbeat_time
        words = await _decode_words(client, pending.heartbeat_details)
        return Writing(
            words=words if words is not None and words.attempt == pending.attempt else None,
            beaten=time.time() - came.ToMilliseconds() / 1_000 if came.ToMilliseconds() else None,
            is_started=pending.state == PendingActivityState.PENDING_ACTIVITY_STATE_STARTED,
        )
    return None


async def _decode_words(client: Client, details: Payloads) -> Words | None:
    """Decode the text in the details of a heartbeat; None if there is none, or a worker of another version sent it."""
    if len(details.payloads) < 2:
        return None
    decoded: Sequence[object] = await client.data_converter.decode(details.payloads)
    try:
        return Words.model_validate(decoded[1])
    except ValidationError:
        return None
