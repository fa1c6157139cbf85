"""Turns the log of a run into the input of the execution that continues it: resumed, rolled back, or as a fork.

Pure: the caller passes the logs of a run and of its branches, and learns what can be kept of them.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from elcano.graphs.contracts import DiscardedWork
from elcano.graphs.engine.commands import BranchStart
from elcano.graphs.engine.entries import RunResumed, StepCompleted
from elcano.graphs.engine.run import Run
from elcano.graphs.errors import InputInvalid
from elcano.graphs.lifecycle.finish import build_research_result
from elcano.graphs.lifecycle.handover import build_branch_outcome
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.lifecycle.resume_points import (
    CannotResume,
    LogPrefix,
    before_branches,
    before_search,
    before_step,
    cut_log_at_end,
    puts_off,
    sections_left_out,
    where_it_turned,
    with_larger_plan,
)
from elcano.graphs.records import ArchivedRun, RunLog
from elcano.graphs.run_contracts import JournalPages, OpenBranch, ResearchInput, ResumedFrom
from elcano.graphs.spec.graph import AgentNode, ParallelNode, ResearchGraph, ToolNode
from elcano.graphs.state.branches import BranchInput, BranchOutcomes, KeptBranch, ReusedWork
from elcano.graphs.state.budget import TopUp
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.text import format_count

_ENDED_WELL: Final = frozenset({"completed", "partial"})
"""Statuses of branches that are not repeated, unless a request names them or adds what they were short of."""
_KEY: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)


def where_to_resume(
    run: ArchivedRun, log: RunLog, *, extra: TopUp | None, titles: frozenset[str], now: float, limited: bool = True
) -> LogPrefix:
    """Return where a run that has ended continues.

    That is before its sections, if more of its plan can be researched with `extra`; else before the call that failed or
    was abandoned, before the run left its research too early, before the missing sections, or, if nothing that it found
    answers, before its first search.

    Args:
        run: the stored run.
        log: its log.
        extra: additional budget.
        titles: sections to research further, whatever their outcome.
        now: in seconds since the epoch.
        limited: false for a branch, whose limits its run sets.

    Raises:
        CannotResume: it ended well, or would end at once again.
        InputInvalid: it has no section of one of these titles.
    """
    larger = with_larger_plan(log, extra) if extra is not None and limited else None
    if larger is not None and (not titles or titles & {one.title for one in larger.run.state.plan}):
        return larger
    if titles:
        return _before_titles(log, titles, extra)
    if (turned := where_it_turned(log, extra=extra, now=now, limited=limited)) is not None:
        return turned
    if run.failure is not None or run.status in ("cancelled", "terminated", "failed"):
        return cut_log_at_end(log, extra)
    if (branches := before_branches(log, extra=extra)) is not None:
        return branches
    if run.ending is not None and run.ending.kind == "sections":
        raise CannotResume(
            f"sections of it ended early, and what is given now would not change that: {run.ending.detail} "
            "(give what they were short of, or name those that are to be researched on)"
        )
    searched = before_search(log, latest=False, extra=extra) if run.status == "unanswered" else None
    if searched is None and (short := sections_left_out(log)):
        given = "nothing was given" if extra in (None, TopUp()) else "what was given is not enough"
        raise CannotResume(
            f"its budget was not enough for {format_count(short, 'section')} of its plan, and "
            f"{given}: raise its limit of "
            "tokens, or of money, and ask again (its warnings name them, and what would do)"
        )
    if searched is None:
        raise CannotResume("it came to its end, and no section is missing: fork it, or roll it back to do a part again")
    return searched


def _before_titles(log: RunLog, titles: frozenset[str], extra: TopUp | None) -> LogPrefix:
    found = before_branches(log, titles, extra)
    if found is None:
        names = ", ".join(repr(title) for title in sorted(titles))
        raise InputInvalid("sections", f"the run has no section {names}; its view names those that it has")
    return found


def goes_on_with_branches(graph: ResearchGraph, run: Run) -> bool:
    """Whether a run continues with a fan-out, some branches of which may have ended well."""
    return not run.finished and isinstance(graph.by_id[run.node], ParallelNode)


def branches_in_force(run_id: str, log: RunLog, step: int) -> tuple[str, tuple[str, ...]]:
    """Return the branches of the fan-out in `step` that are not undone.

    Returns:
        The prefix of the ids of those that were started last, and the ids of older ones that were kept then.
    """
    taken = next((one for one in reversed(log.entries) if isinstance(one, RunResumed)), None)
    older = (*taken.kept, *taken.open) if taken is not None and taken.why == "resumed" else ()
    mark = f"r{log.run.undone_to}" if log.run.undone_to else ""
    begun = f"{run_id}.{step:04d}"
    return f"{begun}{mark}.", tuple(one for one in older if one.startswith(begun))


def is_kept(branch: ArchivedRun, extra: TopUp | None, titles: frozenset[str]) -> bool:
    """Whether a branch that has ended need not continue."""
    if branch.status not in _ENDED_WELL or (branch.branch_of is not None and branch.branch_of.section in titles):
        return False
    return branch.ending is None or not puts_off(branch.ending.kind, extra)


def kept_branch(branch: ArchivedRun, log: RunLog) -> KeptBranch:
    """Read the result of a successfully completed branch from its log."""
    asked = log.asked
    journal = Journal(
        asked.graph, JournalPages(run=log.run, entries=log.entries, events=(), started_at=branch.started_at)
    )
    result = build_research_result(asked, journal, branch.failure, None)
    path = branch.branch_of.path.rpartition("/")[2] if branch.branch_of else ""
    started = BranchStart(index=0, parallel_path_id=path, branch=asked.graph.name, input=_started_with(asked))
    return KeptBranch(
        run_id=branch.run_id, start=started.input, graph=asked.graph.name, outcome=build_branch_outcome(started, result)
    )


def open_branch(branch: ArchivedRun, log: RunLog, cut: LogPrefix, resumed_from: ResumedFrom) -> OpenBranch:
    """Return a new branch that continues from `cut`: its events start anew."""
    return OpenBranch(
        run_id=branch.run_id,
        start=_started_with(log.asked),
        graph=log.asked.graph.name,
        asked=log.asked,
        carried=_build_pages(cut, (), branch.started_at),
        resumed_from=resumed_from,
    )


def _started_with(asked: ResearchInput) -> BranchInput:
    section = asked.branch_of.section if asked.branch_of else ""
    return BranchInput(question=asked.question, title=section, background=asked.background)


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
    return asked.model_copy(update={"carried": _build_pages(cut, told, started_at), "resumed_from": resumed_from})


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


def build_fork_input(asked: ResearchInput, cut: LogPrefix, resumed_from: ResumedFrom, now: float) -> ResearchInput:
    """Return the input of a fork, which begins with the entries of another run; its time begins `now`."""
    carried = _build_pages(cut, (), now).model_copy(update={"elapsed": 0.0})
    return asked.model_copy(update={"carried": carried, "resumed_from": resumed_from})


def _build_pages(cut: LogPrefix, events: tuple[AgentEvent, ...], started_at: float) -> JournalPages:
    return JournalPages(
        run=cut.run,
        entries=cut.entries,
        events=events,
        started_at=started_at,
        floor=events[-1].seq if events else 0,
        elapsed=cut.run.budget.elapsed,
    )


def list_draft_artifacts(run: Run) -> tuple[str, ...]:
    """List the artifacts that the state of a run names: its own drafts and those of its sections, each once."""
    found: set[str] = set()
    waiting: list[object] = [run.state.model_dump(mode="json", include={"outputs", "sections", "values"})]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            named = (value.get(name) for name in ("artifact", "draft"))
            found.update(name for name in named if isinstance(name, str) and _KEY.fullmatch(name))
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return tuple(sorted(found))
