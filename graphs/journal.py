"""A run in progress: its place, its log of entries and the events it has told, kept in step with one another.

The workflow and the in-memory runner both drive a run through this class, so both tell the same story.
"""

from graphs.budget import Limits
from graphs.commands import Entry, Finish, Immediate, Work
from graphs.engine import Run, advance, next_command, start
from graphs.events import AgentEvent
from graphs.narration import Told, after, before, beginning
from graphs.spec import ResearchGraph, StateNode
from graphs.state import ResearchState


class Journal:
    """Mutable, the one place of a run that is; everything it holds is frozen."""

    def __init__(
        self,
        graph: ResearchGraph,
        state: ResearchState,
        limits: Limits,
        *,
        mode: str,
        started_at: float,
        path: str = "",
        section: str = "",
    ) -> None:
        self.graph = graph
        self._path = path
        self._section = section
        self.run: Run = start(graph, state, limits)
        self.entries: list[Entry] = []
        self.events: list[AgentEvent] = []
        self.started_at = started_at
        """Seconds since the epoch."""
        self.tell(beginning(state.question, mode), started_at)

    @property
    def leaving(self) -> bool:
        """The run is at an exit node or through it."""
        return self.run.finished or self.run.node in self.graph.exit_nodes

    def next(self, now: float) -> Work | Finish:
        """The next command that needs somebody to perform it; all that need nobody are applied on the way."""
        while True:
            command = next_command(self.graph, self.run, now - self.started_at)
            if isinstance(command, Immediate):
                self.record(command.entry)
                continue
            if not isinstance(command, Finish):
                for told in before(command):
                    self.tell(told, now)
            return command

    def settle(self, now: float) -> None:
        """Applies the state nodes that come next: an interruption must not skip the bookkeeping of what was done."""
        while isinstance(self.graph.by_id[self.run.node], StateNode) and not self.run.finished:
            command = next_command(self.graph, self.run, now - self.started_at)
            assert isinstance(command, Immediate)
            self.record(command.entry)

    def record(self, entry: Entry) -> None:
        """Applies one entry and tells of it."""
        earlier, self.run = self.run, advance(self.graph, self.run, entry)
        self.entries.append(entry)
        for told in after(self.graph, earlier, entry, self.run):
            self.tell(told, self.started_at + entry.at, step=earlier.step)

    def tell(self, told: Told, now: float, *, step: int | None = None) -> None:
        """Numbers and dates one event; `step` is the one that comes next unless given."""
        self.events.append(
            AgentEvent(
                seq=len(self.events) + 1,
                type=told.type,
                message=told.message,
                at=now,
                step=self.run.step if step is None else step,
                node=told.node,
                iteration=self.run.budget.iterations,
                path="/".join(filter(None, (self._path, told.path))),
                section=told.section or self._section,
                data=told.data,
            )
        )
