"""Invalid graphs: valid ones with one thing broken, and anything that has the right types."""

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from elcano.graphs.spec.graph import (
    AgentNode,
    ConditionalEdge,
    DecisionNode,
    Edge,
    ErrorEdge,
    Node,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    SequentialEdge,
    StateNode,
    ToolNode,
)
from tests.unit.graphs.strategies import EXIT, LEAF
from tests.unit.graphs.texts import texts


def changed(graph: ResearchGraph, **changes: Any) -> ResearchGraph:
    return graph.model_copy(update=changes)


def first_node(graph: ResearchGraph, **changes: Any) -> ResearchGraph:
    """`graph` with an agent node for its first one."""
    fields = {"id": graph.nodes[0].id, "agent": "thinking", "inputs": {"question": "question"}, **changes}
    edges = tuple(edge for edge in graph.edges if not isinstance(edge, ParallelEdge) or edge.from_node != fields["id"])
    used = {edge.branch for edge in edges if isinstance(edge, ParallelEdge)}
    return changed(
        graph,
        nodes=(AgentNode(**fields), *graph.nodes[1:]),
        edges=edges,
        branches={name: branch for name, branch in graph.branches.items() if name in used},
    )


def edge_added(graph: ResearchGraph, from_node: str, to_node: str, **fields: Any) -> ResearchGraph:
    edge = ConditionalEdge(**{"from_node": from_node, "to_node": to_node, "when": "question", **fields})
    return changed(graph, edges=(*graph.edges, edge))


def error_added(graph: ResearchGraph, from_node: str, to_node: str, **fields: Any) -> ResearchGraph:
    edge = ErrorEdge(**{"from_node": from_node, "to_node": to_node, "types": ("InputInvalid",), **fields})
    return changed(graph, edges=(*graph.edges, edge))


MUTATIONS: Mapping[str, Callable[[ResearchGraph], ResearchGraph]] = {
    "entry missing": lambda graph: changed(graph, entry_node="nowhere"),
    "exit missing": lambda graph: changed(graph, exit_nodes=("nowhere",)),
    "no exit": lambda graph: changed(graph, exit_nodes=()),
    "id twice": lambda graph: changed(graph, nodes=(*graph.nodes, graph.nodes[0])),
    "edge to nowhere": lambda graph: edge_added(graph, "n0", "nowhere"),
    "edge from nowhere": lambda graph: edge_added(graph, "nowhere", "n0"),
    "edge out of the exit": lambda graph: edge_added(graph, EXIT, "n0", loop=True),
    "undeclared cycle": lambda graph: edge_added(graph, graph.nodes[-2].id, "n0"),
    "loop that leads ahead": lambda graph: edge_added(graph, "n0", EXIT, loop=True),
    "undeclared way back after an error": lambda graph: error_added(graph, graph.nodes[-2].id, "n0"),
    "way after an error that leads ahead as a loop": lambda graph: error_added(graph, "n0", EXIT, loop=True),
    "way out of the exit after an error": lambda graph: error_added(graph, EXIT, "n0", loop=True),
    "error to nowhere": lambda graph: error_added(graph, "n0", "nowhere"),
    "error that holds a run": lambda graph: error_added(graph, "n0", EXIT, types=("ProviderUnavailable",)),
    "error that is misspelled": lambda graph: error_added(first_node(graph), "n0", EXIT, types=("SourceRefusd",)),
    "error that is met twice": lambda graph: error_added(
        error_added(graph, "n0", EXIT, types=("InputInvalid",)), "n0", EXIT, types=("InputInvalid",)
    ),
    "choice at the exit": lambda graph: changed(
        graph, nodes=(*graph.nodes[:-1], graph.nodes[-1].model_copy(update={"choose": "question"}))
    ),
    "choice of one": lambda graph: changed(
        graph,
        nodes=(*graph.nodes, DecisionNode(id="alone", choose="question")),
        edges=(*edge_added(graph, "n0", "alone").edges, SequentialEdge(from_node="alone", to_node=EXIT)),
    ),
    "no way on": lambda graph: changed(
        graph, edges=tuple(e for e in graph.edges if e.from_node != "n0" or not isinstance(e, SequentialEdge))
    ),
    "two ways on": lambda graph: changed(graph, edges=(*graph.edges, SequentialEdge(from_node="n0", to_node=EXIT))),
    "cannot be reached": lambda graph: changed(
        graph,
        nodes=(*graph.nodes, DecisionNode(id="island")),
        edges=(*graph.edges, SequentialEdge(from_node="island", to_node=EXIT)),
    ),
    "decision at the end": lambda graph: changed(graph, nodes=(*graph.nodes[:-1], DecisionNode(id=EXIT))),
    "unknown agent": lambda graph: first_node(graph, agent="thinkin"),
    "unknown input": lambda graph: first_node(graph, inputs={"question": "question", "querry": "question"}),
    "input missing": lambda graph: first_node(graph, inputs={}),
    "unknown reducer": lambda graph: first_node(graph, reducer="record_thoughts"),
    "reducer of another output": lambda graph: first_node(graph, reducer="record_gap"),
    "reducer of another tool": lambda graph: changed(
        graph, nodes=(*graph.nodes[:-1], ToolNode(id=EXIT, tool="noop", reducer="add_evidence"))
    ),
    "broken expression": lambda graph: first_node(graph, inputs={"question": "question["}),
    "unknown name": lambda graph: first_node(graph, inputs={"question": "evidnce[].id"}),
    "unknown function": lambda graph: first_node(graph, inputs={"question": "lenght(evidence)"}),
    "item outside for_each": lambda graph: first_node(graph, inputs={"question": "item.query"}),
    "unknown field": lambda graph: first_node(graph, inputs={"question": "outputs.n0.thougt"}),
    "broken condition": lambda graph: edge_added(graph, "n0", EXIT, when="&question"),
    "branch without a parallel node": lambda graph: changed(graph, branches={**graph.branches, "spare": LEAF}),
    "parallel node without a branch": lambda graph: changed(
        graph,
        nodes=(*graph.nodes, ParallelNode(id="wide")),
        edges=(*edge_added(graph, "n0", "wide").edges, SequentialEdge(from_node="wide", to_node=EXIT)),
    ),
    "broken result": lambda graph: changed(graph, result={"found": "length(evidence"}),
    "unknown name in the result": lambda graph: changed(graph, result={"found": "evidnce"}),
    "branch that hands nothing back": lambda graph: changed(
        graph,
        nodes=(*graph.nodes, ParallelNode(id="wide")),
        edges=(
            *edge_added(graph, "n0", "wide").edges,
            SequentialEdge(from_node="wide", to_node=EXIT),
            ParallelEdge(from_node="wide", branch="idle", inputs={"question": "question"}),
        ),
        branches={**graph.branches, "idle": changed(LEAF, result={})},
    ),
    "faulty branch": lambda graph: changed(graph, branches={"section": changed(LEAF, entry_node="nowhere")}),
}
"""Changes of which each makes any valid graph of `graphs` invalid."""

_ids = st.sampled_from(["a", "b", "c", "d"])
_names = st.sampled_from(["thinking", "writer", "search", "noop", "add_evidence", "set_values", "nothing"])
_free_inputs = st.dictionaries(st.sampled_from(["question", "query", "source", "nothing"]), texts, max_size=2)
_free_nodes: SearchStrategy[Node] = st.one_of(
    st.builds(
        AgentNode,
        id=_ids,
        agent=_names,
        inputs=_free_inputs,
        reducer=st.none() | _names,
        choose=st.none() | texts,
    ),
    st.builds(
        ToolNode, id=_ids, tool=_names, inputs=_free_inputs, for_each=st.none() | texts, reducer=st.none() | _names
    ),
    st.builds(StateNode, id=_ids, reducer=_names, inputs=_free_inputs),
    st.builds(DecisionNode, id=_ids, choose=st.none() | texts),
    st.builds(
        ParallelNode, id=_ids, for_each=st.none() | texts, must_succeed=st.integers(0, 3), reducer=st.none() | _names
    ),
)
_free_edges: SearchStrategy[Edge] = st.one_of(
    st.builds(
        ErrorEdge,
        from_node=_ids,
        to_node=_ids,
        types=st.lists(st.sampled_from(["InputInvalid", "ModelRefused", "Timeuot", "Mine"]), max_size=2).map(tuple),
        loop=st.booleans(),
    ),
    st.builds(SequentialEdge, from_node=_ids, to_node=_ids, loop=st.booleans()),
    st.builds(ConditionalEdge, from_node=_ids, to_node=_ids, when=texts, loop=st.booleans()),
    st.builds(ParallelEdge, from_node=_ids, branch=_ids, inputs=_free_inputs),
)


def _free(branches: SearchStrategy[dict[str, ResearchGraph]]) -> SearchStrategy[ResearchGraph]:
    return st.builds(
        ResearchGraph,
        name=_ids,
        nodes=st.lists(_free_nodes, max_size=4).map(tuple),
        edges=st.lists(_free_edges, max_size=6).map(tuple),
        entry_node=_ids,
        exit_nodes=st.lists(_ids, max_size=2).map(tuple),
        branches=branches,
        result=st.dictionaries(_ids, texts, max_size=2),
    )


free_graphs: SearchStrategy[ResearchGraph] = _free(st.dictionaries(_ids, _free(st.just({})), max_size=2))
"""Anything that has the right types."""
