"""The interface of knowledge graphs, whatever the backend. It is bound to one tenant and reaches nothing of another.

Everything is bounded: how many edges of a node are told, how long a path may be, how many rows a query gives.
"""

from collections.abc import Sequence
from typing import Final, NoReturn, Protocol

from elcano.graphs.errors import KnowledgeDisabled
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.report.knowledge_graph import EdgeKind, KnowledgeCounts, KnowledgeEdge, KnowledgeNode, NodeKind

MOST_ROWS: Final = 1_000
"""Rows of one openCypher query."""
BATCH: Final = 500
"""Rows in one statement."""


class Neighbour(Frozen):
    """A node beside another one, and the edge between them."""

    edge: KnowledgeEdge
    node: KnowledgeNode


class Hit(Frozen):
    """A node that was found by words."""

    node: KnowledgeNode
    score: float
    """The share of the words asked for that it has, rare ones weighing more: 0 to 1; 1 also if they are its key."""


class KnowledgeGraph(Protocol):
    """What runs of one tenant found."""

    @property
    def cypher_spoken(self) -> bool:
        """Whether `cypher` can be asked."""
        ...

    async def upsert(
        self, nodes: Sequence[KnowledgeNode], edges: Sequence[KnowledgeEdge], *, replacing: str = ""
    ) -> None:
        """Keeps nodes and edges, all or none; doing it twice, or two at once, changes nothing more.

        A node that is there is described as it is described last. What the run `replacing` left before goes in the same
        step: whoever reads, and whatever breaks off, finds the old part or the new one.

        Raises:
            ValueError: an edge leads from or to a node that is neither given nor kept.
        """
        ...

    async def nodes(self, ids: Sequence[str]) -> list[KnowledgeNode]:
        """Returns the nodes with these ids, in this order; ids without a node are left out."""
        ...

    async def neighbours(
        self, id: str, *, kinds: Sequence[EdgeKind] = (), limit: int, after: str = ""
    ) -> list[Neighbour]:
        """Returns the neighbours of a node in both directions, ordered by edge id; at most `limit`.

        Args:
            id: The node; of one that is not kept there are none.
            kinds: Only edges of these kinds; empty: of all.
            limit: How many at most.
            after: Only edges whose ids come after this one: the next page.
        """
        ...

    async def edges(self, ids: Sequence[str], limit: int) -> list[KnowledgeEdge]:
        """Edges from or to any of these nodes, each once, at most `limit`."""
        ...

    async def search(self, words: str, *, kinds: Sequence[NodeKind] = (), limit: int) -> list[Hit]:
        """Nodes that have some of these words, or have them for their key; the best first."""
        ...

    async def counts(self) -> KnowledgeCounts:
        """How many nodes and edges of each kind there are."""
        ...

    async def delete_run(self, run: str) -> None:
        """Takes away the edges of a run, and the nodes that have no edge left; of a run that is unknown nothing."""
        ...

    async def cypher(
        self, query: str, columns: Sequence[str], parameters: JsonObject, *, limit: int = MOST_ROWS
    ) -> list[list[Json]]:
        """The rows that an openCypher query gives, which can only read; at most `limit`.

        Args:
            query: It may call `MATCH`, `RETURN` and the like; see `storage.knowledge.cypher`.
            columns: A name for each value that it returns.
            parameters: What it calls `$name`.
            limit: Rows at most; 1,000 is the most that is given.

        Raises:
            CypherRefused: it cannot be run, or not here; the text says why.
        """
        ...


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
