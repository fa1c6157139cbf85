"""The checks of `elcano doctor` for tool servers."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from temporalio import activity

from elcano.activities.services import Services
from elcano.activities.tools.tool_activities import ToolWork
from elcano.graphs.errors import InputInvalid
from elcano.settings.plugins import Finding
from elcano.settings.settings import Settings, get_variable_name
from elcano.subjects.mcp.mcp_tools import CallToolInput, CallToolOutput, ListToolsInput, ListToolsOutput, ToolLook
from elcano.subjects.mcp.offered_tools import Listing
from elcano.subjects.mcp.tool_calls import Caller, CallPlace
from elcano.subjects.mcp.tool_servers import CLOSING_SECONDS, tool_servers


def check_tool_servers(chosen: Settings) -> Iterable[Finding]:
    """Check whether the tool servers answer: each is started, or queried, once."""
    try:
        servers = open_servers(chosen)
        statuses = asyncio.run(servers.listing.look(ListToolsInput())).servers
    except InputInvalid as error:
        yield Finding("fault", str(error), f"correct {get_variable_name('mcp_servers')}")
        return
    for server in statuses:
        if server.answers:
            refused = sum(tool.needs_approval for tool in server.tools)
            held = f", {refused} that write and need approval" if refused else ""
            yield Finding("good", f"server of tools {server.server}: {server.count} tools{held}")
        else:
            yield Finding("fault", f"server of tools {server.server}: {server.error}", "start or correct it")


@dataclass(frozen=True)
class Servers:
    """The configured tool servers."""

    caller: Caller
    listing: Listing


async def look_at_tools(services: Services, look: ToolLook) -> ListToolsOutput:
    """Return the tools of this worker's servers.

    Raises:
        ToolRefused: there is no such server.
    """
    return await services.get(open_servers).listing.look(look.asked, fresh=look.fresh)


async def call_tool(work: ToolWork, given: CallToolInput) -> CallToolOutput:
    """The tool `call_tool`: call one tool of a server, within the time of this attempt of the activity.

    Raises:
        ActivityFault: see `Caller.call`.
    """
    info = activity.info()
    longest = info.start_to_close_timeout
    attempt = f"{info.workflow_run_id}/{info.activity_id}/{info.attempt}"
    # A resumed run tries its call again under another id, which has a dot: it is the same call.
    place = CallPlace(work.run_id, info.activity_id.partition(".")[0], attempt, work.approval)
    within = None if longest is None else longest.total_seconds() - CLOSING_SECONDS
    return await work.services.get(open_servers).caller.call(work.store, place, given, within)


async def list_tools(work: ToolWork, given: ListToolsInput) -> ListToolsOutput:
    """The tool `list_tools`: return the tools of the servers.

    Raises:
        ToolRefused: there is no such server.
    """
    return await work.services.get(open_servers).listing.look(given)


def open_servers(settings: Settings) -> Servers:
    """Open the servers of the settings. If the extra `mcp` is not installed, each call or listing says so.

    Raises:
        InputInvalid: the setting has faults.
    """
    servers = tool_servers(settings.mcp_servers)
    return Servers(Caller(servers, settings.key), Listing(servers, settings.key))
