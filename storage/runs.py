"""Runs as they are kept: from the moment they are accepted, through their end, for as long as anyone asks.

A run is admitted, then its workflow is started, then it has begun. Whoever dies in between leaves a run of which it is
not known whether it was started; such a run takes a place, and is not listed.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

from pydantic_core import from_json
from sqlalchemy import Row, and_, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.graphs.contracts import ArchivedRun, RunStatus
from elcano.graphs.frozen import Frozen
from elcano.graphs.values.events import AgentEvent
from elcano.storage.database import events as event_rows
from elcano.storage.database import idempotency_keys, runs
from elcano.storage.dialect import insert_new, insert_or_replace, run_and_branches

_LISTS: Final = {"evidence", "branches"}
"""What grows with a run, and what no list of runs shows."""


class ListedRun(Frozen):
    """A run as lists show it."""

    run: ArchivedRun
    """Without the ids of its evidence and without its branches, which are not read for a list."""
    evidence: int
    """Passages that it found."""

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.run.run_id


STARTING: Final = "starting"
"""In place of a run's status, until it has begun."""
_ASKED_FOR: Final = ~runs.c.run_id.contains(".", autoescape=True)
"""Not a branch: the id of one is its run's, a full stop and more."""
_OPEN: Final = and_(_ASKED_FOR, runs.c.status.in_((STARTING, "running")))


class Admission(Frozen):
    """Whether a run may be started."""

    admitted: bool
    """True of a run that is kept already too."""
    new: bool = False
    """The run was not kept before."""
    open: int
    """Runs of all tenants that are open, this one not counted if it was refused."""
    share: int
    """How many its tenant may have open at the moment."""


class OpenRun(Frozen):
    """A run that has not ended, as far as is known."""

    run: ArchivedRun
    begun: bool
    """False: it is not known whether its workflow was started."""


class RunPage(Frozen):
    """One page of a list of runs, newest first."""

    runs: tuple[ListedRun, ...]
    next: str | None = None
    """Pass it as `before` for the next page; None on the last one."""


class KeyClaim(Frozen):
    """Who owns an idempotency key."""

    run_id: str
    request_hash: str
    mine: bool
    """The key was free and is now this caller's."""


class RunStore(Protocol):
    """Where runs are kept."""

    async def admit(self, run: ArchivedRun, at_most: int) -> Admission:
        """Keeps a run that is about to be started, if fewer than `at_most` runs are open; it is not listed yet.

        While several tenants have open runs none of them may open more than its equal part. Processes that ask at the
        same time cannot pass the limit together on SQLite, where one transaction writes at a time; on a database whose
        transactions do not see each other they may pass it by one each.
        """
        ...

    async def begin(self, run: ArchivedRun) -> None:
        """Keeps a run whose workflow was started; one that has begun or ended already stays as it is."""
        ...

    async def withdraw(self, run_id: str) -> None:
        """Removes a run whose workflow was not started; one that has begun stays."""
        ...

    async def open(self, *, after: str, limit: int) -> list[OpenRun]:
        """Runs that have not ended and whose ids are above `after`, oldest first."""
        ...

    async def archive(self, run: ArchivedRun, events: Sequence[AgentEvent]) -> None:
        """Keeps a run that ended, with its events; doing it twice changes nothing.

        A run that was resumed and ended again replaces what was kept, events too. A run that ended is never replaced
        by one that is still running.
        """
        ...

    async def reopen(self, run_id: str, execution: str) -> None:
        """A run that had ended goes on as `execution`: its record says that it runs, and its old end is dropped.

        A record that `execution` itself ended stays.
        """
        ...

    async def get(self, run_id: str) -> ArchivedRun | None:
        """One run."""
        ...

    async def page(self, *, limit: int, before: str | None = None, status: RunStatus | None = None) -> RunPage:
        """Runs with ids below `before` (they sort by time), newest first; branches are parts of runs and not listed."""
        ...

    async def events(self, run_id: str, since: int = 0) -> list[AgentEvent]:
        """An ended run's events with numbers above `since`; empty while it runs."""
        ...

    async def journals(self, run_id: str) -> dict[str, list[AgentEvent]]:
        """All events of a run and of each of its branches, by run id; of those that ended and have events."""
        ...

    async def claim(self, key: str, request_hash: str, run_id: str) -> KeyClaim:
        """Claims an idempotency key for `run_id`, or says which run has it. Two callers cannot both own it."""
        ...


class SqlRunStore:
    """Runs, their events and the keys they were asked for with, as three tables."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def admit(self, run: ArchivedRun, at_most: int) -> Admission:
        """Keeps a run that is about to be started, if fewer than `at_most` runs are open; it is not listed yet."""
        keep = insert_new(runs).values({**_row(run), "status": STARTING}).returning(runs.c.run_id)
        count = select(runs.c.tenant, func.count()).where(_OPEN).group_by(runs.c.tenant)
        async with self._engine.connect() as connection:
            new = (await connection.execute(keep)).first() is not None
            by_tenant = {tenant: number for tenant, number in await connection.execute(count)}
            share = max(1, at_most // max(1, len(by_tenant)))
            everybody = sum(by_tenant.values())
            if new and (everybody > at_most or by_tenant[run.tenant] > share):
                await connection.rollback()
                return Admission(admitted=False, open=everybody - 1, share=share)
            await connection.commit()
        return Admission(admitted=True, new=new, open=everybody, share=share)

    async def begin(self, run: ArchivedRun) -> None:
        """Keeps a run whose workflow was started; one that has begun or ended already stays as it is."""
        keep = insert_or_replace(runs, where=runs.c.status == STARTING).values(_row(run))
        async with self._engine.begin() as connection:
            await connection.execute(keep)

    async def withdraw(self, run_id: str) -> None:
        """Removes a run whose workflow was not started; one that has begun stays."""
        async with self._engine.begin() as connection:
            await connection.execute(delete(runs).where(runs.c.run_id == run_id, runs.c.status == STARTING))

    async def open(self, *, after: str, limit: int) -> list[OpenRun]:
        """Runs that have not ended and whose ids are above `after`, oldest first."""
        wanted = select(runs.c.status, runs.c.body).where(_OPEN, runs.c.run_id > after)
        async with self._engine.connect() as connection:
            rows = (await connection.execute(wanted.order_by(runs.c.run_id).limit(limit))).all()
        return [OpenRun(run=ArchivedRun.model_validate_json(row.body), begun=row.status != STARTING) for row in rows]

    async def archive(self, run: ArchivedRun, events: Sequence[AgentEvent]) -> None:
        """Keeps a run that ended, with its events, in place of what was kept of it."""
        replaceable = runs.c.status.in_((STARTING, "running")) if run.status == "running" else None
        keep = insert_or_replace(runs, where=replaceable).values(_row(run)).returning(runs.c.run_id)
        rows = [{"run_id": run.run_id, "seq": event.seq, "body": event.model_dump_json()} for event in events]
        async with self._engine.begin() as connection:
            if (await connection.execute(keep)).first() is None:
                return
            await connection.execute(delete(event_rows).where(event_rows.c.run_id == run.run_id))
            if rows:
                await connection.execute(insert(event_rows), rows)

    async def reopen(self, run_id: str, execution: str) -> None:
        """A run that had ended goes on as `execution`: its record says that it runs, and its old end is dropped."""
        kept = await self.get(run_id)
        if kept is None or kept.status == "running" or kept.execution == execution:
            return
        ended = {"finished_at", "ending", "failure", "report", "budget", "evidence", "branches", "execution"}
        fresh = ArchivedRun.model_validate({**kept.model_dump(exclude=ended), "status": "running"})
        as_kept = and_(runs.c.run_id == run_id, runs.c.body == _row(kept)["body"])
        async with self._engine.begin() as connection:
            if (await connection.execute(update(runs).where(as_kept).values(_row(fresh)))).rowcount:
                await connection.execute(delete(event_rows).where(event_rows.c.run_id == run_id))

    async def get(self, run_id: str) -> ArchivedRun | None:
        """One run."""
        async with self._engine.connect() as connection:
            row = (await connection.execute(select(runs.c.body, runs.c.lists).where(runs.c.run_id == run_id))).first()
        return None if row is None else ArchivedRun.model_validate({**from_json(row.body), **from_json(row.lists)})

    async def page(self, *, limit: int, before: str | None = None, status: RunStatus | None = None) -> RunPage:
        """Runs with ids below `before` (they sort by time), newest first; branches are parts of runs and not listed."""
        wanted = (
            select(runs.c.body, runs.c.evidence)
            .where(_ASKED_FOR, runs.c.status != STARTING)
            .order_by(runs.c.run_id.desc())
            .limit(limit + 1)
        )
        if before is not None:
            wanted = wanted.where(runs.c.run_id < before)
        if status is not None:
            wanted = wanted.where(runs.c.status == status)
        async with self._engine.connect() as connection:
            rows = (await connection.execute(wanted)).all()
        page = tuple(
            ListedRun(run=ArchivedRun.model_validate_json(row.body), evidence=row.evidence) for row in rows[:limit]
        )
        return RunPage(runs=page, next=page[-1].run_id if len(rows) > limit else None)

    async def events(self, run_id: str, since: int = 0) -> list[AgentEvent]:
        """An ended run's events with numbers above `since`; empty while it runs."""
        wanted = select(event_rows.c.body).where(event_rows.c.run_id == run_id, event_rows.c.seq > since)
        async with self._engine.connect() as connection:
            bodies = (await connection.scalars(wanted.order_by(event_rows.c.seq))).all()
        return await asyncio.to_thread(lambda: [AgentEvent.model_validate_json(body) for body in bodies])

    async def journals(self, run_id: str) -> dict[str, list[AgentEvent]]:
        """All events of a run and of each of its branches, by run id; of those that ended and have events."""
        wanted = select(event_rows.c.run_id, event_rows.c.body).where(run_and_branches(event_rows.c.run_id, run_id))
        async with self._engine.connect() as connection:
            rows = (await connection.execute(wanted.order_by(event_rows.c.run_id, event_rows.c.seq))).all()
        return await asyncio.to_thread(_journals, rows)

    async def claim(self, key: str, request_hash: str, run_id: str) -> KeyClaim:
        """Claims an idempotency key for `run_id`, or says which run has it."""
        row = {"key": key, "request_hash": request_hash, "run_id": run_id}
        claim = insert_new(idempotency_keys).values(row).returning(idempotency_keys.c.key)
        async with self._engine.begin() as connection:
            mine = (await connection.execute(claim)).first() is not None
            owner = select(idempotency_keys).where(idempotency_keys.c.key == key)
            kept = (await connection.execute(owner)).one()
        return KeyClaim(run_id=kept.run_id, request_hash=kept.request_hash, mine=mine)


def _journals(rows: Iterable[Row[Any, Any]]) -> dict[str, list[AgentEvent]]:
    """Events by run id. Thousands of them take so long to parse that a program that serves others does it beside."""
    found: dict[str, list[AgentEvent]] = {}
    for row in rows:
        found.setdefault(row.run_id, []).append(AgentEvent.model_validate_json(row.body))
    return found


def _row(run: ArchivedRun) -> dict[str, str | int]:
    return {
        "run_id": run.run_id,
        "tenant": run.tenant,
        "status": run.status,
        "body": run.model_dump_json(exclude=_LISTS),
        "evidence": len(run.evidence),
        "lists": run.model_dump_json(include=_LISTS),
    }
