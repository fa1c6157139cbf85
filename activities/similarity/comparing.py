"""Finds which of a run's passages repeat older ones, after every search, without comparing all of them again.

What was compared is kept in memory, and a search compares only what it added. The order of the passages in the store
decides, never the memory: where both disagree, or nothing is kept (after a restart, or because another worker did the
searches before), the run is compared from its first passage on, and the answer is the same.
"""

import asyncio
from collections.abc import Mapping
from typing import Final, TypeAlias

from elcano.activities.similarity.duplicates import Compared
from elcano.storage.evidence import EvidenceStore

REMEMBERED: Final = 4_000
"""Passages that are kept in memory, all runs together, some 30 KiB each; the runs that were not asked for longest go
first. A run that alone has more is compared anew each time."""

_Run: TypeAlias = tuple[str, str]
"""A tenant and its run."""


class Comparing:
    """The passages of runs, compared as they come."""

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most = most
        self._kept: dict[_Run, Compared] = {}

    async def repeats(self, evidence: EvidenceStore, run_id: str) -> Mapping[str, str]:
        """For each passage of the run and its branches that repeats an older one the id of that.

        Passages that the store has when this is called are among those compared; what comes meanwhile may be.
        """
        run = (evidence.tenant, run_id)
        known = self._kept.get(run)
        if known is None:
            compared = await asyncio.to_thread(Compared().followed_by, await evidence.of_run(run_id))
        else:
            compared = await self._up_to_date(evidence, run_id, known)
        self._keep(run, compared)
        return compared.repeats

    async def _up_to_date(self, evidence: EvidenceStore, run_id: str, known: Compared) -> Compared:
        ids = tuple(await evidence.ids_of_run(run_id))
        if ids[: len(known.ids)] != known.ids:  # a run that began anew, or was found in another order
            return await asyncio.to_thread(Compared().followed_by, await evidence.of_run(run_id))
        added = await evidence.get(ids[len(known.ids) :])
        return await asyncio.to_thread(known.followed_by, added) if added else known

    def _keep(self, run: _Run, compared: Compared) -> None:
        """Keeps the farthest state of a run; searches at once may have begun from the same one."""
        other = self._kept.pop(run, None)
        if other is not None and other.ids[: len(compared.ids)] == compared.ids:
            compared = other
        self._kept[run] = compared
        while sum(one.size for one in self._kept.values()) > self._most:
            self._kept.pop(next(iter(self._kept)))
