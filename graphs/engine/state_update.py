"""Folds the output of a node into the state of the run: whole or not at all, and within the state's maximum weight."""

from collections.abc import Iterable
from typing import Final

from elcano.graphs.agents.definition import AGENTS
from elcano.graphs.agents.own_definition import get_agent
from elcano.graphs.catalogue.reducers import REDUCERS
from elcano.graphs.catalogue.tools import TOOLS, ItemOutcomes
from elcano.graphs.engine.entries import StepCompleted
from elcano.graphs.engine.inputs import ExpressionReader, build_node_input
from elcano.graphs.engine.run import Run
from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Frozen, Json
from elcano.graphs.spec.graph import AgentNode, DecisionNode, Node, ParallelNode, ResearchGraph, StateNode, ToolNode
from elcano.graphs.state.branches import BranchOutcomes
from elcano.graphs.state.failures import Failure, NodeFailure
from elcano.graphs.state.state import ResearchState

TYPE_CHARACTERS: Final = 100
"""Of the name of an error."""


def fold_step_output(graph: ResearchGraph, run: Run, entry: StepCompleted, reading: ExpressionReader) -> Run:
    """The run with what `entry` brought in its state. What an exit writes is always kept: the report names it.

    Raises:
        ValidationError: the output, or what a state node's expressions gave, does not fit.
        InputInvalid: the state would weigh too much, or hold what cannot be written down.
    """
    state = _reduce_node_output(graph, run, entry, reading)
    if any(failure.node == run.node for failure in state.failures):  # put right
        state = state.model_copy(update={"failures": _drop_node_failures(state, run.node)})
    known, most = run.knowing(state), run.figures.state_bytes
    if (weight := sum(known.weights.values())) > most and run.node not in graph.exit_nodes:
        raise InputInvalid(
            "state", f"the state would weigh {weight:,} bytes, and {most:,} are allowed: keep less in it"
        )
    return known


def with_failure(run: Run, failure: Failure) -> Run:
    """The run that knows what went wrong at its node; of what the node did nothing else is kept.

    A node has one failure at most, so that all together are small beside what a state may weigh.
    """
    earlier = [known for known in run.state.failures if known.node == run.node]
    new = NodeFailure(
        node=run.node,
        type=failure.type[:TYPE_CHARACTERS],
        message=failure.message,
        attempts=failure.attempts,
        times=1 + sum(known.times for known in earlier),
    )
    return run.knowing(run.state.model_copy(update={"failures": (*_drop_node_failures(run.state, run.node), new)}))


def _drop_node_failures(state: ResearchState, node: str) -> tuple[NodeFailure, ...]:
    return tuple(failure for failure in state.failures if failure.node != node)


def record_expression_use(run: Run, reading: ExpressionReader) -> Run:
    """The run after its expressions were read: with what has to be said of them, and the work they took."""
    run = run.model_copy(update={"work": run.work + reading.work})
    return add_run_warnings(run, reading.warnings)


def add_run_warnings(run: Run, warnings: Iterable[str]) -> Run:
    """The run with `warnings` for the reader of its report, each once."""
    new = [text for text in warnings if text not in run.state.warnings]
    if not new:
        return run
    return run.knowing(run.state.model_copy(update={"warnings": (*run.state.warnings, *new)}))


def _reduce_node_output(
    graph: ResearchGraph, run: Run, entry: StepCompleted, reading: ExpressionReader
) -> ResearchState:
    """The state with the node's output in it, and folded in by the node's reducer if it names one."""
    node = graph.by_id[run.node]
    state = run.state
    if isinstance(node, StateNode):
        reducer = REDUCERS[node.reducer]
        given = build_node_input(reducer.input, node.inputs, reading)
        return reducer.apply(state, reducer.input.model_validate(given))
    if isinstance(node, DecisionNode):
        return state
    if entry.output is not None and (model := output_model(graph, node)) is not None:
        model.model_validate(entry.output)
    state = state.model_copy(update={"outputs": {**state.outputs, node.id: entry.output}})
    if node.reducer is None:
        return state
    reducer = REDUCERS[node.reducer]
    return reducer.apply(state, reducer.input.model_validate(_for_reducer(node, entry)))


def _for_reducer(node: AgentNode | ToolNode | ParallelNode, entry: StepCompleted) -> Json:
    """Reducers of tool nodes always see a list of outcomes, so that one works with and without `for_each`."""
    if isinstance(node, ToolNode) and node.for_each is None:
        return {"items": [{"index": 0, "output": entry.output}]}
    return entry.output


def output_model(graph: ResearchGraph, node: Node) -> type[Frozen] | None:
    """Return the output model of a node, stored under `outputs.<id>`; None if it has none or it is not known here."""
    match node:
        case AgentNode():
            return get_agent(graph, node.agent).output if node.agent in AGENTS or node.agent in graph.agents else None
        case ToolNode():
            if node.for_each:
                return ItemOutcomes
            return TOOLS[node.tool].output if node.tool in TOOLS else None
        case ParallelNode():
            return BranchOutcomes
        case _:
            return None
