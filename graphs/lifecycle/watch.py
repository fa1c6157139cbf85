"""Answers to watchers of a run: the events after a number, and its current state. Pure."""

from bisect import bisect_right
from typing import Final

from elcano.graphs.contracts import RunStatus, Stage
from elcano.graphs.engine.entries import Entry
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.records import PROGRESS_PAGE, LogPage, ProgressPage, RunSnapshot
from elcano.graphs.report.draft import ReportRef
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.state.branches import branch_states
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.holds import Hold, WaitingCall
from elcano.graphs.state.plan import open_sections

LOG_PAGE_BYTES: Final = 1_000_000
"""Maximum size of the entries in one answer, before compression; the server's limit for an answer is 2 MiB."""


def build_progress_page(journal: Journal, since: int) -> ProgressPage:
    """The events after number `since`, at most `PROGRESS_PAGE` of them."""
    events = journal.events
    first = bisect_right(events, since, key=lambda event: event.seq)
    found = events[first : first + PROGRESS_PAGE]
    last = found[-1].seq if found else min(since, journal.last)
    return ProgressPage(
        events=tuple(found), last=last, more=last < journal.last, done=bool(found) and found[-1].terminal
    )


def log_page(asked: ResearchInput, journal: Journal, since: int) -> LogPage:
    """The entries after the first `since`, as many as may travel at once, but at least one."""
    began = None if since else asked.model_copy(update={"carried": None, "resumed_from": None})
    entries: list[Entry] = []
    size = 0
    for entry in journal.entries[since:]:
        size += len(entry.model_dump_json())
        if entries and size > LOG_PAGE_BYTES:
            break
        entries.append(entry)
    more = since + len(entries) < len(journal.entries)
    return LogPage(asked=began, entries=tuple(entries), more=more)


def build_run_snapshot(
    asked: ResearchInput,
    journal: Journal,
    now: float,
    stage: Stage,
    status: RunStatus,
    report: ReportRef | None,
    uncharged: Usage,
    held: Hold | None,
    calls: tuple[WaitingCall, ...],
) -> RunSnapshot:
    """Return the state of the run at `now`, in seconds since the epoch.

    `uncharged` is the usage of ended branches, `held` what keeps a branch waiting or the run from ending, `calls` the
    calls that wait for approval, in the run and in them.
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
        sources=run.state.sources,
        plan=open_sections(run.state.plan),
        budget=budget.view(),
        ending=run.ending,
        hold=run.pause or _fill_hold_start(journal, run.hold) or held,
        calls=calls,
        failure=run.failure,
        report=report,
        last_event=journal.last,
        branches=branch_states(journal.events),
        choice=run.state.choice,
        domain=run.state.domain,
        ledger=run.state.ledger,
    )


def _fill_hold_start(journal: Journal, hold: Hold | None) -> Hold | None:
    """A hold with when it began, which the engine of one for budget does not know: it has no clock."""
    if hold is None or hold.since is not None:
        return hold
    return hold.model_copy(update={"since": journal.still_since})
