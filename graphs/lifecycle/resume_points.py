"""Points at which to cut the log of a run, so that the run can resume from there.

A run is the fold of its entries, so the first k of them are the run as it was then: earlier states are not stored, and
not needed. Paid work stays in the log wherever it can: a call that failed or was abandoned becomes a failed attempt,
with its usage and what it had finished. A plan that was cut to the run's budget is rebuilt by the same entries with
more budget, so that the rest is researched too; researched sections keep their place in it.
"""

from collections.abc import Sequence
from typing import Final

from elcano.graphs.engine.control_actions import AddBudget
from elcano.graphs.engine.entries import (
    ApplyEntry,
    Controlled,
    Diverted,
    Entry,
    Held,
    HoldCleared,
    NodeChosen,
    StepAbandoned,
    StepCompleted,
    StepFailed,
)
from elcano.graphs.engine.routing import BUDGET_ENDINGS
from elcano.graphs.engine.run import Run
from elcano.graphs.engine.step_function import advance_run, next_command
from elcano.graphs.errors import ElcanoError
from elcano.graphs.lifecycle.start_and_fold import (
    LogPrefix,
    before_step,
    build_run_from_input,
    cut_log,
    drop_pending_controls,
    fold,
    fork_mark,
)
from elcano.graphs.records import RunLog
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import AgentNode, ParallelNode, StateNode, ToolNode
from elcano.graphs.spec.walks import researches_plan
from elcano.graphs.state.branches import SUCCEEDED, BranchOutcome, BranchOutcomes
from elcano.graphs.state.budget import MOST_COST, MOST_TOKENS, TopUp
from elcano.graphs.state.failures import Ending, FailureType, Hold
from elcano.graphs.state.plan import open_sections

_TOP_UPS: Final = {"cost": "cost_microusd", "time": "seconds"}
"""The fields of a top-up that are not called as the limit that they raise."""


_MENDABLE: Final = frozenset[str](("node_failed", "provider"))
"""Endings of branches that may not come again: another model or source is given, or a provider, a key or a setting was
mended meanwhile."""


class CannotResume(ElcanoError):
    """A run cannot be resumed this way; the text says why, and what would help."""


def where_it_turned(log: RunLog, *, extra: TopUp | None, now: float, limited: bool = True) -> LogPrefix | None:
    """Return the log up to where the run left its research or failed, with `extra` budget; None if it did neither.

    `now` is in seconds since the epoch. A run that is not `limited` gets limits of its own before it continues.

    Raises:
        CannotResume: it would end in the same way at once.
    """
    run = build_run_from_input(log.asked)
    for place, entry in enumerate(log.entries):
        following = advance_run(log.asked.graph, run, entry)
        given_up = isinstance(entry, StepAbandoned) and entry.ending is None  # the last call of a cancelled run
        if _has_left_route(following) or (given_up and place == len(log.entries) - 1):
            return _turned_at(log, place, run, extra, now, limited)
        run = following
    return None


def before_search(log: RunLog, *, latest: bool, extra: TopUp | None = None) -> LogPrefix | None:
    """The log up to its first search, or its latest; None if it has none."""
    steps = (entry for entry in log.entries if isinstance(entry, StepCompleted))
    searches = [entry.step for entry in steps if isinstance(log.asked.graph.by_id[entry.node], ToolNode)]
    return with_more(log.asked, before_step(log, searches[-1 if latest else 0]), extra) if searches else None


def before_branches(log: RunLog, titles: frozenset[str] = frozenset(), extra: TopUp | None = None) -> LogPrefix | None:
    """The log up to the latest fan-out with a branch of one of these titles; None if there is none.

    Without titles any branch is meant that left a gap or no answer, or ended early: because a call failed, or for want
    of what `extra` gives.

    Raises:
        CannotResume: all of these had no room in the budget, and have none now.
    """
    found = None
    for entry in log.entries:
        if isinstance(entry, StepCompleted) and isinstance(log.asked.graph.by_id[entry.node], ParallelNode):
            outcomes = BranchOutcomes.of(entry.output).branches
            meant = [one for one in outcomes if (one.title in titles if titles else _left_open(one, extra))]
            if meant:
                found = (entry.step, all(one.gap and one.gap.type == FailureType.BUDGET for one in meant))
    if found is None:
        return None
    step, no_room = found
    if no_room and (extra is None or not (extra.tokens or extra.cost_microusd)):
        raise CannotResume("its budget had no room for the sections that are missing: raise its limit and ask again")
    return with_more(log.asked, before_step(log, step), extra)


def puts_off(ending: str, extra: TopUp | None) -> bool:
    """Whether an ending of this kind may not come again: more of what `extra` gives puts it off, or it was no limit."""
    if ending in _MENDABLE:
        return True
    return extra is not None and bool(getattr(extra, _TOP_UPS.get(ending, ending), 0))


def _left_open(outcome: BranchOutcome, extra: TopUp | None) -> bool:
    return outcome.status not in SUCCEEDED or (bool(outcome.ending) and puts_off(outcome.ended_by, extra))


def cut_log_at_end(log: RunLog, extra: TopUp | None = None) -> LogPrefix:
    """Return the whole log, for a run that ended without reporting it and continues where it was."""
    return with_more(log.asked, cut_log(log.asked, drop_pending_controls(log.entries), log.run.step), extra)


def with_more(asked: ResearchInput, cut: LogPrefix, extra: TopUp | None) -> LogPrefix:
    """The cut with more to spend from there on."""
    if extra is None or extra == TopUp():
        return cut
    more = build_top_up_entry(extra, cut.run)
    return cut.model_copy(update={"entries": (*cut.entries, more), "run": advance_run(asked.graph, cut.run, more)})


def _has_left_route(run: Run) -> bool:
    """Whether it left its route. A run whose sections ended early did not: it continues those (`before_branches`)."""
    early = run.ending is not None and run.ending.kind != "sections"
    return early or run.failure is not None or run.stopping is not None


def _turned_at(log: RunLog, place: int, run: Run, extra: TopUp | None, now: float, limited: bool) -> LogPrefix:
    """The log before its entry at `place`, which turned `run`; after it, if it does not turn the run with `extra`."""
    entry, asked, before = log.entries[place], log.asked, log.entries[:place]
    mark = fork_mark(log.entries[place:])
    if mark:
        return _turned_before_fork(log, place, run, (*before, *mark), extra, limited)
    more = () if extra is None or extra == TopUp() else (build_top_up_entry(extra, run),)
    led_out = isinstance(entry, NodeChosen) and entry.ending is not None  # said by who walks it, who says it again
    if (
        isinstance(entry, StepCompleted | NodeChosen) and not led_out
    ):  # its way on did: no iteration was left, nothing new
        kept = (*before, *more, entry)
        again = fold(asked, kept)
        if not _has_left_route(again):
            return unless_over(asked, kept, again, extra, limited)
        if again.ending is not None and again.ending.kind in BUDGET_ENDINGS:
            raise _build_resume_refusal(again.ending, extra)
        searched = log.model_copy(update={"entries": log.entries[: place + 1], "run": again})
        latest = again.ending is None or again.ending.kind != "sources"  # what never answered is asked from the start
        return before_search(searched, latest=latest, extra=extra) or with_more(
            asked, cut_log(asked, before, run.step), extra
        )
    kept = (*before, *more, *_of_the_call(asked, run, log.entries[place:], now))
    return unless_over(asked, kept, fold(asked, kept), extra, limited)


def _turned_before_fork(
    log: RunLog, place: int, run: Run, entries: tuple[Entry, ...], extra: TopUp | None, limited: bool
) -> LogPrefix:
    """Do the same for a fork that was made after the other run had left its research: it has a budget of its own."""
    if isinstance(log.entries[place], StepCompleted | NodeChosen):
        searched = log.model_copy(update={"entries": (*log.entries[: place + 1], *fork_mark(log.entries[place:]))})
        if (found := before_search(searched, latest=True, extra=extra)) is not None:
            return found
    cut = with_more(log.asked, cut_log(log.asked, entries, run.step), extra)
    return unless_over(log.asked, cut.entries, cut.run, extra, limited)


def unless_over(
    asked: ResearchInput, entries: tuple[Entry, ...], run: Run, extra: TopUp | None, limited: bool
) -> LogPrefix:
    """The cut, if the run does not end at once again.

    Raises:
        CannotResume: it does.
    """
    if limited and not run.finished and not run.choosing and (run.hold is None or run.trying):
        command = next_command(asked.graph, run, run.budget.elapsed)
        if isinstance(command, ApplyEntry) and isinstance(command.entry, Diverted):
            raise _build_resume_refusal(command.entry.ending, extra)
    return LogPrefix(entries=entries, run=run, undone_from=run.step + (1 if run.trying else 0))


def _build_resume_refusal(ending: Ending, extra: TopUp | None) -> CannotResume:
    given = "nothing was given" if extra is None or extra == TopUp() else "what was given is not enough"
    return CannotResume(f"{ending.detail or ending.kind}, and {given}: raise the limit of {ending.kind} and ask again")


def _of_the_call(asked: ResearchInput, run: Run, following: Sequence[Entry], now: float) -> tuple[Entry, ...]:
    """Return the outcome of the call that `run` was making: its answer, or a failed attempt that is retried."""
    entry = next((one for one in following if isinstance(one, StepCompleted | StepFailed | StepAbandoned)), None)
    if (
        entry is None
        or (entry.step, entry.node) != (run.step, run.node)
        or not isinstance(asked.graph.by_id[entry.node], AgentNode | ToolNode)
    ):
        return ()
    if isinstance(entry, StepCompleted):
        return () if entry.node in asked.graph.exit_nodes else (entry,)
    failure = entry.failure if isinstance(entry, StepFailed) else None
    hold = Hold(
        reason="person",
        node=entry.node,
        type=failure.type if failure else "",
        detail=failure.message if failure else "it was given up",
        tries=(run.tried.tries if run.tried else 0) + 1,
        since=now,
        until=now,
    )
    progress = entry.progress if isinstance(entry, StepFailed) else {}
    progress = progress or (run.tried.progress if run.tried else {})
    held = Held(step=entry.step, node=entry.node, at=entry.at, hold=hold, progress=progress, usage=entry.usage)
    return held, HoldCleared(at=entry.at)


def build_top_up_entry(extra: TopUp, run: Run) -> Controlled:
    """The entry by which `run` is given more to spend."""
    return Controlled(at=run.budget.elapsed, action=AddBudget(extra=extra))


def with_larger_plan(log: RunLog, extra: TopUp) -> LogPrefix | None:
    """Return the log up to where its sections are researched, with `extra` from before the plan was cut to its budget.

    The same entries rebuild a plan that a reducer stored, so more budget makes it what it would have been; later
    requests are applied again. None if it does not grow, or its sections never started.

    Raises:
        CannotResume: it would end at once again.
    """
    if extra == TopUp() or (found := _find_replan_point(log)) is None:
        return None
    place, before, step = found
    kept = before_step(log, step)
    entries = (*kept.entries[:place], build_top_up_entry(extra, before), *kept.entries[place:])
    if fork_mark(kept.entries[place:]):  # the plan was another run's, and the fork has a budget of its own
        entries = (*entries, build_top_up_entry(extra, kept.run))
    run = fold(log.asked, entries)
    if len(open_sections(run.state.plan)) <= len(open_sections(kept.run.state.plan)):
        return None
    return unless_over(log.asked, entries, run, extra, limited=True)


def _find_replan_point(log: RunLog) -> tuple[int, Run, int] | None:
    """Find where more budget would have made the last researched plan larger, and the step of that fan-out.

    That is before the step that came before the plan: what a budget affords is computed when a step is over.

    Returns:
        The index of an entry, the run before it, and the step.
    """
    graph, run = log.asked.graph, build_run_from_input(log.asked)
    latest = (0, run)
    plan: tuple[int, Run] | None = None
    found = None
    for place, entry in enumerate((*log.entries, None)):
        if plan is not None and not run.finished and not run.choosing and researches_plan(graph.by_id[run.node]):
            found = (*plan, run.step)
        if entry is None or run.finished:
            break
        following = advance_run(graph, run, entry)
        made = isinstance(entry, StepCompleted) and isinstance(graph.by_id[entry.node], StateNode)
        if made and following.state.plan != run.state.plan:
            plan = latest
        if isinstance(entry, StepCompleted):
            latest = (place, run)
        run = following
    return found


def sections_left_out(log: RunLog) -> int:
    """Count the sections of its plan that a run left out for want of tokens or money."""
    limits = log.run.budget.limits
    cost = 0 if limits.cost_microusd is None else MOST_COST - limits.cost_microusd
    try:
        larger = with_larger_plan(log, TopUp(tokens=MOST_TOKENS - limits.tokens, cost_microusd=cost))
    except CannotResume:  # for want of something else, which is reported when more is given
        return 0
    return 0 if larger is None else len(larger.run.state.plan) - len(log.run.state.plan)
