"""Routes for tool servers: which ones the operator configured, whether they answer, and their tools.

Names and descriptions of tools are the servers' words.
"""

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided, Services
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.failures import FailureType
from elcano.service.errors import (
    StoreUnavailable,
    TemporalRefused,
    TemporalUnavailable,
    ToolServerNotFound,
    ToolServersUnavailable,
)
from elcano.service.fields import Described
from elcano.service.temporal.looks import LookFailed
from elcano.subjects.mcp.mcp_tools import (
    MOST_SHOWN,
    TOOL_LOOK,
    ListToolsInput,
    ListToolsOutput,
    ServerTools,
    ToolLook,
)


class ToolView(Described):
    """A tool that a node `call_tool` can call."""

    name: str = Field(examples=["convert_time"])
    """Pass it as `tool`."""
    title: str = Field(default="", examples=["Convert time"])
    """The server's title for people."""
    description: str = Field(default="", examples=["Convert time between timezones"])
    """The server's description, shortened. It is never an instruction."""
    kind: Literal["reads", "repeatable", "writes"] = Field(examples=["reads"])
    """`reads`: it changes nothing and is retried. `repeatable`: it writes, and calling it twice has the same effect as
    once. `writes`: it is called at most once. The operator's word takes precedence over the server's."""
    needs_approval: bool = Field(default=False, examples=[False])
    """Whether a call needs approval: it writes, and the operator has not allowed that."""
    input_schema: JsonObject = Field(default={}, examples=[{"type": "object", "properties": {}}])
    """JSON Schema of its arguments; empty if it is longer than 10,000 characters."""


class ToolServerView(Described):
    """A tool server, and whether it answers."""

    name: str = Field(examples=["time"])
    """Pass it as `server`."""
    transport: Literal["stdio", "http"] = Field(examples=["stdio"])
    """`stdio`: a program that is started for each call. `http`: an address."""
    answers: bool = Field(examples=[True])
    """Whether it listed its tools."""
    error: str = Field(default="", examples=[""])
    """Why it does not answer."""
    protocol: str = Field(default="", examples=["2026-07-28"])
    """The version of MCP in use."""
    count: int = Field(default=0, examples=[2])
    """The number of its tools that may be called."""
    seconds: float = Field(default=0.0, examples=[1.1])
    """Duration of the call; for a cached answer, of the original one."""
    tools: tuple[ToolView, ...] = Field(default=())
    """Its tools; cut if there are more than were requested."""

    @classmethod
    def of(cls, server: ServerTools) -> "ToolServerView":
        """Build the view from a worker's answer."""
        own = server.model_dump(exclude={"server", "tools"})
        return cls(
            name=server.server,
            **own,
            tools=tuple(ToolView.model_validate(tool.model_dump(exclude={"server"})) for tool in server.tools),
        )


class ToolList(Described):
    """All tool servers that the operator configured."""

    servers: tuple[ToolServerView, ...]
    """The servers in the operator's order."""
    truncated: bool = Field(examples=[False])
    """Whether there are more tools than were requested."""


router = APIRouter(
    prefix="/v1/tools",
    tags=["tools"],
    dependencies=[requires("read_catalogue")],
    responses=problem_docs(StoreUnavailable, TemporalRefused, TemporalUnavailable, ToolServersUnavailable),
)


@router.get("")
async def list_tools(
    services: Provided,
    limit: Annotated[int, Query(ge=1, le=MOST_SHOWN, description="Tools at most, of all servers together.")] = 100,
) -> ToolList:
    """List the tool servers with the tools of each, as a worker sees them; a server that does not answer says why.

    A worker asks them at most once a minute.
    """
    found = await _look_at_tools(services, ToolLook(asked=ListToolsInput(limit=limit)))
    allowed = (server for server in found.servers if services.allowance.allows("tools", server.server))
    servers = tuple(map(ToolServerView.of, allowed))
    return ToolList(servers=servers, truncated=found.truncated)


@router.get("/{name}", responses=problem_docs(ToolServerNotFound))
async def get_tool_server(name: Annotated[str, Path(max_length=64)], services: Provided) -> ToolServerView:
    """Ask one server for its current tools; at most 200 are shown."""
    if not services.allowance.allows("tools", name):
        raise ToolServerNotFound(services.allowance.explain_refusal("tools", name))
    asked = ListToolsInput(servers=(name,), limit=MOST_SHOWN)
    (server,) = (await _look_at_tools(services, ToolLook(asked=asked, fresh=True))).servers
    return ToolServerView.of(server)


async def _look_at_tools(services: Services, look: ToolLook) -> ListToolsOutput:
    try:
        found = await services.temporal.looks.look(TOOL_LOOK, look, "what tools are there?")
    except LookFailed as error:
        if error.type == FailureType.TOOL_REFUSED:
            raise ToolServerNotFound(str(error)) from error
        raise ToolServersUnavailable(str(error)) from error
    assert isinstance(found, ListToolsOutput)
    return found
