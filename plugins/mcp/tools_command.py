"""The commands about tools: which servers there are, whether they answer, and what they offer."""

import sys
from typing import Any
from urllib.parse import quote

from elcano.cli.client import Api
from elcano.cli.exits import Exit
from elcano.cli.printing import format_seconds, print_json
from elcano.settings import program_settings

KINDS = {"reads": "reads", "repeatable": "writes, repeatable", "writes": "writes"}


def print_tool_servers(*, as_json: bool) -> Exit:
    """Prints the servers, each with its tools below it; one that does not answer says why."""
    with Api(program_settings().base_url) as api:
        found: dict[str, Any] = api.get("/v1/tools")
    if as_json:
        print_json(found)
        return Exit.OK
    if not found["servers"]:
        _print_printable("There are no servers of tools; the operator names them in ELCANO_MCP_SERVERS.")
    for server in found["servers"]:
        _print_tool_server(server, described=False)
    if found["truncated"]:
        _print_printable("There are more: `elcano tools check NAME` lists those of one server.")
    return Exit.OK


def check_tool_server(name: str, *, as_json: bool) -> Exit:
    """Prints what one server offers now; the exit code says whether it answered."""
    with Api(program_settings().base_url) as api:
        server: dict[str, Any] = api.get(f"/v1/tools/{quote(name, safe='')}")
    if as_json:
        print_json(server)
    else:
        _print_tool_server(server, described=True)
    return Exit.OK if server["answers"] else Exit.FAILED


def _print_tool_server(server: dict[str, Any], *, described: bool) -> None:
    if not server["answers"]:
        _print_printable(f"{server['name']}  does not answer: {server['error']}")
        return
    count = f"{server['count']:,} tool{'' if server['count'] == 1 else 's'}"
    _print_printable(
        f"{server['name']}  {count}, {server['transport']}, answered in {format_seconds(server['seconds'])}"
    )
    width = max((len(tool["name"]) for tool in server["tools"]), default=0)
    for tool in server["tools"]:
        kind = KINDS.get(tool["kind"], tool["kind"]) + ("; needs approval" if tool["needs_approval"] else "")
        _print_printable(f"  {tool['name']:<{width}}  {kind}")
        if described and tool["description"]:
            _print_printable(f"  {'':<{width}}  “{tool['description']}”")


def _print_printable(text: str) -> None:
    """Prints a line without characters that would move the cursor: a server may say anything about its tools."""
    sys.stdout.write("".join(one for one in text if one.isprintable()) + "\n")
