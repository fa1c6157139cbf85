"""The MCP server: its tools, its resources, and how it is served.

Over standard input and output it speaks for whoever started it, with the settings' address and key of the API. Over
HTTP it speaks for each caller, with the `Authorization` of the request; a caller without one has what the API gives to
anybody.
"""

import asyncio
from collections.abc import Mapping
from typing import Final

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError

from elcano import __version__
from elcano.client import AsyncElcano, NotFound
from elcano.plugins.mcp_server.research_tools import ENDS, READS, WRITES, OpenElcano, ResearchTools
from elcano.plugins.mcp_server.tasks import ResearchTasks
from elcano.settings import program_settings

INSTRUCTIONS: Final = """Research a question in sources that can be cited; every citation of a report was checked.
start_research returns at once. Ask research_status until the run has ended, then read_report. A run may wait for a
decision: research_status says so. Do not wait within a tool call."""


def build_server(open_elcano: OpenElcano) -> MCPServer:
    """The server, which asks the API that `open_elcano` opens."""
    tools = ResearchTools(open_elcano)
    server = MCPServer(
        "elcano", title="Elcano", version=__version__, instructions=INSTRUCTIONS, extensions=[ResearchTasks(tools)],
        log_level="WARNING",
    )  # fmt: skip
    for reads in (tools.research_status, tools.read_report, tools.search_evidence, tools.list_sources):
        server.add_tool(reads, annotations=READS)
    for writes in (tools.start_research, tools.ask_follow_up, tools.answer_request):
        server.add_tool(writes, annotations=WRITES)
    server.add_tool(tools.cancel_research, annotations=ENDS)

    @server.resource("elcano://runs/{run_id}/report", title="Report", mime_type="text/markdown")
    async def report(run_id: str, context: Context) -> str:
        """The report of a run that ended."""
        return await _read_resource(tools, run_id, "report", "text/markdown", context)

    @server.resource("elcano://runs/{run_id}/evidence", title="Evidence", mime_type="application/json")
    async def evidence(run_id: str, context: Context) -> str:
        """The first passages that a run found, and where the next ones are."""
        return await _read_resource(tools, run_id, "evidence", "application/json", context)

    return server


async def _read_resource(tools: ResearchTools, run_id: str, part: str, media_type: str, context: Context) -> str:
    try:
        async with tools.asking(context.headers) as elcano:
            return await elcano.connection.get_text(f"/v1/runs/{run_id}/{part}", media_type)
    except ToolError as error:
        kind = ResourceNotFoundError if isinstance(error.__cause__, NotFound) else ResourceError
        raise kind(str(error)) from error


def serve_stdio() -> None:
    """Serve the program that started this one, until it closes standard input."""
    asyncio.run(build_server(lambda _: AsyncElcano()).run_stdio_async())


def serve_http(host: str, port: int) -> None:
    """Serve callers at http://HOST:PORT/mcp until the program is stopped."""
    address = program_settings().base_url

    def open_elcano(headers: Mapping[str, str] | None) -> AsyncElcano:
        authorization = (headers or {}).get("authorization")
        return AsyncElcano(address, headers={"Authorization": authorization} if authorization else None)

    server = build_server(open_elcano)
    asyncio.run(server.run_streamable_http_async(host=host, port=port, stateless_http=True))
