"""Lists a server's tools, page by page and within bounds; the list is cached for a minute for display only.

A call never uses the cached list: a server may have changed its tools since, and whether one writes decides whether it
may be called at all. Its arguments are validated against the tool's JSON schema: every fault, each with its location.
"""

import asyncio
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal

from elcano.graphs.errors import ToolRefused, ToolUnavailable, build_json_pointer
from elcano.graphs.frozen import JsonObject
from elcano.graphs.text import shorten_text
from elcano.redaction import json_without_values
from elcano.subjects.mcp.mcp_tools import (
    DESCRIPTION_CHARACTERS,
    SCHEMA_CHARACTERS,
    ListToolsInput,
    ListToolsOutput,
    OfferedTool,
    ServerTools,
    ToolKind,
)
from elcano.subjects.mcp.server_connection import Key, explain_server_refusal, known_secrets, run_with_client
from elcano.subjects.mcp.tool_servers import SETTING, ToolServer, is_tool_listed

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from mcp import Client
    from mcp.types import Tool

MOST_TOOLS: Final = 10_000
MOST_PAGES: Final = 500
LOOK_SECONDS: Final = 20.0
"""A server that takes longer to list its tools does not answer."""
KEPT_SECONDS: Final = 60.0
NAME_CHARACTERS: Final = 200


async def list_offered_tools(name: str, client: "Client", known: tuple[str, ...]) -> "list[Tool]":
    """Return all tools of a server, each name once, without the secrets in `known`.

    Raises:
        ToolRefused: the list does not end.
    """
    found: dict[str, Tool] = {}
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        found |= {tool.name: tool for tool in page.tools}
        if len(found) > MOST_TOOLS:
            break
        cursor = page.next_cursor
        if not cursor or cursor in seen:
            return await asyncio.to_thread(_without_secrets, found.values(), known)
        seen.add(cursor)
    raise ToolRefused(f"the server {name!r} lists over {MOST_TOOLS:,} tools or {MOST_PAGES} pages: that is refused")


def _without_secrets(tools: "Iterable[Tool]", known: tuple[str, ...]) -> "list[Tool]":
    def cleaned(tool: "Tool") -> "Tool":
        said = tool.model_dump(mode="json", by_alias=True, exclude_unset=True)
        clean = json_without_values(said, known)
        return tool if clean == said else type(tool).model_validate(clean)

    return [cleaned(tool) for tool in tools]


def kind_of(tool: "Tool", server: ToolServer) -> ToolKind:
    """Return whether a tool writes: according to the operator, else to its server; by default it does."""
    hints = tool.annotations
    if is_tool_listed(tool.name, server.reads) or (hints is not None and hints.read_only_hint is True):
        return "reads"
    return "repeatable" if hints is not None and hints.idempotent_hint is True else "writes"


def needs_approval(tool: str, kind: ToolKind, server: ToolServer) -> bool:
    """Whether a call is refused until the operator allows it."""
    return kind != "reads" and not is_tool_listed(tool, server.writes)


class Listing:
    """The tools of this worker's servers."""

    def __init__(self, servers: Mapping[str, ToolServer], key: Key) -> None:
        self._servers = servers
        self._key = key
        self._kept: dict[str, tuple[float, ServerTools]] = {}

    async def look(self, asked: ListToolsInput, *, fresh: bool = False) -> ListToolsOutput:
        """Query every requested server in parallel; one that does not answer has an error.

        Raises:
            ToolRefused: there is no such server.
        """
        for name in asked.servers:
            found_in(self._servers, name)
        names = tuple(dict.fromkeys(asked.servers)) or tuple(self._servers)
        statuses = await asyncio.gather(*(self._of(name, fresh) for name in names))
        left, shown = asked.limit, []
        for one in statuses:
            shown.append(one.model_copy(update={"tools": one.tools[:left]}))
            left -= len(shown[-1].tools)
        return ListToolsOutput(servers=tuple(shown), truncated=any(len(one.tools) < one.count for one in shown))

    async def _of(self, name: str, fresh: bool) -> ServerTools:
        kept, server = self._kept.get(name), self._servers[name]
        if why := explain_server_refusal(name, server):
            return ServerTools(server=name, transport=get_server_transport(server), answers=False, error=why)
        if kept is not None and not fresh and time.monotonic() - kept[0] < KEPT_SECONDS:
            return kept[1]
        began = time.monotonic()

        async def work(client: "Client") -> ServerTools:
            tools = [
                tool
                for tool in await list_offered_tools(name, client, known_secrets(server, self._key))
                if server.offers(tool.name)
            ]
            return ServerTools(
                server=name,
                transport=get_server_transport(server),
                protocol=client.protocol_version,
                count=len(tools),
                tools=tuple(_build_offered_tool(name, server, tool) for tool in tools),
            )

        try:
            status = await run_with_client(name, server, self._key, min(LOOK_SECONDS, server.seconds), work)
        except (ToolUnavailable, ToolRefused) as error:  # its status is the answer
            return ServerTools(server=name, transport=get_server_transport(server), answers=False, error=str(error))
        status = status.model_copy(update={"seconds": round(time.monotonic() - began, 3)})
        self._kept[name] = (time.monotonic(), status)
        return status


def found_in(servers: Mapping[str, ToolServer], name: str) -> ToolServer:
    """Return the server of this name.

    Raises:
        ToolRefused: there is none.
    """
    if (server := servers.get(name)) is None:
        known = (
            f"there are: {', '.join(servers)}" if servers else f"there are none; the operator names them in {SETTING}"
        )
        raise ToolRefused(f"there is no server of tools {name!r}; {known}")
    return server


def get_server_transport(server: ToolServer) -> Literal["stdio", "http"]:
    """Return the transport of a server."""
    return "stdio" if server.command else "http"


def _build_offered_tool(name: str, server: ToolServer, tool: "Tool") -> OfferedTool:
    kind = kind_of(tool, server)
    schema: JsonObject = tool.input_schema
    fits = len(json.dumps(schema)) <= SCHEMA_CHARACTERS
    return OfferedTool(
        server=name,
        name=shorten_text(tool.name, NAME_CHARACTERS),
        title=shorten_text(tool.title or "", NAME_CHARACTERS),
        description=shorten_text(" ".join((tool.description or "").split()), DESCRIPTION_CHARACTERS),
        kind=kind,
        needs_approval=needs_approval(tool.name, kind, server),
        input_schema=schema if fits else {},
    )


MOST_FAULTS: Final = 50
FAULT_CHARACTERS: Final = 300


def argument_faults(arguments: JsonObject, schema: JsonObject) -> list[str]:
    """List faults in the arguments as `/place: what`; at most 50, then a line with the number of the others.

    Raises:
        ToolRefused: the schema is invalid.
    """
    from elcano.activities.schema_validation import UNUSABLE, build_validator, validate_schema

    try:
        validate_schema(schema)
        faults = sorted(
            _find_argument_faults(build_validator(schema), arguments), key=lambda fault: fault.partition(": ")
        )
    except UNUSABLE as error:
        said = shorten_text(" ".join(str(getattr(error, "message", error)).split()), FAULT_CHARACTERS)
        raise ToolRefused(f"its schema cannot be used to check arguments: {said}") from None
    left = len(faults) - MOST_FAULTS
    return faults[:MOST_FAULTS] + ([f"and {left} more"] if left > 0 else [])


def _find_argument_faults(checked: "Validator", arguments: JsonObject) -> Iterator[str]:
    for error in checked.iter_errors(arguments):
        place = build_json_pointer(*error.absolute_path)
        yield f"/arguments{place}: {shorten_text(' '.join(error.message.split()), FAULT_CHARACTERS)}"
