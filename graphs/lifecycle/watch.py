"""What is answered to those who watch a run: the events since a number, and where it stands. Pure."""

from bisect import bisect_right

from elcano.graphs.contracts import PROGRESS_PAGE, ProgressPage, ResearchInput, RunSnapshot, RunStatus, Stage
from elcano.graphs.journal.journal import Journal
from elcano.graphs.values.branch import branch_states
from elcano.graphs.values.budget import Usage
from elcano.graphs.values.report import ReportRef
from elcano.graphs.values.state import Hold


def page(journal: Journal, since: int) -> ProgressPage:
    """The events after number `since`, at most `PROGRESS_PAGE` of them."""
    events = journal.events
    first = bisect_right(events, since, key=lambda event: event.seq)
    found = events[first : first + PROGRESS_PAGE]
    last = found[-1].seq if found else min(since, journal.last)
    return ProgressPage(
        events=tuple(found), last=last, more=last < journal.last, done=bool(found) and found[-1].terminal
    )


def snapshot(
    asked: ResearchInput,
    journal: Journal,
    now: float,
    stage: Stage,
    status: RunStatus,
    report: ReportRef | None,
    uncharged: Usage,
    held: Hold | None,
) -> RunSnapshot:
    """Where the run is at `now`, in seconds since the epoch.

    `uncharged` is what branches used that have ended, `held` what keeps a branch waiting.
    """
    run = journal.run
    budget = run.budget.charge(uncharged).at(journal.elapsed(now))
    return RunSnapshot(
        run_id=asked.run_id,
        question=asked.question,
        mode=asked.mode,
        graph=asked.graph.name,
        node=run.node,
        stage=stage,
        status=status,
        step=run.step,
        iteration=run.budget.iterations,
        evidence=len(run.state.evidence),
        evidence_ids=tuple(ref.id for ref in run.state.evidence),
        budget=budget.view(),
        ending=run.ending,
        hold=_since(journal, run.hold) or held,
        failure=run.failure,
        report=report,
        last_event=journal.last,
        branches=branch_states(journal.events),
    )


def _since(journal: Journal, hold: Hold | None) -> Hold | None:
    """A hold with when it began, which the engine of one for budget does not know: it has no clock."""
    if hold is None or hold.since is not None:
        return hold
    return hold.model_copy(update={"since": journal.still_since})
