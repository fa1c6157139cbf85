"""A run learns from its calls, each entry once: what they took raises what the next are taken to need.

The average of all calls is taken, not the dearest: one answer that went astray must not end a run.
"""

from elcano.graphs.agents.own_definition import get_agent
from elcano.graphs.engine.entries import Entry, StepCompleted
from elcano.graphs.engine.exits import get_agent_figures
from elcano.graphs.engine.run import Run
from elcano.graphs.spec.graph import AgentNode, ResearchGraph


def learn_from_entry(graph: ResearchGraph, run: Run, entry: Entry) -> Run:
    """Learn from `entry`. Agents that write by section are skipped: they make several calls, and none follows them."""
    if not run.figures.learns or not isinstance(entry, StepCompleted):
        return run
    node = graph.by_id[entry.node]
    if not isinstance(node, AgentNode) or (agent := get_agent(graph, node.agent)).by_section:
        return run
    learnt = run.experience.with_call(entry.usage, get_agent_figures(agent, run.figures).output_tokens)
    return run.model_copy(update={"experience": learnt})
