"""The rows of a step list, and what a run's events say of each step: when it began and ended, how its branches stand.

Rows are the steps of a run and what came between them, in the order of the log. Undone events are left out. `Step`,
`Between` and `TryInVain` are what the API returns of them as it is; their texts and examples are its manual.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.catalogue.agents import get_agent
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.frozen import Frozen
from elcano.graphs.lifecycle.event_texts import EventDraft
from elcano.graphs.spec.graph import AgentNode, Node, ParallelNode, ResearchGraph, ToolNode
from elcano.graphs.state.branches import BranchState, branch_states, step_of
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.state.failures import HoldReason

StepKind: TypeAlias = Literal["agent", "tool", "state", "decision", "parallel"]
"""The kinds of nodes."""


StepOutcome: TypeAlias = Literal["completed", "failed", "abandoned", "running", "waiting"]
"""The outcomes of a step. `abandoned`: its call was abandoned; `waiting`: for a provider that cannot answer, or for a
person."""


class TryInVain(Frozen):
    """A try of a step's call that could not be answered; the same call was made again."""

    at: float = Field(examples=[12.5])
    """When, in seconds of the run's own time."""
    reason: HoldReason = Field(examples=["provider"])
    """Reason for the wait."""
    detail: str = Field(examples=["HTTP 503: overloaded"])
    """The provider's message."""


class HeldTry(TryInVain):
    """A failed try, with what it used nevertheless."""

    usage: Usage


class Step(Frozen):
    """One step of a run."""

    number: int = Field(examples=[5])
    """Its number, from 1 without gaps."""
    node: str = Field(examples=["execute_tools"])
    """The node; empty if the run waits on its way to one that is not known yet."""
    label: str = Field(default="", examples=["Execute tools"])
    """The node's name for people."""
    kind: StepKind | None = Field(examples=["tool"])
    """The kind of its node; null if it is not known yet."""
    name: str = Field(examples=["search"])
    """The agent, tool or reducer; empty for decisions and parallel nodes."""
    limits: str = Field(default="", examples=["60 s, 2 tries, 8,000 tokens"])
    """The graph's limits on the calls of its node; empty if there are none."""
    iteration: int = Field(examples=[1])
    """The turn of the research loop."""
    began: float = Field(examples=[4.25])
    """When it began, in seconds of the run's own time."""
    ended: float | None = Field(default=None, examples=[5.5])
    """When it ended, in seconds of the run's own clock; null while it is in progress."""
    waited: float = Field(default=0.0, examples=[0.25])
    """Seconds for which no worker was free to begin it."""
    model: str = Field(default="", examples=[""])
    """The model that answered, for an agent."""
    outcome: StepOutcome = Field(examples=["completed"])
    """`abandoned`: its call was abandoned; `waiting`: for a provider that cannot answer, or for a person."""
    reason: str = Field(default="", examples=[""])
    """Why it did not complete or does not continue, in words."""
    error: str = Field(default="", examples=[""])
    """The error's name, if it failed."""
    summary: str = Field(default="", examples=["16 passages from 2 searches"])
    """Its result, in a sentence."""
    branches: tuple[BranchState, ...] = ()
    """For a parallel node: its branches, each a run with steps of its own."""
    next: str = Field(default="", examples=["judge"])
    """The next node; empty at the run's end, or while that is not known."""
    next_label: str = Field(default="", examples=["Judge"])
    """Its name for people."""


class StepRow(Step):
    """One step with its usage, and with times in seconds since the epoch."""

    began_at: float | None = None
    """None if it has no event."""
    ended_at: float | None = None
    usage: Usage = Usage()
    """Includes its failed attempts; for a parallel node, the usage of branches that have ended."""
    held: tuple[HeldTry, ...] = ()

    @property
    def took(self) -> float | None:
        """Seconds from its beginning to its end by the calendar, or by the run's own time if that is not known."""
        if self.ended is None:
            return None
        if self.began_at is None or self.ended_at is None:
            return max(0.0, self.ended - self.began)
        return max(0.0, self.ended_at - self.began_at)


class Between(Frozen):
    """An event between two steps, or during one: a request, a limit, a warning."""

    before: int = Field(examples=[7])
    """The step that had not ended by then."""
    during: bool = Field(examples=[False])
    """Whether that step was in progress."""
    kind: str = Field(examples=["controlled: add_budget"])
    """The kind of the entry in the run's log; of a request also which one."""
    at: float = Field(examples=[6.5])
    """When, in seconds of the run's own time."""
    text: str = Field(examples=["The limits were raised"])
    """Description of the event, in a sentence."""


class BetweenRow(Between):
    """A row between two steps, with its time in seconds since the epoch."""

    at_epoch: float | None = None


Row: TypeAlias = StepRow | BetweenRow


TAKEN_BACK: Final = frozenset(("rolled_back", "run_resumed", "forked"))
"""Events after which the run continues at their step: earlier events of that step and of later ones are undone."""


def still_so(events: Iterable[AgentEvent]) -> list[AgentEvent]:
    """Drop the events that were undone when the run was rolled back."""
    kept: list[AgentEvent] = []
    for event in events:
        if event.type in TAKEN_BACK:
            kept = [one for one in kept if one.step < event.step]
        kept.append(event)
    return kept


class StepEvents:
    """The events of each step, each assigned to one entry: entries and their events have the same order."""

    def __init__(self, events: Sequence[AgentEvent]) -> None:
        self._branches: dict[int, list[BranchState]] = {}
        for branch in branch_states(events):  # knows by itself which were undone, and which were kept all the same
            self._branches.setdefault(step_of(branch.path), []).append(branch)
        self._of_step: dict[int, list[AgentEvent]] = {}
        self._given: dict[int, int] = {}
        """Number of a step's events assigned to entries."""
        for event in still_so(events):
            self._of_step.setdefault(event.step, []).append(event)

    def begun(self, graph: ResearchGraph, step: int, node: Node) -> AgentEvent | None:
        """Returns the event that announced the call of a step."""
        starts = _find_start_event_type(graph, node)
        found = (event for event in self._of_step.get(step, ()) if event.node == node.id and event.type == starts)
        return next(found, None)

    def by(self, step: int, drafts: Sequence[EventDraft], begun: AgentEvent | None = None) -> AgentEvent | None:
        """Returns the last event of an entry; None if it has none.

        `begun` is the event of the call that the entry is the end of: both can have the same type.
        """
        found, events, given = None, self._of_step.get(step, []), self._given.get(step, 0)
        if begun is not None:
            given = max(given, events.index(begun) + 1)
        for draft in drafts:
            for place, event in enumerate(events[given:], start=given):
                if event.type == draft.type:
                    found, given = event, place + 1
                    break
        self._given[step] = given
        return found

    def branches(self, step: int) -> tuple[BranchState, ...]:
        """State of the branches of a step."""
        return tuple(self._branches.get(step, ()))


def _find_start_event_type(graph: ResearchGraph, node: Node) -> str:
    """The type of the event which says that the call of `node` was made; empty if none does."""
    match node:
        case AgentNode():
            return get_agent(graph, node.agent).starts
        case ToolNode():
            return TOOLS[node.tool].starts
        case ParallelNode():
            return "searching"
        case _:
            return ""
