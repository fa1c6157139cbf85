"""Every agent and every tool is an activity under its own name.

So Temporal's UI and command line speak the graph's language: `temporal activity pause --activity-type writer`.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from temporalio import activity

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.contracts import OWN_AGENT, AgentCall, AgentResult, ToolCall, ToolResult

Ask: TypeAlias = Callable[[AgentCall], Awaitable[AgentResult]]
Use: TypeAlias = Callable[[ToolCall], Awaitable[ToolResult]]


def agent_activities(ask: Ask) -> list[Callable[..., Any]]:
    """An activity for each agent of the listing, and one for those of graphs; all of them are `ask`."""
    return [_define_agent_activity(name, ask) for name in (*AGENTS, OWN_AGENT)]


def tool_activities(use: Use) -> list[Callable[..., Any]]:
    """An activity for each tool of the catalogue; all of them are `use`."""
    return [_define_tool_activity(name, use) for name in TOOLS]


def _define_agent_activity(name: str, ask: Ask) -> Callable[..., Any]:
    @activity.defn(name=name)
    async def agent(call: AgentCall) -> AgentResult:
        return await ask(call)

    return agent


def _define_tool_activity(name: str, use: Use) -> Callable[..., Any]:
    @activity.defn(name=name)
    async def tool(call: ToolCall) -> ToolResult:
        return await use(call)

    return tool
