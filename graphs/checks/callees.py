"""The agents that a graph calls, and which of them the model that needs no key can play."""

from typing import NamedTuple

from elcano.graphs.agents.definition import AGENTS
from elcano.graphs.registry import find_keyless
from elcano.graphs.spec.graph import AgentNode, ResearchGraph
from elcano.graphs.spec.own_agent import OwnAgent


class Callee(NamedTuple):
    """An agent that a node calls, and its model."""

    agent: str
    """By the name that the node calls it."""
    own: OwnAgent | None
    """What it is, if it is the graph's own."""
    model: str
    """That the node names; empty: none."""


def list_callees(graph: ResearchGraph) -> list[Callee]:
    """The agents that a graph and its branches ask, in order of their names, once with each model that a node names."""
    found = {
        (node.agent, (node.limits.model if node.limits is not None else None) or ""): one.agents.get(node.agent)
        for one in graph.all_graphs()
        for node in one.nodes
        if isinstance(node, AgentNode)
    }
    return [Callee(agent, own, model) for (agent, model), own in sorted(found.items(), key=lambda one: one[0])]


def can_answer_offline(agent: str, own: OwnAgent | None = None) -> bool:
    """Whether the model that needs no key has rules for an agent."""
    if own is not None:
        return False
    kinds = (f"{agent}_section", f"{agent}_summary") if agent in AGENTS and AGENTS[agent].by_section else (agent,)
    return all(find_keyless(kind) is not None for kind in kinds)
