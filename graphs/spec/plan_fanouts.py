"""Where a graph researches the sections of a plan: its fan-outs over `plan`, and whether a run still comes to one."""

from typing import Final

from elcano.graphs.spec.graph import Node, ParallelNode, ResearchGraph

PLAN: Final = "plan"
"""The field of the state that such a fan-out goes through, an item a section."""


def researches_plan(node: Node) -> bool:
    """Whether a node starts its branches for the sections of the plan."""
    return isinstance(node, ParallelNode) and (node.for_each or "").strip() == PLAN


def has_sections(graph: ResearchGraph) -> bool:
    """Whether the plan's sections are researched anywhere in this graph."""
    return any(researches_plan(node) for node in graph.nodes)


def part_name(graph: ResearchGraph, branch: str) -> str:
    """What the parts of a run are called that this branch of its graph works on: sections, unless of no plan."""
    of_plan = any(
        edge.branch == branch for node in graph.nodes if researches_plan(node) for edge in graph.branches_from(node.id)
    )
    return "section" if of_plan else branch.rpartition("_")[2]


def sections_ahead(graph: ResearchGraph, node_id: str) -> bool:
    """Whether the token can come from `node_id` to where sections are researched; it is there already, too."""
    reached, waiting = set[str](), [node_id]
    while waiting:
        if (here := waiting.pop()) not in reached:
            reached.add(here)
            waiting += (edge.to_node for edge in graph.routes_from(here))
            waiting += (edge.to_node for edge in graph.error_edges_from(here))
    return any(researches_plan(graph.by_id[node]) for node in reached)
