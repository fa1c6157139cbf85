"""`elcano mcp-server`: offers research to agents, over standard input and output or over HTTP."""

from typing import Annotated

import typer

from elcano.cli.exit_codes import Failed


def serve_mcp(
    over_http: Annotated[
        bool, typer.Option("--http", help="Serve at http://HOST:PORT/mcp, not over standard input and output.")
    ] = False,
    host: Annotated[str, typer.Option(help="The address to listen at, with --http.", metavar="HOST")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen at, with --http.", min=1, max=65535)] = 8100,
) -> None:
    """Serve research as tools for agents (MCP). It asks the API at ELCANO_API_URL."""
    try:
        from elcano.doors.mcp_server.server import serve_http, serve_stdio
    except ModuleNotFoundError as missing:
        from elcano.graphs.extras import EXTRAS

        raise Failed(f"`elcano mcp-server` needs {missing.name}: {EXTRAS['mcp'].install}") from missing
    if over_http:
        serve_http(host, port)
    else:
        serve_stdio()
