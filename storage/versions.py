"""A tenant's custom graphs and agents, by name and version.

A version never changes: storing under the same name creates the next one. Content equal to the latest version is that
version, so that a repeated request stores it once. Numbers continue after a deletion: no two objects ever had the same
name and number.
"""

import time
from hashlib import sha256
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import Select, Table, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.graphs.frozen import Frozen
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.own_agent import OwnAgent, VersionedName
from elcano.storage.sql.dialect import begin_exclusive
from elcano.storage.sql.rows import TenantBound

Item = TypeVar("Item", ResearchGraph, OwnAgent)


class Version(Frozen, Generic[Item]):
    """One version of a tenant's custom graph or agent."""

    version: int
    """From 1; each is one more than the one before."""
    at: float
    """When it was kept, in seconds since the epoch."""
    item: Item

    @property
    def key(self) -> str:
        """The name by which nodes and requests refer to this version."""
        return f"{self.item.name}@{self.version}"


MOST_NAMES: Final = 500
"""Graphs, or agents, of one tenant: a list that a person can read."""
MOST_VERSIONS: Final = 1_000
"""Maximum number of versions per name; anyone who needs more stores data in graphs."""


class VersionStore(TenantBound, Generic[Item]):
    """The versions that one tenant has in one table: `tenant`, `name`, `version`, `body_hash`, `at`, `body`.

    Of what was deleted the last version stays without its body, so that its number is known.
    """

    def __init__(
        self, engine: AsyncEngine, tenant: str, table: Table, model: type[Item], refusal: type[Exception]
    ) -> None:
        """`refusal` is raised where there are as many names, or versions of one, as may be."""
        super().__init__(engine, tenant)
        self._table = table
        self._model: type[Item] = model
        self._refusal = refusal

    async def keep(self, item: Item) -> tuple[Version[Item], bool]:
        """Keeps an item under its name; with it comes whether that made a new version.

        Those who keep under one name at once get versions of their own.

        Raises:
            TooManyGraphs, TooManyAgents: there are as many names, or versions of this one, as may be.
        """
        table, refusal, name, body = self._table, self._refusal, item.name, item.model_dump_json()
        row = self._row(name=name, body_hash=sha256(body.encode()).hexdigest(), at=time.time(), body=body)
        latest = self._select(table).where(table.c.name == name).order_by(table.c.version.desc()).limit(1)
        there = select(func.count(table.c.name.distinct())).where(self._own(table), table.c.body != "")
        async with self._engine.connect() as connection:
            await begin_exclusive(connection, f"{table.name} {self._tenant}")
            before = (await connection.execute(latest)).one_or_none()
            if before is not None and before.body and before.body_hash == row["body_hash"]:
                return Version(version=before.version, at=before.at, item=item), False
            if (before is None or not before.body) and (await connection.scalar(there) or 0) >= MOST_NAMES:
                raise refusal(f"there are {MOST_NAMES} {table.name}, and no more may be kept: delete one first")
            version = 1 if before is None else before.version + 1
            if version > MOST_VERSIONS:
                raise refusal(f"{name!r} has had {MOST_VERSIONS} versions: keep it under another name")
            await connection.execute(table.insert().values(**row, version=version))
            await connection.commit()
        return Version(version=version, at=row["at"], item=item), True

    async def get(self, name: str, version: int | None = None) -> Version[Item] | None:
        """A version, the latest if none is named; None if there is none."""
        wanted = self._kept().where(self._table.c.name == name)
        if version is not None:
            wanted = wanted.where(self._table.c.version == version)
        found = await self._read(wanted.order_by(self._table.c.version.desc()).limit(1))
        return found[0] if found else None

    async def get_named(self, text: str) -> Version[Item] | None:
        """The version that `text` names, such as `mine` or `mine@2`; None if there is none."""
        named = VersionedName.parse(text)
        return None if named is None else await self.get(*named)

    async def all(self) -> list[Version[Item]]:
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

    async def _read(self, wanted: Select[Any]) -> list[Version[Item]]:
        async with self._engine.connect() as connection:
            rows = (await connection.execute(wanted)).all()
        return [Version(version=row.version, at=row.at, item=self._model.model_validate_json(row.body)) for row in rows]
