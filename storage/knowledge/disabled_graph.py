"""The disabled knowledge graph: writes are ignored, and reads are refused with an explanation."""

from collections.abc import Sequence
from typing import NoReturn

from elcano.graphs.errors import KnowledgeDisabled
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.report.knowledge_graph import EdgeKind, KnowledgeCounts, KnowledgeEdge, KnowledgeNode, NodeKind
from elcano.storage.knowledge.graph import MOST_ROWS, Hit, Neighbour


class NoKnowledge:
    """A knowledge graph that was switched off."""

    cypher_spoken = False

    async def upsert(
        self, nodes: Sequence[KnowledgeNode], edges: Sequence[KnowledgeEdge], *, replacing: str = ""
    ) -> None:
        """Keeps nothing."""

    async def delete_run(self, run: str) -> None:
        """There is nothing."""

    async def nodes(self, ids: Sequence[str]) -> list[KnowledgeNode]:
        """Refused."""
        _refuse_knowledge()

    async def neighbours(
        self, id: str, *, kinds: Sequence[EdgeKind] = (), limit: int, after: str = ""
    ) -> list[Neighbour]:
        """Refused."""
        _refuse_knowledge()

    async def edges(self, ids: Sequence[str], limit: int) -> list[KnowledgeEdge]:
        """Refused."""
        _refuse_knowledge()

    async def search(self, words: str, *, kinds: Sequence[NodeKind] = (), limit: int) -> list[Hit]:
        """Refused."""
        _refuse_knowledge()

    async def counts(self) -> KnowledgeCounts:
        """Refused."""
        _refuse_knowledge()

    async def cypher(
        self, query: str, columns: Sequence[str], parameters: JsonObject, *, limit: int = MOST_ROWS
    ) -> list[list[Json]]:
        """Refused."""
        _refuse_knowledge()


def _refuse_knowledge() -> NoReturn:
    raise KnowledgeDisabled(
        "there is no knowledge graph here: set ELCANO_KNOWLEDGE to `tables`, or to PostgreSQL with AGE"
    )
