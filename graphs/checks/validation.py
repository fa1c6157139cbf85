"""The faults of a graph at once, each naming its node or edge and what to do.

This file looks at the shape: ids, edges, reachability, cycles. `size` counts first, so that no walk here is long;
`references` looks at what the nodes name: agents, tools, reducers, fields and expressions.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import chain

from elcano.graphs.checks.agents import ambiguous_agents, own_agent_faults
from elcano.graphs.checks.errors import error_faults
from elcano.graphs.checks.references import hands_nothing_over, reference_faults
from elcano.graphs.errors import GraphInvalid
from elcano.graphs.rules import rules
from elcano.graphs.spec.graph import (
    ConditionalEdge,
    Edge,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    Route,
    SequentialEdge,
    Way,
)
from elcano.graphs.spec.size import first_faults, size_faults


def require_valid(graph: ResearchGraph, kept: Collection[str] = ()) -> None:
    """Refuses a graph that has faults; `kept` are names of agents that it might have meant.

    Raises:
        GraphInvalid: with every fault.
    """
    if found := faults(graph, kept):
        raise GraphInvalid(graph.name, found)


def faults(graph: ResearchGraph, kept: Collection[str] = ()) -> list[str]:
    """The faults of `graph` and of its branches, the first of many; an empty list means that it can run.

    One that is too large is told so, and nothing else is looked for in it. `kept` are names of agents of one's own that
    it might have meant where it names one that there is not.
    """
    return size_faults(graph) or first_faults(chain(_faults(graph, kept), ambiguous_agents(graph)))


def _faults(graph: ResearchGraph, kept: Collection[str]) -> Iterable[str]:
    yield from _counts(graph)
    lost = _endpoints(graph)
    yield from lost
    yield from own_agent_faults(graph)
    yield from reference_faults(graph, kept)
    if not lost:  # the walks below need edges that lead somewhere
        yield from (*_routing(graph), *_repairs(graph), *_endings(graph), *_reachability(graph), *_cycles(graph))
    yield from (*_branch_faults(graph), *_parallel_faults(graph))
    for name, branch in graph.branches.items():
        yield from (f"branch {name!r}: {fault}" for fault in _faults(branch, kept))


def _counts(graph: ResearchGraph) -> Iterable[str]:
    for node_id, count in Counter(node.id for node in graph.nodes).items():
        if count > 1:
            yield f"node {node_id!r}: {count} nodes have this id; make them unique"
    if not graph.exit_nodes:
        yield "there is no exit node; name at least one in `exit_nodes`"


def _endpoints(graph: ResearchGraph) -> list[str]:
    found = []
    if graph.entry_node not in graph.by_id:
        found.append(f"entry node {graph.entry_node!r} does not exist")
    found += [f"exit node {exit_id!r} does not exist" for exit_id in graph.exit_nodes if exit_id not in graph.by_id]
    for edge in graph.edges:
        ends = (edge.from_node,) if isinstance(edge, ParallelEdge) else (edge.from_node, edge.to_node)
        found += [f"{_named(edge)}: node {end!r} does not exist" for end in ends if end not in graph.by_id]
    return found


def _routing(graph: ResearchGraph) -> Iterable[str]:
    exits = frozenset(graph.exit_nodes)
    for node in graph.nodes:
        routes = graph.routes_from(node.id)
        always = [edge for edge in routes if isinstance(edge, SequentialEdge)]
        if node.id in exits:
            if routes or graph.error_edges_from(node.id):
                yield f"node {node.id!r}: it is an exit, so no edge may leave it"
            if node.choose:
                yield f"node {node.id!r}: it is an exit, so there is nothing to choose"
            if node.kind in ("decision", "parallel"):
                yield f"node {node.id!r}: a {node.kind} node cannot be an exit; an exit writes something"
        elif len(always) != 1:
            yield (
                f"node {node.id!r}: it needs exactly one sequential edge, the way on when no condition holds; "
                f"it has {len(always)}"
            )
        elif node.choose and len(targets := {edge.to_node for edge in routes}) < 2:
            yield f"node {node.id!r}: `choose` needs edges to at least two nodes to choose from; it has {len(targets)}"


def _repairs(graph: ResearchGraph) -> Iterable[str]:
    for node in graph.nodes:
        taken: set[str] = set()
        for edge in graph.error_edges_from(node.id):
            yield from (f"{_named(edge)}: {text}" for text in error_faults(node, edge))
            new = edge.types or ("",)
            yield from (f"{_named(edge)}: {_twice(error)}" for error in dict.fromkeys(new) if error in taken)
            taken.update(new)


def _twice(error: str) -> str:
    named = f"the error {error!r}" if error else "every error that no other edge names"
    return f"another edge of its node takes {named} already; keep one of them"


def _endings(graph: ResearchGraph) -> Iterable[str]:
    exits = frozenset(graph.exit_nodes)
    for edge in graph.edges:
        if isinstance(edge, ConditionalEdge) and edge.ending and edge.to_node not in exits:
            yield f"{_named(edge)}: it has `ending: {edge.ending}`, so it must lead to an exit"


def _reachability(graph: ResearchGraph) -> Iterable[str]:
    """Every node is reached, if need be after an error; and from every node an exit is, without one."""
    onward = _neighbours(graph, lambda edge: (edge.from_node, edge.to_node))
    backward = _neighbours(graph, lambda edge: (edge.to_node, edge.from_node) if isinstance(edge, Route) else None)
    reached = _reach(onward, [graph.entry_node])
    returning = _reach(backward, graph.exit_nodes)
    for node in graph.nodes:
        if node.id not in reached:
            yield f"node {node.id!r}: it cannot be reached from the entry {graph.entry_node!r}"
        elif node.id not in returning:
            unless = " unless something fails" if graph.error_edges_from(node.id) else ""
            yield f"node {node.id!r}: no exit can be reached from it{unless}"


def _cycles(graph: ResearchGraph) -> Iterable[str]:
    """Without the edges declared as loops there may be no way back to a node."""
    forward = _circles(graph, lambda edge: None if edge.loop else (edge.from_node, edge.to_node))
    everything = _circles(graph, lambda edge: (edge.from_node, edge.to_node))
    for edge in graph.edges:
        if isinstance(edge, ParallelEdge):
            continue
        if edge.loop:
            if everything[edge.from_node] != everything[edge.to_node]:
                yield f"{_named(edge)}: it is declared as a loop but does not lead back"
        elif forward[edge.from_node] == forward[edge.to_node]:
            yield f"{_named(edge)}: it is part of a cycle; declare the edge that leads back with `loop: true`"


def _branch_faults(graph: ResearchGraph) -> Iterable[str]:
    used = {edge.branch for edge in graph.edges if isinstance(edge, ParallelEdge)}
    for name, branch in graph.branches.items():
        if name not in used:
            yield f"branch {name!r}: no parallel edge leads to it"
        elif hands_nothing_over(branch):
            yield (
                f"branch {name!r}: it hands nothing back: let a writer end it, add what it finds to its evidence "
                "(reducer 'add_evidence') or declare a `result`"
            )
    for edge in graph.edges:
        if isinstance(edge, ParallelEdge):
            if edge.branch not in graph.branches:
                yield f"{_named(edge)}: there is no branch {edge.branch!r}"
            if not isinstance(graph.by_id.get(edge.from_node), ParallelNode | None):
                yield f"{_named(edge)}: node {edge.from_node!r} is not a parallel node"


def _parallel_faults(graph: ResearchGraph) -> Iterable[str]:
    for node in graph.nodes:
        if isinstance(node, ParallelNode):
            branches = len(graph.branches_from(node.id))
            if branches == 0:
                yield f"node {node.id!r}: it has no branch; add a parallel edge"
            if node.for_each and branches > 1:
                yield f"node {node.id!r}: with `for_each` it runs one branch per item, but it has {branches}"
            if not node.for_each and node.must_succeed > branches > 0:
                yield f"node {node.id!r}: {node.must_succeed} branches must succeed, but there are {branches}"
            most = rules().max_items
            if node.for_each and node.must_succeed > most:
                yield f"node {node.id!r}: {node.must_succeed} branches must succeed, but at most {most} can run"


def _named(edge: Edge) -> str:
    to = edge.branch if isinstance(edge, ParallelEdge) else edge.to_node
    return f"edge {edge.from_node!r} -> {to!r}"


def _neighbours(graph: ResearchGraph, ends: Callable[[Way], tuple[str, str] | None]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for edge in graph.edges:
        if not isinstance(edge, ParallelEdge) and (pair := ends(edge)):
            found.setdefault(pair[0], []).append(pair[1])
    return found


def _circles(graph: ResearchGraph, ends: Callable[[Way], tuple[str, str] | None]) -> Mapping[str, int]:
    """For each node the number of its circle: nodes have the same if each can be reached from the other (Kosaraju)."""
    onward = _neighbours(graph, ends)
    backward: dict[str, list[str]] = {}
    for node, others in onward.items():
        for other in others:
            backward.setdefault(other, []).append(node)
    circles: dict[str, int] = {}
    for number, start in enumerate(reversed(_finished(onward, graph.by_id))):
        waiting = [start]
        while waiting:
            node = waiting.pop()
            if node not in circles:
                circles[node] = number
                waiting += backward.get(node, [])
    return circles


def _finished(neighbours: Mapping[str, list[str]], nodes: Iterable[str]) -> list[str]:
    """The nodes in the order in which a walk into the depth leaves them."""
    entered: set[str] = set()
    order: list[str] = []
    for first in nodes:
        waiting = [(first, False)]
        while waiting:
            node, done = waiting.pop()
            if done:
                order.append(node)
            elif node not in entered:
                entered.add(node)
                waiting.append((node, True))
                waiting += [(other, False) for other in neighbours.get(node, [])]
    return order


def _reach(neighbours: Mapping[str, list[str]], start: Iterable[str]) -> set[str]:
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        node_id = waiting.pop()
        if node_id not in reached:
            reached.add(node_id)
            waiting += neighbours.get(node_id, [])
    return reached
