"""The outbox: workflows to start or signal, noted in the transaction that decides it, which needs no Temporal.

A worker does what is noted, and then deletes the row: what it did just before it died is done twice.
"""

from sqlalchemy import Insert, and_, delete, select
from ulid import ULID

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.tenants import Tenant
from elcano.storage.sql.rows import Rows
from elcano.storage.sql.tables import outbox


class Notice(Frozen):
    """One workflow to start or signal."""

    tenant: Tenant
    id: str
    workflow_id: str
    workflow: str = ""
    """The type to start if no such workflow is open; empty: it is only signalled."""
    work: JsonObject = {}
    """The input of the workflow."""
    summary: str = ""


def add_notice(
    tenant: str, workflow_id: str, workflow: str = "", work: Frozen | None = None, summary: str = ""
) -> Insert:
    """The statement that notes a workflow to start, with its input, or only to signal."""
    given = {} if work is None else work.model_dump(mode="json")
    return outbox.insert().values(
        tenant=tenant, id=str(ULID()), workflow_id=workflow_id, workflow=workflow, work=given, summary=summary
    )


class Outbox(Rows):
    """The notices of all tenants."""

    async def list_notices(self, limit: int, after: str = "") -> list[Notice]:
        """Return the oldest notices whose id comes after one."""
        return await self._fetch_all(
            Notice, select(outbox).where(outbox.c.id > after).order_by(outbox.c.id).limit(limit)
        )

    async def drop(self, notice: Notice) -> None:
        """Delete a notice: it is done."""
        await self._write(delete(outbox).where(and_(outbox.c.tenant == notice.tenant, outbox.c.id == notice.id)))
