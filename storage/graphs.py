"""Graphs of a tenant's own, by name and version. A version never changes: what is kept under a name again is the next.

What is the same as the latest version is that version, so that a graph that is sent twice is kept once. Numbers go on
after a deletion: no two graphs ever had the same name and number.
"""

import time
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Select, delete, func, select, update

from elcano.graphs.errors import TooManyGraphs
from elcano.graphs.frozen import Frozen
from elcano.graphs.spec.graph import ResearchGraph
from elcano.storage.bound import Bound
from elcano.storage.sql.dialect import alone
from elcano.storage.sql.tables import graphs

MOST_GRAPHS: Final = 500
"""Of one tenant: a list that a person can read."""
MOST_VERSIONS: Final = 1_000
"""Of one graph. Who makes more of them keeps data in graphs."""


class GraphVersion(Frozen):
    """One version of a graph of a tenant's own."""

    version: int
    """From 1; each is one more than the one before."""
    at: float
    """When it was kept, in seconds since the epoch."""
    graph: ResearchGraph


class GraphStore(Bound):
    """The graphs of one tenant."""

    async def keep(self, graph: ResearchGraph) -> tuple[GraphVersion, bool]:
        """Keeps a graph under its name; with it comes whether that made a new version.

        Those who keep graphs of one name at once get versions of their own.

        Raises:
            TooManyGraphs: the tenant has as many graphs, or the graph as many versions, as may be.
        """
        body = graph.model_dump_json()
        row = self._row(name=graph.name, body_hash=sha256(body.encode()).hexdigest(), at=time.time(), body=body)
        latest = self._select(graphs).where(graphs.c.name == graph.name).order_by(graphs.c.version.desc()).limit(1)
        there = select(func.count(graphs.c.name.distinct())).where(self._own(graphs), graphs.c.body != "")
        async with self._engine.connect() as connection:
            await alone(connection, f"graphs {self._tenant}")
            before = (await connection.execute(latest)).one_or_none()
            if before is not None and before.body and before.body_hash == row["body_hash"]:
                return GraphVersion(version=before.version, at=before.at, graph=graph), False
            if (before is None or not before.body) and (await connection.scalar(there) or 0) >= MOST_GRAPHS:
                raise TooManyGraphs(f"there are {MOST_GRAPHS} graphs, and no more may be kept: delete one first")
            version = 1 if before is None else before.version + 1
            if version > MOST_VERSIONS:
                raise TooManyGraphs(f"{graph.name!r} has had {MOST_VERSIONS} versions: keep it under another name")
            await connection.execute(graphs.insert().values(**row, version=version))
            await connection.commit()
        return GraphVersion(version=version, at=row["at"], graph=graph), True

    async def get(self, name: str, version: int | None = None) -> GraphVersion | None:
        """A version of a graph, the latest if none is named; None if there is none."""
        wanted = self._kept().where(graphs.c.name == name)
        if version is not None:
            wanted = wanted.where(graphs.c.version == version)
        found = await self._read(wanted.order_by(graphs.c.version.desc()).limit(1))
        return found[0] if found else None

    async def all(self) -> list[GraphVersion]:
        """The latest version of each graph, by name."""
        newest = select(graphs.c.name, func.max(graphs.c.version).label("version")).where(self._own(graphs))
        last = newest.group_by(graphs.c.name).subquery()
        wanted = self._kept().join(last, (graphs.c.name == last.c.name) & (graphs.c.version == last.c.version))
        return await self._read(wanted.order_by(graphs.c.name))

    async def versions(self, name: str) -> list[tuple[int, float]]:
        """The number of every version of a graph and when it was kept, the latest first; none if there is no graph."""
        wanted = select(graphs.c.version, graphs.c.at).where(
            self._own(graphs), graphs.c.name == name, graphs.c.body != ""
        )
        async with self._engine.connect() as connection:
            rows = await connection.execute(wanted.order_by(graphs.c.version.desc()))
            return [(row.version, row.at) for row in rows]

    async def delete(self, name: str) -> bool:
        """Deletes a graph with all its versions; False if there is none. Runs keep the graph that they walk."""
        mine = (self._own(graphs), graphs.c.name == name)
        async with self._engine.connect() as connection:
            await alone(connection, f"graphs {self._tenant}")
            last = await connection.scalar(select(func.max(graphs.c.version)).where(*mine, graphs.c.body != ""))
            if last is None:
                return False
            await connection.execute(delete(graphs).where(*mine, graphs.c.version < last))
            await connection.execute(update(graphs).where(*mine).values(body=""))
            await connection.commit()
        return True

    def _kept(self) -> Select[Any]:
        """Versions that were not deleted."""
        return self._select(graphs).where(graphs.c.body != "")

    async def _read(self, wanted: Select[Any]) -> list[GraphVersion]:
        async with self._engine.connect() as connection:
            rows = (await connection.execute(wanted)).all()
        return [
            GraphVersion(version=row.version, at=row.at, graph=ResearchGraph.model_validate_json(row.body))
            for row in rows
        ]
