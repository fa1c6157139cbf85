"""How long each call may take in the built-in paths that a request limits by `path_seconds`."""

from elcano.graphs.modes.mode_choices import PLUGIN_MODES
from elcano.graphs.spec.call_limits import DATA_PATH
from elcano.graphs.spec.graph import Node, ResearchGraph, ToolNode


def with_path_seconds(graph: ResearchGraph, seconds: float) -> ResearchGraph:
    """The graph with so many seconds for each limited call of its built-in paths; other branches stay as they are."""
    built_in = [one for mode in PLUGIN_MODES.values() for one in mode.graph.branches.values()]
    branches = {
        key: one.model_copy(update={"nodes": tuple(_limit_node(node, seconds) for node in one.nodes)})
        if one.name == DATA_PATH and one in built_in
        else one
        for key, one in graph.branches.items()
    }
    return graph.model_copy(update={"branches": branches})


def _limit_node(node: Node, seconds: float) -> Node:
    if not isinstance(node, ToolNode) or node.limits is None or node.limits.timeout_seconds is None:
        return node
    return node.model_copy(update={"limits": node.limits.model_copy(update={"timeout_seconds": seconds})})
