"""A tenant's custom graphs and agents, by name and version.

A version never changes: storing under the same name creates the next one. Content equal to the latest version is that
version, so that a repeated request stores it once. Numbers continue after a deletion: no two objects ever had the same
name and number.
"""

import time
from hashlib import sha256
from typing import Any, Final, NamedTuple

from sqlalchemy import Select, Table, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.graphs.errors import TooManyAgents, TooManyGraphs
from elcano.graphs.frozen import Frozen
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.own_agent import OwnAgent
from elcano.storage.sql.dialect import begin_exclusive
from elcano.storage.sql.tables import agents, graphs
from elcano.storage.tenant_store import TenantBound


class Version(NamedTuple):
    """One version, as it is stored."""

    number: int
    """From 1; each is one more than the one before."""
    at: float
    """When it was kept, in seconds since the epoch."""
    body: str


MOST_NAMES: Final = 500
"""Graphs, or agents, of one tenant: a list that a person can read."""
MOST_VERSIONS: Final = 1_000
"""Maximum number of versions per name; anyone who needs more stores data in graphs."""


class Versions(TenantBound):
    """The versions that one tenant has in one table: `tenant`, `name`, `version`, `body_hash`, `at`, `body`.

    Of what was deleted the last version stays without its body, so that its number is known.
    """

    def __init__(self, engine: AsyncEngine, tenant: str, table: Table) -> None:
        super().__init__(engine, tenant)
        self._table = table

    async def keep_body(self, name: str, body: str, refusal: type[Exception]) -> tuple[Version, bool]:
        """Keeps a body under a name; with it comes whether it is a new version.

        Those who keep under one name at once get versions of their own.

        Raises:
            Exception: a `refusal`, where there are as many names, or versions of this one, as may be.
        """
        table = self._table
        row = self._row(name=name, body_hash=sha256(body.encode()).hexdigest(), at=time.time(), body=body)
        latest = self._select(table).where(table.c.name == name).order_by(table.c.version.desc()).limit(1)
        there = select(func.count(table.c.name.distinct())).where(self._own(table), table.c.body != "")
        async with self._engine.connect() as connection:
            await begin_exclusive(connection, f"{table.name} {self._tenant}")
            before = (await connection.execute(latest)).one_or_none()
            if before is not None and before.body and before.body_hash == row["body_hash"]:
                return Version(before.version, before.at, body), False
            if (before is None or not before.body) and (await connection.scalar(there) or 0) >= MOST_NAMES:
                raise refusal(f"there are {MOST_NAMES} {table.name}, and no more may be kept: delete one first")
            version = 1 if before is None else before.version + 1
            if version > MOST_VERSIONS:
                raise refusal(f"{name!r} has had {MOST_VERSIONS} versions: keep it under another name")
            await connection.execute(table.insert().values(**row, version=version))
            await connection.commit()
        return Version(version, row["at"], body), True

    async def find(self, name: str, version: int | None = None) -> Version | None:
        """A version, the latest if none is named; None if there is none."""
        wanted = self._kept().where(self._table.c.name == name)
        if version is not None:
            wanted = wanted.where(self._table.c.version == version)
        found = await self._read(wanted.order_by(self._table.c.version.desc()).limit(1))
        return found[0] if found else None

    async def newest(self) -> list[Version]:
        """The latest version of each, by name."""
        table = self._table
        newest = select(table.c.name, func.max(table.c.version).label("version")).where(self._own(table))
        last = newest.group_by(table.c.name).subquery()
        wanted = self._kept().join(last, (table.c.name == last.c.name) & (table.c.version == last.c.version))
        return await self._read(wanted.order_by(table.c.name))

    async def versions(self, name: str) -> list[tuple[int, float]]:
        """The number of every version of a name and when it was kept, the latest first; none if there is no such."""
        table = self._table
        wanted = select(table.c.version, table.c.at).where(self._own(table), table.c.name == name, table.c.body != "")
        async with self._engine.connect() as connection:
            rows = await connection.execute(wanted.order_by(table.c.version.desc()))
            return [(row.version, row.at) for row in rows]

    async def delete(self, name: str) -> bool:
        """Deletes a name with all its versions; False if there is none. Users of a version carry their own copy."""
        table = self._table
        mine = (self._own(table), table.c.name == name)
        async with self._engine.connect() as connection:
            await begin_exclusive(connection, f"{table.name} {self._tenant}")
            last = await connection.scalar(select(func.max(table.c.version)).where(*mine, table.c.body != ""))
            if last is None:
                return False
            await connection.execute(delete(table).where(*mine, table.c.version < last))
            await connection.execute(update(table).where(*mine).values(body=""))
            await connection.commit()
        return True

    def _kept(self) -> Select[Any]:
        """Versions that were not deleted."""
        return self._select(self._table).where(self._table.c.body != "")

    async def _read(self, wanted: Select[Any]) -> list[Version]:
        async with self._engine.connect() as connection:
            rows = (await connection.execute(wanted)).all()
        return [Version(row.version, row.at, row.body) for row in rows]


class GraphVersion(Frozen):
    """One version of a tenant's custom graph."""

    version: int
    """From 1; each is one more than the one before."""
    at: float
    """When it was kept, in seconds since the epoch."""
    graph: ResearchGraph


class GraphStore(Versions):
    """The graphs of one tenant."""

    def __init__(self, engine: AsyncEngine, tenant: str) -> None:
        super().__init__(engine, tenant, graphs)

    async def keep(self, graph: ResearchGraph) -> tuple[GraphVersion, bool]:
        """Keeps a graph under its name; with it comes whether that made a new version.

        Raises:
            TooManyGraphs: the tenant has as many graphs, or the graph as many versions, as may be.
        """
        kept, new = await self.keep_body(graph.name, graph.model_dump_json(), TooManyGraphs)
        return GraphVersion(version=kept.number, at=kept.at, graph=graph), new

    async def get(self, name: str, version: int | None = None) -> GraphVersion | None:
        """A version of a graph, the latest if none is named; None if there is none."""
        found = await self.find(name, version)
        return None if found is None else _build_graph_version(found)

    async def all(self) -> list[GraphVersion]:
        """The latest version of each graph, by name."""
        return [_build_graph_version(found) for found in await self.newest()]


def _build_graph_version(kept: Version) -> GraphVersion:
    return GraphVersion(version=kept.number, at=kept.at, graph=ResearchGraph.model_validate_json(kept.body))


class AgentVersion(Frozen):
    """One version of a tenant's custom agent."""

    version: int
    """From 1; each is one more than the one before."""
    at: float
    """When it was kept, in seconds since the epoch."""
    agent: OwnAgent

    @property
    def key(self) -> str:
        """The key by which nodes call this version."""
        return f"{self.agent.name}@{self.version}"


class AgentStore(Versions):
    """The agents of one tenant."""

    def __init__(self, engine: AsyncEngine, tenant: str) -> None:
        super().__init__(engine, tenant, agents)

    async def keep(self, agent: OwnAgent) -> tuple[AgentVersion, bool]:
        """Keeps an agent under its name; with it comes whether that made a new version.

        Raises:
            TooManyAgents: the tenant has as many agents, or the agent as many versions, as may be.
        """
        kept, new = await self.keep_body(agent.name, agent.model_dump_json(), TooManyAgents)
        return AgentVersion(version=kept.number, at=kept.at, agent=agent), new

    async def get(self, name: str, version: int | None = None) -> AgentVersion | None:
        """A version of an agent, the latest if none is named; None if there is none."""
        found = await self.find(name, version)
        return None if found is None else _build_agent_version(found)

    async def all(self) -> list[AgentVersion]:
        """The latest version of each agent, by name."""
        return [_build_agent_version(found) for found in await self.newest()]


def _build_agent_version(kept: Version) -> AgentVersion:
    return AgentVersion(version=kept.number, at=kept.at, agent=OwnAgent.model_validate_json(kept.body))
