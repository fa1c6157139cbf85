"""A graph for people, as a Mermaid flow chart.

Shapes distinguish the kinds of nodes. Dashed arrows are loops, and ways that are taken after an error, as they say.
"""

from elcano.graphs.spec.graph import (
    ConditionalEdge,
    ErrorEdge,
    Node,
    ParallelNode,
    ResearchGraph,
    limits_of,
)
from elcano.graphs.spec.limits import in_short

_SHAPES: dict[str, tuple[str, str]] = {
    "agent": ("[", "]"),
    "tool": ("[[", "]]"),
    "state": ("[(", ")]"),
    "decision": ("{", "}"),
    "parallel": ("[/", "/]"),
}
LONGEST_LIST = 60
"""Characters of an expression that a box shows."""
_KEYWORDS = frozenset(
    {"call", "class", "classdef", "click", "default", "end", "flowchart", "graph", "href", "style", "subgraph"}
)
"""Words that Mermaid's grammar keeps for itself; it distinguishes them from names by their case."""

_USUAL_SECONDS = ParallelNode.model_fields["timeout_seconds"].default
"""The default timeout of a branch; not drawn, as defaults are not."""


def render_mermaid(graph: ResearchGraph) -> str:
    """The text of the chart."""
    lines = ["flowchart TD", "    Input([Input])"]
    lines += _draw_nodes(graph, prefix="", indent="    ")
    lines.append(f"    Input --> {_format_node_name(graph.entry_node)}")
    lines += _draw_edges(graph, prefix="", indent="    ")
    last = graph.exit_nodes
    if graph.appendix is not None:
        lines += [f"    {_format_node_name(one)} --> {_format_node_name(graph.appendix)}" for one in last]
        last = (graph.appendix,)
    lines += [f"    {_format_node_name(node_id)} --> Report([Report])" for node_id in last]
    return "\n".join(lines) + "\n"


def _draw_nodes(graph: ResearchGraph, *, prefix: str, indent: str) -> list[str]:
    return [f"{indent}{_format_node_name(prefix + node.id)}{_draw_node_shape(node)}" for node in graph.nodes]


def _draw_node_shape(node: Node) -> str:
    before, after = _SHAPES[node.kind]
    named = node.title
    if node.kind == "decision":
        text = node.description or named
    else:
        limits = in_short(limits_of(node))
        if isinstance(node, ParallelNode) and node.timeout_seconds != _USUAL_SECONDS:
            limits = f"{node.timeout_seconds:,.0f} s each"
        text = "<br/>".join(filter(None, (named, node.description, limits)))
    return f'{before}"{_escape_mermaid(text)}"{after}'


def _draw_edges(graph: ResearchGraph, *, prefix: str, indent: str) -> list[str]:
    lines: list[str] = []
    for node in graph.nodes:
        for edge in (*graph.routes_from(node.id), *graph.error_edges_from(node.id)):
            arrow = "-.->" if edge.loop or isinstance(edge, ErrorEdge) else "-->"
            label = edge.described if isinstance(edge, ErrorEdge) else edge.label
            label = label or (edge.when if isinstance(edge, ConditionalEdge) else "")
            text = f'|"{_escape_mermaid(label)}"|' if label else ""
            lines.append(
                f"{indent}{_format_node_name(prefix + edge.from_node)} {arrow}{text} "
                f"{_format_node_name(prefix + edge.to_node)}"
            )
        if isinstance(node, ParallelNode):
            lines += _draw_branches(graph, node, prefix=prefix, indent=indent)
    return lines


def _draw_branches(graph: ResearchGraph, node: ParallelNode, *, prefix: str, indent: str) -> list[str]:
    """Draw each branch as a box of its own, entered from the parallel node by a thick arrow."""
    lines: list[str] = []
    for edge in graph.branches_from(node.id):
        branch = graph.branches[edge.branch]
        inner = f"{prefix}{node.id}__{edge.branch}__"  # two nodes may run one graph
        each = node.for_each or ""
        times = f" (one per {each if len(each) <= LONGEST_LIST else 'item of a list'})" if each else ""
        lines.append(f'{indent}subgraph {inner}Box ["{_escape_mermaid(edge.branch + times)}"]')
        lines += _draw_nodes(branch, prefix=inner, indent=indent + "    ")
        lines += _draw_edges(branch, prefix=inner, indent=indent + "    ")
        lines.append(f"{indent}end")
        lines.append(
            f"{indent}{_format_node_name(prefix + node.id)} ==> {_format_node_name(inner + branch.entry_node)}"
        )
    return lines


def _format_node_name(node_id: str) -> str:
    """Node ids are lower case, so a capital keeps a node apart from keywords and from the chart's own shapes."""
    return node_id.capitalize() if node_id in _KEYWORDS else node_id


def _escape_mermaid(text: str) -> str:
    """Mermaid has no backslash escapes; its entity form is `#name;`."""
    return text.replace("#", "#35;").replace('"', "#quot;").replace("\n", " ")
