"""Which graphs put questions to databases: on one of their ways, or on each."""

from elcano.graphs.spec.graph import Node, ResearchGraph, ToolNode


def may_ask_databases(graph: ResearchGraph | None) -> bool:
    """Whether a graph reads which databases its run has, on one of its ways at least."""
    return graph is not None and any(_asks(node) for each in graph.all_graphs() for node in each.nodes)


def asks_databases(graph: ResearchGraph | None) -> bool:
    """Whether a graph does so on each of its ways, so that it can do nothing without a database."""
    if graph is None or not may_ask_databases(graph):
        return False
    reached, waiting = set[str](), [graph.entry_node]
    while waiting:
        node = graph.by_id.get(waiting.pop())
        if node is None or node.id in reached or _asks(node) or _branches_ask(graph, node):
            continue
        if node.id in graph.exit_nodes:
            return False
        reached.add(node.id)
        waiting += [edge.to_node for edge in graph.routes_from(node.id)]
    return True


def _asks(node: Node) -> bool:
    return isinstance(node, ToolNode) and node.tool == "schema_context" and "databases" in (node.for_each or "")


def _branches_ask(graph: ResearchGraph, node: Node) -> bool:
    return any(asks_databases(graph.branches.get(edge.branch)) for edge in graph.branches_from(node.id))
