"""Reads a run's events by step: when it began, when it ended, the state of its branches. Undone events are left out."""

from collections.abc import Iterable, Sequence
from typing import Final

from elcano.graphs.agents.own_definition import get_agent
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.journal.told import EventDraft
from elcano.graphs.spec.graph import AgentNode, Node, ParallelNode, ResearchGraph, ToolNode
from elcano.graphs.state.branches import BranchState, branch_states
from elcano.graphs.state.events import AgentEvent

TAKEN_BACK: Final = frozenset(("rolled_back", "run_resumed", "forked"))
"""Events from which on the run goes on at their step: what was told of it and of later steps before is undone."""


def still_so(events: Iterable[AgentEvent]) -> list[AgentEvent]:
    """Drop the events that were undone when the run was rolled back."""
    kept: list[AgentEvent] = []
    for event in events:
        if event.type in TAKEN_BACK:
            kept = [one for one in kept if one.step < event.step]
        kept.append(event)
    return kept


class StepEvents:
    """The events of each step, each assigned to one entry: entries and their events have the same order."""

    def __init__(self, events: Sequence[AgentEvent]) -> None:
        self._branches: dict[int, list[BranchState]] = {}
        for branch in branch_states(events):  # knows by itself which were undone, and which were kept all the same
            self._branches.setdefault(step_of(branch.path), []).append(branch)
        self._of_step: dict[int, list[AgentEvent]] = {}
        self._given: dict[int, int] = {}
        """How many of a step's events were given to entries."""
        for event in still_so(events):
            self._of_step.setdefault(event.step, []).append(event)

    def begun(self, graph: ResearchGraph, step: int, node: Node) -> AgentEvent | None:
        """Returns the event that announced the call of a step."""
        starts = _find_start_event_type(graph, node)
        told = (event for event in self._of_step.get(step, ()) if event.node == node.id and event.type == starts)
        return next(told, None)

    def by(self, step: int, tolds: Sequence[EventDraft], begun: AgentEvent | None = None) -> AgentEvent | None:
        """Returns the last event of an entry; None if it has none.

        `begun` is the event of the call that the entry is the end of: both can have the same type.
        """
        heard, events, given = None, self._of_step.get(step, []), self._given.get(step, 0)
        if begun is not None:
            given = max(given, events.index(begun) + 1)
        for told in tolds:
            for place, event in enumerate(events[given:], start=given):
                if event.type == told.type:
                    heard, given = event, place + 1
                    break
        self._given[step] = given
        return heard

    def branches(self, step: int) -> tuple[BranchState, ...]:
        """How the branches of a step stand."""
        return tuple(self._branches.get(step, ()))


def step_of(path: str) -> int:
    """The step that started a branch, by its path."""
    return int(path.rpartition("/")[2][:4])


def _find_start_event_type(graph: ResearchGraph, node: Node) -> str:
    """The type of the event that tells that the call of `node` was made; empty if none does."""
    match node:
        case AgentNode():
            return get_agent(graph, node.agent).starts
        case ToolNode():
            return TOOLS[node.tool].starts
        case ParallelNode():
            return "searching"
        case _:
            return ""
