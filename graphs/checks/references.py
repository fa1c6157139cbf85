"""Checks that the names in a graph exist: agents, tools, reducers, their inputs, fields of outputs, errors of edges.

Agents and tools may fail by errors of their own, with any name; a name similar to a known one counts as misspelled.
Every other node has few ways to fail; so has a tool that runs once per item, because a failed item is data.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from elcano.graphs.catalogue.reducers import REDUCERS, ReducerSpec
from elcano.graphs.catalogue.tools import TOOLS, ItemOutcomes
from elcano.graphs.checks.callees import agents_known, answer_shape, find_valid_agent
from elcano.graphs.checks.expression_paths import find_misread_paths
from elcano.graphs.engine.entry_effects import output_model
from elcano.graphs.engine.run import VIEW_NAMES
from elcano.graphs.errors import Fault, build_faults_at, build_json_pointer
from elcano.graphs.expressions.language import field_read, node_read, root_names
from elcano.graphs.expressions.language import find_expression_fault as unusable
from elcano.graphs.frozen import Frozen
from elcano.graphs.plugin import list_left_out
from elcano.graphs.spec.graph import (
    AgentNode,
    ConditionalEdge,
    DecisionNode,
    ErrorEdge,
    Inputs,
    Node,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    StateNode,
    ToolNode,
)
from elcano.graphs.state.branches import BranchInput, BranchOutcomes
from elcano.graphs.state.failures import FailureType, NodeFailure
from elcano.graphs.state.state import DraftRef
from elcano.graphs.text import shorten_text, suggest_name

_STATE_NAMES = frozenset(VIEW_NAMES)
ITEM_NAMES = frozenset({"item", "index"})

OF_PLUGINS = frozenset({"mode", "graph", "agent", "tool", "reducer", "source"})
"""Kinds of names that plugins add: an unknown one may be of a plugin that is left out."""
ALIKE = 0.65
"""`difflib`'s ratio from which on a name may be meant by another: `itertive` is close to `iterative` (0.94), and
`nowhere` is not to `knowledge` (0.63)."""
LONGEST_NAME = 100
"""Characters of a name that could be anything's; what resembles a longer one is not looked for."""


NEVER_MET: Final[Mapping[str, str]] = {
    FailureType.PROVIDER: "a provider that cannot answer holds the run",
    FailureType.STORE_DOWN: "a store that cannot be used holds the run",
    FailureType.MODEL_REFUSED: "a refused key or model holds the run, or fails it, until a person mends that",
    FailureType.BUDGET: "a budget that is spent leads to the exit, or waits for more",
    FailureType.ABANDONED: "a call is given up because its run ends",
}
"""Errors by which no edge is ever taken, and what comes of them instead."""
CALLED: Final = frozenset(
    {
        FailureType.INPUT_INVALID,
        FailureType.TIMEOUT,
        FailureType.PAYLOADS_TOO_LARGE,
        FailureType.SOURCE_REFUSED,
        FailureType.SOURCE_UNAVAILABLE,
        FailureType.TOOL_UNAVAILABLE,
        FailureType.TOOL_REFUSED,
        FailureType.APPROVAL_NEEDED,
        FailureType.APPROVAL_REFUSED,
        FailureType.OUTCOME_UNKNOWN,
    }
)
"""Errors of any call."""
OF_MODELS: Final = frozenset(
    {
        FailureType.MODEL_OUTPUT,
        FailureType.MODEL_CUT_OFF,
        FailureType.MODEL_DECLINED,
        FailureType.PROMPT_TOO_LONG,
        FailureType.REQUEST_REFUSED,
        FailureType.LIMIT_REACHED,
    }
)
"""Errors of a call that asks a model."""
OWN_ALIKE: Final = 0.85
"""From here on a name that is not known resembles a known one too much to be another."""


def reference_faults(graph: ResearchGraph, kept: Collection[str] = ()) -> Iterable[Fault]:
    """Every name, field and expression of `graph` that leads nowhere; an agent's name may be near a `kept` one."""
    for number, node in enumerate(graph.nodes):
        chosen = build_faults_at("/choose", _expression_faults(graph, node.choose, _STATE_NAMES)) if node.choose else ()
        for fault in (
            *_node_faults(graph, node, kept),
            *build_faults_at("/reducer", _reducer_faults(graph, node)),
            *chosen,
        ):
            yield fault.within(f"node {node.id!r}", build_json_pointer("nodes", number))
    for number, edge in enumerate(graph.edges):
        if isinstance(edge, ConditionalEdge):
            for fault in build_faults_at("/when", _expression_faults(graph, edge.when, _STATE_NAMES)):
                yield fault.within(f"edge {edge.from_node!r} -> {edge.to_node!r}", build_json_pointer("edges", number))
        elif isinstance(edge, ParallelEdge):
            parallel = graph.by_id.get(edge.from_node)
            each = isinstance(parallel, ParallelNode) and parallel.for_each
            names = _STATE_NAMES | ITEM_NAMES if each else _STATE_NAMES
            for fault in _input_faults(graph, edge.inputs, BranchInput, names):
                yield fault.within(f"edge {edge.from_node!r} -> {edge.branch!r}", build_json_pointer("edges", number))
    for name, expression in graph.result.items():
        for text in _expression_faults(graph, expression, _STATE_NAMES):
            yield Fault(f"result {name!r}: {text}", build_json_pointer("result", name))


def hands_nothing_over(branch: ResearchGraph) -> bool:
    """Whether no run of `branch` can leave a draft, evidence or values; never said of one that names the unknown."""
    exits = [branch.by_id.get(exit_id) for exit_id in branch.exit_nodes]
    agents = {node.agent for node in exits if isinstance(node, AgentNode)}
    named = {node.reducer for node in branch.nodes if not isinstance(node, DecisionNode) and node.reducer}
    if branch.result or None in exits or agents - set(agents_known(branch)) or named - REDUCERS.keys():
        return False
    handed_in = (node.reducer for node in exits if isinstance(node, StateNode))
    called = [find_valid_agent(branch, agent) for agent in agents]
    writes = any(agent is not None and agent.output is DraftRef for agent in called) or any(
        REDUCERS[name].hands_in for name in handed_in
    )
    return not writes and not any(REDUCERS[name].adds_evidence for name in named)


def _node_faults(graph: ResearchGraph, node: Node, kept: Collection[str]) -> Iterable[Fault]:
    match node:
        case AgentNode():
            yield from build_faults_at(
                "/agent", explain_unknown_name("agent", node.agent, [*agents_known(graph), *kept])
            )
            if (agent := find_valid_agent(graph, node.agent)) is not None:
                yield from _input_faults(graph, node.inputs, agent.input, _STATE_NAMES)
        case ToolNode():
            names = _STATE_NAMES | ITEM_NAMES if node.for_each else _STATE_NAMES
            yield from build_faults_at("/tool", explain_unknown_name("tool", node.tool, TOOLS))
            if node.for_each:
                yield from build_faults_at("/for_each", _expression_faults(graph, node.for_each, _STATE_NAMES))
            if node.tool in TOOLS:
                yield from _input_faults(graph, node.inputs, TOOLS[node.tool].input, names)
        case StateNode():
            yield from build_faults_at("/reducer", explain_unknown_name("reducer", node.reducer, REDUCERS))
            if node.reducer in REDUCERS:
                yield from _input_faults(graph, node.inputs, REDUCERS[node.reducer].input, _STATE_NAMES)
        case ParallelNode():
            if node.for_each:
                yield from build_faults_at("/for_each", _expression_faults(graph, node.for_each, _STATE_NAMES))


@dataclass(frozen=True)
class _Given:
    """The input that a reducer gets from the callee of its node."""

    by: str
    model: type[Frozen]
    item: type[Frozen] | None = None
    """For a list of outcomes: the output of each."""

    def fits(self, reducer: ReducerSpec) -> bool:
        """Whether `reducer` can take it."""
        if not issubclass(self.model, reducer.input):
            return False
        return reducer.item is None or (self.item is not None and issubclass(self.item, reducer.item))


def _find_reducer_input(graph: ResearchGraph, node: AgentNode | ToolNode | ParallelNode) -> _Given | None:
    """Return the input of the node's reducer; None if the node's callee is not known."""
    match node:
        case AgentNode():
            agent = find_valid_agent(graph, node.agent)
            return None if agent is None else _Given(f"agent {node.agent!r}", agent.output)
        case ToolNode() if node.tool in TOOLS:  # without `for_each` it is a list too, of one
            return _Given(f"tool {node.tool!r}", ItemOutcomes, TOOLS[node.tool].output)
        case ParallelNode():
            return _Given("a parallel node", BranchOutcomes)
        case _:
            return None


def _reducer_faults(graph: ResearchGraph, node: Node) -> Iterable[str]:
    if not isinstance(node, AgentNode | ToolNode | ParallelNode) or node.reducer is None:
        return
    yield from explain_unknown_name("reducer", node.reducer, REDUCERS)
    reducer, given = REDUCERS.get(node.reducer), _find_reducer_input(graph, node)
    if reducer and given and not given.fits(reducer):
        wanted = _format_model_name(reducer.input, reducer.item)
        yield (
            f"reducer {reducer.name!r} takes {wanted}, but {given.by} gives "
            f"{_format_model_name(given.model, given.item)}"
        )


def _format_model_name(model: type[Frozen], item: type[Frozen] | None) -> str:
    return model.__name__ if item is None else f"{model.__name__} of {item.__name__}"


def _input_faults(
    graph: ResearchGraph, inputs: Inputs, model: type[BaseModel], names: frozenset[str]
) -> Iterable[Fault]:
    for field, expression in inputs.items():
        place = build_json_pointer("inputs", field)
        yield from build_faults_at(place, explain_unknown_name("input", field, model.model_fields))
        yield from build_faults_at(place, _expression_faults(graph, expression, names))
    for field, info in model.model_fields.items():
        if info.is_required() and field not in inputs:
            yield Fault(f"input {field!r} is missing", "/inputs")


def _expression_faults(graph: ResearchGraph, expression: str, names: frozenset[str]) -> Iterable[str]:
    if problem := unusable(expression):
        yield f"expression {expression!r} cannot be used: {problem}"
        return
    for root in root_names(expression):
        if root in ITEM_NAMES - names:
            yield f"{root!r} in {expression!r} can be read only within a `for_each`"
        else:
            yield from explain_unknown_name("name", root, names, within=f" in {expression!r}")
    if field := field_read(expression, "failure"):
        yield from explain_unknown_name(
            "field", field, NodeFailure.model_fields, within=f" of the failure in {expression!r}"
        )
    if read := node_read(expression):
        node_id, field = read
        yield from explain_unknown_name("node", node_id, graph.by_id, within=f" in {expression!r}")
        node = graph.by_id.get(node_id)
        own = answer_shape(graph, node_id) is not None
        model = output_model(graph, node) if node and not own and not _has_faulty_agent(graph, node) else None
        if model and field:
            yield from explain_unknown_name(
                "field", field, model.model_fields, within=f" of node {node_id!r} in {expression!r}"
            )
    for text in find_misread_paths(expression, lambda node_id: answer_shape(graph, node_id)):
        yield f"{text} (in {expression!r})"


def _has_faulty_agent(graph: ResearchGraph, node: Node) -> bool:
    """Return whether a node calls an unknown or faulty agent, so that its output is not known."""
    return isinstance(node, AgentNode) and find_valid_agent(graph, node.agent) is None


def error_faults(node: Node, edge: ErrorEdge) -> Iterable[str]:
    """Every error of `edge` by which `node` will never be left."""
    known = _list_possible_errors(node)
    own = isinstance(node, AgentNode) or (isinstance(node, ToolNode) and node.for_each is None)
    for error in edge.types:
        if error in NEVER_MET:
            yield f"no edge is taken by {error!r}: {NEVER_MET[error]}"
        elif not own:
            yield from explain_unknown_name(f"error of a {node.kind} node", error, known)
        elif error not in known and (hint := suggest_name(error, known, cutoff=OWN_ALIKE)):
            yield f"unknown error {error!r}; {hint}"


def _list_possible_errors(node: Node) -> frozenset[str]:
    match node:
        case AgentNode():
            return CALLED | OF_MODELS
        case ToolNode() if node.for_each is None:
            return CALLED | {FailureType.CIRCUIT_OPEN}
        case ParallelNode():
            return frozenset({FailureType.INPUT_INVALID, FailureType.BRANCHES_FAILED})
        case _:
            return frozenset({FailureType.INPUT_INVALID})


def explain_unknown_name(kind: str, name: str, known: Collection[str], *, within: str = "") -> Iterable[str]:
    """Report `name` as unknown if it is not among the `known` ones, with the one that it resembles."""
    if name in known:
        return
    if len(name) > LONGEST_NAME:
        yield (
            f"unknown {kind} {shorten_text(name, LONGEST_NAME)!r}{within}; names have at most {LONGEST_NAME} characters"
        )
        return
    hint = suggest_name(name, known, f"known: {', '.join(sorted(known)) or 'none'}", cutoff=ALIKE)
    left_out = (
        f"; plugins left out here: {', '.join(list_left_out())}" if kind in OF_PLUGINS and list_left_out() else ""
    )
    yield f"unknown {kind} {name!r}{within}; {hint}{left_out}"
