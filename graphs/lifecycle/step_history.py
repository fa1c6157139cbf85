"""The steps of a run as people count them: what each did, when, its usage, how it ended. Pure.

Read off the log by folding it once, with the engine's own `advance_run`: what an entry made of the run is never
guessed. Entries know seconds of the run's own time; when something happened by the calendar is in its events.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from elcano.graphs.engine.entries import (
    Controlled,
    Entry,
    Held,
    HoldCleared,
    NodeChosen,
    RunResumed,
    StepAbandoned,
    StepCompleted,
    StepFailed,
)
from elcano.graphs.engine.run import Run
from elcano.graphs.engine.step_function import advance_run
from elcano.graphs.lifecycle.event_texts import EventDraft
from elcano.graphs.lifecycle.narration import narrate_entry
from elcano.graphs.lifecycle.start_and_fold import fold
from elcano.graphs.lifecycle.step_rows import TAKEN_BACK, BetweenRow, HeldTry, StepEvents, StepOutcome, StepRow
from elcano.graphs.records import RunLog
from elcano.graphs.spec.graph import AgentNode, DecisionNode, Node, ParallelNode, StateNode, ToolNode, limits_of
from elcano.graphs.spec.limits import in_short
from elcano.graphs.state.branches import BranchOutcome, BranchOutcomes, BranchState
from elcano.graphs.state.budget import Usage, sum_usages
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.state.failures import FailureType

Ended: TypeAlias = StepCompleted | StepFailed | StepAbandoned
"""Entries that end a step; each has the next number."""


@dataclass(frozen=True)
class Passage:
    """A step with the run before and after it."""

    row: StepRow
    before: Run
    """The run from which its call was made."""
    after: Run | None
    """None while it is in progress."""
    entry: Ended | None


def iter_passages(log: RunLog, events: Iterable[AgentEvent], *, going_on: bool) -> Iterator[Passage | BetweenRow]:
    """Yield all that happened in order: steps, and what came between them. The last one is the step that is under way.

    The log is folded only as far as consumed.

    Args:
        log: the run's, whole or the first of it.
        events: those of the run; without them nothing has a time by the calendar.
        going_on: the run has not ended, so that there is a step under way unless it is through its exit.
    """
    every = list(events)
    began_itself = log.asked.forked_from is None and bool(every) and every[0].type == "started"
    reader = _Reader(log, StepEvents(every), every[0].at if began_itself else None)
    for entry in log.entries:
        yield from reader.read(entry)
    if going_on and (last := reader.under_way()) is not None:
        yield last


class _Reader:
    """Folds a log, entry by entry."""

    def __init__(self, log: RunLog, events: StepEvents, started_at: float | None) -> None:
        self._asked = log.asked
        self._graph = log.asked.graph
        self._events = events
        self._run = self._begun_with = fold(log.asked, ())
        self._ended = 0.0
        self._ended_at = started_at
        self._held: list[HeldTry] = []
        """The failed tries of the call that comes next."""
        self._given_up = Usage()
        """The usage of tries whose call was given up between two steps; the step that has their number counts it."""
        forks = (entry for entry in log.entries if isinstance(entry, RunResumed) and entry.why == "forked")
        self._owners = [*(entry.from_run for entry in forks), log.asked.run_id]
        """The runs that the steps belong to: those up to a fork belong to the run that it was made from."""

    def read(self, entry: Entry) -> Iterator[Passage | BetweenRow]:
        """Read one entry: a step, an event between two steps, or nothing of its own."""
        earlier, self._run = self._run, advance_run(self._graph, self._run, entry)
        drafts = list(narrate_entry(self._graph, earlier, entry, self._run))
        if earlier.step == self._run.step and earlier.node != self._run.node:
            self._given_up = sum_usages((self._given_up, *(held.usage for held in self._held)))
            self._held = []
        match entry:
            case StepCompleted() | StepFailed() | StepAbandoned():
                yield self._step(earlier, entry, drafts)
            case Held() if entry.hold.reason == "approval":  # no attempt failed
                return
            case Held():
                hold = entry.hold
                self._held.append(HeldTry(at=entry.at, reason=hold.reason, detail=hold.detail, usage=entry.usage))
                self._events.by(earlier.step, drafts)
            case HoldCleared() | NodeChosen():
                self._events.by(earlier.step, drafts)
            case _:
                row = self._between(earlier, entry, drafts)
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
        reason = ""
        if run.hold is not None and waits:
            says_what = run.hold.reason in ("answers", "approval")  # whose detail says what is waited for
            reason = run.hold.detail if says_what else f"waits for {run.hold.reason}: {run.hold.detail}"
        node = None if run.routing else self._graph.by_id[run.node]
        begun = self._events.begun(self._graph, run.step, node) if node else None
        row = StepRow(
            number=run.step,
            node=node.id if node else "",
            label=node.title if node else "",
            kind=node.kind if node else None,
            name=get_callee_name(node) if node else "",
            limits=in_short(limits_of(node)) if node else "",
            iteration=run.budget.iterations,
            began=self._ended,
            began_at=begun.at if begun else self._ended_at,
            usage=sum_usages((self._given_up, *(held.usage for held in self._held))),
            outcome="waiting" if waits else "running",
            reason=reason,
            held=tuple(self._held),
            branches=self._events.branches(run.step) if isinstance(node, ParallelNode) else (),
        )
        return Passage(row, self._begun_with, None, None)

    def _step(self, earlier: Run, entry: Ended, drafts: Sequence[EventDraft]) -> Passage:
        node = self._graph.by_id[entry.node]
        waited = 0.0 if isinstance(entry, StepAbandoned) else entry.waited
        begun = self._events.begun(self._graph, entry.step, node)
        branches = self._branches(entry) if isinstance(node, ParallelNode) else ()
        event = self._events.by(entry.step, drafts, begun)
        began_at = begun.at if begun else self._ended_at
        if event is not None and isinstance(node, StateNode | DecisionNode):  # what came before it may be a pause
            began_at = event.at
        took = max(0.0, entry.at - self._ended) + waited
        ended_at = event.at if event else None if began_at is None else began_at + took
        outcome, error, reason = _resolve_step_outcome(entry, earlier, self._run, drafts)
        summaries = (
            draft.message for draft in drafts if draft.type != "hold_cleared"
        )  # narrated before what came of it
        following = None if self._run.finished or self._run.routing else self._graph.by_id[self._run.node]
        row = StepRow(
            number=entry.step,
            node=node.id,
            label=node.title,
            kind=node.kind,
            name=get_callee_name(node),
            limits=in_short(limits_of(node)),
            iteration=earlier.budget.iterations,
            began=self._ended,
            ended=entry.at,
            began_at=began_at,
            ended_at=ended_at,
            waited=waited,
            usage=sum_usages((self._given_up, entry.usage, *(held.usage for held in self._held))),
            model=entry.model if isinstance(entry, StepCompleted) else "",
            outcome=outcome,
            reason=reason,
            error=error,
            summary=next(summaries, "") if outcome == "completed" else "",
            held=tuple(self._held),
            branches=branches,
            next=following.id if following else "",
            next_label=following.title if following else "",
        )
        passage = Passage(row, self._begun_with, self._run, entry)
        self._ended, self._ended_at, self._held, self._given_up = entry.at, ended_at, [], Usage()
        return passage

    def _branches(self, entry: Ended) -> tuple[BranchState, ...]:
        """Returns the branches of a completed step; if this run has no events of them, those in the step's output."""
        output = entry.output if isinstance(entry, StepCompleted) else None
        return self._events.branches(entry.step) or tuple(
            BranchState(
                run_id=f"{self._owners[0]}.{one.parallel_path_id}",
                path=one.parallel_path_id,
                section=one.title,
                status=one.status,
                iterations=one.iterations,
                evidence=len(one.evidence),
                tokens=one.usage.tokens,
                reason=one.gap.reason if one.gap else "",
            )
            for one in BranchOutcomes.of(output).branches
        )

    def _between(self, earlier: Run, entry: Entry, drafts: Sequence[EventDraft]) -> BetweenRow:
        begun = self._events.begun(self._graph, earlier.step, self._graph.by_id[earlier.node])
        event = self._events.by(earlier.step, drafts)
        kind = f"{entry.kind}: {entry.action.kind}" if isinstance(entry, Controlled) else entry.kind
        self._ended = min(self._ended, entry.at)  # that of a fork begins anew
        if isinstance(entry, RunResumed) and entry.why == "forked":
            self._owners.pop(0)
        if event is not None and event.type in TAKEN_BACK:
            self._ended_at = event.at
        said = "; ".join(draft.message for draft in drafts)
        return BetweenRow(
            before=earlier.step,
            during=begun is not None and event is not None and begun.seq < event.seq,
            kind=kind,
            at=entry.at,
            at_epoch=event.at if event else None,
            text=said or "; ".join(getattr(entry, "warnings", ())) or entry.kind.replace("_", " "),
        )


def get_callee_name(node: Node) -> str:
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


def _resolve_step_outcome(
    entry: Ended, earlier: Run, run: Run, drafts: Sequence[EventDraft]
) -> tuple[StepOutcome, str, str]:
    """A step's outcome, the name of its error and the reason in words; an answer that does not fit is a failure."""
    match entry:
        case StepFailed(failure=failure):
            return "failed", failure.type, failure.message
        case StepAbandoned(ending=None):
            return "abandoned", "", "the run was cancelled"
        case StepAbandoned(ending=ending):
            return "abandoned", "", (ending.detail or ending.kind) if ending else ""
        case StepCompleted():
            refused = next((draft.message for draft in drafts if draft.type == "error"), None)
            if refused is None:
                return "completed", "", ""
            new = run.ending is not None and run.ending != earlier.ending
            return "failed", FailureType.INPUT_INVALID, run.ending.detail if new and run.ending else refused


class Visit(NamedTuple):
    """A finished visit of a parallel node."""

    entry: StepCompleted
    outcomes: tuple[BranchOutcome, ...]
    owner: str
    """The run whose branches these are; of a fork that may be another one."""
    dropped: Usage
    """The usage of branches that were dropped while they ran."""


def iter_fanout_visits(log: RunLog) -> Iterator[Visit]:
    """Every finished visit of a parallel node, in order.

    Raises:
        ValidationError: what such a step gave is no outcome of branches.
    """
    for position, entry in enumerate(log.entries):
        node = log.asked.graph.by_id.get(entry.node) if isinstance(entry, StepCompleted) else None
        if isinstance(entry, StepCompleted) and isinstance(node, ParallelNode):
            found = BranchOutcomes.model_validate(entry.output)
            yield Visit(entry, found.branches, _find_entry_owner(log, position), found.dropped)


def section_id(visit: Visit, outcome: BranchOutcome) -> str:
    """The run id of the branch that an outcome is of."""
    return f"{visit.owner}.{outcome.parallel_path_id}"


def _find_entry_owner(log: RunLog, position: int) -> str:
    """Return the run that made an entry: for a fork the other run, up to the fork."""
    later = (entry for entry in log.entries[position:] if isinstance(entry, RunResumed) and entry.from_run)
    return next((entry.from_run for entry in later), log.asked.run_id)
