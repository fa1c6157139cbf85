"""Turns the log of a run into the input of the execution that continues it: resumed, rolled back, or as a fork.

Pure: the caller passes the logs of a run and of its branches, and learns what can be kept of them.
"""

import re
from typing import Final

from elcano.graphs.engine.entries import BranchStart, RunResumed
from elcano.graphs.engine.run import Run
from elcano.graphs.errors import InputInvalid
from elcano.graphs.lifecycle.finish import build_research_result
from elcano.graphs.lifecycle.handover import build_branch_outcome
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.lifecycle.resume_points import (
    CannotResume,
    before_branches,
    before_search,
    cut_log_at_end,
    puts_off,
    sections_left_out,
    where_it_turned,
    with_larger_plan,
)
from elcano.graphs.lifecycle.start_and_fold import LogPrefix, build_journal_pages
from elcano.graphs.records import ArchivedRun, RunLog
from elcano.graphs.run_contracts import JournalPages, OpenBranch, ResearchInput, ResumedFrom
from elcano.graphs.spec.graph import ParallelNode, ResearchGraph
from elcano.graphs.state.branches import BranchInput, KeptBranch
from elcano.graphs.state.budget import TopUp
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
        carried=build_journal_pages(cut, (), branch.started_at),
        resumed_from=resumed_from,
    )


def _started_with(asked: ResearchInput) -> BranchInput:
    section = asked.branch_of.section if asked.branch_of else ""
    return BranchInput(question=asked.question, title=section, background=asked.background)


def build_fork_input(asked: ResearchInput, cut: LogPrefix, resumed_from: ResumedFrom, now: float) -> ResearchInput:
    """Return the input of a fork, which begins with the entries of another run; its time begins `now`."""
    carried = build_journal_pages(cut, (), now).model_copy(update={"elapsed": 0.0})
    return asked.model_copy(update={"carried": carried, "resumed_from": resumed_from})


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
