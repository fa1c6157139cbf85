"""The knowledge graph: what runs of a tenant found, by words, by node, by path and, in Apache AGE, by openCypher."""

from collections.abc import Mapping, Sequence
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Path, Query
from pydantic import Field

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided
from elcano.graphs.errors import CypherRefused, KnowledgeDisabled
from elcano.graphs.frozen import Json, JsonObject
from elcano.service.errors import NodeNotFound, StoreUnavailable
from elcano.service.fields import CURSOR, Described
from elcano.subjects.knowledge.cypher import LONGEST
from elcano.subjects.knowledge.graph import (
    LONGEST_PATH,
    MOST_ROWS,
    NODE_ID,
    EdgeKind,
    Hit,
    KnowledgeEdge,
    KnowledgeGraph,
    KnowledgeNode,
    Neighbour,
    NodeKind,
    find_shortest_paths,
)
from elcano.subjects.knowledge.knowledge_store import get_graph


class KnowledgeView(Described):
    """Size of the graph."""

    nodes: dict[NodeKind, int]
    """Number of nodes of each kind."""
    edges: dict[EdgeKind, int]
    """Number of edges of each kind."""
    cypher: bool
    """Whether openCypher can be asked."""


class NeighboursView(Described):
    """A page of a node's neighbours."""

    neighbours: tuple[Neighbour, ...]
    """In the order of the edges' ids."""
    next: str | None
    """Pass it as `cursor` for the next page; null on the last one."""


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


async def required_node(id: str, graph: KnowledgeGraph) -> KnowledgeNode:
    """The node with this id.

    Raises:
        NodeNotFound: there is none.
    """
    found = await graph.nodes([id])
    if not found:
        raise NodeNotFound(f"nothing is known under {id!r}; `GET /v1/knowledge/search?q=` finds nodes by words")
    return found[0]


def _build_path_view(start: str, edges: Sequence[KnowledgeEdge], nodes: Mapping[str, KnowledgeNode]) -> PathView:
    at, passed = start, [start]
    for edge in edges:
        at = edge.end if edge.start == at else edge.start
        passed.append(at)
    return PathView(nodes=tuple(nodes[id] for id in passed), edges=tuple(edges))


NodeNamed: TypeAlias = Annotated[
    str, Path(pattern=NODE_ID, description="A node's id.", examples=["document-9d5ec0e3c6dfe75f897259c3"])
]

router = APIRouter(
    prefix="/v1/knowledge",
    tags=["knowledge"],
    dependencies=[requires("read_knowledge")],
    responses=problem_docs(KnowledgeDisabled, StoreUnavailable),
)


@router.get("")
async def get_knowledge(services: Provided) -> KnowledgeView:
    """Read how much is known: nodes and edges by their kinds."""
    graph = get_graph(services.store)
    counts = await graph.counts()
    return KnowledgeView(nodes=counts.nodes, edges=counts.edges, cypher=graph.cypher_spoken)


@router.get("/search")
async def search_knowledge(
    services: Provided,
    q: Annotated[str, Query(min_length=1, max_length=1_000, description="Words, or the key of a node.")],
    kind: Annotated[list[NodeKind] | None, Query(description="Only nodes of this kind; repeatable.")] = None,
    limit: Annotated[int, Query(ge=1, le=100, description="Nodes at most.")] = 20,
) -> list[Hit]:
    """Find nodes by words: claims of reports, documents, authors, what they speak of, runs by their questions.

    The best come first. No model is asked: a word is found as it is written, English plurals apart.
    """
    found = await get_graph(services.store).search(q, kinds=kind or (), limit=limit)
    return [hit.model_copy(update={"score": round(hit.score, 4)}) for hit in found]


@router.get("/nodes/{node_id}", responses=problem_docs(NodeNotFound))
async def get_node(node_id: NodeNamed, services: Provided) -> KnowledgeNode:
    """Read one node."""
    return await required_node(node_id, get_graph(services.store))


@router.get("/nodes/{node_id}/neighbours", responses=problem_docs(NodeNotFound))
async def get_neighbours(
    node_id: NodeNamed,
    services: Provided,
    kind: Annotated[list[EdgeKind] | None, Query(description="Only over edges of this kind; repeatable.")] = None,
    limit: Annotated[int, Query(ge=1, le=200, description="Edges a page.")] = 50,
    cursor: Annotated[str, Query(pattern=r"^([0-9a-f]{32})?$", description=CURSOR)] = "",
) -> NeighboursView:
    """List the neighbours of a node in both directions, each edge with the run and the passage that it comes from."""
    await required_node(node_id, get_graph(services.store))
    found = await get_graph(services.store).neighbours(node_id, kinds=kind or (), limit=limit + 1, after=cursor)
    following = found[limit - 1].edge.id if len(found) > limit else None
    return NeighboursView(neighbours=tuple(found[:limit]), next=following)


@router.get("/paths", responses=problem_docs(NodeNotFound))
async def get_paths(
    services: Provided,
    start: Annotated[str, Query(alias="from", pattern=NODE_ID, description="A node's id.")],
    end: Annotated[str, Query(alias="to", pattern=NODE_ID, description="Another one's.")],
    longest: Annotated[int, Query(ge=1, le=LONGEST_PATH, description="Edges of a path at most.")] = 4,
    limit: Annotated[int, Query(ge=1, le=20, description="Paths at most.")] = 5,
) -> PathsView:
    """Find the shortest ways from a node to another, whichever way the edges lead; none leads over a run."""
    graph = get_graph(services.store)
    ends = [await required_node(id, graph) for id in (start, end)]
    found = await find_shortest_paths(graph, start, end, longest=longest, limit=limit)
    ids = sorted({id for path in found.paths for one in path for id in (one.start, one.end)})
    nodes = {one.id: one for one in (*ends, *await graph.nodes(ids))}
    # A run may have been deleted between the two looks, and a node with it: that way is no more.
    paths = [path for path in found.paths if all(one.start in nodes and one.end in nodes for one in path)]
    return PathsView(paths=tuple(_build_path_view(start, path, nodes) for path in paths), complete=found.complete)


@router.post("/cypher", responses=problem_docs(CypherRefused))
async def ask_cypher(request: CypherRequest, services: Provided) -> CypherView:
    """Ask openCypher, where the graph is in Apache AGE: queries that read, for at most 5 seconds."""
    graph = get_graph(services.store)
    rows = await graph.cypher(request.query, request.columns, request.parameters, limit=request.limit)
    return CypherView(columns=request.columns, rows=tuple(map(tuple, rows)))
