"""What runs found, as a graph: documents, their authors, what they speak of, and what reports said by which passage.

A node is named by its kind and its key, whoever finds it, so that two runs that find the same thing find one node. An
edge belongs to the run that it is from and goes with it; a node goes with its last edge. Kinds are a closed list: they
become the names of tables and labels, and nothing that was read from anywhere does.
"""

from hashlib import sha256
from typing import Final, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field

from elcano.graphs.frozen import Frozen
from elcano.graphs.report.statements import Support

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


class KnowledgeNode(Frozen):
    """One thing that runs found."""

    id: str = Field(pattern=NODE_ID)
    """`node_id` of its kind and key."""
    kind: NodeKind
    key: str = Field(min_length=1, max_length=2_000)
    """What makes it the same wherever it is found: `doi:10.1/x`, the id of a run, the words of a claim."""
    name: str = Field(min_length=1, max_length=NAME_CHARACTERS)
    """What people call it."""
    text: str = Field(default="", max_length=TEXT_CHARACTERS)
    """Of a claim all of it; of an entity what it is, as far as it is known."""
    url: str = Field(default="", max_length=2_000)
    """Where a person reads it."""
    year: int | None = None


class KnowledgeEdge(Frozen):
    """One connection, as one run found it."""

    id: str = Field(pattern=r"^[0-9a-f]{32}$")
    """`edge_id` of the rest but `support`."""
    kind: EdgeKind
    start: str
    """The node that it leads from."""
    end: str
    run: str
    """The run that it is from."""
    evidence: str = ""
    """The id of the passage that it rests on; empty where there is none: of an author, of a run's table."""
    support: Support = "unchecked"
    """Of `stated` and `cites`: whether the quotes say what the claim says, as the report has it."""


class KnowledgeCounts(Frozen):
    """How much is known."""

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


class ReadTables(BaseModel):
    """Which tables of a database a result was read from: what the metadata of its evidence say under `read`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    database: str = Field(min_length=1)
    """The name that the operator gave it."""
    tables: tuple[str, ...] = ()
    """As the schema calls them."""
    columns: tuple[str, ...] = ()
    """`table.column`, of those tables."""
