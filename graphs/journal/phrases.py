"""Phrases that events share: the name of a node, and the subject of a call, derived from its input.

Whoever watches reads what is being worked on now, not what an agent is for in general.
"""

from elcano.graphs.agents.definition import AGENTS, AgentDefinition
from elcano.graphs.agents.own_definition import definition_of
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.engine.commands import CallAgent, CallTool
from elcano.graphs.text import title_from_id


def agent_of(call: CallAgent) -> AgentDefinition:
    """Return the definition of the called agent."""
    return AGENTS[call.agent] if call.own is None else definition_of(call.agent, call.own)


def work_of_agent(call: CallAgent) -> str:
    """Describe the agent's current work; for an agent without a phrase for it, its purpose."""
    agent = agent_of(call)
    return f"{title_from_id(call.node)}: {agent.begins(call.input) if agent.begins else agent.description}"


def work_of_tool(call: CallTool) -> str:
    """Describe what a tool looks for, each query once, however many sources it goes to."""
    return f"{title_from_id(call.node)}: {' · '.join(list_call_queries(call)) or TOOLS[call.tool].description}"


def list_call_queries(call: CallTool) -> list[str]:
    """Return the queries, each once."""
    asked = (given.get("query") for given in call.inputs)
    words = (query.get("sql") if isinstance(query, dict) else query for query in asked)
    return list(dict.fromkeys(str(query) for query in words if query))
