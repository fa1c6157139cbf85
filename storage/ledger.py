"""The usage ledger: one line for every attempt of every activity of a run, written before the activity returns.

The workflow knows what the attempts that succeeded used; the ledger also knows the others.
"""

from typing import Literal, Protocol

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from graphs.budget import Usage
from graphs.frozen import Frozen
from storage.database import ledger
from storage.dialect import insert_or_replace, run_and_branches


class LedgerEntry(Frozen):
    """One attempt. Its key is (`run_id`, `step`, `item`, `attempt`): written twice, it counts once."""

    run_id: str
    step: int
    item: int = 0
    attempt: int
    node: str
    kind: Literal["agent", "tool", "publish"]
    name: str
    """The agent or tool."""
    outcome: Literal["completed", "failed"] = "completed"
    model: str = ""
    usage: Usage = Usage()
    at: float = 0.0
    """Seconds since the epoch."""


class Ledger(Protocol):
    """Where usage is written down."""

    async def record(self, entry: LedgerEntry) -> None:
        """Writes one line; the same key again replaces it."""
        ...

    async def entries(self, run_id: str, *, branches: bool = False) -> list[LedgerEntry]:
        """A run's lines, by step, item and attempt; with `branches` those of its branches follow, branch by branch."""
        ...


class SqlLedger:
    """The ledger as a table."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def record(self, entry: LedgerEntry) -> None:
        """Writes one line; the same key again replaces it."""
        async with self._engine.begin() as connection:
            await connection.execute(insert_or_replace(ledger).values(entry.model_dump()))

    async def entries(self, run_id: str, *, branches: bool = False) -> list[LedgerEntry]:
        """A run's lines, by step, item and attempt; with `branches` those of its branches follow, branch by branch."""
        of_run = run_and_branches(ledger.c.run_id, run_id) if branches else ledger.c.run_id == run_id
        order = (ledger.c.run_id, ledger.c.step, ledger.c.item, ledger.c.attempt)
        async with self._engine.connect() as connection:
            rows = await connection.execute(select(ledger).where(of_run).order_by(*order))
            return [LedgerEntry.model_validate(dict(row)) for row in rows.mappings()]
