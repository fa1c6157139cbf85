"""The usage ledger: one line for every attempt of every activity of a run, written before the activity returns.

The workflow knows what the attempts that succeeded used; the ledger also knows the others.
"""

from typing import Literal

from sqlalchemy import ColumnElement, and_, select

from elcano.graphs.frozen import Frozen
from elcano.graphs.values.budget import Usage, total
from elcano.storage.bound import Bound
from elcano.storage.sql.dialect import insert_or_replace, run_and_branches
from elcano.storage.sql.tables import ledger


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
    """Its run was reset to before it: it was paid for, and is no part of the run any more."""
    model: str = ""
    usage: Usage = Usage()
    at: float = 0.0
    """Seconds since the epoch."""


class Ledger(Bound):
    """The ledger of one tenant."""

    async def record(self, entry: LedgerEntry) -> None:
        """Writes one line; the same key again replaces it."""
        async with self._engine.begin() as connection:
            await connection.execute(insert_or_replace(connection, ledger).values(self._row(**entry.model_dump())))

    async def entries(self, run_id: str, *, branches: bool = False) -> list[LedgerEntry]:
        """A run's lines, by step, item and time; with `branches` those of its branches follow, branch by branch."""
        of_run = self._of_run(run_id, branches=branches)
        order = (ledger.c.run_id, ledger.c.step, ledger.c.item, ledger.c.at, ledger.c.attempt)
        async with self._engine.connect() as connection:
            rows = await connection.execute(self._select(ledger).where(of_run).order_by(*order))
            return [LedgerEntry.model_validate(dict(row)) for row in rows.mappings()]

    async def used(self, run_id: str, *, branches: bool = True) -> Usage:
        """What a run used, with its branches unless told otherwise; without what was undone."""
        of_run = self._of_run(run_id, branches=branches)
        async with self._engine.connect() as connection:
            found = await connection.scalars(select(ledger.c.usage).where(of_run, ~ledger.c.undone))
            return total(Usage.model_validate(usage) for usage in found)

    async def of_activity(self, run_id: str, execution: str, activity: str) -> list[LedgerEntry]:
        """The lines of one activity, by attempt."""
        wanted = (self._of_run(run_id), ledger.c.execution == execution, ledger.c.activity == activity)
        async with self._engine.connect() as connection:
            rows = await connection.execute(self._select(ledger).where(*wanted).order_by(ledger.c.attempt))
            return [LedgerEntry.model_validate(dict(row)) for row in rows.mappings()]

    def _of_run(self, run_id: str, *, branches: bool = False) -> ColumnElement[bool]:
        of_run = run_and_branches(ledger.c.run_id, run_id) if branches else ledger.c.run_id == run_id
        return and_(self._own(ledger), of_run)
