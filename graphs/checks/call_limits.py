"""Checks the limits of nodes: models with impossible names, and token limits too low for the agent to work."""

from collections.abc import Iterable

from elcano.graphs.checks.agent_checks import find_valid_agent
from elcano.graphs.engine.inputs import one_visit
from elcano.graphs.model_names import model_fault
from elcano.graphs.rules import get_rules
from elcano.graphs.spec.faults import Fault
from elcano.graphs.spec.graph import AgentNode, Node, ResearchGraph


def limit_faults(graph: ResearchGraph, node: Node) -> Iterable[Fault]:
    """Why the limits of a node cannot work; nothing if they can, or there are none."""
    if not isinstance(node, AgentNode) or node.limits is None:
        return
    if node.limits.model is not None and (fault := model_fault(node.limits.model)) is not None:
        yield Fault(fault, "/limits/model")
    if node.limits.tokens is not None and (agent := find_valid_agent(graph, node.agent)) is not None:
        needed = one_visit(agent, get_rules())
        if node.limits.tokens < needed:
            text = f"{node.limits.tokens:,} tokens are less than one call of {node.agent!r} takes: give it {needed:,}"
            yield Fault(f"{text} at least", "/limits/tokens")
