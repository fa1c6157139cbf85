"""Checks the paths that expressions read: the fields of a custom agent's answer, and outputs of nodes that come before.

The parsed expression is walked with shapes in the place of values, as evaluation walks it with values. The results of
functions, and values of other origin, are unknown and not reported.

A path has to lead from a node to one that reads its output. A node can always read its own output from an earlier
visit. Exits are excepted: a run that has to end comes there from anywhere.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from elcano.graphs.errors import Fault, build_json_pointer
from elcano.graphs.expressions.language import find_expression_fault as unusable
from elcano.graphs.expressions.language import parse_expression
from elcano.graphs.schemas.shape import Shape
from elcano.graphs.spec.graph import (
    AgentNode,
    ConditionalEdge,
    Node,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    StateNode,
    ToolNode,
    find_reachable,
)
from elcano.graphs.spec.walks import map_neighbours
from elcano.graphs.text import suggest_name

ShapeOf: TypeAlias = Callable[[str], Shape | None]
"""From a node to what it leaves, if that is known."""
_Tree: TypeAlias = Mapping[str, Any]
_CHAINS: Final = ("subexpression", "pipe", "index_expression")


@dataclass(frozen=True)
class _View:
    """The view that expressions see."""


@dataclass(frozen=True)
class _Outputs:
    """The outputs of the nodes."""


@dataclass(frozen=True)
class _List:
    """A list of known items."""

    of: "_Known"


_Known: TypeAlias = _View | _Outputs | _List | Shape | None


def find_misread_paths(expression: str, shape_of: ShapeOf) -> list[str]:
    """Return the fields that a faultless expression reads but no answer has, each with what was probably meant."""
    reader = _Reader(shape_of)
    reader.walk(parse_expression(expression), _View())
    return list(dict.fromkeys(reader.faults))


def nodes_read(expression: str) -> list[str]:
    """The nodes whose outputs an expression without faults reads by name, each once."""
    named: dict[str, None] = {}

    def noted(node_id: str) -> None:
        named[node_id] = None

    _Reader(noted).walk(parse_expression(expression), _View())
    return list(named)


@dataclass
class _Reader:
    shape_of: ShapeOf
    faults: list[str] = field(default_factory=list)

    def walk(self, tree: _Tree, at: _Known) -> _Known:  # noqa: C901  (one case a kind of part)
        """Return the shape that a part yields when it is read from `at`."""
        kind, parts = tree["type"], [child for child in tree["children"] if isinstance(child, dict)]
        if kind in _CHAINS:
            for part in parts:
                at = self.walk(part, at)
            return at
        match kind:
            case "current" | "identity":
                return at
            case "field":
                return self._field(tree["value"], at)
            case "index":
                return _get_item_shape(at)
            case "slice":
                return _wrap_in_list(_get_item_shape(at))
            case "flatten":
                return _flatten_list_shape(self.walk(parts[0], at))
            case "projection" | "filter_projection":
                of = _get_item_shape(self.walk(parts[0], at))
                for condition in parts[2:]:
                    self.walk(condition, of)
                return _wrap_in_list(self.walk(parts[1], of))
            case "value_projection":
                parts = parts[:1]
            case "expref":  # reads the items of a list that the function is given
                parts = []
        for part in parts:
            self.walk(part, at)
        return None

    def _field(self, name: str, at: _Known) -> _Known:
        if isinstance(at, _View):
            return _Outputs() if name == "outputs" else None
        if isinstance(at, _Outputs):
            return self.shape_of(name)
        if isinstance(at, _List) or (isinstance(at, Shape) and at.kind == "array"):
            self.faults.append(f"{name!r} is read from a list; read it from its items, with `[].{name}`")
            return None
        if not isinstance(at, Shape):
            return None
        if at.kind != "object":
            self.faults.append(f"{name!r} is read from a value of type {at.kind!r}, which has no fields")
            return None
        there = {one.name: one.shape for one in at.properties}
        if name not in there:
            hint = suggest_name(name, there, f"known: {', '.join(list(there)[:20])}")
            self.faults.append(f"unknown field {name[:100]!r}; {hint}")
        return there.get(name)


def _get_item_shape(at: _Known) -> _Known:
    """Return the known shape of the items of a list."""
    if isinstance(at, _List):
        return at.of
    return at.items if isinstance(at, Shape) and at.kind == "array" else None


def _wrap_in_list(of: _Known) -> _Known:
    return None if of is None else _List(of)


def _flatten_list_shape(at: _Known) -> _Known:
    """A list whose items that are lists are laid out in it."""
    of = _get_item_shape(at)
    if isinstance(of, _List) or (isinstance(of, Shape) and of.kind == "array"):
        of = _get_item_shape(of)
    return _wrap_in_list(of)


@dataclass(frozen=True)
class _Reading:
    """One expression, the node that reads it, and its place."""

    expression: str
    node: str
    place: str


def order_faults(graph: ResearchGraph) -> Iterator[Fault]:
    """Every output that is read where it can never be there; `graph` has no edge that leads nowhere."""
    onward = map_neighbours(graph, lambda edge: (edge.from_node, edge.to_node))
    behind: dict[str, set[str]] = {}
    for reading in _list_readings(graph):
        if graph.is_closing(reading.node) or unusable(reading.expression):
            continue
        for read in nodes_read(reading.expression):
            if read not in graph.by_id or read == reading.node:
                continue
            if read not in behind:
                behind[read] = find_reachable(onward.get(read, ()), lambda node: onward.get(node, ()))
            if reading.node not in behind[read]:
                text = f"no way leads from node {read!r} to it, so it never sees what that leaves"
                yield Fault(f"node {reading.node!r}: {text} (in {reading.expression!r})", reading.place)


def _list_readings(graph: ResearchGraph) -> Iterator[_Reading]:
    for number, node in enumerate(graph.nodes):
        yield from _of_node(node, build_json_pointer("nodes", number))
    for number, edge in enumerate(graph.edges):
        place = build_json_pointer("edges", number)
        if isinstance(edge, ConditionalEdge):
            yield _Reading(edge.when, edge.from_node, f"{place}/when")
        elif isinstance(edge, ParallelEdge):
            for field, expression in edge.inputs.items():
                yield _Reading(expression, edge.from_node, place + build_json_pointer("inputs", field))


def _of_node(node: Node, place: str) -> Iterator[_Reading]:
    if isinstance(node, AgentNode | ToolNode | StateNode):
        for field, expression in node.inputs.items():
            yield _Reading(expression, node.id, place + build_json_pointer("inputs", field))
    if isinstance(node, ToolNode | ParallelNode) and node.for_each:
        yield _Reading(node.for_each, node.id, f"{place}/for_each")
    if node.choose:
        yield _Reading(node.choose, node.id, f"{place}/choose")
