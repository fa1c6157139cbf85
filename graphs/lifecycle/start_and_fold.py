"""The start of a run, and what a log leads to: the whole of it, or the part of it before a step.

The journal of a run that begins or resumes, the input of each of its branches, and that of the execution that continues
from a cut. Pure; the counterpart of `finish`. The first entries of a log are the run as it was then, so nothing else is
needed to roll back.
"""

from collections.abc import Iterable, Sequence

from elcano.graphs.contracts import BranchOf, DiscardedWork
from elcano.graphs.engine.entries import (
    ApprovalRequested,
    BranchStart,
    Controlled,
    Entry,
    Held,
    RunResumed,
    StepAbandoned,
    StepCompleted,
    StepFailed,
)
from elcano.graphs.engine.run import Run, build_initial_run
from elcano.graphs.engine.step_function import advance_run
from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Frozen
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.lifecycle.narration import narrate_run_start
from elcano.graphs.records import RunLog
from elcano.graphs.run_contracts import JournalPages, OpenBranch, ResearchInput, ResumedFrom
from elcano.graphs.spec.graph import AgentNode, ParallelNode, ResearchGraph, ToolNode
from elcano.graphs.spec.walks import part_name
from elcano.graphs.state.branches import BranchOutcomes, KeptBranch, ReusedWork
from elcano.graphs.state.budget import MOST_SECONDS, Limits
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.state.plan import build_unjudged_criteria, open_sections
from elcano.graphs.state.state import IterationData, ResearchState
from elcano.graphs.text import format_utc_day


def open_journal(asked: ResearchInput, now: float, *, code_routed: bool = False) -> Journal:
    """Return a new journal, or the one that was carried over from the previous history.

    `code_routed`: whether code chooses the next node.
    """
    branch = asked.branch_of
    path, section = (branch.path, branch.section) if branch else ("", "")
    if asked.carried is not None:
        carried = Journal(asked.graph, asked.carried, path=path, section=section, code_routed=code_routed)
        if asked.carried.elapsed is not None:
            carried.resume_clock(asked.carried.elapsed, now)
        if asked.resumed_from is not None and asked.resumed_from.entry.why == "forked":
            carried.tell(narrate_run_start(asked.question, asked.mode), now)
        return carried
    return Journal.begin(
        asked.graph,
        build_run_from_input(asked),
        mode=asked.mode,
        now=now,
        path=path,
        section=section,
        code_routed=code_routed,
    )


def first_state(asked: ResearchInput) -> ResearchState:
    """Build the state with which a run begins."""
    before = asked.follows
    return ResearchState.from_record(
        asked,
        question=(before.in_context if before else "") or asked.question,
        history=before.history if before else (),
        evidence=before.evidence if before and before.evidence else asked.evidence,
        criteria=build_unjudged_criteria(asked.criteria),
        conversation=(IterationData(number=1, beside=asked.beside),) if asked.beside else (),
    )


def resolve_run_date(asked: ResearchInput, journal: Journal) -> str:
    """Return the date in UTC that agents are given, as `2026-11-22`: when the run, or a branch's parent run, began."""
    return asked.today or format_utc_day(journal.started_at)


def build_run_from_input(asked: ResearchInput) -> Run:
    """The run before its first step."""
    return build_initial_run(
        asked.graph,
        first_state(asked),
        asked.limits,
        asked.rules,
        approve_plan=asked.approve_plan,
        experience=asked.experience,
    )


def fold(asked: ResearchInput, entries: Iterable[Entry]) -> Run:
    """Apply entries to the input of a run, all of its log or the first part, and return the run."""
    run = build_run_from_input(asked)
    for entry in entries:
        run = advance_run(asked.graph, run, entry)
    return run


def build_branch_input(
    asked: ResearchInput, begun: BranchStart, limits: Limits, run: Run, today: str = ""
) -> ResearchInput:
    """Build the input of a branch of the run `asked`: a run of its own, with its own question and limits.

    Instructions, sources and the experience with models come from the state of its `run`, which may have been steered.
    `today` is the day that its run's agents are given.
    """
    outer, state = asked.branch_of, run.state
    return asked.model_copy(
        update={
            "run_id": branch_id(asked, begun),
            "question": begun.input.question,
            "background": begun.input.background,
            "instructions": compose_section_wish(asked.instructions, begun.input.wish, run),
            "guidance": state.guidance,
            "language": state.language,
            "form": begun.input.form,
            "criteria": begun.input.criteria,
            "evidence": begun.input.evidence,
            "beside": begun.input.beside,
            "today": today,
            "sources": state.sources,
            "databases": state.databases,
            "barred": {},
            "domain": state.domain,
            "domains": state.domains if state.domain else (),
            "experience": run.experience,
            "approve_plan": False,
            "review": False,
            "output_schema": {},
            "graph": asked.graph.branches[begun.branch],
            "limits": limits,
            "branch_of": BranchOf(
                run_id=outer.run_id if outer else asked.run_id,
                path=f"{outer.path}/{begun.parallel_path_id}" if outer else begun.parallel_path_id,
                section=begun.title,
                part=part_name(asked.graph, begun.branch),
            ),
            "carried": None,
            "resumed_from": None,
            "forked_from": None,
            "notify": "",
            "follows": asked.follows.for_branch() if asked.follows else None,
        }
    )


def compose_section_wish(instructions: str, own: str, run: Run) -> str:
    """Return the instructions for one section: its own part, or all of them, marked as meant for the whole report."""
    parts = len(open_sections(run.state.plan))
    if own or parts < 2 or not instructions:
        return own or instructions
    return f"Of the whole report, of which this is one of {parts} sections: {instructions}"


def branch_going_on(asked: ResearchInput, older: OpenBranch) -> ResearchInput:
    """Build the input of a branch that continues from the entries of an older one, within the limits of `asked`."""
    given, before = asked.limits, older.carried.run.budget
    limits = given.model_copy(
        update={
            "seconds": min(given.seconds + before.elapsed, MOST_SECONDS),
            "iterations": max(given.iterations, before.limits.iterations),
            "steps": max(given.steps, before.limits.steps),
        }
    )
    entry = older.resumed_from.entry.model_copy(update={"limits": limits})
    resumed_from = older.resumed_from.model_copy(update={"entry": entry})
    own = {
        "run_id": asked.run_id,
        "branch_of": asked.branch_of,
        "confidential": asked.confidential,
        "carried": older.carried,
        "resumed_from": resumed_from,
    }
    return older.asked.model_copy(update=own)


def branch_id(asked: ResearchInput, begun: BranchStart) -> str:
    """The run id of a branch, which says whose it is."""
    return f"{asked.run_id}.{begun.parallel_path_id}"


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
    reopened = tuple(
        event.model_copy(update={"type": "execution_ended"}) if event.terminal else event for event in events
    )
    return asked.model_copy(
        update={"carried": build_journal_pages(cut, reopened, started_at), "resumed_from": resumed_from}
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
    """Build the input that rolls a run back to `cut`."""
    saved = compute_saved_work(log.asked.graph, cut)
    entry = RunResumed(at=0.0, why="rolled_back", by=by, reason=reason, saved=saved, retry_now=True)
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
