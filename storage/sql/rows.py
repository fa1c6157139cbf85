"""Reads and writes rows, each in a transaction of its own: those of one tenant, or of all."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel
from sqlalchemy import ColumnElement, Executable, Row, Select, Table, select
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.storage.sql.dialect import connect_in_autocommit

Model = TypeVar("Model", bound=BaseModel)


class Rows:
    """Rows of a database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def _fetch_all(
        self, model: type[Model], wanted: Executable, given: Mapping[str, Any] | None = None
    ) -> list[Model]:
        """The rows that a statement finds."""
        async with connect_in_autocommit(self._engine) as connection:
            return [model.model_validate(dict(row)) for row in (await connection.execute(wanted, given)).mappings()]

    async def _fetch_first(self, model: type[Model], wanted: Executable) -> Model | None:
        """The first row that a statement finds; None if it finds none."""
        found = await self._fetch_all(model, wanted)
        return found[0] if found else None

    async def _fetch_rows(self, wanted: Executable, given: Mapping[str, Any] | None = None) -> Sequence[Row[Any]]:
        """The rows that a statement finds, as they are."""
        async with connect_in_autocommit(self._engine) as connection:
            return (await connection.execute(wanted, given)).all()

    async def _fetch_values(self, wanted: Executable, given: Mapping[str, Any] | None = None) -> list[Any]:
        """The first column of the rows that a statement finds."""
        async with connect_in_autocommit(self._engine) as connection:
            return list(await connection.scalars(wanted, given))

    async def _write(self, *statements: Executable) -> int:
        """Execute changes together; returns how many rows the last of them changed."""
        changed = 0
        single = len(statements) == 1
        async with connect_in_autocommit(self._engine) if single else self._engine.connect() as connection:
            for statement in statements:
                changed = (await connection.execute(statement)).rowcount
            await connection.commit()
        return changed


class TenantBound(Rows):
    """One kind of data of one tenant: every statement includes the tenant, so no other row is read or written."""

    def __init__(self, engine: AsyncEngine, tenant: str) -> None:
        super().__init__(engine)
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
        return {"tenant": self._tenant, **values}
