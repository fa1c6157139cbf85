"""A PostgreSQL server with Apache AGE: its connections, and the graphs of tenants, made when they are needed."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from psycopg import Error as PsycopgError
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from elcano.storage.knowledge import labels
from elcano.storage.sql.dialect import begin_exclusive

_BY_INDEX: Final = {"enable_hashjoin": "off", "enable_mergejoin": "off", "enable_seqscan": "off"}
"""Each of a few hundred ids is looked up by index. The server would take a whole label for less work, since it does not
know how few ids are given: each run would then take longer, the more there were before."""


_BOUNDED: Final = {"work_mem": "16MB", "max_parallel_workers_per_gather": "0", "jit": "off"}
"""Of a query that a client wrote: one process of the server works for it, in little room before it uses the disk."""
GRACE_SECONDS: Final = 2.0
"""After which a server that does not stop a query by itself is hung up on."""


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
                await begin_exclusive(connection, "knowledge graphs")
                if not await labels.is_there(connection, name):
                    await labels.create_tenant_graph(connection, name)
        self._there.add(name)
        return name

    async def _extend(self) -> None:
        if self._extended:
            return
        async with self._engine.begin() as connection:
            await begin_exclusive(connection, "knowledge graphs")
            await labels.create_extension(connection)
        self._extended = True

    @asynccontextmanager
    async def reading(self, seconds: int = 0) -> AsyncIterator[AsyncConnection]:
        """A connection that cannot write; with `seconds` each of its statements ends after so many."""
        async with self._engine.connect() as connection:
            limited = {"statement_timeout": f"{seconds}s", **_BOUNDED} if seconds else _BY_INDEX
            await _set_transaction_config(connection, {"transaction_read_only": "on", **limited})
            low = (await connection.get_raw_connection()).driver_connection
            loop = asyncio.get_running_loop()
            hanging_up = loop.call_later(seconds + GRACE_SECONDS, _hang_up, low) if seconds else None
            try:
                yield connection
            finally:
                if hanging_up is not None:
                    hanging_up.cancel()

    @asynccontextmanager
    async def writing(self, tenant: str) -> AsyncIterator[AsyncConnection]:
        """A transaction of the only writer of a tenant's graph."""
        async with self._engine.begin() as connection:
            await begin_exclusive(connection, f"knowledge {tenant}")
            await _set_transaction_config(connection, _BY_INDEX)
            yield connection


async def _set_transaction_config(connection: AsyncConnection, values: Mapping[str, str]) -> None:
    """Set server parameters for this transaction, in one statement."""
    each = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in values.items())
    await connection.execute(text(f"SELECT {each}"))


def _hang_up(connection: Any) -> None:
    """Ends the wait for an answer; the pool opens another connection."""
    with suppress(PsycopgError, OSError), socket.socket(fileno=os.dup(connection.fileno())) as low:
        low.shutdown(socket.SHUT_RDWR)  # fails where it is closed already
