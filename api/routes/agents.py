"""Agents: which there are, what each is given and answers, and keeping one of your own."""

from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Body, Path, Response

from elcano.api.http.agent_views import AgentCard, AgentVersionCard, AgentView
from elcano.api.http.errors import (
    AgentNotFound,
    BodyTooLarge,
    BodyUnreadable,
    FieldFault,
    RequestInvalid,
    problem_docs,
)
from elcano.api.http.times import datetime_from_seconds
from elcano.api.runs.callable_agents import received_agent, require_own_agent
from elcano.api.services import Provided
from elcano.graphs.agents.definition import AGENTS
from elcano.graphs.errors import TooManyAgents
from elcano.graphs.spec.own_agent import OwnAgent

_LOCATION = {"Location": {"description": "The path of the version.", "schema": {"type": "string"}}}

AgentNamed: TypeAlias = Annotated[
    str, Path(max_length=100, description="A name; of your own also a version: `my_agent@2`.", examples=["judge"])
]

TAKEN = frozenset({"schema"})
"""Names that stand for something else in the place of an agent's."""

router = APIRouter(prefix="/v1/agents", tags=["agents"], responses=problem_docs(RequestInvalid))


@router.get("")
async def list_agents(services: Provided) -> list[AgentCard]:
    """List the agents that nodes of graphs can call: the built-in ones, then those of your own."""
    own = await services.store.agents.all()
    return [*map(AgentCard.of, AGENTS.values()), *(AgentCard.of_own(one.agent, one.version, one.at) for one in own)]


@router.post(
    "",
    status_code=201,
    responses={
        200: {"model": AgentCard, "description": "It is the latest version already"},
        201: {"description": "A new version", "headers": _LOCATION},
        **problem_docs(BodyUnreadable, BodyTooLarge, TooManyAgents),
    },
)
async def keep_agent(
    agent: Annotated[dict[str, Any], Body(description="An agent as JSON (see `GET /v1/agents/schema`).")],
    services: Provided,
    response: Response,
) -> AgentCard:
    """Keep an agent of your own under its name, as a new version if there is one of that name.

    Nodes of graphs call it by that name. A graph that is kept or run takes the version with it that is the latest then,
    or the one that its node names. What is wrong is told at once, each fault with its place as a JSON pointer.
    """
    read = received_agent(agent)
    if read.name in TAKEN:
        taken = f"{read.name!r} is a path of this API: an agent of that name could not be read; give yours another one"
        raise RequestInvalid([FieldFault(field="/name", message=taken)])
    kept, new = await services.store.agents.keep(read)
    response.status_code = 201 if new else 200
    response.headers["Location"] = f"/v1/agents/{kept.key}"
    return AgentCard.of_own(kept.agent, kept.version, kept.at)


@router.get("/schema")
async def agent_schema() -> dict[str, Any]:
    """Read the JSON Schema of an agent of one's own, for editors and for programs that write agents."""
    return OwnAgent.model_json_schema()


@router.get("/{name}", responses=problem_docs(AgentNotFound))
async def get_agent(name: AgentNamed, services: Provided) -> AgentView:
    """Read an agent: its instructions, its inputs and its output."""
    if name in AGENTS:
        return AgentView.built_in(AGENTS[name])
    kept = await require_own_agent(name, services.store.agents)
    return AgentView.own(kept.agent, kept.version, kept.at)


@router.get("/{name}/versions", responses=problem_docs(AgentNotFound))
async def list_agent_versions(name: AgentNamed, services: Provided) -> list[AgentVersionCard]:
    """List the versions of an agent of your own, the latest first."""
    versions = await services.store.agents.versions(name)
    if not versions:
        await require_own_agent(name, services.store.agents)
    return [AgentVersionCard(version=version, at=datetime_from_seconds(at)) for version, at in versions]


@router.delete("/{name}", status_code=204, responses=problem_docs(AgentNotFound))
async def delete_agent(name: AgentNamed, services: Provided) -> None:
    """Delete an agent of your own with all its versions. Graphs and runs that call it go on; they have it with them."""
    if name in AGENTS:
        raise RequestInvalid([FieldFault(field="name", message=f"{name!r} is a built-in agent, which stays")])
    if not await services.store.agents.delete(name):
        await require_own_agent(name, services.store.agents)
        raise RequestInvalid([FieldFault(field="name", message="name the agent, not a version: all of them go")])
