"""The usage ledger: one line for every attempt of every activity of a run, written before the activity returns.

The workflow knows what the attempts that succeeded used; the ledger also knows the others.
"""

import json
from collections.abc import Collection, Iterable
from typing import Any, Final, Literal

from sqlalchemy import BigInteger, ColumnElement, Row, and_, case, cast, func, or_, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from elcano.graphs.frozen import Frozen
from elcano.graphs.state.budget import Usage, sum_usages
from elcano.storage.artifacts import ArtifactRow
from elcano.storage.sql.columns import escape_nul
from elcano.storage.sql.dialect import (
    begin_exclusive,
    insert_new,
    insert_or_replace,
    make_lock_number,
    root_of,
    run_and_branches,
)
from elcano.storage.sql.rows import TenantBound
from elcano.storage.sql.tables import artifacts, ledger, runs
from elcano.storage.usage_totals import UsageSums, add_usage, day_of, find_usage_place

_LINE_SUMS: Final = (
    *(
        func.sum(cast(ledger.c.usage[name].as_string(), BigInteger)).label(name)
        for name in ("requests", "input_tokens", "output_tokens", "cost_microusd", "unpriced_requests")
    ),
    func.max(case((ledger.c.usage["estimated"].as_boolean(), 1), else_=0)).label("estimated"),
)
"""The sum of usages, column by column; null where there are none, or where all lines are older than a counter."""


def _read_sums(row: Row[Any]) -> Usage:
    """The sum in a row of `_LINE_SUMS`."""
    return Usage.model_validate({column.name: int(getattr(row, column.name) or 0) for column in _LINE_SUMS})


_RECORD_CALL: Final = text("SELECT * FROM record_call(CAST(:given AS jsonb), :root, :source, :lock)")
"""`Ledger.record` as a function of PostgreSQL."""
_RECORD_CALL_WITH_ARTIFACTS: Final = text(
    "WITH rows AS (INSERT INTO artifacts (tenant, key, run_id, media_type) SELECT tenant, key, run_id, media_type "
    f"FROM jsonb_populate_recordset(NULL::artifacts, CAST(:rows AS jsonb)) ON CONFLICT DO NOTHING) {_RECORD_CALL}"
)


class LedgerEntry(Frozen):
    """One attempt. Its key is (`run_id`, `execution`, `activity`, `attempt`): written twice, it counts once."""

    run_id: str
    execution: str = ""
    """Temporal's id of the execution that made it; a run that was reset or continued has several."""
    activity: str
    """Temporal's id of the activity, unique within an execution."""
    step: int
    item: int = 0
    attempt: int
    node: str
    kind: Literal["agent", "tool", "publish"]
    name: str
    """The agent or tool."""
    outcome: Literal["completed", "failed", "abandoned"] = "completed"
    """`abandoned`: its run gave it up."""
    undone: bool = False
    """It was paid for but is no longer part of the run: the run was reset to before it, or continued without it."""
    model: str = ""
    build: str = ""
    """The worker that made it, by version and build id: `0.1.0+4f1c...`."""
    usage: Usage = Usage()
    at: float = 0.0
    """Seconds since the epoch."""


class BranchProgress(Frozen):
    """Progress of a branch."""

    iterations: int = 1
    """Turns of its research loop, the one under way included."""
    steps: int = 0
    """The number of the last step whose call ended."""
    tokens: int = 0

    def merge(self, other: "BranchProgress") -> "BranchProgress":
        """The progress that is known from the calls of two nodes."""
        return BranchProgress(
            iterations=max(self.iterations, other.iterations),
            steps=max(self.steps, other.steps),
            tokens=self.tokens + other.tokens,
        )


class Ledger(TenantBound):
    """The ledger of one tenant, as `build` writes into it; the next line is written with the rows of `pending`."""

    def __init__(
        self, engine: AsyncEngine, tenant: str, build: str = "", pending: dict[str, ArtifactRow] | None = None
    ) -> None:
        super().__init__(engine, tenant)
        self._build = build
        self._pending = {} if pending is None else pending

    async def record(self, entry: LedgerEntry, *, source: str = "") -> Usage:
        """Write one line, signed with the writer's build, and return the usage of the attempts before it.

        It replaces a line with the same key. The sums of its tenant change with it; `source` is the source of a search.

        A line that arrives when a later attempt already has one is undone, or stays as it was: its worker was taken for
        dead, and the later attempt has reported the usage of all. One of the two always sees the other.
        """
        rows = list(self._pending.values())
        before = await self._record(entry, source, rows)
        for row in rows:
            self._pending.pop(row["key"], None)
        return before

    async def _record(self, entry: LedgerEntry, source: str, rows: list[ArtifactRow]) -> Usage:
        row = self._row(**entry.model_dump()) | {"build": self._build}
        lock = f"call {self._tenant} {entry.run_id} {entry.execution} {entry.activity}"
        if self._engine.dialect.name == "postgresql":  # every call waits for it: one way instead of seven
            given = {name: escape_nul(value) if isinstance(value, str) else value for name, value in row.items()}
            place = {"root": root_of(entry.run_id), "source": source, "lock": make_lock_number(lock)}
            if rows:
                place["rows"] = json.dumps([*map(dict, rows)])
            statement = _RECORD_CALL_WITH_ARTIFACTS if rows else _RECORD_CALL
            usages = await self._fetch_values(statement, {"given": json.dumps(given), **place})
            return sum_usages(map(Usage.model_validate, usages))
        async with self._engine.begin() as connection:
            await begin_exclusive(connection, lock)
            if rows:
                await connection.execute(insert_new(connection, artifacts), rows)
            of_activity = self._of_activity(entry.run_id, entry.execution, entry.activity)
            columns = (ledger.c.attempt, ledger.c.undone, ledger.c.usage, ledger.c.model, ledger.c.at)
            known = (await connection.execute(select(*columns).where(of_activity))).all()
            replaced = next((one for one in known if one.attempt == entry.attempt), None)
            if any(one.attempt > entry.attempt for one in known):
                await connection.execute(insert_new(connection, ledger).values({**row, "undone": True}))
                changed = replaced is None
            else:
                await connection.execute(insert_or_replace(connection, ledger).values(row))
                changed = True
            if changed:
                await self._count(connection, entry, source, replaced)
        before = [one for one in known if one.attempt < entry.attempt and not one.undone]
        return sum_usages(Usage.model_validate(one.usage) for one in before)

    async def _count(self, connection: AsyncConnection, entry: LedgerEntry, source: str, replaced: Any) -> None:
        """Change the sums of the tenant by a new line, in place of the row that it `replaced`, if it did."""
        place = await find_usage_place(connection, self._tenant, entry.run_id, entry.at)
        place = place.model_copy(update={"model": entry.model, "source": source})
        changes = [(place, UsageSums.of_call(entry.usage))]
        if replaced is not None:
            earlier = place.model_copy(update={"day": day_of(replaced.at), "model": replaced.model})
            changes.append((earlier, -UsageSums.of_call(Usage.model_validate(replaced.usage))))
        await add_usage(connection, self._tenant, changes)

    async def entries(self, run_id: str, *, branches: bool = False) -> list[LedgerEntry]:
        """A run's lines, by step, item and time; with `branches` those of its branches follow, branch by branch."""
        of_run = self._of_run(run_id, branches=branches)
        order = (ledger.c.run_id, ledger.c.step, ledger.c.item, ledger.c.at, ledger.c.activity, ledger.c.attempt)
        return await self._fetch_all(LedgerEntry, self._select(ledger).where(of_run).order_by(*order))

    def list_builds(self, lines: Iterable[LedgerEntry]) -> tuple[str, ...]:
        """The workers that `lines` are the work of, by build, with the one that asks; sorted."""
        return tuple(sorted(({one.build for one in lines if not one.undone} | {self._build}) - {""}))

    async def progress_of_branches(self, run_id: str) -> dict[str, BranchProgress]:
        """Return the progress of a run's branches by run id, as their finished calls show it.

        Every turn of a loop visits a node of it anew, and nothing else does: so often as one node was visited, so many
        turns there were at least.
        """
        visits = func.count(ledger.c.step.distinct()).label("visits")
        lines = (
            select(ledger.c.run_id, visits, func.max(ledger.c.step).label("steps"), *_LINE_SUMS)
            .where(self._of_run(run_id, branches=True), ledger.c.run_id != run_id, ~ledger.c.undone)
            .group_by(ledger.c.run_id, ledger.c.node)
        )
        found: dict[str, BranchProgress] = {}
        async with self._engine.connect() as connection:
            for row in await connection.execute(lines):
                seen = BranchProgress(iterations=row.visits, steps=row.steps, tokens=_read_sums(row).tokens)
                found[row.run_id] = found.get(row.run_id, BranchProgress()).merge(seen)
        return found

    async def used(self, run_id: str, *, branches: bool = True) -> Usage:
        """Returns the usage of a run, with its branches by default; without what was undone."""
        of_run = self._of_run(run_id, branches=branches)
        async with self._engine.connect() as connection:
            return _read_sums((await connection.execute(select(*_LINE_SUMS).where(of_run, ~ledger.c.undone))).one())

    async def used_by_each(self, run_ids: Collection[str]) -> dict[str, Usage]:
        """The usage of each of some stored runs, which are no branches, with their branches; without what was undone.

        One statement whose text is the same for any number of runs: each is a range of the ledger's own index.
        """
        found = dict.fromkeys(run_ids, Usage())
        behind = or_(ledger.c.run_id == runs.c.run_id, ledger.c.run_id >= runs.c.run_id + ".")
        of_run = and_(ledger.c.run_id >= runs.c.run_id, ledger.c.run_id < runs.c.run_id + "/", behind)
        lines = (
            select(runs.c.run_id, *_LINE_SUMS)
            .join_from(runs, ledger, and_(self._own(ledger), of_run, ~ledger.c.undone))
            .where(self._own(runs), runs.c.run_id.in_(found))
            .group_by(runs.c.run_id)
        )
        async with self._engine.connect() as connection:
            return found | {row.run_id: _read_sums(row) for row in await connection.execute(lines)}

    async def of_activity(self, run_id: str, execution: str, activity: str) -> list[LedgerEntry]:
        """The lines of one activity that are not undone, by attempt."""
        wanted = and_(self._of_activity(run_id, execution, activity), ~ledger.c.undone)
        return await self._fetch_all(LedgerEntry, self._select(ledger).where(wanted).order_by(ledger.c.attempt))

    def _of_activity(self, run_id: str, execution: str, activity: str) -> ColumnElement[bool]:
        return and_(self._of_run(run_id), ledger.c.execution == execution, ledger.c.activity == activity)

    def _of_run(self, run_id: str, *, branches: bool = False) -> ColumnElement[bool]:
        of_run = run_and_branches(ledger.c.run_id, run_id) if branches else ledger.c.run_id == run_id
        return and_(self._own(ledger), of_run)
