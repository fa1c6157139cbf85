"""The plugin `mcp_server`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="mcp_server",
    description="Elcano as an MCP server, for agents that want something researched.",
    package="elcano.doors.mcp_server",
    commands={"mcp-server": ".commands:serve_mcp"},
)
