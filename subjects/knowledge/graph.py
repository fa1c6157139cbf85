"""Findings of runs as a graph: documents, authors, what they speak of, and what reports said by which passage.

A node is named by its kind and its key, no matter which run finds it, so that two runs that find the same thing find
one node. An edge belongs to the run that it is from and goes with it; a node goes with its last edge. Kinds are a
closed list: they become the names of tables and labels, and nothing that was read from anywhere does.

The shortest ways from one node to another are found from both ends at once, one edge further each time. A run leads to
all that it found, so over runs everything is near to everything else: no way leads over a run that is not an end of it.
What is looked at is bounded, and the answer says so where the bound was reached.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, Literal, NoReturn, Protocol, TypeAlias, get_args

from pydantic import Field

from elcano.graphs.errors import KnowledgeDisabled
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.report.report import Support
from elcano.service.fields import Described

NodeKind: TypeAlias = Literal["run", "document", "author", "entity", "claim", "trial", "table", "column"]
"""`run`: a question that was researched. `document`: a work, a page, a file, a result. `author`: by name, so that two
people of one name are one node. `entity`: what is spoken of. `claim`: a statement of a report with a quote that was
found in its document. `trial`: a registered study. `table`, `column`: of a database that was asked."""
EdgeKind: TypeAlias = Literal["found", "stated", "cites", "written_by", "mentions", "reports", "read", "has"]
"""`found`: run to document, one for each passage. `stated`: run to claim. `cites`: claim to document or trial.
`written_by`: document or trial to author. `mentions`: claim or document to entity. `reports`: document to trial.
`read`: run to table. `has`: table to column."""

NODE_KINDS: Final[tuple[NodeKind, ...]] = get_args(NodeKind)
EDGE_KINDS: Final[tuple[EdgeKind, ...]] = get_args(EdgeKind)
NAME_CHARACTERS: Final = 300
TEXT_CHARACTERS: Final = 4_000
LONGEST_PATH: Final = 6
"""Edges of a path that is looked for."""
NODE_ID: Final = rf"^({'|'.join(NODE_KINDS)})-[0-9a-f]{{24}}$"


class KnowledgeNode(Described):
    """One thing that runs found."""

    id: str = Field(pattern=NODE_ID, examples=["document-9d5ec0e3c6dfe75f897259c3"])
    """`node_id` of its kind and key: its name in the API."""
    kind: NodeKind
    """The kind of the node."""
    key: str = Field(min_length=1, max_length=2_000, examples=["doi:10.1000/1"])
    """Identity across runs: `doi:10.1/x`, the id of a run, the words of a claim."""
    name: str = Field(
        min_length=1, max_length=NAME_CHARACTERS, examples=["Aspirin in the primary prevention of stroke"]
    )
    """Display name."""
    text: str = Field(default="", max_length=TEXT_CHARACTERS)
    """The whole text of a claim; for an entity what it is, as far as known."""
    url: str = Field(default="", max_length=2_000)
    """Page for readers; empty: not known."""
    year: int | None = None
    """When it was published; null: not known."""


class KnowledgeEdge(Described):
    """One connection, as one run found it."""

    id: str = Field(pattern=r"^[0-9a-f]{32}$")
    """`edge_id` of the rest but `support`."""
    kind: EdgeKind
    """The relation of the node that it leads from."""
    start: str
    """The node that it leads from."""
    end: str
    """The node that it leads to."""
    run: str = Field(examples=["run-01k7"])
    """The run that found it."""
    evidence: str = ""
    """The passage that it rests on, as `GET /v1/runs/{run_id}/evidence` has it; empty where there is none: of an
    author, of a run's table."""
    support: Support = "unchecked"
    """For `stated` and `cites`: whether the quotes support the claim, according to the report."""


class KnowledgeCounts(Frozen):
    """Size of the graph."""

    nodes: dict[NodeKind, int]
    edges: dict[EdgeKind, int]


def node_id(kind: NodeKind, key: str) -> str:
    """The name of a node: its kind and 96 bits of the hash of its key; it can stand in any address."""
    return f"{kind}-{sha256(f'{kind} {key}'.encode()).hexdigest()[:24]}"


def kind_of(id: str) -> NodeKind:
    """The kind that a node's id says.

    Raises:
        ValueError: it is no node's id.
    """
    for kind in NODE_KINDS:
        if id.startswith(f"{kind}-"):
            return kind
    raise ValueError(f"{id!r} is no node's id: one begins with {', '.join(NODE_KINDS)} and a hyphen")


def build_knowledge_node(
    kind: NodeKind, key: str, name: str, *, text: str = "", url: str = "", year: int | None = None
) -> KnowledgeNode:
    """Build a node; values that are too long are cut, except the key, which is replaced by its hash."""
    known = key if 0 < len(key) <= 2_000 else sha256(key.encode()).hexdigest()
    return KnowledgeNode(
        id=node_id(kind, known),
        kind=kind,
        key=known,
        name=(" ".join(name.split()) or known)[:NAME_CHARACTERS],
        text=text[:TEXT_CHARACTERS],
        url=url if len(url) <= 2_000 else "",
        year=year,
    )


def build_knowledge_edge(
    kind: EdgeKind, start: str, end: str, run: str, *, evidence: str = "", support: Support = "unchecked"
) -> KnowledgeEdge:
    """An edge of a run; the same one again has the same id."""
    named = "\x00".join((kind, start, end, run, evidence))
    id = sha256(named.encode()).hexdigest()[:32]
    return KnowledgeEdge(id=id, kind=kind, start=start, end=end, run=run, evidence=evidence, support=support)


MOST_ROWS: Final = 1_000
"""Rows of one openCypher query."""
BATCH: Final = 500
"""Rows in one statement."""


class Neighbour(Described):
    """A neighbour of a node."""

    edge: KnowledgeEdge
    """Edge that connects them."""
    node: KnowledgeNode
    """The other one."""


class Hit(Described):
    """A node that was found by words."""

    node: KnowledgeNode
    """The node."""
    score: float = Field(examples=[0.8])
    """The share of the words asked for that it has, rare ones weighing more: 0 to 1; 1 also if they are its key."""


class KnowledgeGraph(Protocol):
    """Graph of the findings of one tenant's runs."""

    @property
    def cypher_spoken(self) -> bool:
        """Whether `cypher` can be asked."""
        ...

    async def upsert(
        self, nodes: Sequence[KnowledgeNode], edges: Sequence[KnowledgeEdge], *, replacing: str = ""
    ) -> None:
        """Keeps nodes and edges, all or none; doing it twice, or two at once, changes nothing more.

        A node that is there is described as it is described last. What the run `replacing` left before goes in the same
        step: readers see the old part or the new one, even if writing breaks off.

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
        """Count nodes and edges of each kind."""
        ...

    async def delete_run(self, run: str) -> None:
        """Takes away the edges of a run, and the nodes that have no edge left; of a run that is unknown nothing."""
        ...

    async def cypher(
        self, query: str, columns: Sequence[str], parameters: JsonObject, *, limit: int = MOST_ROWS
    ) -> list[list[Json]]:
        """The rows that an openCypher query gives, which can only read; at most `limit`.

        Args:
            query: It may call `MATCH`, `RETURN` and the like; see `subjects.knowledge.cypher`.
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

    async def _refuse(self, *asked: Any, **named: Any) -> NoReturn:
        raise KnowledgeDisabled(
            "there is no knowledge graph here: set ELCANO_KNOWLEDGE to `tables`, or to PostgreSQL with AGE"
        )

    nodes = neighbours = edges = search = counts = cypher = _refuse


MOST_EDGES: Final = 20_000
"""Edges that are looked at for one answer."""

Ways = dict[str, list[tuple[str, KnowledgeEdge]]]
"""For each reached node: the nodes before it on the shortest paths, and the edges from them."""


class Paths(Frozen):
    """The shortest paths between two nodes."""

    paths: tuple[tuple[KnowledgeEdge, ...], ...]
    """Each from the one to the other; edges of several runs between the same two nodes are one step, by one of them."""
    complete: bool
    """False: more was there than is looked at; there may be others, also where none is listed."""


async def find_shortest_paths(graph: KnowledgeGraph, start: str, end: str, *, longest: int, limit: int) -> Paths:
    """The shortest paths of at most `longest` edges, at most `limit` of them; of a node to itself there is none.

    Args:
        graph: Where they lead.
        start: A node's id.
        end: Another one's.
        longest: Edges of a path at most, up to 6.
        limit: Paths at most.
    """
    sides: tuple[Ways, Ways] = ({start: []}, {end: []})
    fronts = [[start], [end]]
    looked_at, length = 0, 0
    while start != end and all(fronts) and length < longest:
        side = 0 if len(fronts[0]) <= len(fronts[1]) else 1
        room = MOST_EDGES - looked_at
        edges = await graph.edges(fronts[side], room)
        looked_at += len(edges)
        fronts[side] = _expand_front(sides[side], fronts[side], edges, {start, end})
        length += 1
        if meeting := sorted(sides[0].keys() & sides[1].keys()):
            return Paths(paths=_join_paths(sides, meeting, limit), complete=len(edges) < room)
        if len(edges) >= room:
            return Paths(paths=(), complete=False)
    return Paths(paths=(), complete=True)


def _expand_front(reached: Ways, front: Sequence[str], edges: Sequence[KnowledgeEdge], ends: set[str]) -> list[str]:
    """Add the edges to what was reached, and return the nodes that are new, except runs, which lead nowhere."""
    before, new = set(front), Ways()
    for edge in sorted(edges, key=lambda one: one.id):
        for near, far in ((edge.start, edge.end), (edge.end, edge.start)):
            if near in before and far not in reached and (far in ends or not far.startswith("run-")):
                ways = new.setdefault(far, [])
                if near not in (known for known, _ in ways):
                    ways.append((near, edge))
    reached |= new
    return sorted(new)


def _join_paths(sides: tuple[Ways, Ways], meeting: Sequence[str], limit: int) -> tuple[tuple[KnowledgeEdge, ...], ...]:
    paths: list[tuple[KnowledgeEdge, ...]] = []
    for middle in meeting:
        for first in _trace_ways_back(sides[0], middle, limit):
            for second in _trace_ways_back(sides[1], middle, limit):
                paths.append((*reversed(first), *second))
                if len(paths) == limit:
                    return tuple(paths)
    return tuple(paths)


def _trace_ways_back(
    reached: Mapping[str, list[tuple[str, KnowledgeEdge]]], node: str, limit: int
) -> list[list[KnowledgeEdge]]:
    """The ways back from a node, the edge at it first."""
    if not reached[node]:
        return [[]]
    found: list[list[KnowledgeEdge]] = []
    for before, edge in reached[node]:
        found += ([edge, *rest] for rest in _trace_ways_back(reached, before, limit))
        if len(found) >= limit:
            break
    return found[:limit]
