"""The definition of an agent, complete in one object, so that a new one is a file of its own and a line in `plugin.py`.

A definition is data and pure functions. The code that calls an agent loads what it `needs`, asks a model with what is
`shown` and stores its output; no code looks for an agent by its name.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.agents.prompt_texts import ground_rules
from elcano.graphs.agents.writing import ReportProse, SynthesisInput
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.plugin import Registry
from elcano.graphs.report.draft import DraftRef
from elcano.graphs.state.events import EventType
from elcano.graphs.state.rubric import RubricScores

Answer = TypeVar("Answer", bound=Frozen)

Manner: TypeAlias = Literal["answer", "report", "own", "joined", "by_section"]
"""How the model's answer is used.

- `answer`: the state holds it.
- `report`: it is a draft written from passages, which is stored; the state holds a reference.
- `own`: the same, written in the way that `writer` names.
- `joined`: one draft of all sections' drafts, made in one pass; without the budget for it they stay as they are.
- `by_section`: the same, one call per section and one (`closing`) for the summary above and below them.
"""


@dataclass(frozen=True)
class Part:
    """A part of instructions that is said only where it applies."""

    text: str
    applies: Callable[[TaskEnvelope], bool]


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
    """Whether it is shown passages, and so is told how far to trust them."""

    ranks: bool = True
    """Whether it chooses between passages, and so is told which to trust more."""
    parts: tuple[Part, ...] = ()
    """What else it is told, each where it applies."""
    answers: Callable[[TaskEnvelope], type[Answer]] | None = None
    """Which model, `answer` or one derived from it, the answer to a task has; None: always `answer`."""

    @property
    def told(self) -> str:
        """All instructions that there can be, in the order in which they are given."""
        return self._told(part.text for part in self.parts)

    def instructions_for(self, task: TaskEnvelope) -> str:
        """The instructions for one task: those that apply to it."""
        return self._told(part.text for part in self.parts if part.applies(task))

    def answer_for(self, task: TaskEnvelope) -> type[Answer]:
        """The model of the answer to one task."""
        return self.answer if self.answers is None else self.answers(task)

    def _told(self, parts: Iterable[str]) -> str:
        rules = ground_rules(passages=self.passages, ranks=self.ranks)
        return "\n".join((self.instructions + "".join(parts), rules))


def build_empty_needs(given: Frozen) -> Needs:
    """The needs of an agent that works on its input alone."""
    return Needs()


@dataclass(frozen=True)
class AgentDefinition:
    """One agent: a model, asked for one typed answer.

    Raises:
        ValueError: its parts do not fit each other; the text says which.
    """

    name: str
    description: str
    """Its purpose, in one sentence."""
    asks: Question[Any]
    input: type[Frozen]
    """The input from the graph: the node says where each field comes from."""
    output: type[Frozen]
    """The output in the state: its answer; for a writing agent a reference to the stored draft."""
    starts: EventType
    completes: EventType
    output_tokens: int
    """The most that its answer is expected to take, for estimates."""
    evidence_tokens: int = 0
    """The most that the evidence it is shown may take, for estimates and for cutting the prompt."""
    manner: Manner = "answer"
    closing: Question[Any] | None = None
    """The last question to an agent that writes `by_section`."""
    writer: str = ""
    """The dotted path of the coroutine function that writes in an `own` way, `package.module:name`: from the attempt,
    this definition, the input, what was loaded and the task to the draft and the passages that it was written from."""
    loader: str = ""
    """The dotted path of the coroutine function that loads what it alone is shown: from the tenant's store,
    `Needs.more` and the tokens that this may take to `Loaded.more`."""
    scored: Callable[[JsonObject], RubricScores | None] | None = None
    """For an agent that judges by a rubric: from its output to the scores that the report shows."""
    needs: Callable[[Any], Needs] = build_empty_needs
    """From its input to what has to be loaded for it."""
    faults: Callable[[Any, Any, Mapping[str, str]], Sequence[str]] | None = None
    """For an agent whose answer the state holds: from the same inputs as `settled`, mistakes in the model's answer, in
    sentences for the model. It gets them once, in the same conversation. None: nothing is checked."""
    settled: Callable[[Any, Any, Mapping[str, str]], Frozen] | None = None
    """For an agent whose answer the state holds: from the model's answer, its input and the ids of the shown passages,
    by their keys, to that answer. None: the model's answer is used as it is."""
    begins: Callable[[JsonObject], str] | None = None
    """The text of its start event, from its input as JSON; None: its description."""
    summary: Callable[[JsonObject], tuple[str, JsonObject]] | None = None
    """Its output in one sentence and its figures, for its end event; None: that it is done."""

    def __post_init__(self) -> None:
        if (fault := self._fault()) is not None:
            raise ValueError(f"agent {self.name!r}: {fault}")

    @property
    def by_section(self) -> bool:
        """Whether it calls its model once a section and once for what stands above them; its figures are of one."""
        return self.manner == "by_section"

    @property
    def writes(self) -> bool:
        """Whether it writes text for readers, which can be watched as it is written."""
        return self.manner != "answer"

    @property
    def joins(self) -> bool:
        """Whether it makes one report of the drafts of sections."""
        return self.manner in ("joined", "by_section")

    def _fault(self) -> str | None:
        if self.writes and self.output is not DraftRef:
            return f"it writes ({self.manner}), so its output must be DraftRef, not {self.output.__name__}"
        if not self.writes and self.asks.answer is not self.output:
            return f"its answer is {self.asks.answer.__name__}, its output {self.output.__name__}: make them the same"
        if self.manner in ("report", "joined") and self.asks.answer is not ReportProse:
            return f"it writes ({self.manner}), so its answer must be ReportProse, not {self.asks.answer.__name__}"
        if self.manner == "own" and not issubclass(self.asks.answer, ReportProse):
            return f"it writes ({self.manner}), so its answer must be a ReportProse, not {self.asks.answer.__name__}"
        if self.joins and not issubclass(self.input, SynthesisInput):
            return f"it joins sections ({self.manner}), so its input must be SynthesisInput, not {self.input.__name__}"
        if "streaming" in (self.starts, self.completes):
            return "`streaming` is no event of a run: it shows words that are being written"
        if self.writes and self.settled is not None:
            return f"it writes ({self.manner}), so there is no answer that could be `settled`"
        if self.writes and self.faults is not None:
            return f"it writes ({self.manner}), and what does not hold of a draft is told without `faults`"
        if (self.manner == "own") != bool(self.writer):
            return "it needs `writer` if it writes in a way of its own, and only then"
        if self.by_section != (self.closing is not None):
            return "it needs `closing` if it writes by section, and only then"
        return None


AGENTS: Final[Registry[AgentDefinition]] = Registry("agents", AgentDefinition)
