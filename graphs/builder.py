"""Putting a graph together in Python, one call a node; `build` refuses a graph with any fault.

The method names are those of DeepCritical's builder. The result is the same data as a graph written in JSON. What
agents of every mode are given is listed here by the names of their inputs: the same expressions mean the same in every
graph, and an agent that needs more adds it where its node is.
"""

from itertools import pairwise
from typing import Final

from elcano.graphs.checks.validation import require_valid
from elcano.graphs.spec.graph import (
    AgentNode,
    ConditionalEdge,
    DecisionNode,
    Edge,
    EndKind,
    ErrorEdge,
    Inputs,
    Node,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    SequentialEdge,
    StateNode,
    ToolNode,
)
from elcano.graphs.spec.limits import AgentLimits, ToolLimits


class GraphBuilder:
    """Collects nodes and edges; every method returns the builder."""

    def __init__(self, name: str, description: str = "") -> None:
        self._name = name
        self._description = description
        self._nodes: list[Node] = []
        self._edges: list[Edge] = []
        self._branches: dict[str, ResearchGraph] = {}
        self._entry = ""
        self._exits: tuple[str, ...] = ()
        self._result: Inputs = {}
        self._iterations: int | None = None

    def add_agent_node(
        self,
        id: str,
        *,
        agent: str,
        inputs: Inputs | None = None,
        reducer: str | None = None,
        choose: str | None = None,
        description: str = "",
        limits: AgentLimits | None = None,
        spare: bool = False,
    ) -> "GraphBuilder":
        """A node that calls an agent of the catalogue."""
        return self._add(
            AgentNode(
                id=id,
                agent=agent,
                inputs=inputs or {},
                reducer=reducer,
                choose=choose,
                description=description,
                limits=limits,
                spare=spare,
            )
        )

    def add_tool_node(
        self,
        id: str,
        *,
        tool: str,
        inputs: Inputs | None = None,
        for_each: str | None = None,
        reducer: str | None = None,
        choose: str | None = None,
        description: str = "",
        limits: ToolLimits | None = None,
    ) -> "GraphBuilder":
        """A node that runs a tool of the catalogue, once or for each item of a list."""
        return self._add(
            ToolNode(
                id=id,
                tool=tool,
                inputs=inputs or {},
                for_each=for_each,
                reducer=reducer,
                choose=choose,
                description=description,
                limits=limits,
            )
        )

    def add_state_node(
        self,
        id: str,
        *,
        reducer: str,
        inputs: Inputs | None = None,
        choose: str | None = None,
        description: str = "",
    ) -> "GraphBuilder":
        """A node that changes the state by a reducer of the catalogue."""
        return self._add(StateNode(id=id, reducer=reducer, inputs=inputs or {}, choose=choose, description=description))

    def add_decision_node(self, id: str, *, choose: str | None = None, description: str = "") -> "GraphBuilder":
        """A node that only routes: by its conditional edges, or by the node that `choose` names."""
        return self._add(DecisionNode(id=id, choose=choose, description=description))

    def add_parallel_node(self, node: ParallelNode) -> "GraphBuilder":
        """A node that runs branches side by side; add the branches with `add_branch`."""
        return self._add(node)

    def add_branch(
        self, parallel_node: str, branch: str, graph: ResearchGraph, *, inputs: Inputs | None = None
    ) -> "GraphBuilder":
        """Adds a graph for `parallel_node` to run, with its inputs."""
        self._branches[branch] = graph
        self._edges.append(ParallelEdge(from_node=parallel_node, branch=branch, inputs=inputs or {}))
        return self

    def connect_nodes(self, *path: str, label: str = "", loop: bool = False) -> "GraphBuilder":
        """Sequential edges along a path of node ids."""
        for from_node, to_node in pairwise(path):
            self._edges.append(SequentialEdge(from_node=from_node, to_node=to_node, label=label, loop=loop))
        return self

    def add_conditional_edge(
        self,
        from_node: str,
        to_node: str,
        *,
        when: str,
        label: str = "",
        loop: bool = False,
        ending: EndKind | None = None,
    ) -> "GraphBuilder":
        """An edge that is taken when `when` holds; edges of one node are tried in the order of adding."""
        self._edges.append(
            ConditionalEdge(from_node=from_node, to_node=to_node, when=when, label=label, loop=loop, ending=ending)
        )
        return self

    def on_error(
        self, from_node: str, to_node: str, *types: str, label: str = "", loop: bool = False
    ) -> "GraphBuilder":
        """Add an edge for when `from_node` failed for good with one of the `types`; without types, with any error."""
        self._edges.append(ErrorEdge(from_node=from_node, to_node=to_node, types=types, label=label, loop=loop))
        return self

    def include(self, graph: ResearchGraph) -> "GraphBuilder":
        """All nodes, edges and branches of another graph; its entry, exits and result have to be set again."""
        self._nodes += graph.nodes
        self._edges += graph.edges
        self._branches |= graph.branches
        return self

    def set_entry_node(self, id: str) -> "GraphBuilder":
        """Set the node where a run begins."""
        self._entry = id
        return self

    def set_exit_nodes(self, *ids: str) -> "GraphBuilder":
        """Set the nodes where a run can end; a run that has to end early goes to the first."""
        self._exits = ids
        return self

    def set_result(self, values: Inputs) -> "GraphBuilder":
        """Set the values that the graph returns as a branch: for each name, the expression that reads it."""
        self._result = values
        return self

    def set_iterations(self, iterations: int | None) -> "GraphBuilder":
        """Set the default iteration limit of a run and of each of its branches; None: that of any run."""
        self._iterations = iterations
        return self

    def build(self) -> ResearchGraph:
        """The finished graph.

        Raises:
            GraphInvalid: with every fault at once.
        """
        graph = ResearchGraph(
            name=self._name,
            description=self._description,
            nodes=tuple(self._nodes),
            edges=tuple(self._edges),
            entry_node=self._entry,
            exit_nodes=self._exits,
            branches=self._branches,
            result=self._result,
            iterations=self._iterations,
        )
        require_valid(graph)
        return graph

    def _add(self, node: Node) -> "GraphBuilder":
        self._nodes.append(node)
        return self


NEW_EVIDENCE: Final = "evidence[?!duplicate_of].id"
"""The passages that repeat no older one."""

PASSAGES: Final = "evidence[?!duplicate_of && !starts_with(id, 'result:')].id"
"""The same without results of queries, which are shown as tables."""

DATABASES: Final = "pairs(sources, [databases])[?contains(@[1], @[0])][0]"
"""The run's sources that are databases."""

ASKED: Final[Inputs] = {
    "question": "question",
    "background": "background",
    "guidance": "guidance",
    "language": "language",
}
"""The question, its language, and later instructions."""

ROUND: Final[Inputs] = {**ASKED, "iteration": "iteration", "criteria": "criteria"}
"""The same, how often it was gone round, and what the answer has to meet."""

CONTEXT: Final[Inputs] = {**ROUND, "conversation": "conversation"}
"""The same, with what the iterations so far thought, searched and found."""

JUDGING: Final[Inputs] = {**CONTEXT, "rubric": "domain && domains[0] || `null`"}
"""The inputs of a judge: the same, and the rubric of the question's field, if there is one."""

OFFERED_DOMAINS: Final = "!domain && domains[].{name: name, description: description} || `[]`"
"""The rubrics among which the question decides, unless one was named."""

JUDGED_CRITERIA: Final = (
    "conversation[-1].findings && !(conversation[-1].judgement)"
    " && criteria[].{text: text, met: met || `null`, evidence: evidence} || criteria"
)
"""The criteria for a writer. Those not met count as not judged if searches found something after the last judgement."""

COMMISSION: Final[Inputs] = {**ASKED, "instructions": "instructions", "form": "form"}
"""The question, later instructions, and the wishes for the report."""

WRITING: Final[Inputs] = {
    **COMMISSION,
    "review": "review",
    "iteration": "iteration",
    "conversation": "conversation",
    "criteria": JUDGED_CRITERIA,
    "sources": "sources",
    "evidence": NEW_EVIDENCE,
}
"""The inputs of an agent that writes a whole report."""
