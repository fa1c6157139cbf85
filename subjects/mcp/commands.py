"""`elcano tools`: the tool servers (MCP), whether they answer, and what they offer."""

from typing import Annotated, Any, Final
from urllib.parse import quote

import typer

from elcano.cli.exit_codes import Exit
from elcano.cli.options import AsJson, argument
from elcano.cli.printing import exit_with_json, format_seconds, print_json, print_printable
from elcano.cli.requests import get_json

app = typer.Typer()

_KINDS: Final = {"reads": "reads", "repeatable": "writes, repeatable", "writes": "writes"}


@app.callback(invoke_without_command=True)
def list_tool_servers(context: typer.Context, as_json: AsJson = False) -> None:
    """List the tool servers (MCP) that the operator configured, whether each answers, and its tools."""
    if context.invoked_subcommand is not None:
        return
    found: dict[str, Any] = get_json("/v1/tools")
    exit_with_json(found, wanted=as_json)
    if not found["servers"]:
        print_printable("There are no tool servers; the operator names them in ELCANO_MCP_SERVERS.")
    for server in found["servers"]:
        _print_tool_server(server, described=False)
    if found["truncated"]:
        print_printable("There are more: `elcano tools check NAME` lists those of one server.")


@app.command("check")
def check_tool_server(
    name: Annotated[str, argument("The server, as `elcano tools` lists it.")], as_json: AsJson = False
) -> None:
    """Query one server now and show its tools in its own words; exit code 1 if it does not answer."""
    server: dict[str, Any] = get_json(f"/v1/tools/{quote(name, safe='')}")
    if as_json:
        print_json(server)
    else:
        _print_tool_server(server, described=True)
    raise typer.Exit(Exit.OK if server["answers"] else Exit.FAILED)


def _print_tool_server(server: dict[str, Any], *, described: bool) -> None:
    if not server["answers"]:
        print_printable(f"{server['name']}  does not answer: {server['error']}")
        return
    count = f"{server['count']:,} tool{'' if server['count'] == 1 else 's'}"
    print_printable(
        f"{server['name']}  {count}, {server['transport']}, answered in {format_seconds(server['seconds'])}"
    )
    width = max((len(tool["name"]) for tool in server["tools"]), default=0)
    for tool in server["tools"]:
        kind = _KINDS.get(tool["kind"], tool["kind"]) + ("; needs approval" if tool["needs_approval"] else "")
        print_printable(f"  {tool['name']:<{width}}  {kind}")
        if described and tool["description"]:
            print_printable(f"  {'':<{width}}  “{tool['description']}”")
