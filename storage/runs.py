"""Runs as they are kept: from the moment they have begun, through their end, for as long as anyone asks.

And the control requests that are sent to them, by id: what was sent under an id, and what the run answered. An id
belongs to what it was first sent with. The answer is kept once it is known; until then it is not known, which is not
the same as refused.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from pydantic_core import from_json
from sqlalchemy import ColumnElement, Row, Select, and_, bindparam, delete, func, insert, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from elcano.graphs.contracts import RunStatus
from elcano.graphs.errors import RunOpen
from elcano.graphs.frozen import Frozen
from elcano.graphs.records import ArchivedRun, RunFilter, RunOrder
from elcano.graphs.state.events import AgentEvent
from elcano.storage.admission import ASKED_FOR, RESUMING, STARTING, UNENDED, run_row
from elcano.storage.artifacts import ArtifactRow
from elcano.storage.evidence import drop_unfound
from elcano.storage.objects import Objects, artifacts_of, payloads_of
from elcano.storage.outbox import add_notice
from elcano.storage.plugin_store import PluginStore
from elcano.storage.sql.columns import has_cipher
from elcano.storage.sql.dialect import begin_exclusive, insert_new, insert_or_replace, run_and_branches
from elcano.storage.sql.rows import TenantBound
from elcano.storage.sql.tables import artifacts, control_requests, findings, idempotency_keys, ledger, runs
from elcano.storage.sql.tables import events as event_rows

_SCANNED: Final = 500
"""Runs that are read at once to look for a word in questions that are encrypted."""
_OWNED: Final = (event_rows, findings, ledger, control_requests, idempotency_keys, artifacts, runs)
"""Tables whose rows belong to one run; what refers to others comes before them."""


class ListedRun(Frozen):
    """A run as lists show it."""

    run: ArchivedRun
    """The record without the ids of its evidence, its branches and its ledger, which are not read for a list."""
    evidence: int
    """Passages that it found."""

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.run.run_id


ALL: Final = RunFilter()
_RUN: Final = select(runs.c.body, runs.c.lists).where(
    runs.c.tenant == bindparam("tenant"), runs.c.run_id == bindparam("run_id")
)
_BEGUN_RUN: Final = _RUN.where(runs.c.status != STARTING)


class RunPage(Frozen):
    """One page of a list of runs."""

    runs: tuple[ListedRun, ...]
    next: str | None = None
    """Pass it as `before` for the next page; None on the last one."""


class RunStore(TenantBound):
    """The runs of one tenant, and their events.

    Raises:
        ValueError: a run to be kept is another tenant's.
    """

    def __init__(self, engine: AsyncEngine, tenant: str, objects: Objects, plugins: Sequence[PluginStore]) -> None:
        super().__init__(engine, tenant)
        self._objects = objects
        self._plugins = plugins

    async def begin(self, run: ArchivedRun) -> None:
        """Keeps a run whose workflow was started; one that has begun or ended already stays as it is."""
        row = run_row(run, self._tenant)
        await self._write(insert_or_replace(self._engine, runs, where=runs.c.status == STARTING).values(row))

    async def archive(self, run: ArchivedRun, events: Sequence[AgentEvent], log: ArtifactRow | None = None) -> None:
        """Keeps a run that ended, with its events and the row of its log; doing it twice changes nothing.

        A run that was resumed and ended again replaces what was kept, events too. A run that ended is never replaced
        by one that is still running.
        """
        row = run_row(run, self._tenant)
        rows = [self._row(run_id=run.run_id, seq=event.seq, body=event.model_dump_json()) for event in events]
        async with self._engine.begin() as connection:
            if log is not None:
                await connection.execute(insert_new(connection, artifacts), log)
            keep = insert_or_replace(connection, runs, where=runs.c.status.in_(UNENDED)).returning(runs.c.run_id)
            if (await connection.execute(keep, row)).first() is None:  # it has ended before, and has events
                if run.status == "running":
                    return
                await connection.execute(insert_or_replace(connection, runs), row)
                await connection.execute(delete(event_rows).where(self._events_of(run.run_id)))
            if rows:
                await connection.execute(insert(event_rows), rows)
            if run.notify and run.status != "running":
                await connection.execute(add_notice(self._tenant, run.notify))

    async def reopen(self, run_id: str, execution: str) -> None:
        """Continue an ended run as `execution`: its record says that it is running, and its old end is dropped.

        A record that `execution` itself ended stays.
        """
        kept = await self.get(run_id)
        if kept is None or kept.status == "running" or kept.execution == execution:
            return
        fresh = kept.without_end().model_copy(update={"execution": ""})
        ended = runs.c.status.in_((kept.status, RESUMING))
        as_kept = and_(self._named(run_id), ended, runs.c.finished_at.is_not_distinct_from(kept.finished_at))
        async with self._engine.begin() as connection:
            if (await connection.execute(update(runs).where(as_kept).values(run_row(fresh, self._tenant)))).rowcount:
                await connection.execute(delete(event_rows).where(self._events_of(run_id)))

    async def get(self, run_id: str, *, begun: bool = False) -> ArchivedRun | None:
        """Return one run; with `begun` only if its workflow is known to have started."""
        found = await self._fetch_rows(_BEGUN_RUN if begun else _RUN, {"tenant": self._tenant, "run_id": run_id})
        return next(
            (ArchivedRun.model_validate({**from_json(one.body), **from_json(one.lists)}) for one in found), None
        )

    async def all_branches(self, run_id: str) -> list[ArchivedRun]:
        """The branches of a run that are kept, and theirs, by id; without what grew with them."""
        whole = and_(self._own(runs), run_and_branches(runs.c.run_id, run_id), runs.c.run_id != run_id)
        bodies = await self._fetch_values(select(runs.c.body).where(whole).order_by(runs.c.run_id))
        return [ArchivedRun.model_validate_json(body) for body in bodies]

    async def page(
        self,
        *,
        limit: int,
        before: str | None = None,
        status: RunStatus | None = None,
        wanted: RunFilter = ALL,
        order: RunOrder = "newest",
    ) -> RunPage:
        """Runs that come behind `before`; ids sort by time. Branches are parts of runs and not listed."""
        by_cost = order == "cost"
        keys = [runs.c.cost_microusd, runs.c.run_id] if by_cost else [runs.c.run_id]
        chosen = (
            select(runs.c.run_id, runs.c.question, runs.c.body, runs.c.evidence)
            .where(self._own(runs), ASKED_FOR, runs.c.status != STARTING, *self._clauses(status, wanted))
            .order_by(*(keys if order == "oldest" else [key.desc() for key in keys]))
        )

        def behind(run_id: str) -> ColumnElement[bool]:
            if order == "oldest":
                return runs.c.run_id > run_id
            if not by_cost:
                return runs.c.run_id < run_id
            cost = select(runs.c.cost_microusd).where(self._named(run_id)).scalar_subquery()
            return tuple_(*keys) < tuple_(cost, run_id)

        rows = await self._find_rows(chosen, behind, before, limit + 1, wanted.question)
        page = tuple(
            ListedRun(run=ArchivedRun.model_validate_json(row.body), evidence=row.evidence) for row in rows[:limit]
        )
        return RunPage(runs=page, next=page[-1].run_id if len(rows) > limit else None)

    async def _find_rows(
        self,
        chosen: Select[Any],
        behind: Callable[[str], ColumnElement[bool]],
        before: str | None,
        most: int,
        part: str | None,
    ) -> list[Row[Any]]:
        """The first rows of `chosen` that come `behind` the run `before`, and whose question contains `part`.

        SQL cannot look into questions that are encrypted; they are read batch by batch then.
        """
        sealed = part is not None and has_cipher(self._engine.dialect)
        if part is not None and not sealed:
            chosen = chosen.where(func.lower(runs.c.question).contains(part.lower(), autoescape=True))
        found: list[Row[Any]] = []
        async with self._engine.connect() as connection:
            while True:
                batch = chosen if before is None else chosen.where(behind(before))
                rows = (await connection.execute(batch.limit(_SCANNED if sealed else most))).all()
                found += [row for row in rows if not sealed or (part or "").lower() in row.question.lower()]
                if not sealed or len(rows) < _SCANNED or len(found) >= most:
                    return found[:most]
                before = rows[-1].run_id

    def _clauses(self, status: RunStatus | None, wanted: RunFilter) -> Iterator[ColumnElement[bool]]:
        if status is not None:
            yield runs.c.status == status
        if wanted.id_part is not None:
            yield runs.c.run_id.contains(wanted.id_part, autoescape=True)
        if wanted.mode is not None:
            yield or_(runs.c.mode == wanted.mode, runs.c.chosen_mode == wanted.mode)
        if wanted.api_key is not None:
            yield runs.c.api_key == wanted.api_key
        if wanted.created_after is not None:
            yield runs.c.started_at > wanted.created_after
        if wanted.created_before is not None:
            yield runs.c.started_at < wanted.created_before

    async def events(self, run_id: str, since: int = 0) -> list[AgentEvent]:
        """An ended run's events with numbers above `since`; empty while it runs."""
        wanted = select(event_rows.c.body).where(self._events_of(run_id), event_rows.c.seq > since)
        bodies = await self._fetch_values(wanted.order_by(event_rows.c.seq))
        return await asyncio.to_thread(lambda: [AgentEvent.model_validate_json(body) for body in bodies])

    async def branches(self, run_id: str, step: int) -> list[ArchivedRun]:
        """The branches that a run has started itself in `step` and that ended, by id."""
        begun = f"{run_id}.{step:04d}"
        wanted = select(runs.c.body, runs.c.lists).where(
            self._own(runs), runs.c.run_id >= begun, runs.c.run_id < f"{begun}s", runs.c.status.not_in(UNENDED)
        )
        async with self._engine.connect() as connection:
            rows = (await connection.execute(wanted.order_by(runs.c.run_id))).all()
        found = [ArchivedRun.model_validate({**from_json(row.body), **from_json(row.lists)}) for row in rows]
        return [run for run in found if run.run_id.count(".") == run_id.count(".") + 2]

    async def journals(self, run_id: str) -> dict[str, list[AgentEvent]]:
        """Returns all events of a run and of each of its branches, by run id; of those that ended and have events."""
        whole = and_(self._own(event_rows), run_and_branches(event_rows.c.run_id, run_id))
        wanted = select(event_rows.c.run_id, event_rows.c.body).where(whole)
        rows = await self._fetch_rows(wanted.order_by(event_rows.c.run_id, event_rows.c.seq))
        return await asyncio.to_thread(_group_events_by_run, rows)

    async def delete(self, run_id: str) -> bool:
        """Delete a run that has ended with everything it owns; False if there is none. Repeating this finishes it.

        Its branches, events, ledger, findings, control requests, idempotency keys, artifacts and payloads go with it,
        the data that plugins store for it, and the passages and texts that no other run of the tenant found. The caller
        deletes its workflows in Temporal, and before: without its payloads their histories are unreadable.

        Raises:
            RunOpen: it has not ended.
        """
        async with self._engine.connect() as connection:
            if not await self._has_ended(connection, run_id):
                return False
        # Before the rows: if this breaks off, the run is still there to be deleted again.
        await self._objects.delete_below(artifacts_of(self._tenant, run_id))
        await self._objects.delete_below(payloads_of(run_id))
        for store in self._plugins:
            await store.delete_run(self._tenant, run_id)
        async with self._engine.begin() as connection:
            await begin_exclusive(connection, f"evidence {self._tenant}")
            if not await self._has_ended(connection, run_id):
                return False
            found = and_(self._own(findings), run_and_branches(findings.c.run_id, run_id))
            passages = list(await connection.scalars(select(findings.c.evidence_id).where(found).distinct()))
            for table in _OWNED:
                whole = and_(self._own(table), run_and_branches(table.c.run_id, run_id))
                await connection.execute(delete(table).where(whole))
            await drop_unfound(connection, self._tenant, passages)
        return True

    async def _has_ended(self, connection: AsyncConnection, run_id: str) -> bool:
        """Whether there is a run, which has ended then."""
        found = await connection.scalar(select(runs.c.status).where(self._named(run_id)))
        if found in UNENDED:
            raise RunOpen(f"the run {run_id!r} has not ended: stop it, and delete it when it has")
        return found is not None

    def _named(self, run_id: str) -> ColumnElement[bool]:
        return and_(self._own(runs), runs.c.run_id == run_id)

    def _events_of(self, run_id: str) -> ColumnElement[bool]:
        return and_(self._own(event_rows), event_rows.c.run_id == run_id)


def _group_events_by_run(rows: Iterable[Row[Any]]) -> dict[str, list[AgentEvent]]:
    """Group events by run id. Parsing thousands of them takes so long that a server does it in a thread."""
    found: dict[str, list[AgentEvent]] = {}
    for row in rows:
        found.setdefault(row.run_id, []).append(AgentEvent.model_validate_json(row.body))
    return found


class ControlOutcome(Frozen):
    """A run's answer to a control request."""

    accepted: bool
    text: str = ""
    """Accepted: the answer as JSON. Refused: why."""


class ControlClaim(Frozen):
    """The stored state of a control request."""

    request_hash: str
    """SHA-256 of what the id was first sent with, hexadecimal."""
    mine: bool
    """The id was free and is now this caller's: nothing was sent under it before."""
    outcome: ControlOutcome | None = None
    """None: the run has not answered, or its answer was not received."""


class ControlStore(TenantBound):
    """The control requests of one tenant."""

    async def claim(self, run_id: str, request_id: str, request_hash: str) -> ControlClaim:
        """Claims an id among those of a run, or returns its stored state. Two callers cannot both own it."""
        row = self._row(run_id=run_id, request_id=request_id, request_hash=request_hash)
        known = select(control_requests).where(
            self._own(control_requests),
            control_requests.c.run_id == run_id,
            control_requests.c.request_id == request_id,
        )
        async with self._engine.begin() as connection:
            claim = insert_new(connection, control_requests).values(row).returning(control_requests.c.request_id)
            mine = (await connection.execute(claim)).first() is not None
            kept = (await connection.execute(known)).one()
        outcome = None if kept.accepted is None else ControlOutcome(accepted=kept.accepted, text=kept.answer)
        return ControlClaim(request_hash=kept.request_hash, mine=mine, outcome=outcome)

    async def settle(self, run_id: str, request_id: str, outcome: ControlOutcome) -> None:
        """Stores the run's answer; the first answer stays."""
        keep = update(control_requests).where(
            self._own(control_requests),
            control_requests.c.run_id == run_id,
            control_requests.c.request_id == request_id,
            control_requests.c.accepted.is_(None),
        )
        await self._write(keep.values(accepted=outcome.accepted, answer=outcome.text))
