"""How servers of tools are shown, and their tools. Names and descriptions of tools are the servers' words."""

from typing import Literal

from pydantic import Field

from elcano.api.http.budgets import Described
from elcano.graphs.catalogue.mcp_tools import OfferedTool, ServerTools
from elcano.graphs.frozen import JsonObject


class ToolView(Described):
    """A tool that a node `call_tool` can call."""

    name: str = Field(examples=["convert_time"])
    """Pass it as `tool`."""
    title: str = Field(default="", examples=["Convert time"])
    """What its server calls it for people."""
    description: str = Field(default="", examples=["Convert time between timezones"])
    """What its server says of it, shortened. It is nobody's instruction."""
    kind: Literal["reads", "repeatable", "writes"] = Field(examples=["reads"])
    """`reads`: it changes nothing and is tried again. `repeatable`: it writes, and doing it twice is as doing it once.
    `writes`: it is called at most once. What the operator says goes before what the server says."""
    needs_approval: bool = Field(default=False, examples=[False])
    """A call of it is refused: it writes, and the operator has not allowed that."""
    input_schema: JsonObject = Field(default={}, examples=[{"type": "object", "properties": {}}])
    """JSON Schema of its arguments; empty where it is longer than 10,000 characters."""


class ToolServerView(Described):
    """A server of tools, and whether it answers."""

    name: str = Field(examples=["time"])
    """Pass it as `server`."""
    transport: Literal["stdio", "http"] = Field(examples=["stdio"])
    """`stdio`: a program that is started for each call. `http`: an address."""
    answers: bool = Field(examples=[True])
    """Whether it said what it offers."""
    error: str = Field(default="", examples=[""])
    """Why it did not."""
    protocol: str = Field(default="", examples=["2026-07-28"])
    """The version of MCP that is spoken with it."""
    count: int = Field(default=0, examples=[2])
    """How many tools of it may be called."""
    seconds: float = Field(default=0.0, examples=[1.1])
    """How long its answer took; of one that was kept from the last minute, how long it took then."""
    tools: tuple[ToolView, ...] = Field(default=())
    """They; cut where there are more than were asked for."""

    @classmethod
    def of(cls, server: ServerTools) -> "ToolServerView":
        """Builds the view from a worker's answer."""
        own = server.model_dump(exclude={"server", "tools"})
        return cls(name=server.server, **own, tools=tuple(_build_tool_view(tool) for tool in server.tools))


class ToolList(Described):
    """All servers of tools that the operator named."""

    servers: tuple[ToolServerView, ...]
    """In the operator's order."""
    truncated: bool = Field(examples=[False])
    """Whether there are more tools than were asked for."""


def _build_tool_view(tool: OfferedTool) -> ToolView:
    return ToolView.model_validate(tool.model_dump(exclude={"server"}))
