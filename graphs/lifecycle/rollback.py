"""Cuts the log of a run before a step, and builds the input of the execution that continues from there.

Pure. The first entries of a log are the run as it was then, so nothing else is needed to roll back.
"""

from collections.abc import Iterable, Sequence

from elcano.graphs.contracts import DiscardedWork
from elcano.graphs.engine.entries import (
    ApprovalRequested,
    Controlled,
    Entry,
    Held,
    RunResumed,
    StepAbandoned,
    StepCompleted,
    StepFailed,
)
from elcano.graphs.engine.run import Run
from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Frozen
from elcano.graphs.lifecycle.start_and_fold import fold
from elcano.graphs.records import RunLog
from elcano.graphs.run_contracts import JournalPages, OpenBranch, ResearchInput, ResumedFrom
from elcano.graphs.spec.graph import AgentNode, ParallelNode, ResearchGraph, ToolNode
from elcano.graphs.state.branches import BranchOutcomes, KeptBranch, ReusedWork
from elcano.graphs.state.events import AgentEvent


class LogPrefix(Frozen):
    """A part of a log, from its first entry on."""

    entries: tuple[Entry, ...]
    run: Run
    """The run that they lead to."""
    undone_from: int
    """The first step of the log whose entry is not among them."""


def before_step(log: RunLog, step: int) -> LogPrefix:
    """Cut the log before `step`: earlier control requests stay in it, except requests to stop.

    Raises:
        InputInvalid: the run has had no such step.
    """
    last = log.run.step if not log.run.finished else log.run.budget.steps
    if not 1 <= step <= last:
        raise InputInvalid("step", f"step {step} does not exist: the run has had steps 1 to {last}")
    place = next((i for i, entry in enumerate(log.entries) if _of_step(entry) >= step), len(log.entries))
    return cut_log(log.asked, (*drop_pending_controls(log.entries[:place]), *fork_mark(log.entries[place:])), step)


def fork_mark(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the first fork mark among the entries cut off: the entries left are another run's, which paid for them.

    A fork that is rolled back to before its fork continues from there, as if it had been made there.
    """
    return tuple(entry for entry in entries if isinstance(entry, RunResumed) and entry.from_run)[:1]


def drop_pending_controls(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Drop the latest requests that would halt or end the run and have not been followed yet."""
    place = len(entries)
    while place and isinstance(entries[place - 1], Controlled):
        place -= 1
    asked = (one for one in entries[place:] if isinstance(one, Controlled) and not one.action.halts)
    return (*entries[:place], *asked)


def cut_log(asked: ResearchInput, entries: tuple[Entry, ...], step: int) -> LogPrefix:
    """Return the first `entries` of a log as a cut before `step`, with the run that they lead to."""
    return LogPrefix(entries=entries, run=fold(asked, entries), undone_from=step)


def _of_step(entry: Entry) -> int:
    return entry.step if isinstance(entry, StepCompleted | StepFailed | StepAbandoned | Held | ApprovalRequested) else 0


def build_undo_record(run_id: str, cut: LogPrefix) -> DiscardedWork:
    """Return the steps to mark as undone in the record of a run that resumes from `cut`."""
    return DiscardedWork(run_id=run_id, step=cut.undone_from, evidence=tuple(ref.id for ref in cut.run.state.evidence))


def compute_saved_work(
    graph: ResearchGraph, cut: LogPrefix, kept: Iterable[KeptBranch] = (), going_on: Iterable[OpenBranch] = ()
) -> ReusedWork:
    """Return the work that a run resumed from `cut` does not repeat, its branches included."""
    steps = [entry for entry in cut.entries if isinstance(entry, StepCompleted)]
    total = ReusedWork(
        steps=len(steps),
        calls=sum(isinstance(graph.by_id[entry.node], AgentNode | ToolNode) for entry in steps),
        sections=sum(_count_branches(graph, entry) for entry in steps),
        tokens=cut.run.budget.used.tokens,
        cost_microusd=cut.run.budget.used.cost_microusd,
    )
    for branch in kept:
        usage = branch.outcome.usage
        total += ReusedWork(sections=1, calls=usage.requests, tokens=usage.tokens, cost_microusd=usage.cost_microusd)
    for one in going_on:
        total += one.resumed_from.entry.saved
    return total


def _count_branches(graph: ResearchGraph, entry: StepCompleted) -> int:
    if not isinstance(graph.by_id[entry.node], ParallelNode):
        return 0
    return len(BranchOutcomes.of(entry.output).branches)


def going_on(
    asked: ResearchInput, cut: LogPrefix, resumed_from: ResumedFrom, events: Sequence[AgentEvent], started_at: float
) -> ResearchInput:
    """Build the input of the execution that resumes a run; its former terminal event becomes an `ended`."""
    told = tuple(event.model_copy(update={"type": "execution_ended"}) if event.terminal else event for event in events)
    return asked.model_copy(
        update={"carried": build_journal_pages(cut, told, started_at), "resumed_from": resumed_from}
    )


def taken_back(
    log: RunLog, step: int, events: Sequence[AgentEvent], started_at: float, *, by: str, reason: str
) -> ResearchInput:
    """Return the input of the execution in which a run continues from before `step`.

    Raises:
        InputInvalid: the run has had no such step.
    """
    cut = before_step(log, step)
    return going_on(log.asked, cut, build_rollback(log, cut, by=by, reason=reason), events, started_at)


def build_rollback(log: RunLog, cut: LogPrefix, *, by: str, reason: str) -> ResumedFrom:
    """How a run is taken back to `cut`."""
    entry = RunResumed(at=0.0, why="rolled_back", by=by, reason=reason, saved=compute_saved_work(log.asked.graph, cut))
    return ResumedFrom(entry=entry, undone=(build_undo_record(log.asked.run_id, cut),))


def build_journal_pages(cut: LogPrefix, events: tuple[AgentEvent, ...], started_at: float) -> JournalPages:
    """Return the pages that the next execution starts with: the entries of the cut, and the events so far."""
    return JournalPages(
        run=cut.run,
        entries=cut.entries,
        events=events,
        started_at=started_at,
        floor=events[-1].seq if events else 0,
        elapsed=cut.run.budget.elapsed,
    )
