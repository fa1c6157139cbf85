"""Cancels runs by Temporal's own cancellation.

Temporal keeps a cancellation until a worker takes the run, so it needs none to be accepted. Asked for again, even after
the run's end, it changes nothing: the first reason stays.
"""

from elcano.api.http.errors import RunEnded, RunForgotten
from elcano.api.runs.run_status import current_run
from elcano.api.temporal.client import Temporal
from elcano.graphs.state.failures import Cancellation
from elcano.storage.store import TenantStore


async def cancel_open_run(run_id: str, cancellation: Cancellation, temporal: Temporal, store: TenantStore) -> bool:
    """Cancels a run. Returns whether a worker polls, which ends it now; else the next one that does.

    Raises:
        RunNotFound: there is no such run.
        RunEnded: it has ended otherwise; nothing was cancelled.
        TemporalUnavailable: it is not known whether it was cancelled; doing it again is safe.
    """
    run = await current_run(run_id, temporal, store)
    if run.status == "cancelled":  # as somebody wanted whose first answer was lost
        return await temporal.workers.polls_runs()
    if run.status != "running":
        raise RunEnded(f"the run {run_id!r} has ended: {run.status}; there is nothing to cancel")
    try:
        # The server accepts to cancel what was terminated and is not settled yet, and does nothing.
        if (ended := (await temporal.describe(run_id)).status) not in ("running", "cancelled"):
            raise RunEnded(f"the run {run_id!r} has ended: {ended}; there is nothing to cancel")
        await temporal.cancel(run_id, cancellation.written)
    except RunForgotten as error:
        raise RunEnded(f"the run {run_id!r} has ended; there is nothing to cancel") from error
    return await temporal.workers.polls_runs()
