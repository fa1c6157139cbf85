"""The audit log of one tenant: entries are added and read. There is no code that changes or deletes one.

Recorded is what changes something, what was refused, and logins.
"""

from typing import Any, Final

from fastapi import Request
from pydantic import Field
from ulid import ULID

from elcano.service.fields import Described, Moment
from elcano.service.permissions import Permission, Principal
from elcano.storage.sql.rows import TenantBound
from elcano.storage.sql.tables import audit_entries

PAGE: Final = 200
"""Entries that are read at a time."""


class AuditEntry(Described):
    """One thing that was done, or refused."""

    id: str = Field(examples=["01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """Id of the entry; ids increase with time."""
    at: Moment
    """Time of the action."""
    user: str = Field(examples=["alice"])
    """User, or name of the API key; empty if no one was named."""
    role: str = Field(examples=["researcher"])
    """Role of the user."""
    key_id: str = Field(default="", examples=["7q2mz0v1k3xc"])
    """API key that was used; empty: none."""
    action: str = Field(examples=["stop_run"])
    """Name of the operation in the OpenAPI document."""
    target: str = Field(default="", examples=["/v1/runs/acme-01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """Target of the action."""
    outcome: int = Field(examples=[202])
    """HTTP status of the response. 403: it was refused."""
    address: str = Field(default="", examples=["192.0.2.7"])
    """Client's address."""


class AuditLog(TenantBound):
    """The log of one tenant."""

    async def add(
        self,
        *,
        at: float,
        user: str,
        role: str,
        key_id: str,
        action: str,
        target: str,
        outcome: int,
        address: str,
    ) -> None:
        """Add an entry."""
        row = self._row(
            id=str(ULID.from_timestamp(at)).lower(),
            at=at,
            user=user,
            role=role,
            key_id=key_id,
            action=action,
            target=target,
            outcome=outcome,
            address=address,
        )
        await self._write(audit_entries.insert().values(row))

    async def read(
        self, *, limit: int, before: str = "", after: str = "", since: float | None = None, until: float | None = None
    ) -> list[AuditEntry]:
        """Entries, the newest first; with `after`, those behind that id, the oldest first."""
        table = audit_entries
        wanted = self._select(table)
        for bound, condition in (
            (before, table.c.id < before),
            (after, table.c.id > after),
            (since is not None, table.c.at >= (since or 0.0)),
            (until is not None, table.c.at < (until or 0.0)),
        ):
            wanted = wanted.where(condition) if bound else wanted
        order = table.c.id.asc() if after else table.c.id.desc()
        return await self._fetch_all(AuditEntry, wanted.order_by(order).limit(limit))


UNRECORDED: Final[frozenset[Permission]] = frozenset(
    {"read_run", "inspect_run", "list_runs", "read_catalogue", "read_knowledge", "read_usage", "operate"}
)
"""Read-only permissions."""

REFUSED: Final = 403


def is_recorded(state: dict[str, Any], status: int) -> bool:
    """Whether a request of this state is recorded, once it is answered so."""
    if "principal" not in state:
        return False
    changes = "permission" in state and state["permission"] not in UNRECORDED
    return changes or status == REFUSED or "login" in state


def record_login(request: Request, principal: Principal) -> None:
    """Have the answer to a request recorded as a login."""
    request.state.principal = principal
    request.state.login = True
