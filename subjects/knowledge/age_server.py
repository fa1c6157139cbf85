"""A PostgreSQL server with Apache AGE: its connections, and the graphs of tenants, made when they are needed."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import MetaData, Table, event, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from elcano.storage.sql.dialect import begin_exclusive
from elcano.storage.sql.tables import knowledge_words
from elcano.subjects.knowledge.graph import EDGE_KINDS, NODE_KINDS, EdgeKind, NodeKind

_BY_INDEX: Final = {"enable_hashjoin": "off", "enable_mergejoin": "off", "enable_seqscan": "off"}
"""Each of a few hundred ids is looked up by index. The server would take a whole label for less work, since it does not
know how few ids are given: each run would then take longer, the more there were before."""


_BOUNDED: Final = {"work_mem": "16MB", "max_parallel_workers_per_gather": "0", "jit": "off"}
"""Settings for a client's query: one server process works for it, with little memory before it uses the disk."""
GRACE_SECONDS: Final = 2.0
"""Time after which a server that does not stop a query by itself is disconnected."""


class AgeServer:
    """A PostgreSQL server with AGE, shared by all tenants."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._extended = False
        self._there: set[str] = set()

        @event.listens_for(engine.sync_engine, "connect")
        def _connected(connection: Any, _entry: object) -> None:
            from psycopg.errors import InsufficientPrivilege  # a driver that others do without

            cursor = connection.cursor()
            try:
                cursor.execute("LOAD 'age'")
            except InsufficientPrivilege:  # for others than the administrator the server has to load it by itself
                connection.rollback()
            cursor.execute("SET search_path = public, ag_catalog")
            connection.commit()
            cursor.close()

    async def graph(self, tenant: str, *, make: bool = False) -> str | None:
        """Return AGE's name for the graph of a tenant; None if there is none, unless it is to be made."""
        name = graph_name(tenant)
        if name in self._there:
            return name
        await self._extend()
        async with self._engine.begin() as connection:
            if not await is_there(connection, name):
                if not make:
                    return None
                await begin_exclusive(connection, "knowledge graphs")
                if not await is_there(connection, name):
                    await create_tenant_graph(connection, name)
        self._there.add(name)
        return name

    async def _extend(self) -> None:
        if self._extended:
            return
        async with self._engine.begin() as connection:
            await begin_exclusive(connection, "knowledge graphs")
            await create_extension(connection)
        self._extended = True

    @asynccontextmanager
    async def reading(self, seconds: int = 0) -> AsyncIterator[AsyncConnection]:
        """Open a connection that cannot write; with `seconds` each of its statements ends after that time."""
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
    from psycopg import Error as PsycopgError

    with suppress(PsycopgError, OSError), socket.socket(fileno=os.dup(connection.fileno())) as low:
        low.shutdown(socket.SHUT_RDWR)  # fails where it is closed already


SCHEMA: Final = "elcano_knowledge"
"""The schema of the words by which nodes are found."""
WORDS: Final[Table] = knowledge_words.to_metadata(MetaData(), schema=SCHEMA)

_ID: Final = """ag_catalog.agtype_access_operator(properties, '"id"'::ag_catalog.agtype)"""
_RUN: Final = """ag_catalog.agtype_access_operator(properties, '"run"'::ag_catalog.agtype)"""
_AGTYPE: Final = "ag_catalog.agtype_in(textout({0}))"


def graph_name(tenant: str) -> str:
    """Return AGE's name for the graph of a tenant; made of a hash, since its names have few signs."""
    return f"elcano_{sha256(tenant.encode()).hexdigest()[:24]}"


def vertex_label(kind: NodeKind) -> str:
    """The label of a kind of nodes: `Document`."""
    return kind.capitalize()


def edge_label(kind: EdgeKind) -> str:
    """The label of a kind of edges: `WRITTEN_BY`."""
    return kind.upper()


async def is_there(connection: AsyncConnection, graph: str) -> bool:
    """Whether AGE has a graph of this name."""
    named = text("SELECT EXISTS (SELECT FROM ag_catalog.ag_graph WHERE name = :graph)")
    return bool(await connection.scalar(named, {"graph": graph}))


async def create_extension(connection: AsyncConnection) -> None:
    """Makes the extension and the table of words, where they are not there yet."""
    known = text("SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'age')")
    if not await connection.scalar(known):
        await connection.execute(text("CREATE EXTENSION age"))
    await connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
    await connection.run_sync(WORDS.metadata.create_all)


async def create_tenant_graph(connection: AsyncConnection, graph: str) -> None:
    """Makes the graph of a tenant with its labels and indexes."""
    await connection.execute(text("SELECT ag_catalog.create_graph(:graph)"), {"graph": graph})
    for kind in NODE_KINDS:
        await connection.execute(text(f"SELECT ag_catalog.create_vlabel('{graph}', '{vertex_label(kind)}')"))
        await _create_index(connection, graph, vertex_label(kind), _ID, unique=True)
    for one in EDGE_KINDS:
        label = edge_label(one)
        await connection.execute(text(f"SELECT ag_catalog.create_elabel('{graph}', '{label}')"))
        await _create_index(connection, graph, label, _ID, unique=True)
        await _create_index(connection, graph, label, _RUN)
        for end in ("start_id", "end_id"):  # newer releases of AGE make these themselves
            await _create_index(connection, graph, label, end)


async def _create_index(connection: AsyncConnection, graph: str, label: str, of: str, *, unique: bool = False) -> None:
    name = f"{label}_{sha256(of.encode()).hexdigest()[:8]}"
    kind = "UNIQUE INDEX" if unique else "INDEX"
    # By the driver, since `:` and `%` stand for values in SQLAlchemy's own texts.
    await connection.exec_driver_sql(f'CREATE {kind} "{name}" ON {graph}."{label}" (({of}))')


def keep_nodes(graph: str, kind: NodeKind) -> str:
    """Keeps nodes of one kind; the value is a list of their properties as JSON."""
    return (
        f'INSERT INTO {graph}."{vertex_label(kind)}" (properties) '
        f"SELECT {_AGTYPE.format('one')} FROM unnest(%s::text[]) AS given(one) "
        f"ON CONFLICT (({_ID})) DO UPDATE SET properties = EXCLUDED.properties"
    )


def keep_edges(graph: str, kind: EdgeKind, start: NodeKind, end: NodeKind) -> str:
    """Keeps edges of one kind between two kinds of nodes; the values are ids of starts and ends, and properties."""
    return (
        f'INSERT INTO {graph}."{edge_label(kind)}" (start_id, end_id, properties) '
        f"SELECT first.id, second.id, {_AGTYPE.format('one')} "
        "FROM unnest(%s::text[], %s::text[], %s::text[]) AS given(leads_from, leads_to, one) "
        f'JOIN {graph}."{vertex_label(start)}" first ON {_qualify_properties("first", _ID)} = '
        f"{_AGTYPE.format('leads_from')} "
        f'JOIN {graph}."{vertex_label(end)}" second ON {_qualify_properties("second", _ID)} = '
        f"{_AGTYPE.format('leads_to')} "
        f"ON CONFLICT (({_ID})) DO NOTHING"
    )


def drop_edges(graph: str, kind: EdgeKind) -> str:
    """Takes the edges of a run away and gives their properties; the value is the run's id as a JSON text."""
    return (
        f'DELETE FROM {graph}."{edge_label(kind)}" WHERE {_RUN} = {_AGTYPE.format("%s::text")} '
        "RETURNING properties::text"
    )


def drop_unheld(graph: str, kind: NodeKind) -> str:
    """Takes those of some nodes away that have no edge, and gives their ids; the value is a list of ids as JSON."""
    gone = f'{graph}."{vertex_label(kind)}"'
    held = f"SELECT FROM {graph}._ag_label_edge held WHERE held."
    return (
        f"DELETE FROM {gone} gone USING unnest(%s::text[]) AS given(one) "
        f"WHERE {_qualify_properties('gone', _ID)} = {_AGTYPE.format('one')} "
        f"AND NOT EXISTS ({held}start_id = gone.id) AND NOT EXISTS ({held}end_id = gone.id) RETURNING one"
    )


def _qualify_properties(table: str, expression: str) -> str:
    return expression.replace("(properties,", f"({table}.properties,")
