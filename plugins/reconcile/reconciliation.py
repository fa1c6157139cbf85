"""All comparisons, one after the other, each of them mended before the next if that is asked for.

In this order: whether a run is known decides to whom its lines, passages and objects belong.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Final, Literal

from elcano.api.http.errors import RunForgotten, TemporalUnavailable
from elcano.graphs.errors import ElcanoError, StoreUnavailable
from elcano.graphs.plugin import load_objects
from elcano.plugins.reconcile.installation import Installation
from elcano.plugins.reconcile.object_comparison import compare_objects, compare_payloads
from elcano.plugins.reconcile.run_comparison import compare_executions, compare_open_runs, list_open_runs
from elcano.plugins.reconcile.work_comparison import compare_work
from elcano.storage.differences import Difference

Outcome = Literal["found", "mended", "failed", "left"]
"""`found`: nothing was done; `left`: nothing can be."""


@dataclass(frozen=True)
class Finding:
    """A difference, and what became of it."""

    difference: Difference
    outcome: Outcome
    error: str = ""
    """Why it could not be mended."""


async def reconcile(installation: Installation, *, mend: bool) -> AsyncIterator[Finding]:
    """Compare everything, and mend what differs if `mend` is set.

    Raises:
        TemporalUnavailable, StoreUnavailable: the rest was not compared.
    """
    for compare in (*_COMPARISONS, _compare_rows_of_plugins):
        async for one in compare(installation):
            if one.mend is None:
                yield Finding(one, "left")
            elif not mend:
                yield Finding(one, "found")
            else:
                yield await _mend(one)


async def _mend(one: Difference) -> Finding:
    assert one.mend is not None
    try:
        await one.mend()
    except (TemporalUnavailable, StoreUnavailable):
        raise
    except ElcanoError as error:
        return Finding(one, "failed", str(error))
    return Finding(one, "mended")


async def _compare_open_work(installation: Installation) -> AsyncIterator[Difference]:
    """The work of every run that is open in the store and in Temporal."""
    async for kept in list_open_runs(installation):
        try:
            execution = await installation.temporal.describe(kept.run.run_id)
        except RunForgotten:
            continue
        if execution.status != "running" or not installation.is_settled(kept.run.started_at):
            continue
        unreadable = False
        async for one in compare_payloads(installation, kept.run):
            unreadable = True
            yield one
        if not unreadable:
            async for one in compare_work(installation, kept.run):
                yield one


async def _compare_rows_of_plugins(installation: Installation) -> AsyncIterator[Difference]:
    for compare in load_objects("comparisons"):
        async for one in compare(installation.store):
            yield one


_COMPARISONS: Final[tuple[Callable[[Installation], AsyncIterator[Difference]], ...]] = (
    compare_executions,
    compare_open_runs,
    _compare_open_work,
    compare_objects,
)
