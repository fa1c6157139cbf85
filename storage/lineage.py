"""The records that a run takes over when it resumes, or when it is forked from another.

What was undone was paid for: its ledger lines stay and are marked. What it found is no finding of the run any more, and
goes with it if no other run has found it.

A fork is given the logs of the sections that it shares, so that it outlives the run that it was made from.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from sqlalchemy import and_, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from elcano.graphs.errors import InputInvalid
from elcano.graphs.lifecycle.step_history import iter_fanout_visits, section_id
from elcano.graphs.records import RunLog
from elcano.graphs.text import format_utc_day
from elcano.storage.artifacts import LOG_TYPE, ArtifactStore
from elcano.storage.evidence import drop_unfound, find_positions
from elcano.storage.ledger import LedgerEntry
from elcano.storage.objects import Objects, artifacts_of
from elcano.storage.runs import RunStore
from elcano.storage.sql.dialect import begin_exclusive, insert_new, root_of, run_and_branches
from elcano.storage.sql.rows import TenantBound
from elcano.storage.sql.tables import artifacts, findings, ledger

_STEP: Final = re.compile(r"\.(\d+)")


class Lineage(TenantBound):
    """The lineage of one tenant's runs."""

    def __init__(self, engine: AsyncEngine, tenant: str, objects: Objects) -> None:
        super().__init__(engine, tenant)
        self._objects = objects

    async def undo(
        self, run_id: str, step: int, *, execution: str, found: Sequence[str] | None = None, but: Collection[str] = ()
    ) -> None:
        """Continue a run from before `step`: everything after is undone. Repeating this changes nothing.

        Args:
            run_id: the run, or a branch of it.
            step: the first step that is undone, with the branches that were started in it and later.
            execution: the execution that continues it; its lines stay.
            found: ids of the passages that remain findings of the run; None: all of them.
            but: branches that stay, with their own branches, although they were started in such a step.
        """
        async with self._engine.begin() as connection:
            await begin_exclusive(connection, f"evidence {self._tenant}")
            mine = and_(self._own(ledger), ledger.c.run_id == run_id, ledger.c.step >= step)
            await connection.execute(update(ledger).where(mine, ledger.c.execution != execution).values(undone=True))
            undone = await self._branches(connection, run_id, step, but)
            theirs = and_(self._own(ledger), ledger.c.run_id.in_(undone))
            await connection.execute(update(ledger).where(theirs).values(undone=True))
            if found is not None:
                await self._forget(connection, run_id, found, undone)

    async def _branches(
        self, connection: AsyncConnection, run_id: str, step: int, but: Collection[str]
    ) -> Collection[str]:
        """The branches of a run that were started in `step` or later, and theirs."""
        names: set[str] = set()
        for table in (ledger, findings):
            below = and_(self._own(table), run_and_branches(table.c.run_id, run_id), table.c.run_id != run_id)
            names.update(await connection.scalars(select(table.c.run_id).where(below).distinct()))
        return {
            name
            for name in names
            if step_of_branch(name, run_id) >= step
            and not any(name == one or name.startswith(f"{one}.") for one in but)
        }

    async def _forget(
        self, connection: AsyncConnection, run_id: str, found: Sequence[str], undone: Collection[str]
    ) -> None:
        own = and_(self._own(findings), findings.c.run_id == run_id)
        mine = set(await connection.scalars(select(findings.c.evidence_id).where(own))) - set(found)
        theirs = and_(self._own(findings), findings.c.run_id.in_(undone))
        gone = mine | set(await connection.scalars(select(findings.c.evidence_id).where(theirs)))
        await connection.execute(delete(findings).where(theirs))
        for passage in sorted(mine):
            await connection.execute(delete(findings).where(own, findings.c.evidence_id == passage))
        await drop_unfound(connection, self._tenant, sorted(gone))

    async def adopt(self, run_id: str, from_run: str, evidence: Sequence[str], drafts: Sequence[str]) -> None:
        """A run begins as another did: what that found and drafted is its own as well. Twice changes nothing.

        Raises:
            InputInvalid: the other run does not have it any more; it was deleted.
        """
        for key in drafts:
            data = await self._objects.get(f"{artifacts_of(self._tenant, from_run)}/{key}")
            if data is None:
                raise InputInvalid("run", f"the draft {key} of run {from_run!r} is gone: was that run deleted?")
            await self._objects.put(f"{artifacts_of(self._tenant, run_id)}/{key}", data)
        async with self._engine.begin() as connection:
            await begin_exclusive(
                connection, f"run {self._tenant} {root_of(run_id)}", shared=f"evidence {self._tenant}"
            )
            there = await find_positions(connection, self._tenant, from_run)
            if missing := [passage for passage in evidence if passage not in there]:
                raise InputInvalid("run", f"{len(missing)} passages of run {from_run!r} are gone: was it deleted?")
            found = [
                self._row(run_id=run_id, evidence_id=passage, position=there[passage])
                for passage in dict.fromkeys(evidence)
            ]
            if found:
                await connection.execute(insert_new(connection, findings), found)
            kept = select(artifacts.c.key, artifacts.c.media_type).where(
                self._own(artifacts), artifacts.c.run_id == root_of(from_run), artifacts.c.key.in_(drafts)
            )
            rows = [
                self._row(key=row.key, run_id=root_of(run_id), media_type=row.media_type)
                for row in await connection.execute(kept)
            ]
            if rows:
                await connection.execute(insert_new(connection, artifacts), rows)


def step_of_branch(branch: str, run_id: str) -> int:
    """The step of `run_id` that started `branch`, whose id is `{run_id}.{step:04d}` and more behind it."""
    found = _STEP.match(branch, len(run_id))
    return int(found[1]) if found else -1


_SEARCH: Final = "search"


def days_of(lines: Iterable[LedgerEntry], earlier: Iterable[str] = ()) -> tuple[str, ...]:
    """The first and the last day in UTC on which a search was answered, once if they are the same; empty for none.

    Args:
        lines: of the ledger.
        earlier: such days of the run that this one began as.
    """
    answered = (one for one in lines if one.kind == "tool" and one.name == _SEARCH and one.outcome == "completed")
    days = sorted({*earlier, *(format_utc_day(one.at) for one in answered if not one.undone)} - {""})
    return tuple(dict.fromkeys((days[0], days[-1]))) if days else ()


def list_entries_before_step(lines: Iterable[LedgerEntry], run_id: str, step: int) -> list[LedgerEntry]:
    """List the lines of a run and its branches that belong to steps before `step`."""
    return [one for one in lines if (one.step if one.run_id == run_id else step_of_branch(one.run_id, run_id)) < step]


async def section_logs(log: RunLog, runs: RunStore, artifacts: ArtifactStore) -> dict[str, str]:
    """Keys of the logs of all branches, of branches of branches too, by the branch's run id.

    One that was ended from outside left none.
    """
    run_id = log.asked.run_id
    found = {one.run_id: one.log for one in await runs.all_branches(run_id) if one.log}
    others = {one for one in _list_held_branches(log) if not one.startswith(f"{run_id}.")}
    return found | (await _find_given_logs(run_id, others, artifacts) if others else {})


async def shared_logs(log: RunLog, runs: RunStore, artifacts: ArtifactStore) -> tuple[str, ...]:
    """Return the keys of the logs of the sections whose outcomes the steps in `log` hold, and of their subsections."""
    held = _list_held_branches(log)
    return tuple(key for run_id, key in (await section_logs(log, runs, artifacts)).items() if _is_of(run_id, held))


def _list_held_branches(log: RunLog) -> set[str]:
    """The run ids of all branches that the steps of a run hold the outcomes of."""
    return {section_id(visit, outcome) for visit in iter_fanout_visits(log) for outcome in visit.outcomes}


async def _find_given_logs(run_id: str, others: set[str], artifacts: ArtifactStore) -> dict[str, str]:
    """Return the logs that a fork was given of these branches and of theirs."""
    found: dict[str, str] = {}
    for key in await artifacts.keys(run_id, LOG_TYPE):
        kept = await artifacts.get(key)
        owner = RunLog.model_validate_json(kept).asked.run_id if kept is not None else ""
        if _is_of(owner, others):
            found[owner] = key
    return found


def _is_of(run_id: str, branches: set[str]) -> bool:
    return any(run_id == one or run_id.startswith(f"{one}.") for one in branches)
