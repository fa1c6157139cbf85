"""Named, versioned documents of a tenant. A version never changes: storing under a name again makes the next one.

What is the same as the latest version is that version, so that what is sent twice is kept once. Numbers go on after a
deletion: no two things ever had the same name and number.
"""

import time
from hashlib import sha256
from typing import Any, NamedTuple

from sqlalchemy import Select, Table, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.storage.sql.dialect import begin_exclusive
from elcano.storage.tenant_store import TenantBound


class Version(NamedTuple):
    """One version, as it is kept."""

    number: int
    """From 1; each is one more than the one before."""
    at: float
    """When it was kept, in seconds since the epoch."""
    body: str


class TooManyVersions(Exception):
    """As many names, or versions of one, are kept as may be; `names` says which."""

    def __init__(self, *, names: bool) -> None:
        self.names = names
        super().__init__()


class Versions(TenantBound):
    """The versions that one tenant has in one table: `tenant`, `name`, `version`, `body_hash`, `at`, `body`.

    Of what was deleted the last version stays without its body, so that its number is known.
    """

    def __init__(self, engine: AsyncEngine, tenant: str, table: Table) -> None:
        super().__init__(engine, tenant)
        self._table = table

    async def keep_body(self, name: str, body: str, most: int, most_versions: int) -> tuple[Version, bool]:
        """Keeps a body under a name, of `most` in all, with so many versions; with it comes whether it is a new one.

        Those who keep under one name at once get versions of their own.

        Raises:
            TooManyVersions: there are as many as may be.
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
            if (before is None or not before.body) and (await connection.scalar(there) or 0) >= most:
                raise TooManyVersions(names=True)
            version = 1 if before is None else before.version + 1
            if version > most_versions:
                raise TooManyVersions(names=False)
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
