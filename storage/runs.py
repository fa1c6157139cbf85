"""Runs as they are kept: from the moment they are accepted, through their end, for as long as anyone asks."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

from pydantic_core import from_json
from sqlalchemy import Row, and_, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from graphs.contracts import ArchivedRun, RunStatus
from graphs.events import AgentEvent
from graphs.frozen import Frozen
from storage.database import events as event_rows
from storage.database import idempotency_keys, runs
from storage.dialect import insert_new, insert_or_replace, run_and_branches

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

    async def begin(self, run: ArchivedRun) -> None:
        """Keeps a run that was accepted; one that is kept already stays as it is."""
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

    async def begin(self, run: ArchivedRun) -> None:
        """Keeps a run that was accepted; one that is kept already stays as it is."""
        async with self._engine.begin() as connection:
            await connection.execute(insert_new(runs).values(_row(run)))

    async def archive(self, run: ArchivedRun, events: Sequence[AgentEvent]) -> None:
        """Keeps a run that ended, with its events, in place of what was kept of it."""
        replaceable = runs.c.status == "running" if run.status == "running" else None
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
        listed = ~runs.c.run_id.contains(".", autoescape=True)  # the id of a branch is its run's, a full stop and more
        wanted = select(runs.c.body, runs.c.evidence).where(listed).order_by(runs.c.run_id.desc()).limit(limit + 1)
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
        "status": run.status,
        "body": run.model_dump_json(exclude=_LISTS),
        "evidence": len(run.evidence),
        "lists": run.model_dump_json(include=_LISTS),
    }
