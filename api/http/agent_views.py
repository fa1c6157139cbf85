"""Response models for agents: each one's input and answer, so that a newcomer sees what can be used."""

from typing import Any

from pydantic import Field

from elcano.api.http.budgets import Described
from elcano.api.http.times import Moment, datetime_from_seconds
from elcano.graphs.agents.definition import AgentDefinition
from elcano.graphs.agents.own_definition import definition_of
from elcano.graphs.frozen import JsonObject
from elcano.graphs.spec.own_agent import OwnAgent


class AgentField(Described):
    """An input of an agent."""

    name: str = Field(examples=["question"])
    """As a node's `inputs` name it."""
    type: str = Field(examples=["string"])
    """What its expression has to give, in JSON Schema's words; `any`: several of them."""
    required: bool = Field(examples=[True])
    """Whether a node has to give it."""
    description: str = ""
    """What it is."""


class AgentCard(Described):
    """An agent in a list."""

    name: str = Field(examples=["judge"])
    """Nodes call it so."""
    version: int | None = Field(default=None, ge=1, examples=[3])
    """Of an agent of your own the number of its latest version, which nodes mean unless they name another (`name@2`);
    null: it is built in."""
    at: Moment | None = Field(default=None, examples=["2026-01-01T00:00:00Z"])
    """When that was kept."""
    description: str = Field(examples=["Judges whether the evidence is enough to answer."])
    """What it is for."""
    inputs: tuple[AgentField, ...]
    """What it is given."""
    outputs: tuple[str, ...] = Field(examples=[["sufficient", "confidence"]])
    """The fields of what it leaves under `outputs.NODE`."""
    passages: bool = Field(examples=[True])
    """Whether it is shown passages."""
    writes: bool = Field(examples=[False])
    """Whether it writes a report, so that a graph can end with it."""

    @classmethod
    def of(cls, agent: AgentDefinition) -> "AgentCard":
        """A built-in agent."""
        return cls(**_describe_agent(agent, agent.name))

    @classmethod
    def of_own(cls, agent: OwnAgent, version: int, at: float) -> "AgentCard":
        """A version of an agent of one's own."""
        return cls(
            **_describe_agent(definition_of(agent.name, agent), agent.name),
            version=version,
            at=datetime_from_seconds(at),
        )


class AgentView(AgentCard):
    """An agent, whole."""

    output: dict[str, Any] = Field(examples=[{"type": "object"}])
    """What it answers, as a JSON Schema."""
    instructions: str
    """What its model is told beside the task."""
    definition: OwnAgent | None = None
    """Of an agent of your own what was kept: change it and send it to `POST /v1/agents`."""

    @classmethod
    def built_in(cls, agent: AgentDefinition) -> "AgentView":
        """A built-in agent."""
        output = agent.output.model_json_schema()
        return cls(**_describe_agent(agent, agent.name), output=output, instructions=agent.asks.instructions)

    @classmethod
    def own(cls, agent: OwnAgent, version: int, at: float) -> "AgentView":
        """A version of an agent of one's own."""
        told = _describe_agent(definition_of(agent.name, agent), agent.name)
        rest: dict[str, Any] = {
            "version": version,
            "at": datetime_from_seconds(at),
            "output": agent.output,
            "instructions": agent.instructions,
        }
        return cls(**told, **rest, definition=agent)


class AgentVersionCard(Described):
    """A version of an agent of your own."""

    version: int = Field(ge=1, examples=[2])
    """Its number; nodes name it as `name@2`."""
    at: Moment = Field(examples=["2026-01-01T00:00:00Z"])
    """When it was kept."""


def _describe_agent(agent: AgentDefinition, name: str) -> dict[str, Any]:
    schema: JsonObject = agent.input.model_json_schema()
    return {
        "name": name,
        "description": agent.description,
        "inputs": _list_input_fields(schema),
        "outputs": tuple(agent.output.model_fields),
        "passages": agent.evidence_tokens > 0,
        "writes": agent.writes,
    }


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
