"""The activities of agents and tools are called as these are, and no other activity is."""

from temporalio import activity

from elcano.activities.agents.agent_activity import agent_activities
from elcano.activities.tools.tool_activities import tool_activities
from elcano.graphs import contracts
from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.contracts import AgentCall, AgentResult, ToolCall, ToolResult

OTHERS = {
    contracts.OWN_AGENT,
    contracts.READ_USAGE,
    contracts.REOPEN_RUN,
    contracts.PUBLISH_REPORT,
    contracts.ARCHIVE_RUN,
}


async def ask(call: AgentCall) -> AgentResult:
    return AgentResult(output={"asked": call.agent})


async def use(call: ToolCall) -> ToolResult:
    return ToolResult(output={"used": call.tool})


def named(made: object) -> str | None:
    assert callable(made)
    return activity._Definition.must_from_callable(made).name


def test_every_agent_and_every_tool_has_one() -> None:
    assert [named(made) for made in agent_activities(ask)] == [*AGENTS, contracts.OWN_AGENT]
    assert [named(made) for made in tool_activities(use)] == list(TOOLS)


def test_no_two_activities_share_a_name() -> None:
    assert len({*AGENTS, *TOOLS, *OTHERS}) == len(AGENTS) + len(TOOLS) + len(OTHERS)


async def test_each_does_what_it_is_made_of() -> None:
    judge = agent_activities(ask)[list(AGENTS).index("judge")]
    answered = await judge(AgentCall(run_id="run-1", step=1, node="a", agent="judge", input={}))
    assert answered.output == {"asked": "judge"}
    search = tool_activities(use)[list(TOOLS).index("search")]
    found = await search(ToolCall(run_id="run-1", step=1, node="b", tool="search", input={}))
    assert found.output == {"used": "search"}
