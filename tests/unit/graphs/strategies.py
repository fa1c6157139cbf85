"""Random valid graphs, and random outcomes of what they ask to be done."""

from collections.abc import Mapping

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from pydantic import BaseModel, TypeAdapter

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.catalogue.reducers import REDUCERS
from elcano.graphs.catalogue.tools import TOOLS, ItemOutcome, ItemOutcomes
from elcano.graphs.engine.entries import CallAgent, CallTool, Entry, StepCompleted, StepFailed, Work
from elcano.graphs.frozen import Json, JsonObject
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
    Route,
    SequentialEdge,
    StateNode,
    ToolNode,
)
from elcano.graphs.spec.limits import AgentLimits
from elcano.graphs.state.budget import Limits, Usage
from elcano.graphs.state.failures import Failure
from elcano.graphs.state.state import ResearchState
from elcano.testing.script import make_passages
from tests.unit.graphs.texts import expressions, json_objects, json_values

_of_a_leaf = expressions.filter(lambda expression: expression != "outputs.n0")
"""Expressions that a graph with other nodes can read."""
NAMES = tuple(f"n{number}" for number in range(6))
EXIT = "last"

limits: SearchStrategy[Limits] = st.builds(
    Limits,
    tokens=st.integers(1_000, 30_000),
    cost_microusd=st.none() | st.integers(1, 500),
    seconds=st.floats(5, 2_000),
    iterations=st.integers(1, 4),
    steps=st.integers(2, 30),
    reserve=st.floats(0, 0.5),
    when_exhausted=st.sampled_from(["finish", "pause"]),
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
    "search": {"source": "library", "query": "q", "evidence": [*make_passages("a", "b"), *make_passages("a")]},
    "noop": {"ok": True},
}
REDUCER_OF = {
    "thinking": "record_thought",
    "knowledge_gap": "record_gap",
    "tool_selector": "record_tool_calls",
    "judge": "record_judgement",
    "search": "add_evidence",
}


agent_limits: SearchStrategy[AgentLimits | None] = st.none() | st.builds(
    AgentLimits,
    timeout_seconds=st.none() | st.floats(1, 100),
    attempts=st.none() | st.integers(1, 3),
    model=st.sampled_from([None, "offline"]),
    tokens=st.none() | st.integers(10_000, 50_000),
)


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
            return AgentNode(
                id=node_id,
                agent=agent,
                inputs=draw(inputs(AGENTS[agent].input)),
                reducer=reducer,
                limits=draw(agent_limits),
            )
        case "tool":
            tool = draw(st.sampled_from(sorted(ANSWERS.keys() & TOOLS.keys())))
            reducer = draw(st.sampled_from([None, REDUCER_OF.get(tool)]))
            each = draw(st.none() | expressions)
            return ToolNode(
                id=node_id, tool=tool, inputs=draw(inputs(TOOLS[tool].input)), for_each=each, reducer=reducer
            )
        case "state":
            name = draw(st.sampled_from(sorted(REDUCERS)))
            return StateNode(id=node_id, reducer=name, inputs=draw(inputs(REDUCERS[name].input)))
        case "decision":
            return DecisionNode(id=node_id)
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
            branches["section"] = LEAF.model_copy(update={"result": {"ran": draw(_of_a_leaf)}})
            edges.append(ParallelEdge(from_node=node.id, branch="section", inputs={"question": draw(expressions)}))
        for _ in range(draw(st.integers(0, 2))):
            target = draw(st.integers(0, len(spine) - 1))
            early: list[EndKind | None] = [None, "stalled", "tokens"] if target == len(nodes) - 1 else [None]
            ending = draw(st.sampled_from(early))
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
        if len({edge.to_node for edge in edges if edge.from_node == node.id and isinstance(edge, Route)}) > 1:
            nodes[place] = node.model_copy(update={"choose": draw(st.none() | choices)})
        edges += draw(repairs(node, place, spine))
    return ResearchGraph(
        name="random",
        nodes=tuple(nodes),
        edges=tuple(draw(st.permutations(edges))),
        entry_node=spine[0],
        exit_nodes=(EXIT,),
        branches=branches,
        result=draw(st.dictionaries(st.sampled_from(["one", "two"]), expressions, max_size=2)),
    )


choices = st.sampled_from([f"'{name}'" for name in (*NAMES, EXIT)]) | expressions


@st.composite
def repairs(draw: DrawFn, node: Node, place: int, spine: list[str]) -> list[Edge]:
    """Ways to anywhere, itself too, after errors that `node` can fail by."""
    free = isinstance(node, AgentNode) or (isinstance(node, ToolNode) and node.for_each is None)
    kinds = draw(st.sampled_from([(), ((),), (("InputInvalid",),), (("InputInvalid",), ())]))
    edges: list[Edge] = []
    for types in kinds:
        target = draw(st.integers(0, len(spine) - 1))
        more = ("Scripted",) if types and free else ()
        edges.append(ErrorEdge(from_node=node.id, to_node=spine[target], types=(*types, *more), loop=target <= place))
    return edges


LEAF = ResearchGraph(
    name="leaf",
    nodes=(ToolNode(id="only", tool="noop"),),
    entry_node="only",
    exit_nodes=("only",),
    result={"ran": "outputs.only.ok"},
)


@st.composite
def outcomes(draw: DrawFn, work: Work, at: float) -> Entry:
    """What became of a command: the right answer, anything at all, or a failure."""
    usage = draw(usages)
    match draw(st.sampled_from(["right", "right", "right", "anything", "failed"])):
        case "right":
            return StepCompleted(step=work.step, node=work.node, at=at, output=right(work), usage=usage, model="m")
        case "anything":
            return StepCompleted(
                step=work.step, node=work.node, at=at, output=draw(json_values), usage=usage, model="m"
            )
        case _:
            failure = Failure(node=work.node, type="Scripted", message="no", fatal=draw(st.integers(0, 4)) == 0)
            return StepFailed(step=work.step, node=work.node, at=at, failure=failure, usage=usage)


def right(work: Work) -> Json:
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


ENTRY: TypeAdapter[Entry] = TypeAdapter(Entry)
