"""Walking a graph in memory: the same engine and the same story, without durability. For tests and previews."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from elcano.graphs.engine.commands import BranchStart, Call, ChooseNode, Finish, RunBranches, Wait
from elcano.graphs.engine.entries import Entry
from elcano.graphs.lifecycle import finish as closing
from elcano.graphs.lifecycle import start as opening
from elcano.graphs.lifecycle.event_texts import narrate_branch_end, narrate_branch_start, narrate_plan_cut
from elcano.graphs.lifecycle.fanout import FanOut
from elcano.graphs.lifecycle.handover import build_branch_outcome
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import ParallelNode
from elcano.graphs.state.budget import Limits

Performer: TypeAlias = Callable[[Call, float], Awaitable[Entry]]
"""Performs one call; the second argument is the seconds since the start of the run or branch."""


Watcher: TypeAlias = Callable[[ResearchInput, Journal], None]
"""Is told of each run and branch that was walked to its end."""


def ignore_progress(asked: ResearchInput, journal: Journal) -> None:
    """Ignore the run; the default watcher."""


async def run_in_memory(
    asked: ResearchInput, perform: Performer, *, clock: Callable[[], float], watch: Watcher = ignore_progress
) -> Journal:
    """Walks the graph to its end, or to where it would wait. `clock` gives seconds since the epoch."""
    journal = opening.open_journal(asked, clock())
    while not isinstance(work := journal.next(clock()), Finish | Wait | ChooseNode):
        if isinstance(work, RunBranches):
            entry = await _walk_branches(asked, journal, work, perform, clock, watch)
        else:
            entry = await perform(work, journal.elapsed(clock()))
        journal.record(entry, clock())
    watch(asked, journal)
    return journal


async def _walk_branches(
    asked: ResearchInput,
    journal: Journal,
    work: RunBranches,
    perform: Performer,
    clock: Callable[[], float],
    watch: Watcher,
) -> Entry:
    """As many branches as may run side by side begin together; in memory they are then walked one by one."""
    node = journal.graph.by_id[work.node]
    assert isinstance(node, ParallelNode)
    books = FanOut(node, work, journal.run)
    if books.cut:
        journal.tell(narrate_plan_cut(work.node, len(books.starts), len(work.branches)), clock())
    for first in range(0, len(books.starts), node.max_concurrency):
        begun: list[tuple[BranchStart, ResearchInput]] = []
        for start in books.starts[first : first + node.max_concurrency]:
            budget = journal.run.budget.at(journal.elapsed(clock()))
            finishing = budget.limits.model_copy(update={"when_exhausted": "finish"})  # nobody tops up a branch here
            limits = books.begin(start, budget.model_copy(update={"limits": finishing}))
            if isinstance(limits, Limits):
                begun.append(
                    (
                        start,
                        opening.build_branch_input(
                            asked, start, limits, journal.run, opening.resolve_run_date(asked, journal)
                        ),
                    )
                )
                journal.tell(narrate_branch_start(work.node, start, begun[-1][1].run_id), clock())
        for start, branch in begun:
            walked = await run_in_memory(branch, perform, clock=clock, watch=watch)
            outcome = build_branch_outcome(
                start, closing.build_research_result(branch, walked, walked.run.failure, None)
            )
            books.end(start, outcome)
            journal.tell(narrate_branch_end(work.node, outcome), clock())
    return books.entry(journal.elapsed(clock()))
