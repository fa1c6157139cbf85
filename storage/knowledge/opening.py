"""Which knowledge graph there is, by its URL: tables in the store, a server with Apache AGE, or none."""

from collections.abc import Callable
from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.storage.knowledge.age import AgeKnowledge
from elcano.storage.knowledge.age_server import AgeServer
from elcano.storage.knowledge.graph import KnowledgeGraph
from elcano.storage.knowledge.off import NoKnowledge
from elcano.storage.knowledge.tables import TableKnowledge

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
