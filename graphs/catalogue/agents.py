"""Agents: what is known of one without its prompts, of those that plugins add and of those that a graph carries.

An engine asks here for inputs, outputs, events and estimates; what a model is asked is in `agents/definition.py`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

from pydantic import JsonValue, create_model

from elcano.graphs.errors import Fault, build_faults_at, build_json_pointer
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.plugin import Registry
from elcano.graphs.schemas.schema_parser import parse_schema
from elcano.graphs.schemas.shape import Shape, model_of, name_fault
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.own_agent import FieldType, OwnAgent
from elcano.graphs.state.events import EventType
from elcano.graphs.state.plan import Contradiction
from elcano.graphs.state.rubric import RubricScores
from elcano.graphs.text import shorten_text, title_from_id

Manner: TypeAlias = Literal["answer", "report", "own", "joined", "by_section"]
"""The use of the model's answer.

- `answer`: the state holds it.
- `report`: it is a draft written from passages, which is stored; the state holds a reference.
- `own`: the same, written in the way that `writer` names.
- `joined`: one draft of all sections' drafts, made in one pass; without the budget for it they stay as they are.
- `by_section`: the same, one call per section and one (`closing`) for the summary above and below them.
"""


class AgentInput(Frozen):
    """The input that almost all agents share."""

    question: str
    background: str = ""
    guidance: tuple[str, ...] = ()
    """The user's instructions during the research, the latest last."""
    language: str = ""
    """The question's, by its English name; empty if it is not known."""

    @property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """Contradictions among its passages: what it writes has to answer each."""
        return ()


@dataclass(frozen=True, kw_only=True)
class AgentSpec:
    """One agent as a graph sees it: a model, asked for one typed answer."""

    name: str
    description: str
    """Its purpose, in one sentence."""
    input: type[Frozen]
    """The input from the graph: the node says where each field comes from."""
    output: type[Frozen]
    """The output in the state: its answer; for a writing agent a reference to the stored draft."""
    starts: EventType
    """The event that announces its call, such as `thinking`."""
    completes: EventType
    """The event that reports its output; can be the same type."""
    output_tokens: int
    """The most that its answer is expected to take, for estimates."""
    evidence_tokens: int = 0
    """The most that the evidence it is shown may take, for estimates and for cutting the prompt; 0: it is shown none,
    whatever its `needs` name."""
    manner: Manner = "answer"
    scored: Callable[[JsonObject], RubricScores | None] | None = None
    """For an agent that judges by a rubric: from its output to the scores that the report shows."""
    begins: Callable[[JsonObject], str] | None = None
    """The text of its start event, from its input as JSON; None: its description."""
    summary: Callable[[JsonObject], tuple[str, JsonObject]] | None = None
    """Its output in one sentence and its figures, for its end event; None: that it is done."""

    @property
    def by_section(self) -> bool:
        """Whether it calls its model once a section and once for what is above them; its figures are of one."""
        return self.manner == "by_section"

    @property
    def writes(self) -> bool:
        """Whether it writes text for readers, which can be watched as it is written."""
        return self.manner != "answer"

    @property
    def joins(self) -> bool:
        """Whether it makes one report of the drafts of sections."""
        return self.manner in ("joined", "by_section")


AGENTS: Final[Registry[AgentSpec]] = Registry("agents", AgentSpec)
"""The plugins' agents, each with its definition (`agents/definition.py`)."""

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


def is_name_taken(name: str) -> bool:
    """Whether a name means something already: an agent, or a task of one that writes section by section."""
    tasks = (f"{one.name}_{task}" for one in AGENTS.values() if one.by_section for task in ("section", "summary"))
    return name in AGENTS or name in tasks


def agent_faults(agent: OwnAgent) -> Iterable[Fault]:
    """Yield the faults of an agent besides its types, each with its location."""
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


def get_agent(graph: ResearchGraph, name: str) -> AgentSpec:
    """The agent that the nodes of `graph` call by `name`: one that it carries, or one of a plugin.

    Raises:
        KeyError: there is none.
        ValueError: it is the graph's own, and has faults.
    """
    return get_called_agent(name, graph.agents.get(name))


def get_called_agent(name: str, own: OwnAgent | None) -> AgentSpec:
    """The agent called `name`: the custom one that came with the call, else the one of a plugin.

    Raises:
        KeyError: there is none.
        ValueError: it is a custom one, and has faults.
    """
    return AGENTS[name] if own is None else specify_own_agent(name, own)


def specify_own_agent(key: str, agent: OwnAgent) -> AgentSpec:
    """Return the specification of an agent without faults, which nodes call by `key`; made once.

    Raises:
        ValueError: it has faults.
    """
    return _build_spec(key, agent.model_dump_json())


@lru_cache(maxsize=256)
def _build_spec(key: str, text: str) -> AgentSpec:
    agent = OwnAgent.model_validate_json(text)
    shape = shape_of(agent)

    def summary(output: JsonObject) -> tuple[str, JsonObject]:
        return _summarize_own_answer(key, shape, output)

    return AgentSpec(
        name=key,
        description=agent.description or f"An agent of your own, {agent.name}.",
        input=_input_of(agent),
        output=model_of(shape, "Answer"),
        starts="analyzing",
        completes="analysis_complete",
        output_tokens=agent.output_tokens,
        evidence_tokens=agent.evidence_tokens if agent.passages else 0,
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
