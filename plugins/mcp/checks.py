"""The checks of `elcano doctor` for tool servers."""

import asyncio
from collections.abc import Iterable

from elcano.graphs.errors import InputInvalid
from elcano.plugins.mcp.known_servers import open_servers
from elcano.plugins.mcp.mcp_tools import ListToolsInput
from elcano.settings.plugins import Finding
from elcano.settings.settings import Settings, get_variable_name


def check_tool_servers(chosen: Settings) -> Iterable[Finding]:
    """Check whether the tool servers answer: each is started, or queried, once."""
    try:
        servers = open_servers(chosen)
        stands = asyncio.run(servers.listing.look(ListToolsInput())).servers
    except InputInvalid as error:
        yield Finding("fault", str(error), f"correct {get_variable_name('mcp_servers')}")
        return
    for server in stands:
        if server.answers:
            refused = sum(tool.needs_approval for tool in server.tools)
            held = f", {refused} that write and need approval" if refused else ""
            yield Finding("good", f"server of tools {server.server}: {server.count} tools{held}")
        else:
            yield Finding("fault", f"server of tools {server.server}: {server.error}", "start or correct it")
