"""A run in progress: its place, its log of entries and its events, kept in step with one another.

The workflow and the in-memory runner both drive a run through this class, so both emit the same events. Queries are
answered from it: the events and entries after a number, and the current state.
"""

from bisect import bisect_right
from typing import Final

from elcano.graphs.contracts import RunStatus, Stage
from elcano.graphs.engine.approvals import awaits_plan_approval
from elcano.graphs.engine.control_actions import AddBudget, at_exit
from elcano.graphs.engine.entries import (
    ApplyEntry,
    ChooseNode,
    Controlled,
    Entry,
    Finish,
    RolledBack,
    RunResumed,
    StepCompleted,
    StepFailed,
    Wait,
    Work,
)
from elcano.graphs.engine.run import Run
from elcano.graphs.engine.steering import is_held_for_answers
from elcano.graphs.engine.step_function import advance_run, next_command
from elcano.graphs.lifecycle.event_texts import EventDraft
from elcano.graphs.lifecycle.narration import narrate_command, narrate_entry, narrate_run_start
from elcano.graphs.records import PROGRESS_PAGE, LogPage, ProgressPage, RunSnapshot
from elcano.graphs.run_contracts import JournalPages, ResearchInput
from elcano.graphs.spec.graph import ParallelNode, ResearchGraph, StateNode
from elcano.graphs.state.branches import branch_states
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.state.failures import Hold, WaitingCall
from elcano.graphs.state.plan import open_sections
from elcano.graphs.state.state import ReportRef


class Journal:
    """Mutable, the one place of a run that is; everything it holds is frozen. Times are seconds since the epoch.

    Its run is what its entries make of what it began with, and changes by a further entry only.
    """

    def __init__(
        self, graph: ResearchGraph, pages: JournalPages, *, path: str = "", section: str = "", code_routed: bool = False
    ) -> None:
        self.graph = graph
        self._run = pages.run
        self.entries = list(pages.entries)
        self.events = list(pages.events)
        self.started_at = pages.started_at
        self._idle = pages.idle
        self.begun = pages.begun
        """Whether a worker has taken the first step; until then time does not count."""
        self.still_since = pages.still_since
        """The time since which the clock is stopped; None if it runs."""
        self._frozen_at: float | None = None
        """Since when nothing counts until it is known what was undone."""
        self._called_at = 0.0
        """The elapsed time at which the current call was requested; there is none while a journal travels."""
        self._floor = pages.floor
        self._code_routed = code_routed
        """Whether the holder of this journal chooses the way from node to node."""
        self._path = path
        self._section = section

    @classmethod
    def begin(
        cls,
        graph: ResearchGraph,
        run: Run,
        *,
        mode: str,
        now: float,
        path: str = "",
        section: str = "",
        code_routed: bool = False,
    ) -> "Journal":
        """Returns the journal of a run that starts now, with its first event."""
        pages = JournalPages(run=run, entries=(), events=(), started_at=now, begun=False)
        journal = cls(graph, pages, path=path, section=section, code_routed=code_routed)
        journal.tell(narrate_run_start(run.state.question, mode), now)
        return journal

    @property
    def pages(self) -> JournalPages:
        """Return the pages with which a journal can continue from here."""
        return JournalPages(
            run=self.run,
            entries=tuple(self.entries),
            events=tuple(self.events),
            started_at=self.started_at,
            idle=self._idle,
            begun=self.begun,
            still_since=self.still_since,
            floor=self._floor,
        )

    @property
    def run(self) -> Run:
        """The run as it is."""
        return self._run

    def find_accepted(self, request_id: str) -> Controlled | None:
        """Returns the entry accepted under this id before; None if it is new."""
        controlled = (entry for entry in reversed(self.entries) if isinstance(entry, Controlled))
        return next((entry for entry in controlled if entry.request_id == request_id), None)

    @property
    def leaving(self) -> bool:
        """The run is at an exit node or through it."""
        return at_exit(self.graph, self.run)

    @property
    def last(self) -> int:
        """The number of the last event; 0 before the first."""
        return self.events[-1].seq if self.events else 0

    @property
    def stands_still(self) -> bool:
        """Time does not count: a pause, a wait for budget, approval or answers, or, if it may, for a provider."""
        if self.run.hold is not None and self.run.hold.reason in ("approval", "answers"):
            return True
        waits = self.run.tried is not None and self.run.budget.limits.when_exhausted == "pause"
        return waits or self.run.paused is not None or self.run.pause is not None

    @property
    def top_ups(self) -> int:
        """Number of top-ups, counted in the log so that it outlives a history."""
        return sum(isinstance(entry, Controlled) and isinstance(entry.action, AddBudget) for entry in self.entries)

    def elapsed(self, now: float) -> float:
        """Seconds of work since a worker took up the first step; pauses do not count."""
        if not self.begun:
            return 0.0
        until = min(moment for moment in (now, self.still_since, self._frozen_at) if moment is not None)
        return until - self.started_at - self._idle

    def is_counting(self) -> bool:
        """Return whether time counts now: `elapsed` grows by itself until something stops it."""
        return self.begun and self.still_since is None and self._frozen_at is None

    def count_idle(self, waited: float, now: float) -> float:
        """Return how many of the seconds that the current call waited for a worker were counted until `now`.

        While time stood still none was, and of what is not counted nothing can be taken off.
        """
        return min(waited, max(0.0, self.elapsed(now) - self._called_at)) if self.begun else waited

    def due(self, elapsed: float) -> float:
        """When `elapsed` seconds of work will be over, if the run does not pause before."""
        return self.started_at + self._idle + elapsed

    def begin_work(self) -> None:
        """The first step is under way: from here on time counts."""
        self.begun = True

    def next(self, now: float) -> Work | Wait | ChooseNode | Finish:
        """Returns the next command that a caller has to perform; immediate ones are applied on the way."""
        while isinstance(command := next_command(self.graph, self.run, self.elapsed(now)), ApplyEntry):
            self.record(command.entry, now)
        self._called_at = self.elapsed(now)
        if not isinstance(command, Wait | ChooseNode | Finish) and self.run.tried is None:
            for draft in narrate_command(self.graph, command):
                self.tell(draft, now)
        return command

    def settle(self, now: float) -> None:
        """Applies the state nodes that come next: an interruption must not skip the bookkeeping of completed work."""
        while isinstance(self.graph.by_id[self.run.node], StateNode):
            command = next_command(self.graph, self.run, self.elapsed(now))
            if not isinstance(command, ApplyEntry):
                return
            self.record(command.entry, now)

    def record(self, entry: Entry, now: float) -> None:
        """Applies one entry and emits its events."""
        if self._code_routed and isinstance(entry, StepCompleted):
            entry = entry.model_copy(update={"onward": False})
        earlier, self._run = self._run, advance_run(self.graph, self._run, entry)
        self.entries.append(entry)
        if isinstance(entry, RolledBack | RunResumed | StepCompleted):
            self._floor = max(self._floor, entry.last_event)
        if isinstance(entry, StepCompleted | StepFailed):
            self._idle += entry.waited
        self.begun = True
        self._count_standstill(now)
        for draft in narrate_entry(self.graph, earlier, entry, self.run):
            self.tell(draft, now, step=earlier.step)

    def tell(self, draft: EventDraft, now: float, *, step: int | None = None) -> None:
        """Numbers and dates one event; `step` is the one that comes next unless given."""
        self.events.append(self.event(draft, now, step=step))

    def event(self, draft: EventDraft, now: float, *, step: int | None = None) -> AgentEvent:
        """Build the event that `draft` would be if it were recorded now."""
        return AgentEvent(
            seq=max(self.last, self._floor) + 1,
            type=draft.type,
            message=draft.message,
            at=now,
            step=self.run.step if step is None else step,
            node=draft.node,
            iteration=self.run.budget.iterations,
            path="/".join(filter(None, (self._path, draft.path))),
            section=draft.section or self._section,
            data=draft.data,
        )

    def freeze(self) -> None:
        """Time stops since the last event: the run was taken back, and what passed since then was not it."""
        self._frozen_at = self.events[-1].at

    def resume_clock(self, elapsed: float, now: float) -> None:
        """Set the time that the run had worked when it was left; the clock is stopped until `thaw`."""
        self._idle = now - self.started_at - elapsed
        self._frozen_at = now
        self.still_since = now if self.stands_still else None

    def thaw(self, now: float) -> None:
        """Restart the clock, unless the run is paused."""
        if self._frozen_at is not None and self.still_since is None:
            self._idle += now - self._frozen_at
        self._frozen_at = None

    def _count_standstill(self, now: float) -> None:
        if self.stands_still and self.still_since is None:
            self.still_since = now
        elif not self.stands_still and self.still_since is not None:
            self._idle += now - self.still_since
            self.still_since = None


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
    waits = _fill_hold_start(journal, run.hold) or held
    if waits is not None and waits.tries and isinstance(journal.graph.by_id[run.node], ParallelNode):
        waits = waits.model_copy(update={"tries": 0, "until": None})  # each section tries, and says itself when
    budget = run.budget.charge(uncharged).at(journal.elapsed(now))
    return RunSnapshot.from_record(
        run.state,
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
        plan=open_sections(run.state.plan),
        budget=budget.view(),
        counting_since=now if journal.is_counting() else None,
        ending=run.ending,
        hold=run.pause or waits,
        awaits="approval" if awaits_plan_approval(run) else "answers" if is_held_for_answers(run) else "",
        calls=calls,
        failure=run.failure,
        report=report,
        last_event=journal.last,
        branches=branch_states(journal.events),
    )


def _fill_hold_start(journal: Journal, hold: Hold | None) -> Hold | None:
    """A hold with when it began, which the engine of one for budget does not know: it has no clock."""
    if hold is None or hold.since is not None:
        return hold
    return hold.model_copy(update={"since": journal.still_since})
