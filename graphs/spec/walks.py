"""Walks through a graph: what can be reached, what lies on a circle, where a plan is researched, the graph renamed."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from elcano.graphs.spec.graph import Inputs, Node, ParallelEdge, ParallelNode, ResearchGraph, Way, find_reachable

PLAN: Final = "plan"
"""The field of the state that such a fan-out goes through, an item a section."""


def researches_plan(node: Node) -> bool:
    """Whether a node starts its branches for the sections of the plan."""
    return isinstance(node, ParallelNode) and (node.for_each or "").strip() == PLAN


def has_sections(graph: ResearchGraph) -> bool:
    """Whether the plan's sections are researched anywhere in this graph."""
    return any(researches_plan(node) for node in graph.nodes)


def part_name(graph: ResearchGraph, branch: str) -> str:
    """Return the name for the parts of a run that this branch works on: sections, unless there is no plan."""
    of_plan = any(
        edge.branch == branch for node in graph.nodes if researches_plan(node) for edge in graph.branches_from(node.id)
    )
    return "section" if of_plan else branch.rpartition("_")[2]


def sections_ahead(graph: ResearchGraph, node_id: str) -> bool:
    """Whether the token can come from `node_id` to where sections are researched; it is there already, too."""
    return any(researches_plan(graph.by_id[node]) for node in find_reachable([node_id], graph.list_possible_nodes))


def map_neighbours(graph: ResearchGraph, ends: Callable[[Way], tuple[str, str] | None]) -> Mapping[str, list[str]]:
    """Map each node to its neighbours along the edges; `ends` gives the two ends of an edge, or None to skip it."""
    found: dict[str, list[str]] = {}
    for edge in graph.edges:
        if not isinstance(edge, ParallelEdge) and (pair := ends(edge)):
            found.setdefault(pair[0], []).append(pair[1])
    return found


def prefix_graph(graph: ResearchGraph, prefix: str) -> ResearchGraph:
    """Return `graph` with `prefix` before the id of each node and the name of each branch, wherever they are named.

    Names occur in edges, in expressions that read `outputs.<node>`, and in the results of `choose`, a text from an
    agent that does not know of the prefix. Literals of expressions are not changed.
    """
    ids = "|".join(sorted((re.escape(node.id) for node in graph.nodes), key=len, reverse=True))
    reads = re.compile(rf"\boutputs\.({ids})\b")

    def read(expression: str) -> str:
        return reads.sub(rf"outputs.{prefix}\1", expression)

    def each(inputs: Inputs) -> Inputs:
        return {name: read(expression) for name, expression in inputs.items()}

    nodes = []
    for node in graph.nodes:
        changes: dict[str, object] = {"id": prefix + node.id}
        if node.choose is not None:
            changes["choose"] = f"join('', ['{prefix}', {read(node.choose)}])"
        if (for_each := getattr(node, "for_each", None)) is not None:
            changes["for_each"] = read(for_each)
        if (inputs := getattr(node, "inputs", None)) is not None:
            changes["inputs"] = each(inputs)
        nodes.append(node.model_copy(update=changes))
    edges = []
    for edge in graph.edges:
        changes = {"from_node": prefix + edge.from_node}
        if edge.kind == "parallel":
            changes |= {"branch": prefix + edge.branch, "inputs": each(edge.inputs)}
        else:
            changes["to_node"] = prefix + edge.to_node
        if edge.kind == "conditional":
            changes["when"] = read(edge.when)
        edges.append(edge.model_copy(update=changes))
    return graph.model_copy(
        update={
            "nodes": tuple(nodes),
            "edges": tuple(edges),
            "branches": {prefix + name: branch for name, branch in graph.branches.items()},
            "entry_node": prefix + graph.entry_node,
            "exit_nodes": tuple(prefix + one for one in graph.exit_nodes),
            "result": each(graph.result),
        }
    )


def find_shortest_path(graph: ResearchGraph) -> list[str]:
    """The nodes on the shortest way from the entry through an exit; none if no exit is reached."""
    came: dict[str, str] = {graph.entry_node: ""}
    waiting = [graph.entry_node]
    for id in waiting:
        if id in graph.exit_nodes:
            way = [id]
            while came[way[-1]]:
                way.append(came[way[-1]])
            return way[::-1]
        for edge in graph.routes_from(id):
            if edge.to_node not in came:
                came[edge.to_node] = id
                waiting.append(edge.to_node)
    return []
