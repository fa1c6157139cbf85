"""How a run stands: from the store if it has ended, from its workflow while it runs.

Somebody who asks always gets an answer: if neither a worker nor Temporal can tell more, what is stored is shown as
stale, with what Temporal is waiting for.
"""

from api.endings import settle
from api.errors import RunForgotten, RunNotFound, RunUnreadable, TemporalUnavailable, WorkerNotAnswering
from api.schemas import RunView
from api.temporal import Temporal
from graphs.contracts import ArchivedRun
from storage.store import Store


async def kept_run(run_id: str, store: Store) -> ArchivedRun:
    """A run as it is stored.

    Raises:
        RunNotFound: there is no such run.
    """
    run = await store.runs.get(run_id)
    if run is None:
        raise RunNotFound(run_id)
    return run


async def read_run(run_id: str, temporal: Temporal, store: Store) -> RunView:
    """A run as it stands now.

    Raises:
        RunNotFound: there is no such run.
    """
    run = await kept_run(run_id, store)
    if run.status != "running":
        return RunView.of(run)
    try:
        snapshot = await temporal.snapshot(run_id)
    except (WorkerNotAnswering, RunForgotten, RunUnreadable):
        return await _without_worker(run, temporal, store)
    except TemporalUnavailable:
        return _stale(run)
    if snapshot is None:
        return RunView.of(await settle(run, temporal, store))
    return RunView.of(run).at(snapshot)


async def _without_worker(run: ArchivedRun, temporal: Temporal, store: Store) -> RunView:
    """What the server knows by itself."""
    try:
        settled = await settle(run, temporal, store)
        if settled.status != "running":
            return RunView.of(settled)
        pending = (await temporal.describe(run.run_id)).pending
    except (RunForgotten, TemporalUnavailable):
        return _stale(run)
    return _stale(run).model_copy(update={"pending": pending})


def _stale(run: ArchivedRun) -> RunView:
    return RunView.of(run).model_copy(update={"worker": "not answering", "stale": True})
