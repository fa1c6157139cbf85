"""The ledger's line of the attempt that is running: every activity of a run writes its own, however it ends."""

import time
from typing import Literal

from temporalio import activity

from elcano.graphs.state.budget import Usage
from elcano.storage.ledger import LedgerEntry

Outcome = Literal["completed", "failed", "abandoned"]


def build_ledger_entry(
    run_id: str,
    node: str,
    name: str,
    outcome: Outcome,
    *,
    kind: Literal["agent", "tool", "publish"],
    step: int = 0,
    item: int = 0,
    model: str = "",
    usage: Usage | None = None,
) -> LedgerEntry:
    """The line of this attempt; `step` 0 is no step of the graph."""
    info = activity.info()
    return LedgerEntry(
        run_id=run_id,
        execution=info.workflow_run_id or "",
        activity=info.activity_id,
        attempt=info.attempt,
        step=step,
        item=item,
        node=node,
        kind=kind,
        name=name,
        outcome=outcome,
        model=model,
        usage=usage or Usage(),
        at=time.time(),
    )


def measure_queue_seconds() -> float:
    """Seconds for which no worker was free to begin this attempt."""
    info = activity.info()
    return max(0.0, (info.started_time - info.current_attempt_scheduled_time).total_seconds())


def given_up() -> bool:
    """Whether the run gave this activity up; a worker that shuts down cancels it as well, and another goes on."""
    details = activity.cancellation_details()
    return details is not None and details.cancel_requested
