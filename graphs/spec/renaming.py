"""The same graph under names of its own, so that it can be a part of another one that has nodes of these names."""

import re

from elcano.graphs.spec.graph import Inputs, ResearchGraph


def prefix_graph(graph: ResearchGraph, prefix: str) -> ResearchGraph:
    """`graph` with `prefix` before the id of each node and the name of each branch, wherever they are named.

    Names stand in edges, in expressions that read `outputs.<node>`, and in what `choose` gives, which is a text that an
    agent may have said without knowing of the prefix. Literals of expressions are not looked into.
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
