"""Tools: which servers the operator named, whether they answer, and what they offer."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from elcano.api.http.errors import (
    RequestInvalid,
    StoreUnavailable,
    TemporalRefused,
    TemporalUnavailable,
    ToolServerNotFound,
    ToolsUnanswered,
    problem_docs,
)
from elcano.api.http.tool_views import ToolList, ToolServerView
from elcano.api.services import Provided
from elcano.graphs.catalogue.mcp_tools import MOST_SHOWN, ListToolsInput
from elcano.graphs.providers import ToolLook

router = APIRouter(
    prefix="/v1/tools",
    tags=["tools"],
    responses=problem_docs(RequestInvalid, StoreUnavailable, TemporalRefused, TemporalUnavailable, ToolsUnanswered),
)


@router.get("")
async def list_tools(
    services: Provided,
    limit: Annotated[int, Query(ge=1, le=MOST_SHOWN, description="Tools at most, of all servers together.")] = 100,
) -> ToolList:
    """List the tool servers with the tools of each, as a worker sees them; a server that does not answer says why.

    A worker asks them at most once a minute.
    """
    look = ToolLook(queue=services.temporal.task_queue, asked=ListToolsInput(limit=limit))
    found = await services.temporal.looks.at_tools(look)
    servers = tuple(ToolServerView.of(server) for server in found.servers)
    return ToolList(servers=servers, truncated=found.truncated)


@router.get("/{name}", responses=problem_docs(ToolServerNotFound))
async def get_tool_server(name: Annotated[str, Path(max_length=64)], services: Provided) -> ToolServerView:
    """Ask one server for its current tools; at most 200 are shown."""
    asked = ListToolsInput(servers=(name,), limit=MOST_SHOWN)
    look = ToolLook(queue=services.temporal.task_queue, asked=asked, fresh=True)
    (server,) = (await services.temporal.looks.at_tools(look)).servers
    return ToolServerView.of(server)
