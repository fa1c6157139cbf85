"""Custom agents: from an agent as data to its definition, and to all its faults."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from pydantic import JsonValue, create_model

from elcano.graphs.agents.definition import AGENTS, AgentDefinition, Question
from elcano.graphs.agents.envelope import AgentInput, Loaded, Needs, TaskEnvelope
from elcano.graphs.errors import Fault, build_faults_at, build_json_pointer
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.schemas.schema_parser import parse_schema
from elcano.graphs.schemas.shape import Shape, least_of, model_of, name_fault, object_with_ids
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.own_agent import FieldType, OwnAgent
from elcano.graphs.text import shorten_text, title_from_id

GIVEN_ANYWAY: Final = ("question", "background", "guidance", "language")
"""Inputs that every agent has."""
RESERVED: Final = ("sections", "criteria")
"""Inputs with a special meaning for estimates."""
_TYPES: Final[Mapping[FieldType, Any]] = {
    "string": str,
    "number": float,
    "integer": int,
    "boolean": bool,
    "array": list[JsonValue],
    "object": dict[str, JsonValue],
    "any": JsonValue,
}
SHOWN_FIGURES: Final = 8
"""Figures and choices of an answer that its event has."""


def agent_faults(agent: OwnAgent) -> list[Fault]:
    """List the faults of an agent besides its types, each with its location."""
    return list(_find_definition_faults(agent))


def is_name_taken(name: str) -> bool:
    """Whether a name means something already: an agent, or a task of one that writes section by section."""
    tasks = (f"{one.name}_{task}" for one in AGENTS.values() if one.by_section for task in ("section", "summary"))
    return name in AGENTS or name in tasks


def _find_definition_faults(agent: OwnAgent) -> Iterable[Fault]:
    if is_name_taken(agent.name):
        yield Fault(f"{agent.name!r} is a built-in agent: give yours another name", "/name")
    if not agent.instructions.strip():
        yield Fault("say what it has to do", "/instructions")
    seen: set[str] = set()
    for index, one in enumerate(agent.inputs):
        at = build_json_pointer("inputs", index, "name")
        if (fault := name_fault(one.name)) is not None:
            yield Fault(fault, at)
        elif one.name in GIVEN_ANYWAY:
            yield Fault(f"every agent has the input {one.name!r} already: leave it out", at)
        elif one.name == "evidence":
            yield Fault("set `passages` to true: the agent has the input 'evidence' then, and is shown them", at)
        elif one.name in RESERVED:
            yield Fault(f"{one.name!r} has a meaning of its own here: take another name", at)
        elif one.name in seen:
            yield Fault(f"there are two inputs {one.name!r}", at)
        seen.add(one.name)
    yield from build_faults_at("/output", parse_schema(agent.output).faults)


def shape_of(agent: OwnAgent) -> Shape:
    """Return the shape of the answer of an agent without faults.

    Raises:
        ValueError: it has faults.
    """
    found = parse_schema(agent.output)
    if found.shape is None:
        raise ValueError(f"agent {agent.name!r}: {'; '.join(f'{one.pointer}: {one}' for one in found.faults)}")
    return found.shape


def least_answer(agent: OwnAgent) -> JsonObject:
    """The least that an agent can answer."""
    return least_of(shape_of(agent))


def get_agent(graph: ResearchGraph, name: str) -> AgentDefinition:
    """The agent that the nodes of `graph` call by `name`: one that it carries, or a built-in one.

    Raises:
        KeyError: there is none.
        ValueError: it is the graph's own, and has faults.
    """
    own = graph.agents.get(name)
    return AGENTS[name] if own is None else definition_of(name, own)


def agent_called(name: str, own: OwnAgent | None) -> AgentDefinition | None:
    """Return the agent called `name`: the custom one that came with the call, else the built-in one, else None."""
    return AGENTS.get(name) if own is None else definition_of(name, own)


def definition_of(key: str, agent: OwnAgent) -> AgentDefinition:
    """The definition of an agent without faults, which nodes call by `key`; made once.

    Raises:
        ValueError: it has faults.
    """
    return _build_definition(key, agent.model_dump_json())


@lru_cache(maxsize=256)
def _build_definition(key: str, text: str) -> AgentDefinition:
    agent = OwnAgent.model_validate_json(text)
    shape = shape_of(agent)
    answer = model_of(shape, "Answer")
    taken = _input_of(agent)

    def shown(given: AgentInput, loaded: Loaded) -> TaskEnvelope:
        told = {one.name: value for one in agent.inputs if (value := getattr(given, one.name)) is not None}
        return loaded.envelope(key, given).model_copy(update={"given": told})

    def settled(said: Frozen, given: Frozen, ids: Mapping[str, str]) -> Frozen:
        return answer.model_validate(object_with_ids(shape, said.model_dump(mode="json"), ids))

    def summary(output: JsonObject) -> tuple[str, JsonObject]:
        return _summarize_own_answer(key, shape, output)

    def needs(given: Frozen) -> Needs:
        return Needs(evidence=getattr(given, "evidence", ()))

    return AgentDefinition(
        name=key,
        description=agent.description or f"An agent of your own, {agent.name}.",
        asks=Question(
            instructions=f"{agent.instructions.strip()}\n{_inputs_told(agent)}",
            request="Do your part with this task envelope.",
            answer=answer,
            shown=shown,
            passages=agent.passages,
        ),
        input=taken,
        output=answer,
        starts="analyzing",
        completes="analysis_complete",
        output_tokens=agent.output_tokens,
        evidence_tokens=agent.evidence_tokens if agent.passages else 0,
        needs=needs,
        settled=settled,
        summary=summary,
    )


def _input_of(agent: OwnAgent) -> type[AgentInput]:
    fields: dict[str, Any] = {
        one.name: (_TYPES[one.type], ...) if one.required else (_TYPES[one.type] | None, None) for one in agent.inputs
    }
    if agent.passages:
        fields["evidence"] = (tuple[str, ...], ...)
    made: type[AgentInput] = create_model("Input", __base__=AgentInput, __module__=__name__, **fields)
    return made


def _inputs_told(agent: OwnAgent) -> str:
    """Describe the envelope's `given` to the model."""
    lines = [f"- `{one.name}`: {one.description}" for one in agent.inputs if one.description]
    return "\n## What you are given\n\nIn the envelope's `given`:\n" + "\n".join(lines) + "\n" if lines else ""


def _summarize_own_answer(key: str, shape: Shape, output: JsonObject) -> tuple[str, JsonObject]:
    """The first text of an answer, and its figures and choices."""
    texts = (output.get(one.name) for one in shape.properties if one.shape.kind == "string" and not one.shape.choices)
    text = next((shorten_text(one, 300) for one in texts if isinstance(one, str) and one.strip()), "done")
    data: JsonObject = {}
    for one in shape.properties:
        value = output.get(one.name)
        if isinstance(value, bool | int | float) or (one.shape.choices and isinstance(value, str)):
            data[one.name] = value
        elif isinstance(value, list):
            data[one.name] = len(value)
        if len(data) >= SHOWN_FIGURES:
            break
    return f"{title_from_id(key.partition('@')[0])}: {text}", {"agent": key, "answer": data}
