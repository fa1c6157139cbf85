"""A PostgreSQL server with Apache AGE: its connections, and the graphs of tenants, made when they are needed."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from psycopg.errors import InsufficientPrivilege
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from elcano.storage.knowledge import labels
from elcano.storage.sql.dialect import alone

_BY_INDEX: Final = {"enable_hashjoin": "off", "enable_mergejoin": "off", "enable_seqscan": "off"}
"""Each of a few hundred ids is looked up by index. The server would take a whole label for less work, since it does not
know how few ids are given: each run would then take longer, the more there were before."""


class AgeServer:
    """A PostgreSQL server with AGE, shared by all tenants."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._extended = False
        self._there: set[str] = set()

        @event.listens_for(engine.sync_engine, "connect")
        def _connected(connection: Any, _entry: object) -> None:
            cursor = connection.cursor()
            try:
                cursor.execute("LOAD 'age'")
            except InsufficientPrivilege:  # for others than the administrator the server has to load it by itself
                connection.rollback()
            cursor.execute("SET search_path = public, ag_catalog")
            connection.commit()
            cursor.close()

    async def graph(self, tenant: str, *, make: bool = False) -> str | None:
        """What AGE calls the graph of a tenant; None if there is none, unless it is to be made."""
        name = labels.graph_name(tenant)
        if name in self._there:
            return name
        await self._extend()
        async with self._engine.begin() as connection:
            if not await labels.is_there(connection, name):
                if not make:
                    return None
                await alone(connection, "knowledge graphs")
                if not await labels.is_there(connection, name):
                    await labels.create(connection, name)
        self._there.add(name)
        return name

    async def _extend(self) -> None:
        if self._extended:
            return
        async with self._engine.begin() as connection:
            await alone(connection, "knowledge graphs")
            await labels.extend(connection)
        self._extended = True

    @asynccontextmanager
    async def reading(self, seconds: int = 0) -> AsyncIterator[AsyncConnection]:
        """A connection that cannot write; with `seconds` each of its statements ends after so many."""
        async with self._engine.connect() as connection:
            limited = {"statement_timeout": f"{seconds}s"} if seconds else _BY_INDEX
            await _set(connection, {"transaction_read_only": "on", **limited})
            yield connection

    @asynccontextmanager
    async def writing(self, tenant: str) -> AsyncIterator[AsyncConnection]:
        """A transaction of the only writer of a tenant's graph."""
        async with self._engine.begin() as connection:
            await alone(connection, f"knowledge {tenant}")
            await _set(connection, _BY_INDEX)
            yield connection


async def _set(connection: AsyncConnection, values: Mapping[str, str]) -> None:
    """Sets what the server goes by in this transaction, in one statement."""
    each = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in values.items())
    await connection.execute(text(f"SELECT {each}"))
