"""The steps of a run as people count them: what each was, when, what it used, how it ended. Pure.

Read off the log by folding it once, with the engine's own `advance`: what an entry made of the run is never guessed.
Entries know seconds of the run's own time; when something happened by the calendar is in its events.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from elcano.graphs.agents.listing import AGENTS
from elcano.graphs.catalogue.listing import TOOLS
from elcano.graphs.engine.entries import (
    Controlled,
    Entry,
    Held,
    Resumed,
    StepAbandoned,
    StepCompleted,
    StepFailed,
    Went,
)
from elcano.graphs.engine.run import Run
from elcano.graphs.engine.steps import advance
from elcano.graphs.frozen import Frozen
from elcano.graphs.journal.narration import Told, after
from elcano.graphs.lifecycle.start import fold
from elcano.graphs.records import RunLog
from elcano.graphs.spec.graph import AgentNode, Node, ParallelNode, StateNode, ToolNode
from elcano.graphs.values.branch import BranchState, branch_states
from elcano.graphs.values.budget import Usage, total
from elcano.graphs.values.events import AgentEvent
from elcano.graphs.values.failures import FailureType
from elcano.graphs.values.state import HoldReason

StepKind: TypeAlias = Literal["agent", "tool", "state", "decision", "parallel"]
"""What a node is."""
StepOutcome: TypeAlias = Literal["completed", "failed", "abandoned", "running", "waiting"]
"""What became of a step. `abandoned`: its call was given up; `waiting`: for somebody who cannot answer or has to do
something."""
Ended: TypeAlias = StepCompleted | StepFailed | StepAbandoned
"""Entries that end a step; each has the next number."""

TAKEN_BACK: Final = frozenset(("rolled_back", "resumed_run", "forked"))
"""Events from which on the run goes on at their step: what was told of it and of later steps before is undone."""


class HeldTry(Frozen):
    """A try of a call that could not be answered; the same call was made again."""

    at: float
    """Seconds of the run's own time."""
    reason: HoldReason
    detail: str
    usage: Usage
    """What it used all the same."""


class StepRow(Frozen):
    """One step."""

    number: int
    node: str
    """Empty if the run waits on its way to a node that is not known yet."""
    kind: StepKind | None
    """None if the node is not known yet."""
    name: str
    """The agent, tool or reducer; empty for decisions and parallel nodes."""
    iteration: int
    began: float
    """Seconds of the run's own time, in which it neither paused nor waited for a worker."""
    ended: float | None = None
    """None while it goes on."""
    began_at: float | None = None
    """Seconds since the epoch; None if nothing was told of it."""
    ended_at: float | None = None
    waited: float = 0.0
    """Seconds for which no worker was free to begin it."""
    usage: Usage = Usage()
    """With what its tries in vain used; of a parallel node, with what its branches used that have ended."""
    model: str = ""
    outcome: StepOutcome
    reason: str = ""
    """In words, why it did not complete or does not go on."""
    error: str = ""
    """The error's name, if it failed."""
    summary: str = ""
    """What came of it, in a sentence."""
    held: tuple[HeldTry, ...] = ()
    branches: tuple[BranchState, ...] = ()
    """Of a parallel node."""
    next: str = ""
    """The node that the run went on to; empty at its end, or while that is not known."""


class BetweenRow(Frozen):
    """What happened to a run between two steps, or while one was under way: somebody's request, or a limit."""

    before: int
    """The step that had not ended by then."""
    during: bool
    """That step was under way."""
    kind: str
    """The kind of the entry, and of the action if it is one (`add_budget`)."""
    at: float
    """Seconds of the run's own time."""
    at_epoch: float | None = None
    text: str
    """What happened, in a sentence."""


Row: TypeAlias = StepRow | BetweenRow


@dataclass(frozen=True)
class Passage:
    """A step with the run before and after it."""

    row: StepRow
    before: Run
    """As its call was made from it."""
    after: Run | None
    """None while it goes on."""
    entry: Ended | None


def rows(log: RunLog, events: Iterable[AgentEvent], *, going_on: bool) -> tuple[Row, ...]:
    """All that happened in order: steps, and what came between them. The last one is the step that is under way.

    Args:
        log: the run's, whole or the first of it.
        events: what the run told; without them nothing has a time by the calendar.
        going_on: the run has not ended, so that there is a step under way unless it is through its exit.
    """
    return tuple(one.row if isinstance(one, Passage) else one for one in passages(log, events, going_on=going_on))


def passages(log: RunLog, events: Iterable[AgentEvent], *, going_on: bool) -> Iterator[Passage | BetweenRow]:
    """The same, each step with the run before and after it. The log is folded as far as somebody asks."""
    told = list(events)
    reader = _Reader(log, _Heard(told), told[0].at if told else None)
    for entry in log.entries:
        yield from reader.read(entry)
    if going_on and (last := reader.under_way()) is not None:
        yield last


def still_so(events: Iterable[AgentEvent]) -> list[AgentEvent]:
    """The events without those that were undone when the run was taken back."""
    kept: list[AgentEvent] = []
    for event in events:
        if event.type in TAKEN_BACK:
            kept = [one for one in kept if one.step < event.step]
        kept.append(event)
    return kept


class _Heard:
    """The events of each step, each given to one entry: an entry and its events are told in the same order."""

    def __init__(self, events: Sequence[AgentEvent]) -> None:
        self._of_step: dict[int, list[AgentEvent]] = {}
        self._given: dict[int, int] = {}
        """How many of a step's events were given to entries."""
        for event in still_so(events):
            self._of_step.setdefault(event.step, []).append(event)

    def begun(self, step: int, node: Node) -> AgentEvent | None:
        """The event that told that the call of a step was made."""
        starts = _starts(node)
        told = (event for event in self._of_step.get(step, ()) if event.node == node.id and event.type == starts)
        return next(told, None)

    def by(self, step: int, tolds: Sequence[Told]) -> AgentEvent | None:
        """The last of the events that told of an entry; None if nothing was told."""
        heard, events, given = None, self._of_step.get(step, []), self._given.get(step, 0)
        for told in tolds:
            for place, event in enumerate(events[given:], start=given):
                if event.type == told.type:
                    heard, given = event, place + 1
                    break
        self._given[step] = given
        return heard

    def branches(self, step: int) -> tuple[BranchState, ...]:
        """How the branches of a step stand."""
        return branch_states(self._of_step.get(step, ()))


class _Reader:
    """Folds a log, entry by entry."""

    def __init__(self, log: RunLog, heard: _Heard, started_at: float | None) -> None:
        self._asked = log.asked
        self._graph = log.asked.graph
        self._heard = heard
        self._run = self._begun_with = fold(log.asked, ())
        self._ended = 0.0
        self._ended_at = started_at
        self._held: list[HeldTry] = []

    def read(self, entry: Entry) -> Iterator[Passage | BetweenRow]:
        """What an entry tells: a step, something between two, or nothing of its own."""
        earlier, self._run = self._run, advance(self._graph, self._run, entry)
        tolds = list(after(self._graph, earlier, entry, self._run))
        match entry:
            case StepCompleted() | StepFailed() | StepAbandoned():
                yield self._step(earlier, entry, tolds)
            case Held():
                hold = entry.hold
                self._held.append(HeldTry(at=entry.at, reason=hold.reason, detail=hold.detail, usage=entry.usage))
                self._heard.by(earlier.step, tolds)
            case Resumed() | Went():
                self._heard.by(earlier.step, tolds)
            case _:
                row = self._between(earlier, entry, tolds)
                yield row
                if row.during:  # the call knows nothing of it
                    return
        self._begun_with = self._run

    def under_way(self) -> Passage | None:
        """The step that has not ended; None if there is none, or it is only to be chosen."""
        run = self._run
        if run.finished or run.choosing:
            return None
        waits = run.hold is not None and not run.trying
        reason = f"waits for {run.hold.reason}: {run.hold.detail}" if run.hold is not None and waits else ""
        node = None if run.routing else self._graph.by_id[run.node]
        begun = self._heard.begun(run.step, node) if node else None
        row = StepRow(
            number=run.step,
            node=node.id if node else "",
            kind=node.kind if node else None,
            name=called(node) if node else "",
            iteration=run.budget.iterations,
            began=self._ended,
            began_at=begun.at if begun else self._ended_at,
            usage=total(held.usage for held in self._held),
            outcome="waiting" if waits else "running",
            reason=reason,
            held=tuple(self._held),
            branches=self._heard.branches(run.step) if isinstance(node, ParallelNode) else (),
        )
        return Passage(row, self._begun_with, None, None)

    def _step(self, earlier: Run, entry: Ended, tolds: Sequence[Told]) -> Passage:
        node = self._graph.by_id[entry.node]
        waited = 0.0 if isinstance(entry, StepAbandoned) else entry.waited
        begun = self._heard.begun(entry.step, node)
        branches = self._heard.branches(entry.step) if isinstance(node, ParallelNode) else ()
        heard = self._heard.by(entry.step, tolds)
        began_at = begun.at if begun else self._ended_at
        took = max(0.0, entry.at - self._ended) + waited
        ended_at = heard.at if heard else None if began_at is None else began_at + took
        outcome, error, reason = _became(entry, earlier, self._run, tolds)
        row = StepRow(
            number=entry.step,
            node=node.id,
            kind=node.kind,
            name=called(node),
            iteration=earlier.budget.iterations,
            began=self._ended,
            ended=entry.at,
            began_at=began_at,
            ended_at=ended_at,
            waited=waited,
            usage=total((entry.usage, *(held.usage for held in self._held))),
            model=entry.model if isinstance(entry, StepCompleted) else "",
            outcome=outcome,
            reason=reason,
            error=error,
            summary=_summary(tolds) if outcome == "completed" else "",
            held=tuple(self._held),
            branches=branches,
            next="" if self._run.finished or self._run.routing else self._run.node,
        )
        passage = Passage(row, self._begun_with, self._run, entry)
        self._ended, self._ended_at, self._held = entry.at, ended_at, []
        return passage

    def _between(self, earlier: Run, entry: Entry, tolds: Sequence[Told]) -> BetweenRow:
        begun = self._heard.begun(earlier.step, self._graph.by_id[earlier.node])
        heard = self._heard.by(earlier.step, tolds)
        kind = f"{entry.kind}: {entry.action.kind}" if isinstance(entry, Controlled) else entry.kind
        said = "; ".join(told.message for told in tolds)
        return BetweenRow(
            before=earlier.step,
            during=begun is not None and heard is not None and begun.seq < heard.seq,
            kind=kind,
            at=entry.at,
            at_epoch=heard.at if heard else None,
            text=said or "; ".join(getattr(entry, "warnings", ())) or entry.kind.replace("_", " "),
        )


def called(node: Node) -> str:
    """The agent, tool or reducer of a node; empty if it has none."""
    match node:
        case AgentNode():
            return node.agent
        case ToolNode():
            return node.tool
        case StateNode():
            return node.reducer
        case _:
            return ""


def _starts(node: Node) -> str:
    """The type of the event that tells that the call of `node` was made; empty if none does."""
    match node:
        case AgentNode():
            return AGENTS[node.agent].starts
        case ToolNode():
            return TOOLS[node.tool].starts
        case ParallelNode():
            return "searching"
        case _:
            return ""


def _summary(tolds: Sequence[Told]) -> str:
    """What came of a step; that it was answered after some tries in vain is told before that."""
    return next((told.message for told in tolds if told.type != "resumed"), "")


def _became(entry: Ended, earlier: Run, run: Run, tolds: Sequence[Told]) -> tuple[StepOutcome, str, str]:
    """A step's outcome, the name of its error and the reason in words; an answer that does not fit is a failure."""
    match entry:
        case StepFailed(failure=failure):
            return "failed", failure.type, failure.message
        case StepAbandoned(ending=None):
            return "abandoned", "", "the run was cancelled"
        case StepAbandoned(ending=ending):
            return "abandoned", "", (ending.detail or ending.kind) if ending else ""
        case StepCompleted():
            refused = next((told.message for told in tolds if told.type == "error"), None)
            if refused is None:
                return "completed", "", ""
            new = run.ending is not None and run.ending != earlier.ending
            return "failed", FailureType.INPUT_INVALID, run.ending.detail if new and run.ending else refused
