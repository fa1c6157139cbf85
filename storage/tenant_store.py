"""Tenant-bound storage: every statement includes the tenant, so no other row can be read or written."""

from typing import Any

from sqlalchemy import ColumnElement, Select, Table, select
from sqlalchemy.ext.asyncio import AsyncEngine


class TenantBound:
    """One kind of data of one tenant."""

    def __init__(self, engine: AsyncEngine, tenant: str) -> None:
        self._engine = engine
        self._tenant = tenant

    @property
    def tenant(self) -> str:
        """The tenant that the rows belong to."""
        return self._tenant

    def _own(self, table: Table) -> ColumnElement[bool]:
        """Rows of this tenant."""
        own: ColumnElement[bool] = table.c.tenant == self._tenant
        return own

    def _select(self, table: Table) -> Select[Any]:
        """Rows of this tenant as models hold them: without the tenant."""
        return select(*(column for column in table.columns if column.name != "tenant")).where(self._own(table))

    def _row(self, **values: Any) -> dict[str, Any]:
        """A row of this tenant."""
        return {"tenant": self._tenant, **values}
