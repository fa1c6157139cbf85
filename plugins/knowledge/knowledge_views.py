"""Requests and answers over the knowledge graph: counts, neighbours, paths and query rows."""

from collections.abc import Sequence

from pydantic import Field

from elcano.api.http.fields import Described
from elcano.graphs.frozen import Json, JsonObject
from elcano.plugins.knowledge.cypher import LONGEST
from elcano.plugins.knowledge.graph import (
    MOST_ROWS,
    EdgeKind,
    KnowledgeCounts,
    KnowledgeEdge,
    KnowledgeNode,
    Neighbour,
    NodeKind,
)


class KnowledgeView(Described):
    """How much is known."""

    nodes: dict[NodeKind, int]
    """How many there are of each kind."""
    edges: dict[EdgeKind, int]
    """How many there are of each kind."""
    cypher: bool
    """Whether openCypher can be asked."""

    @classmethod
    def of(cls, counts: KnowledgeCounts, *, cypher: bool) -> "KnowledgeView":
        """The counts of a graph."""
        return cls(nodes=counts.nodes, edges=counts.edges, cypher=cypher)


class NeighboursView(Described):
    """A page of a node's neighbours."""

    neighbours: tuple[Neighbour, ...]
    """In the order of the edges' ids."""
    next: str | None
    """Ask with it as `after` for the next page; null: this is the last one."""

    @classmethod
    def of(cls, found: Sequence[Neighbour], limit: int) -> "NeighboursView":
        """Builds a page from a search that asked for one more than `limit`."""
        return cls(neighbours=tuple(found[:limit]), next=found[limit - 1].edge.id if len(found) > limit else None)


class PathView(Described):
    """One way from a node to another."""

    nodes: tuple[KnowledgeNode, ...]
    """From the one to the other, both included."""
    edges: tuple[KnowledgeEdge, ...]
    """Between them, one less than there are nodes; each may lead either way."""


class PathsView(Described):
    """The shortest ways from a node to another."""

    paths: tuple[PathView, ...]
    """All of one length; empty: none is that short."""
    complete: bool
    """False: more was there than is looked at, so there may be others."""


class CypherRequest(Described):
    """A query in openCypher that reads."""

    query: str = Field(
        min_length=1, max_length=LONGEST, examples=["MATCH (a:Author)<-[:WRITTEN_BY]-(d) RETURN a.name, count(d)"]
    )
    """Labels are `Run`, `Document`, `Author`, `Entity`, `Claim`, `Trial`, `Table` and `Column`; edges have their kinds
    in capitals. Properties are those that nodes and edges have in this API."""
    columns: tuple[str, ...] = Field(max_length=20, examples=[["author", "documents"]])
    """A name for each value that RETURN gives."""
    parameters: JsonObject = Field(default={}, examples=[{}])
    """The values of `$name` in the query."""
    limit: int = Field(default=100, ge=1, le=MOST_ROWS, examples=[100])
    """Rows at most."""


class CypherView(Described):
    """The rows of a query."""

    columns: tuple[str, ...]
    """The requested columns."""
    rows: tuple[tuple[Json, ...], ...]
    """Nodes and edges come as objects."""
