"""Walking a graph in memory: the same engine and the same story, without durability. For tests and previews."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from graphs.budget import Limits
from graphs.commands import Entry, Finish, Wait, Work
from graphs.journal import Journal
from graphs.spec import ResearchGraph
from graphs.state import ResearchState

Performer: TypeAlias = Callable[[Work, float], Awaitable[Entry]]
"""Performs one command; the second argument is the seconds since the run's start."""


async def run_in_memory(
    graph: ResearchGraph,
    state: ResearchState,
    perform: Performer,
    *,
    limits: Limits | None = None,
    clock: Callable[[], float],
) -> Journal:
    """Walks `graph` to its end, or to a pause, and returns the journal. `clock` gives seconds since the epoch."""
    journal = Journal.begin(graph, state, limits or Limits(), mode=graph.name, now=clock())
    while not isinstance(work := journal.next(clock()), Finish | Wait):
        entry = await perform(work, journal.elapsed(clock()))
        journal.record(entry, clock())
    return journal
