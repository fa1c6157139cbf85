"""The commands about tools, and their options."""

from typing import Annotated

import typer

from elcano.cli.options import AsJson

app = typer.Typer()


@app.callback(invoke_without_command=True)
def listed(context: typer.Context, as_json: AsJson = False) -> None:
    """List the servers of tools (MCP) that the operator named, whether they answer, and what they offer."""
    from elcano.plugins.mcp import tools_command as tools

    if context.invoked_subcommand is None:
        raise typer.Exit(tools.print_tool_servers(as_json=as_json))


@app.command()
def check(
    name: Annotated[str, typer.Argument(help="The server, as `elcano tools` lists it.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Ask a server what it offers now, and show the answer in the server's own words."""
    from elcano.plugins.mcp import tools_command as tools

    raise typer.Exit(tools.check_tool_server(name, as_json=as_json))
