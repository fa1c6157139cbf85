"""A research graph as frozen data: which nodes there are and how one leads to the next.

A graph is JSON. It holds no callables and no code: agents, tools and reducers are named (see `catalogue`), inputs and
conditions are JMESPath expressions over the view of the state (see `expressions`). It travels in the input of the run
that walks it, so a run in flight keeps the graph it started with.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen
from elcano.graphs.spec.limits import LONGEST_EXPRESSION, AgentLimits, ToolLimits
from elcano.graphs.spec.own_agent import AgentKey, OwnAgent
from elcano.graphs.text import title_from_id

EndKind: TypeAlias = Literal[
    "stopped",
    "time",
    "tokens",
    "cost",
    "iterations",
    "steps",
    "stalled",
    "node_failed",
    "provider",
    "sections",
    "sources",
    "parts",
]
"""Why a report is partial. The run ended early: a person, one of the budgets, no new evidence, a node that failed for
good, or a provider that did not answer for as long as the run may be held. Or it reached its regular end, but something
is missing: one of its `sections` ended early, failed or is not answered; one of its `sources` failed in every search;
or one of the requested `parts`, such as a forecast."""


MISSING: Final[frozenset[EndKind]] = frozenset({"sections", "sources", "parts"})
"""The kinds of runs that did not end early."""


NodeId: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,47}$")]
"""Lower-case letters, digits and underscores, 48 at most: it becomes part of activity and workflow ids."""

Expression: TypeAlias = Annotated[str, Field(min_length=1, max_length=LONGEST_EXPRESSION)]
"""A JMESPath expression. A path that leads nowhere is null, and null is false."""

Inputs: TypeAlias = dict[str, Expression]
"""For each field of the callee's input model, the expression that reads its value."""


ErrorType: TypeAlias = Annotated[str, Field(min_length=1, max_length=100)]
"""The name of an error, as `Failure.type` has it."""


class BaseNode(Frozen):
    """The fields of every node."""

    id: NodeId
    """Unique within its graph."""
    description: str = ""
    """Description for drawings and the Temporal UI."""
    choose: Expression | None = None
    """Dynamic routing, read once the node's output is in the state: names the next node, which must be the target of
    one of this node's edges (their conditions are not read then); anything else goes the way of the sequential edge."""

    @property
    def title(self) -> str:
        """Its name for people."""
        return title_from_id(self.id, getattr(self, "reducer", None) or getattr(self, "for_each", None) or "")


class AgentNode(BaseNode):
    """One call of one agent."""

    kind: Literal["agent"] = "agent"
    agent: str
    """The agent's name in the catalogue, or a key of the graph's own `agents`."""
    inputs: Inputs = {}
    reducer: str | None = None
    """Folds the output into the state; without one it is kept only under `outputs.<node id>`."""
    limits: AgentLimits | None = Field(default=None, exclude_if=lambda limits: limits is None)
    """Limits of its calls, in addition to the run's."""
    spare: bool = Field(default=False, exclude_if=lambda spare: not spare)
    """It is asked only where another agent left open what it is for: what a run takes is reckoned without it."""


class ToolNode(BaseNode):
    """One activity that needs no model: a search, a fetch, a query."""

    kind: Literal["tool"] = "tool"
    tool: str
    """The tool's name in the catalogue."""
    inputs: Inputs = {}
    for_each: Expression | None = None
    """A list in the state: the tool runs once per item, all at once, each item failing alone. `item` and `index`
    can be read by `inputs`; the node's output is then `{"items": [...]}`."""
    reducer: str | None = None
    limits: ToolLimits | None = Field(default=None, exclude_if=lambda limits: limits is None)
    """Limits of its calls, in addition to the source's."""


class StateNode(BaseNode):
    """Updates the state by a named pure reducer; costs no activity."""

    kind: Literal["state"] = "state"
    reducer: str
    inputs: Inputs = {}


class DecisionNode(BaseNode):
    """Only routes: its conditional edges are tried in order, its sequential edge is the answer otherwise."""

    kind: Literal["decision"] = "decision"


class ParallelNode(BaseNode):
    """Runs branches in parallel, each a graph of its own with its own state (child workflows in Temporal)."""

    kind: Literal["parallel"] = "parallel"
    for_each: Expression | None = None
    """A list in the state: its one branch runs once per item. Without it, every parallel edge is one branch."""
    max_concurrency: int = Field(default=4, ge=1, le=50)
    """Branches open at the same time. 2,000 pending children are Temporal's own limit."""
    timeout_seconds: float = Field(default=600, ge=5, le=7 * 86_400)
    """A branch that takes longer is asked to finish and write what it has."""
    must_succeed: int = Field(default=1, ge=0)
    """With fewer successful branches than this, the node itself fails. A branch succeeds if it returns a draft that
    answers its question or, if no writer ends it, evidence or values. If none does but some found no answer, the node
    does not fail: that nothing answers is a finding, and the report says so."""
    reducer: str | None = None


def limits_of(node: "Node") -> AgentLimits | ToolLimits | None:
    """Return the limits that a node sets on its calls; None if it sets none or makes none."""
    return node.limits if isinstance(node, AgentNode | ToolNode) else None


Node: TypeAlias = Annotated[AgentNode | ToolNode | StateNode | DecisionNode | ParallelNode, Field(discriminator="kind")]


class SequentialEdge(Frozen):
    """Always taken when no conditional edge before it was."""

    kind: Literal["sequential"] = "sequential"
    from_node: NodeId
    to_node: NodeId
    label: str = ""
    loop: bool = False
    """Leads back. Every cycle needs one such edge, and each passage counts as one iteration."""


class ConditionalEdge(Frozen):
    """Taken when its expression is true."""

    kind: Literal["conditional"] = "conditional"
    from_node: NodeId
    to_node: NodeId
    when: Expression
    label: str = ""
    """The condition in words, for drawings and events."""
    loop: bool = False
    ending: EndKind | None = None
    """Set on an edge that leaves the research early: the report is labelled partial for this reason."""


class ErrorEdge(Frozen):
    """Taken when its node failed for good, so that a graph can repair the error instead of going to its exit.

    Not taken for what no graph can repair: a spent budget, a refused key, a provider that does not answer, a stopped
    run. Items of a `for_each` that fail are data, not failures of their node.
    """

    kind: Literal["on_error"] = "on_error"
    from_node: NodeId
    to_node: NodeId
    """An exit ends the research early: the report is labelled partial."""
    types: tuple[ErrorType, ...] = Field(default=(), max_length=20)
    """The errors that it matches (`graphs/state/failures.py`, or an activity's own error name); empty: all that no
    other edge of the node names."""
    label: str = ""

    @property
    def described(self) -> str:
        """The errors that it matches, for people."""
        text = "on " + (" or ".join(self.types) or "error")
        return f"{text} ({self.label})" if self.label else text

    loop: bool = False
    """Leads back, and each passage counts as one iteration, so that repairing ends too."""


class ParallelEdge(Frozen):
    """Leads from a parallel node into one of the graph's branches."""

    kind: Literal["parallel"] = "parallel"
    from_node: NodeId
    branch: NodeId
    """A key of `ResearchGraph.branches`."""
    inputs: Inputs = {}
    """The inputs of the branch: `question` (required), `title`, `background`."""


Edge: TypeAlias = Annotated[SequentialEdge | ConditionalEdge | ErrorEdge | ParallelEdge, Field(discriminator="kind")]
Route: TypeAlias = SequentialEdge | ConditionalEdge
"""Edges by which a run leaves a node that succeeded."""
Way: TypeAlias = Route | ErrorEdge
"""Edges by which a run leaves a node, successful or not."""


def find_reachable(start: Iterable[str], onward: Callable[[str], Iterable[str]]) -> set[str]:
    """The nodes that can be come to from those of `start`, and these; `onward` gives those behind a node."""
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        if (node_id := waiting.pop()) not in reached:
            reached.add(node_id)
            waiting += onward(node_id)
    return reached


class ResearchGraph(Frozen):
    """Nodes, edges, one entry, the exits and the graphs that its parallel nodes run.

    Construction checks types only; `find_graph_faults` finds everything else that is wrong with it.
    """

    name: NodeId
    description: str = ""
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    entry_node: NodeId
    exit_nodes: tuple[NodeId, ...]
    """The nodes where a run can end. A run that has to end early goes to the first of them that it can still reach."""
    appendix: NodeId | None = Field(default=None, exclude_if=lambda appendix: appendix is None)
    """An agent's node that a run comes to after its exit, if the budget still allows that: what it answers is added to
    the report. It can neither hold back a report nor fail a run."""
    branches: dict[NodeId, "ResearchGraph"] = {}
    iterations: int | None = Field(default=None, ge=1, le=50, exclude_if=lambda iterations: iterations is None)
    """Default iteration limit of its runs and of each of their branches; None: that of any run."""
    result: dict[NodeId, Expression] = Field(default={}, max_length=50)
    """The values that a branch returns, by name, read from its view at its end; null and empty values are left out. It
    also returns its draft with the evidence that the draft cites or, if no writer ends it, all evidence that it found.
    """
    agents: dict[AgentKey, OwnAgent] = Field(default={}, exclude_if=lambda agents: not agents)
    """The custom agents that its nodes call, by the names they use: the graph carries them, so that it runs whatever
    happens to their names. Branches have their own."""

    @cached_property
    def by_id(self) -> dict[str, Node]:
        """The nodes by their id."""
        return {node.id: node for node in self.nodes}

    def is_closing(self, node_id: str) -> bool:
        """Whether research is over at a node: an exit, or the appendix."""
        return node_id in self.exit_nodes or node_id == self.appendix

    def without_appendix(self) -> "ResearchGraph":
        """The graph that ends at its exits."""
        if self.appendix is None:
            return self
        nodes = tuple(node for node in self.nodes if node.id != self.appendix)
        return self.model_copy(update={"nodes": nodes, "appendix": None})

    def routes_from(self, node_id: str) -> tuple[Route, ...]:
        """The edges that a token can leave `node_id` by, in the order in which they are tried."""
        return self._routes.get(node_id, ())

    @cached_property
    def _routes(self) -> dict[str, tuple[Route, ...]]:
        leaving: dict[str, list[Route]] = {}
        for edge in sorted(self.edges, key=lambda edge: isinstance(edge, SequentialEdge)):
            if isinstance(edge, Route):
                leaving.setdefault(edge.from_node, []).append(edge)
        return {node_id: tuple(edges) for node_id, edges in leaving.items()}

    def error_edges_from(self, node_id: str) -> tuple[ErrorEdge, ...]:
        """The edges by which a token can leave `node_id` if it failed; that for all other errors is the last."""
        return self._error_edges.get(node_id, ())

    @cached_property
    def _error_edges(self) -> dict[str, tuple[ErrorEdge, ...]]:
        leaving: dict[str, list[ErrorEdge]] = {}
        for edge in self.edges:
            if isinstance(edge, ErrorEdge):
                leaving.setdefault(edge.from_node, []).append(edge)
        return {node_id: tuple(sorted(edges, key=lambda edge: not edge.types)) for node_id, edges in leaving.items()}

    def nearest_exit(self, node_id: str) -> str:
        """The first exit in the graph's order that can be reached from `node_id` if no node fails; there is one."""
        return self._exit_of[node_id]

    @cached_property
    def without_failure(self) -> frozenset[str]:
        """The nodes that can be reached from the entry if no node fails; the others repair."""
        return frozenset(find_reachable([self.entry_node], self.list_next_nodes))

    def list_next_nodes(self, node_id: str) -> list[str]:
        """The nodes that the token can come to next if `node_id` does not fail."""
        return [edge.to_node for edge in self.routes_from(node_id)]

    def list_possible_nodes(self, node_id: str) -> list[str]:
        """The nodes that the token can come to next, whether `node_id` fails or not."""
        return [edge.to_node for edge in (*self.routes_from(node_id), *self.error_edges_from(node_id))]

    @cached_property
    def _exit_of(self) -> dict[str, str]:
        """The nearest exit of each node, found backwards, so that each edge is followed once."""
        coming: dict[str, list[str]] = {}
        for node_id, routes in self._routes.items():
            for edge in routes:
                coming.setdefault(edge.to_node, []).append(node_id)
        nearest: dict[str, str] = {} if self.appendix is None else {self.appendix: self.appendix}
        for exit_id in reversed(self.exit_nodes):
            nearest |= dict.fromkeys(find_reachable([exit_id], lambda node_id: coming.get(node_id, ())), exit_id)
        return nearest

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> "ResearchGraph":
        """Builds the copy anew, because pydantic's own copy would keep the cached values of this graph."""
        fields = {name: getattr(self, name) for name in ResearchGraph.model_fields}
        return ResearchGraph.model_validate({**fields, **(update or {})})

    def __hash__(self) -> int:
        """Hash by name and size, so that what follows from a graph alone is computed once."""
        return hash((self.name, self.entry_node, len(self.nodes), len(self.edges)))

    def all_graphs(self) -> Iterator["ResearchGraph"]:
        """This graph, its branches, theirs and so on."""
        yield self
        for branch in self.branches.values():
            yield from branch.all_graphs()

    def branches_from(self, node_id: str) -> tuple[ParallelEdge, ...]:
        """The branches of the parallel node `node_id`."""
        return self._entries.get(node_id, ())

    @cached_property
    def _entries(self) -> dict[str, tuple[ParallelEdge, ...]]:
        entering: dict[str, list[ParallelEdge]] = {}
        for edge in self.edges:
            if isinstance(edge, ParallelEdge):
                entering.setdefault(edge.from_node, []).append(edge)
        return {node_id: tuple(edges) for node_id, edges in entering.items()}
