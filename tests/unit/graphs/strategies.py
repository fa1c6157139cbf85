"""Random graphs, valid and not, and random outcomes of what they ask to be done."""

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from pydantic import BaseModel, TypeAdapter

from graphs.budget import Limits, Usage
from graphs.catalogue import AGENTS, REDUCERS, TOOLS
from graphs.commands import CallAgent, CallTool, Entry, StepCompleted, StepFailed, Work
from graphs.frozen import Json, JsonObject
from graphs.spec import (
    AgentNode,
    ConditionalEdge,
    DecisionNode,
    Edge,
    EndKind,
    Inputs,
    Node,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    SequentialEdge,
    StateNode,
    ToolNode,
)
from graphs.state import Failure, ResearchState
from graphs.tools import ItemOutcome, ItemOutcomes
from tests.script import passages

NAMES = tuple(f"n{number}" for number in range(6))
EXIT = "last"

scalars: SearchStrategy[Json] = (
    st.none()
    | st.booleans()
    | st.integers(-5, 10**6)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
json_values: SearchStrategy[Json] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
json_objects: SearchStrategy[JsonObject] = st.dictionaries(st.sampled_from(["a", "b", "question"]), json_values)

_leaves = st.sampled_from(
    [
        *("question", "iteration", "evidence", "evidence[].id", "evidence[].characters", "conversation[-1].gap"),
        *("outputs.n0", "values", "values.x", "sources", "budget.exceeded", "budget.iterations.remaining", "@", "@.a"),
        *("budget.reason == 'steps'", "length(evidence) > `2`", "iteration < `3`", "`[1, 2]`", "`[]`", "`0`", "`true`"),
        *("'n1'", "'last'", "'nowhere'", "evidence[0:2]", "`[1]`[::0]", "ceil(`1e999`)", "contains('a', `1`)"),
        *("length(`null`)", 'sort(`[1, "a"]`)', "map(&a, evidence)", "to_string(@)", "keys(outputs)"),
    ]
)
expressions: SearchStrategy[str] = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.builds("({} || {})".format, inner, inner),
        st.builds("({} && !{})".format, inner, inner),
        st.builds("[{}, {}]".format, inner, inner),
        st.builds("{{x: {}}}".format, inner),
        st.builds("({} == {})".format, inner, inner),
        st.builds("({})[]".format, inner),
        st.builds("not_null({}, {})".format, inner, inner),
    ),
    max_leaves=3,
)

tokens = st.sampled_from(
    [
        *(
            "a",
            "b",
            "question",
            "@",
            "*",
            ".",
            "|",
            "||",
            "&&",
            "!",
            "&",
            "(",
            ")",
            "[",
            "]",
            "[]",
            "[?",
            "[*]",
            "[::0]",
        ),
        *(
            "{",
            "}",
            ":",
            ",",
            "`1`",
            "`[1]`",
            '`{"a": 1}`',
            "`null`",
            "'x'",
            "==",
            "<",
            ">=",
            "[0]",
            "[-1]",
            "[1:]",
            " ",
        ),
        *(
            f"{name}("
            for name in ("length", "sort_by", "map", "max_by", "contains", "join", "to_number", "merge", "zip")
        ),
        *(
            "to_number('nan')",
            "to_number('inf')",
            "floor(",
            "sum(",
            "type(",
            "not_null(",
            "reverse(",
            '"b c"',
            "`1e999`",
        ),
    ]
)
texts: SearchStrategy[str] = st.lists(tokens, min_size=1, max_size=14).map("".join) | expressions

limits: SearchStrategy[Limits] = st.builds(
    Limits,
    tokens=st.integers(1_000, 30_000),
    cost_microusd=st.none() | st.integers(1, 500),
    seconds=st.floats(5, 2_000),
    iterations=st.integers(1, 4),
    steps=st.integers(2, 30),
    reserve=st.floats(0, 0.5),
)
usages: SearchStrategy[Usage] = st.builds(
    Usage,
    requests=st.integers(0, 3),
    input_tokens=st.integers(0, 2_000),
    output_tokens=st.integers(0, 500),
    cost_microusd=st.integers(0, 100),
    unpriced_requests=st.integers(0, 1),
    estimated=st.booleans(),
)
states: SearchStrategy[ResearchState] = st.builds(
    ResearchState, question=st.text(max_size=10), sources=st.just(("library",)), values=json_objects
)

ANSWERS: Mapping[str, JsonObject] = {
    "thinking": {"thought": "hm"},
    "knowledge_gap": {"research_complete": False, "outstanding_gaps": ["g"]},
    "tool_selector": {"tasks": [{"source": "library", "query": "q"}]},
    "judge": {"sufficient": False, "confidence": 0.5, "recommendation": "continue", "reasoning": "not yet"},
    "writer": {"artifact": "x", "title": "T", "answered": True, "claims": 1, "cited": 1},
    "search": {"source": "library", "query": "q", "evidence": [*passages("a", "b"), *passages("a")]},
    "noop": {"ok": True},
}
REDUCER_OF = {
    "thinking": "record_thought",
    "knowledge_gap": "record_gap",
    "tool_selector": "record_tool_calls",
    "judge": "record_judgement",
    "search": "add_evidence",
    "noop": "add_evidence",  # its answers are no searches: the reducer refuses them
}


@st.composite
def inputs(draw: DrawFn, model: type[BaseModel]) -> Inputs:
    """Every required field of `model` and some of the others, from anywhere in the state."""
    wanted = {name for name, field in model.model_fields.items() if field.is_required() or draw(st.booleans())}
    return {
        name: "question" if name == "question" and draw(st.booleans()) else draw(expressions) for name in sorted(wanted)
    }


@st.composite
def working_nodes(draw: DrawFn, node_id: str, *, exit: bool = False) -> Node:
    """A node that may stand anywhere, or at the end."""
    kind = draw(
        st.sampled_from(["agent", "tool", "state"] if exit else ["agent", "tool", "state", "decision", "parallel"])
    )
    match kind:
        case "agent":
            agent = draw(st.sampled_from(sorted(ANSWERS.keys() & AGENTS.keys())))
            reducer = draw(st.sampled_from([None, REDUCER_OF.get(agent)]))
            return AgentNode(id=node_id, agent=agent, inputs=draw(inputs(AGENTS[agent].input)), reducer=reducer)
        case "tool":
            tool = draw(st.sampled_from(sorted(ANSWERS.keys() & TOOLS.keys())))
            reducer = draw(st.sampled_from([None, REDUCER_OF[tool]]))
            each = draw(st.none() | expressions)
            return ToolNode(
                id=node_id, tool=tool, inputs=draw(inputs(TOOLS[tool].input)), for_each=each, reducer=reducer
            )
        case "state":
            name = draw(st.sampled_from(sorted(REDUCERS)))
            return StateNode(id=node_id, reducer=name, inputs=draw(inputs(REDUCERS[name].input)))
        case "decision":
            return DecisionNode(id=node_id, choose=draw(st.none() | expressions))
        case _:
            return ParallelNode(id=node_id, for_each=draw(st.none() | expressions))


@st.composite
def graphs(draw: DrawFn) -> ResearchGraph:
    """A valid graph: a spine of nodes, with ways ahead and declared ways back added at random."""
    spine = [*NAMES[: draw(st.integers(1, len(NAMES)))], EXIT]
    nodes: list[Node] = [draw(working_nodes(name)) for name in spine[:-1]]
    nodes.append(draw(working_nodes(EXIT, exit=True)))
    edges: list[Edge] = []
    branches: dict[str, ResearchGraph] = {}
    for place, node in enumerate(nodes[:-1]):
        if isinstance(node, ParallelNode):
            branches["section"] = LEAF
            edges.append(ParallelEdge(from_node=node.id, branch="section", inputs={"question": draw(expressions)}))
        for _ in range(draw(st.integers(0, 2))):
            target = draw(st.integers(0, len(spine) - 1))
            ending: EndKind | None = draw(st.sampled_from([None, "stalled", "tokens"]))
            edges.append(
                ConditionalEdge(
                    from_node=node.id,
                    to_node=spine[target],
                    when=draw(expressions),
                    loop=target <= place,
                    ending=ending,
                )
            )
        if draw(st.integers(0, 4)) == 0:  # onwards only if a condition holds, otherwise back
            back = spine[draw(st.integers(0, place))]
            edges.append(ConditionalEdge(from_node=node.id, to_node=spine[place + 1], when=draw(expressions)))
            edges.append(SequentialEdge(from_node=node.id, to_node=back, loop=True))
        else:
            edges.append(SequentialEdge(from_node=node.id, to_node=spine[place + 1]))
    return ResearchGraph(
        name="random",
        nodes=tuple(nodes),
        edges=tuple(draw(st.permutations(edges))),
        entry_node=spine[0],
        exit_nodes=(EXIT,),
        branches=branches,
    )


LEAF = ResearchGraph(name="leaf", nodes=(ToolNode(id="only", tool="noop"),), entry_node="only", exit_nodes=("only",))


@st.composite
def outcomes(draw: DrawFn, work: Work, at: float) -> Entry:
    """What became of a command: the right answer, anything at all, or a failure."""
    usage = draw(usages)
    match draw(st.sampled_from(["right", "right", "right", "anything", "failed"])):
        case "right":
            return StepCompleted(step=work.step, node=work.node, at=at, output=_right(work), usage=usage, model="m")
        case "anything":
            return StepCompleted(
                step=work.step, node=work.node, at=at, output=draw(json_values), usage=usage, model="m"
            )
        case _:
            failure = Failure(node=work.node, type="Scripted", message="no", fatal=draw(st.integers(0, 4)) == 0)
            return StepFailed(step=work.step, node=work.node, at=at, failure=failure, usage=usage)


def _right(work: Work) -> Json:
    match work:
        case CallAgent():
            return ANSWERS[work.agent]
        case CallTool() if work.for_each:
            items = [ItemOutcome(index=index, output=ANSWERS[work.tool]) for index in range(len(work.inputs))]
            return ItemOutcomes(items=tuple(items)).model_dump(mode="json")
        case CallTool():
            return ANSWERS[work.tool]
        case _:
            return {"branches": []}


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
    "faulty branch": lambda graph: changed(graph, branches={"section": changed(LEAF, entry_node="nowhere")}),
}
"""Changes of which each makes any valid graph of `graphs` invalid."""

_ids = st.sampled_from(["a", "b", "c", "d"])
_names = st.sampled_from(["thinking", "writer", "search", "noop", "add_evidence", "set_values", "nothing"])
_free_inputs = st.dictionaries(st.sampled_from(["question", "query", "source", "nothing"]), texts, max_size=2)
_free_nodes: SearchStrategy[Node] = st.one_of(
    st.builds(AgentNode, id=_ids, agent=_names, inputs=_free_inputs, reducer=st.none() | _names),
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
    )


free_graphs: SearchStrategy[ResearchGraph] = _free(st.dictionaries(_ids, _free(st.just({})), max_size=2))
"""Anything that has the right types."""

ENTRY: TypeAdapter[Entry] = TypeAdapter(Entry)
