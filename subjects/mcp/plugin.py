"""The plugin `mcp`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="mcp",
    description="Tools of MCP servers that the operator names.",
    package="elcano.subjects.mcp",
    tools=(".mcp_tools:TOOLS",),
    reducers=(".mcp_tools:REDUCERS",),
    looks=(".mcp_tools:TOOL_LOOK",),
    services=(".checks:open_servers",),
    routes=(".routes:router",),
    checks=(".checks:check_tool_servers",),
    commands={"tools": ".commands:app"},
)
