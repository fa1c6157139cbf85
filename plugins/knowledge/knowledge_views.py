"""Response models for the knowledge graph: nodes, neighbours, paths and query rows."""

from collections.abc import Sequence

from pydantic import Field

from elcano.api.http.fields import Described
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.report.statements import Support
from elcano.plugins.knowledge.cypher import LONGEST
from elcano.plugins.knowledge.graph import (
    MOST_ROWS,
    EdgeKind,
    Hit,
    KnowledgeCounts,
    KnowledgeEdge,
    KnowledgeNode,
    Neighbour,
    NodeKind,
)


class NodeView(Described):
    """One thing that runs found."""

    id: str = Field(examples=["document-9d5ec0e3c6dfe75f897259c3"])
    """Its name in this API."""
    kind: NodeKind
    """The kind of the node."""
    key: str = Field(examples=["doi:10.1000/1"])
    """What makes it the same wherever it is found."""
    name: str = Field(examples=["Aspirin in the primary prevention of stroke"])
    """What people call it."""
    text: str
    """The whole text of a claim."""
    url: str
    """Where a person reads it; empty: not known."""
    year: int | None
    """When it was published; null: not known."""

    @classmethod
    def of(cls, node: KnowledgeNode) -> "NodeView":
        """A node."""
        return cls.model_validate(node.model_dump())


class EdgeView(Described):
    """One connection, as one run found it."""

    id: str
    """Its name."""
    kind: EdgeKind
    """The relation of the node that it leads from."""
    start: str
    """The node that it leads from."""
    end: str
    """The node that it leads to."""
    run: str = Field(examples=["run-01k7"])
    """The run that found it."""
    evidence: str
    """The passage that it rests on, as `GET /v1/runs/{run_id}/evidence` has it; empty: none."""
    support: Support
    """For `stated` and `cites`: whether the quotes support the claim."""

    @classmethod
    def of(cls, edge: KnowledgeEdge) -> "EdgeView":
        """An edge."""
        return cls.model_validate(edge.model_dump())


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


class HitView(Described):
    """A node that was found by words."""

    node: NodeView
    """The node."""
    score: float = Field(examples=[0.8])
    """The share of the words asked for that it has, rare ones weighing more."""

    @classmethod
    def of(cls, hit: Hit) -> "HitView":
        """A hit."""
        return cls(node=NodeView.of(hit.node), score=round(hit.score, 4))


class NeighbourView(Described):
    """A node beside another one."""

    edge: EdgeView
    """What connects them."""
    node: NodeView
    """The other one."""


class NeighboursView(Described):
    """A page of a node's neighbours."""

    neighbours: tuple[NeighbourView, ...]
    """In the order of the edges' ids."""
    next: str | None
    """Ask with it as `after` for the next page; null: this is the last one."""

    @classmethod
    def of(cls, found: Sequence[Neighbour], limit: int) -> "NeighboursView":
        """Builds a page from a search that asked for one more than `limit`."""
        shown = [NeighbourView(edge=EdgeView.of(one.edge), node=NodeView.of(one.node)) for one in found[:limit]]
        return cls(neighbours=tuple(shown), next=found[limit - 1].edge.id if len(found) > limit else None)


class PathView(Described):
    """One way from a node to another."""

    nodes: tuple[NodeView, ...]
    """From the one to the other, both included."""
    edges: tuple[EdgeView, ...]
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
