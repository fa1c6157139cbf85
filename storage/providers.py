"""The stored state of providers: one row each, without a tenant, because all tenants' calls go to the same services.

Every change is a transaction of its own that waits for others of the same provider, so concurrent workers get different
turns. The time is the database server's if it has one, so workers need no common clock.
"""

import time
from collections.abc import Callable
from typing import Final, TypeVar

from sqlalchemy import bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from elcano.graphs.providers import Provider, adjust_to_clock
from elcano.storage.sql.dialect import begin_exclusive, connect_in_autocommit, insert_or_replace
from elcano.storage.sql.tables import providers

Result = TypeVar("Result")


class ProviderStore:
    """The rows of all providers."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def get(self, name: str) -> tuple[Provider, float]:
        """A provider and the time; one of which nothing is kept is as if nothing had ever happened."""
        async with connect_in_autocommit(self._engine) as connection:
            return await _load_provider(connection, name)

    async def all(self) -> tuple[dict[str, Provider], float]:
        """Every provider of which something is kept, by name, and the time."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(select(providers.c.name, providers.c.body))
            found = {name: Provider.model_validate_json(body) for name, body in rows}
            now = await _read_database_clock(connection)
            return {name: adjust_to_clock(provider, now) for name, provider in found.items()}, now

    async def change(self, name: str, changed: Callable[[Provider, float], tuple[Provider, Result]]) -> Result:
        """Stores the state that `changed` returns for a provider at the current time, and returns its other result."""
        async with self._engine.connect() as connection:
            await begin_exclusive(connection, f"provider {name}")
            before, now = await _load_provider(connection, name)
            after, result = changed(before, now)
            if after != before:
                row = {"name": name, "body": after.model_dump_json()}
                await connection.execute(insert_or_replace(connection, providers).values(row))
            await connection.commit()
        return result


_CLOCK: Final = func.extract("epoch", func.clock_timestamp())
"""Seconds since the epoch by the server."""
_BODY: Final = select(providers.c.body).where(providers.c.name == bindparam("name"))
_BODY_AND_CLOCK: Final = select(_BODY.scalar_subquery(), _CLOCK)


async def _load_provider(connection: AsyncConnection, name: str) -> tuple[Provider, float]:
    """A provider and the time, by one statement: every request to a model waits for it."""
    if connection.dialect.name == "sqlite":
        found, now = await connection.scalar(_BODY, {"name": name}), time.time()
    else:
        found, now = (await connection.execute(_BODY_AND_CLOCK, {"name": name})).one()
    if found is None:
        return Provider(), float(now)
    return adjust_to_clock(Provider.model_validate_json(found), float(now)), float(now)


async def _read_database_clock(connection: AsyncConnection) -> float:
    """Seconds since the epoch. A file is used by processes of one machine, which have one clock."""
    if connection.dialect.name == "sqlite":
        return time.time()
    return float(await connection.scalar(select(_CLOCK)) or 0.0)
