"""A plan that was cut to what its run could pay for, made again with more budget, so that the rest is researched too.

The plan is not asked for again: a state node's entry has no output, so the same entries make the plan that it would
have been. Sections that were researched stand in it as they did, and are kept.
"""

from elcano.graphs.engine.entries import StepCompleted
from elcano.graphs.engine.run import Run
from elcano.graphs.engine.step_function import advance_run
from elcano.graphs.lifecycle.resume_points import (
    CannotResume,
    LogPrefix,
    before_step,
    build_top_up_entry,
    fork_mark,
    unless_over,
)
from elcano.graphs.lifecycle.start import build_run_from_input, fold
from elcano.graphs.records import RunLog
from elcano.graphs.spec.graph import StateNode
from elcano.graphs.spec.plan_fanouts import researches_plan
from elcano.graphs.state.budget import MOST_COST, MOST_TOKENS, TopUp
from elcano.graphs.state.plan import open_sections


def with_larger_plan(log: RunLog, extra: TopUp) -> LogPrefix | None:
    """The log up to where its sections are researched, with `extra` from before their plan was cut to its budget.

    A plan that a reducer stored is made again by the same entries, so more budget makes it what it would have been;
    what somebody asked for since is asked for again. None if it does not grow, or its sections were never begun.

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
    """Where more budget would have made the plan that was researched last larger, and the step of that fan-out.

    That is before the step that came before the plan: what a budget affords is reckoned when a step is over.

    Returns:
        The place of an entry, the run before it, and the step.
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
    """How many sections of its plan a run left out for want of tokens or money."""
    limits = log.run.budget.limits
    cost = 0 if limits.cost_microusd is None else MOST_COST - limits.cost_microusd
    try:
        larger = with_larger_plan(log, TopUp(tokens=MOST_TOKENS - limits.tokens, cost_microusd=cost))
    except CannotResume:  # for want of something else, which is told when more is given
        return 0
    return 0 if larger is None else len(larger.run.state.plan) - len(log.run.state.plan)
