"""Control requests by id: what was sent under an id, and what the run answered.

An id belongs to what it was first sent with. The answer is kept once it is known; until then it is not known, which is
not the same as refused.
"""

from sqlalchemy import select, update

from elcano.graphs.frozen import Frozen
from elcano.storage.sql.dialect import insert_new
from elcano.storage.sql.rows import TenantBound
from elcano.storage.sql.tables import control_requests


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
