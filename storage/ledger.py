"""The usage ledger: one line for every attempt of every activity of a run, written before the activity returns.

The workflow knows what the attempts that succeeded used; the ledger also knows the others.
"""

from typing import Literal, Protocol

from graphs.budget import Usage
from graphs.frozen import Frozen


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

    async def entries(self, run_id: str) -> list[LedgerEntry]:
        """A run's lines, by step, item and attempt."""
        ...
