"""Which knowledge graph there is, by its URL: tables in the store, a server with Apache AGE, or none."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.plugins.knowledge.age import AgeKnowledge
from elcano.plugins.knowledge.age_server import AgeServer
from elcano.plugins.knowledge.graph import KnowledgeGraph, NoKnowledge
from elcano.plugins.knowledge.table_graph import TableKnowledge
from elcano.redaction import without_secrets
from elcano.settings.plugins import Finding
from elcano.settings.settings import Settings, get_variable_name
from elcano.storage.sql.engine import database_url, open_engine
from elcano.storage.store import TenantStore

TABLES: Final = "tables"


class KnowledgeStore:
    """The knowledge graphs of all tenants."""

    def __init__(self, engine: AsyncEngine, settings: Settings) -> None:
        """`engine`: of the store's database."""
        url = settings.knowledge
        self._engine = engine
        self._url = url
        self._age = open_engine(database_url(url, Path())) if url.startswith("postgresql") else None
        self._server = AgeServer(self._age) if self._age is not None else None

    def of(self, tenant: str) -> KnowledgeGraph:
        """The graph of one tenant."""
        if self._server is not None:
            return AgeKnowledge(self._server, tenant)
        return TableKnowledge(self._engine, tenant) if self._url == TABLES else NoKnowledge()

    async def delete_run(self, tenant: str, run_id: str) -> None:
        """Takes a run away, also what it left in the tables before the graph was kept elsewhere, or nowhere."""
        await self.of(tenant).delete_run(run_id)
        if self._url != TABLES:
            await TableKnowledge(self._engine, tenant).delete_run(run_id)

    async def close(self) -> None:
        """Ends the connections to a server of its own."""
        if self._age is not None:
            await self._age.dispose()


def get_graph(store: TenantStore) -> KnowledgeGraph:
    """The graph of a tenant's store."""
    graph: KnowledgeGraph = store.beside["knowledge"]
    return graph


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


def check_knowledge_graph(chosen: Settings) -> Iterable[Finding]:
    """Whether the server of the knowledge graph can be reached and has Apache AGE."""
    if not chosen.knowledge.startswith("postgresql"):
        return
    place = without_secrets(chosen.knowledge)
    try:
        version = asyncio.run(age_version(chosen.knowledge))
    except (DBAPIError, OSError) as error:
        text = f"the knowledge graph at {place} cannot be reached: {without_secrets(str(error))}"
        yield Finding("fault", text, f"correct {get_variable_name('knowledge')}, or start its server")
        return
    if version is None:
        text = f"the server of the knowledge graph at {place} does not have Apache AGE"
        yield Finding("fault", text, f"install AGE there, or set {get_variable_name('knowledge')} to `tables`")
    else:
        yield Finding("good", f"knowledge graph at {place}: Apache AGE {version}")
