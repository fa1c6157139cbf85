"""Which knowledge graph there is, by its URL: tables in the store, a server with Apache AGE, or none."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.storage.knowledge.age import AgeKnowledge
from elcano.storage.knowledge.age_server import AgeServer
from elcano.storage.knowledge.graph import KnowledgeGraph, NoKnowledge
from elcano.storage.knowledge.table_graph import TableKnowledge
from elcano.storage.sql.engine import database_url, open_engine

TABLES: Final = "tables"


def knowledge_of(url: str, engine: AsyncEngine, age: AsyncEngine | None) -> Callable[[str], KnowledgeGraph]:
    """Gives the graph of each tenant.

    Args:
        url: `tables`, empty for none, or that of a server.
        engine: Of the store.
        age: Of the server that `url` names, if it names one.
    """
    if age is not None:
        server = AgeServer(age)
        return lambda tenant: AgeKnowledge(server, tenant)
    if url == TABLES:
        return lambda tenant: TableKnowledge(engine, tenant)
    return lambda tenant: NoKnowledge()


async def age_version(url: str) -> str | None:
    """Which Apache AGE the server at `url` has, of which nothing is changed; None: it has none to install.

    Raises:
        sqlalchemy.exc.DBAPIError: the server cannot be reached, or refuses.
    """
    engine = open_engine(database_url(url, Path()))
    try:
        async with engine.connect() as connection:
            found = (
                "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'age'"
            )
            version: str | None = await connection.scalar(text(found))
            return version
    finally:
        await engine.dispose()
