"""The definition of an agent, complete in one object, so that a new one is a file of its own and a line in `plugin.py`.

A definition is data and pure functions. The code that calls an agent loads what it `needs`, asks a model with what is
`shown` and stores its output; no code looks for an agent by its name.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.agents.prompt_texts import ground_rules
from elcano.graphs.agents.writing import ReportProse, SynthesisInput
from elcano.graphs.catalogue.agents import AGENTS, AgentInput, AgentSpec, shape_of, specify_own_agent
from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Frozen
from elcano.graphs.schemas.shape import object_with_ids
from elcano.graphs.spec.own_agent import OwnAgent
from elcano.graphs.state.state import DraftRef

Answer = TypeVar("Answer", bound=Frozen)


@dataclass(frozen=True)
class Part:
    """A part of instructions that is said only where it applies."""

    text: str
    applies: Callable[[TaskEnvelope], bool]


def has_wishes(task: TaskEnvelope) -> bool:
    """Whether the person who asked said how the report should be."""
    return bool(task.instructions)


@dataclass(frozen=True)
class Question(Generic[Answer]):
    """One question to a model, in one call."""

    instructions: str
    """Its instructions, the same for every call: what to do, and how."""
    request: str
    """The sentence above the envelope: what is wanted now."""
    answer: type[Answer]
    """The model of what it answers. Descriptions of its fields are part of what it is shown."""
    shown: Callable[[Any, Loaded], TaskEnvelope]
    """From an input of the agent's input model, and what was loaded, to all that the model is shown of the task."""
    passages: bool = True
    """Whether it is shown passages, and so gets the rules on trust in them."""
    rules: str | None = None
    """The rules that follow its instructions, where they are not those that all agents share."""

    ranks: bool = True
    """Whether it chooses between passages, and so gets the rules on which to prefer."""
    parts: tuple[Part, ...] = ()
    """Further instructions, each where it applies."""
    answers: Callable[[TaskEnvelope], type[Answer]] | None = None
    """Which model, `answer` or one derived from it, the answer to a task has; None: always `answer`."""

    @property
    def all_instructions(self) -> str:
        """All instructions that there can be, in the order in which they are given."""
        return self._join_instructions((part.text for part in self.parts), self.passages, works=True)

    def instructions_for(self, task: TaskEnvelope) -> str:
        """The instructions for one task: those that apply to it."""
        parts = (part.text for part in self.parts if part.applies(task))
        shown = self.passages and bool(task.evidence)
        return self._join_instructions(parts, shown, works=any(item.about for item in task.evidence))

    def answer_for(self, task: TaskEnvelope) -> type[Answer]:
        """The model of the answer to one task."""
        return self.answer if self.answers is None else self.answers(task)

    def _join_instructions(self, parts: Iterable[str], passages: bool, *, works: bool) -> str:
        # Parts come last: they differ from call to call, and providers read from their cache what comes before.
        rules = self.rules
        if rules is None:
            rules = ground_rules(passages=passages, ranks=self.ranks, works=works)
        further = "".join(parts)
        return "\n".join(filter(None, (self.instructions, rules, further and f"## In this call\n\n{further.lstrip()}")))


def build_empty_needs(given: Frozen) -> Needs:
    """The needs of an agent that works on its input alone."""
    return Needs()


@dataclass(frozen=True, kw_only=True)
class AgentDefinition(AgentSpec):
    """One agent: a model, asked for one typed answer.

    Raises:
        ValueError: its parts do not fit each other; the text says which.
    """

    asks: Question[Any]
    closing: Question[Any] | None = None
    """The last question to an agent that writes `by_section`."""
    writer: str = ""
    """The dotted path of the coroutine function that writes in an `own` way, `package.module:name`: from the attempt,
    this definition, the input, what was loaded and the task to the `OwnDraft` that it wrote."""
    loader: str = ""
    """The dotted path of the coroutine function that loads what it alone is shown: from the tenant's store,
    `Needs.more` and the tokens that this may take to `Loaded.more`."""
    needs: Callable[[Any], Needs] = build_empty_needs
    """From its input to what has to be loaded for it."""
    faults: Callable[[Any, Any, Mapping[str, str]], Sequence[str]] | None = None
    """For an agent whose answer the state holds: from the same inputs as `settled`, mistakes in the model's answer, in
    sentences for the model. It gets them once, in the same conversation. None: nothing is checked."""
    settled: Callable[[Any, Any, Mapping[str, str]], Frozen] | None = None
    """For an agent whose answer the state holds: from the model's answer, its input and the ids of the shown passages,
    by their keys, to that answer. None: the model's answer is used as it is."""

    def __post_init__(self) -> None:
        if (fault := self._fault()) is not None:
            raise ValueError(f"agent {self.name!r}: {fault}")

    def _fault(self) -> str | None:
        if self.writes and self.output is not DraftRef:
            return f"it writes ({self.manner}), so its output must be DraftRef, not {self.output.__name__}"
        if not self.writes and self.asks.answer is not self.output:
            return f"its answer is {self.asks.answer.__name__}, its output {self.output.__name__}: make them the same"
        if self.manner in ("report", "joined") and self.asks.answer is not ReportProse:
            return f"it writes ({self.manner}), so its answer must be ReportProse, not {self.asks.answer.__name__}"
        if self.joins and not issubclass(self.input, SynthesisInput):
            return f"it joins sections ({self.manner}), so its input must be SynthesisInput, not {self.input.__name__}"
        if "streaming" in (self.starts, self.completes):
            return "`streaming` is no event of a run: it shows words that are being written"
        if self.writes and self.settled is not None:
            return f"it writes ({self.manner}), so there is no answer that could be `settled`"
        if self.writes and self.faults is not None:
            return f"it writes ({self.manner}), and the faults of a draft are reported without `faults`"
        if (self.manner == "own") != bool(self.writer):
            return "it needs `writer` if it writes in a way of its own, and only then"
        if self.by_section != (self.closing is not None):
            return "it needs `closing` if it writes by section, and only then"
        return None


def get_definition(name: str) -> AgentDefinition:
    """The definition of an agent of a plugin.

    Raises:
        KeyError: there is none.
        InputInvalid: the plugin names a specification alone, which says nothing to a model.
    """
    found = AGENTS[name]
    if not isinstance(found, AgentDefinition):
        raise InputInvalid("plugins", f"the agent {name!r} has no prompts: it must be an AgentDefinition")
    return found


def list_definitions() -> list[AgentDefinition]:
    """The definitions of all agents of the loaded plugins."""
    return [get_definition(name) for name in AGENTS]


def agent_called(name: str, own: OwnAgent | None) -> AgentDefinition | None:
    """Return the agent called `name`: the custom one that came with the call, else the one of a plugin, else None."""
    if own is not None:
        return definition_of(name, own)
    return get_definition(name) if name in AGENTS else None


def definition_of(key: str, agent: OwnAgent) -> AgentDefinition:
    """The definition of a custom agent without faults, which nodes call by `key`; made once.

    Raises:
        ValueError: it has faults.
    """
    return _build_definition(key, agent.model_dump_json())


@lru_cache(maxsize=256)
def _build_definition(key: str, text: str) -> AgentDefinition:
    agent = OwnAgent.model_validate_json(text)
    spec, shape = specify_own_agent(key, agent), shape_of(agent)

    def shown(given: AgentInput, loaded: Loaded) -> TaskEnvelope:
        known = {one.name: value for one in agent.inputs if (value := getattr(given, one.name)) is not None}
        return loaded.envelope(key, given).model_copy(update={"given": known})

    def settled(said: Frozen, given: Frozen, ids: Mapping[str, str]) -> Frozen:
        return spec.output.model_validate(object_with_ids(shape, said.model_dump(mode="json"), ids))

    def needs(given: Frozen) -> Needs:
        return Needs(evidence=getattr(given, "evidence", ()))

    return AgentDefinition(
        **vars(spec),
        asks=Question(
            instructions=f"{agent.instructions.strip()}\n{_describe_inputs(agent)}",
            request="Do your part with this task envelope.",
            answer=spec.output,
            shown=shown,
            passages=agent.passages,
        ),
        needs=needs,
        settled=settled,
    )


def _describe_inputs(agent: OwnAgent) -> str:
    """Describe the envelope's `given` to the model."""
    lines = [f"- `{one.name}`: {one.description}" for one in agent.inputs if one.description]
    return "\n## What you are given\n\nIn the envelope's `given`:\n" + "\n".join(lines) + "\n" if lines else ""
