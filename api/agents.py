"""Agents: which there are, what each is given and answers, and keeping one of your own."""

from typing import Annotated, Any, Self, TypeAlias

from fastapi import APIRouter, Body, Path, Response
from pydantic import Field

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided
from elcano.graphs.agents.definition import AgentDefinition, definition_of, get_definition, list_definitions
from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.checks.callees import parse_own_agent
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.errors import TooManyAgents
from elcano.graphs.frozen import JsonObject
from elcano.graphs.spec.limits import MAX_FAULTS
from elcano.graphs.spec.own_agent import OwnAgent
from elcano.service.errors import AgentNotFound, FieldFault, RequestInvalid
from elcano.service.fields import Described, Moment, VersionCard, datetime_from_seconds
from elcano.storage.versions import Version, VersionStore

OwnAgents: TypeAlias = VersionStore[OwnAgent]


class AgentField(Described):
    """An input of an agent."""

    name: str = Field(examples=["question"])
    """The name in a node's `inputs`."""
    type: str = Field(examples=["string"])
    """Type that the expression must evaluate to, as a JSON Schema type; `any`: several types are allowed."""
    required: bool = Field(examples=[True])
    """Whether a node has to give it."""
    description: str = ""
    """Its description."""


class AgentCard(Described):
    """An agent in a list."""

    name: str = Field(examples=["judge"])
    """Nodes call it so."""
    version: int | None = Field(default=None, ge=1, examples=[3])
    """For a custom agent the number of its latest version, which nodes use unless they name another (`name@2`); null:
    it is built in."""
    at: Moment | None = Field(default=None, examples=["2026-01-01T00:00:00Z"])
    """When that was kept."""
    description: str = Field(examples=["Judges whether the evidence is enough to answer."])
    """Its purpose."""
    inputs: tuple[AgentField, ...]
    """Its inputs."""
    outputs: tuple[str, ...] = Field(examples=[["sufficient", "confidence"]])
    """The fields of what it leaves under `outputs.NODE`."""
    passages: bool = Field(examples=[True])
    """Whether it is shown passages."""
    writes: bool = Field(examples=[False])
    """Whether it writes a report, so that a graph can end with it."""

    @classmethod
    def of(cls, agent: AgentDefinition, kept: Version[OwnAgent] | None = None, **whole: Any) -> Self:
        """An agent, of one's own with the version that is kept of it; `whole` is what a view adds."""
        return cls(
            name=agent.name,
            version=kept.version if kept else None,
            at=datetime_from_seconds(kept.at) if kept else None,
            description=agent.description,
            inputs=_list_input_fields(agent.input.model_json_schema()),
            outputs=tuple(agent.output.model_fields),
            passages=agent.evidence_tokens > 0,
            writes=agent.writes,
            **whole,
        )

    @classmethod
    def of_own(cls, kept: Version[OwnAgent], **whole: Any) -> Self:
        """A version of an agent of one's own."""
        return cls.of(definition_of(kept.item.name, kept.item), kept, **whole)


class AgentView(AgentCard):
    """An agent, whole."""

    output: dict[str, Any] = Field(examples=[{"type": "object"}])
    """Its answer, as a JSON Schema."""
    instructions: str
    """System prompt of its model, without the task."""
    definition: OwnAgent | None = None
    """For a custom agent its stored definition: change it and send it to `POST /v1/agents`."""


def _list_input_fields(schema: JsonObject) -> tuple[AgentField, ...]:
    properties, required = schema.get("properties"), schema.get("required")
    assert isinstance(properties, dict)
    needed = required if isinstance(required, list) else []
    return tuple(
        AgentField(
            name=name,
            type=_get_schema_type(one),
            required=name in needed,
            description=str(_get_schema_value(one, "description")),
        )
        for name, one in properties.items()
    )


def _get_schema_type(one: object) -> str:
    return str(_get_schema_value(one, "type") or ("object" if _get_schema_value(one, "$ref") else "any"))


def _get_schema_value(one: object, key: str) -> object:
    return one.get(key, "") if isinstance(one, dict) else ""


def received_agent(given: dict[str, Any]) -> OwnAgent:
    """An agent that came with a request.

    Raises:
        RequestInvalid: it has faults; all are reported, each with its place as a JSON pointer.
    """
    agent, found = parse_own_agent(given)
    if agent is None or found:
        first = [FieldFault(field=one.pointer or "body", message=str(one)) for one in found[:MAX_FAULTS]]
        more = [FieldFault(field="body", message="and more: mend these first")] if len(found) > MAX_FAULTS else []
        raise RequestInvalid([*first, *more])
    return agent


async def require_own_agent(text: str, own: OwnAgents) -> Version[OwnAgent]:
    """The version of an agent of one's own that `text` names.

    Raises:
        AgentNotFound: there is none; the text says which there are.
    """
    if (kept := await own.get_named(text)) is None:
        known = [*AGENTS, *(one.item.name for one in await own.all())]
        built_in = f"{text!r} is a built-in agent, which has no versions"
        raise AgentNotFound(next(iter(explain_unknown_name("agent", text, known)), built_in))
    return kept


_LOCATION = {"Location": {"description": "The path of the version.", "schema": {"type": "string"}}}

AgentNamed: TypeAlias = Annotated[
    str, Path(max_length=100, description="A name; of your own also a version: `my_agent@2`.", examples=["judge"])
]

TAKEN = frozenset({"schema"})
"""Names that stand for something else in the place of an agent's."""

READ = (requires("read_catalogue"),)
EDIT = (requires("edit_catalogue"),)

router = APIRouter(prefix="/v1/agents", tags=["agents"])


@router.get("", dependencies=READ)
async def list_agents(services: Provided) -> list[AgentCard]:
    """List the agents that nodes of graphs can call: the built-in ones, then those of your own."""
    own = await services.store.agents.all()
    return [*map(AgentCard.of, list_definitions()), *map(AgentCard.of_own, own)]


@router.post(
    "",
    dependencies=EDIT,
    status_code=201,
    responses={
        200: {"model": AgentCard, "description": "It is the latest version already"},
        201: {"description": "A new version", "headers": _LOCATION},
        **problem_docs(TooManyAgents),
    },
)
async def keep_agent(
    agent: Annotated[dict[str, Any], Body(description="An agent as JSON (see `GET /v1/agents/schema`).")],
    services: Provided,
    response: Response,
) -> AgentCard:
    """Keep an agent of your own under its name, as a new version if there is one of that name.

    Nodes of graphs call it by that name. A graph that is kept or run takes the version with it that is the latest then,
    or the one that its node names. All faults are reported at once, each with its place as a JSON pointer.
    """
    read = received_agent(agent)
    if read.name in TAKEN:
        taken = f"{read.name!r} is a path of this API: an agent of that name could not be read; give yours another one"
        raise RequestInvalid([FieldFault(field="/name", message=taken)])
    kept, new = await services.store.agents.keep(read)
    response.status_code = 201 if new else 200
    response.headers["Location"] = f"/v1/agents/{kept.key}"
    return AgentCard.of_own(kept)


@router.get("/schema", dependencies=READ)
async def agent_schema() -> dict[str, Any]:
    """Read the JSON Schema of an agent of one's own, for editors and for programs that write agents."""
    return OwnAgent.model_json_schema()


@router.get("/{name}", dependencies=READ, responses=problem_docs(AgentNotFound))
async def get_agent(name: AgentNamed, services: Provided) -> AgentView:
    """Read an agent: its instructions, its inputs and its output."""
    if name in AGENTS:
        agent = get_definition(name)
        output = agent.output.model_json_schema()
        return AgentView.of(agent, output=output, instructions=agent.asks.instructions)
    kept = await require_own_agent(name, services.store.agents)
    own = kept.item
    return AgentView.of_own(kept, output=own.output, instructions=own.instructions, definition=own)


@router.get("/{name}/versions", dependencies=READ, responses=problem_docs(AgentNotFound))
async def list_agent_versions(name: AgentNamed, services: Provided) -> list[VersionCard]:
    """List the versions of an agent of your own, the latest first."""
    versions = await services.store.agents.versions(name)
    if not versions:
        await require_own_agent(name, services.store.agents)
    return [VersionCard(version=version, at=datetime_from_seconds(at)) for version, at in versions]


@router.delete("/{name}", dependencies=EDIT, status_code=204, responses=problem_docs(AgentNotFound))
async def delete_agent(name: AgentNamed, services: Provided) -> None:
    """Delete your own agent with all its versions. Graphs and runs that call it continue; they carry it with them."""
    if name in AGENTS:
        raise RequestInvalid([FieldFault(field="name", message=f"{name!r} is a built-in agent, which stays")])
    if not await services.store.agents.delete(name):
        await require_own_agent(name, services.store.agents)
        raise RequestInvalid([FieldFault(field="name", message="name the agent, not a version: all of them go")])
