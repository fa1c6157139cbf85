"""What a mode is: a graph, and when to choose it."""

from dataclasses import dataclass

from elcano.graphs.spec.graph import ResearchGraph


@dataclass(frozen=True)
class Mode:
    """A graph that a run can be started with by its name."""

    graph: ResearchGraph
    purpose: str = ""
    """For which questions it is, in one or two sentences; empty: its graph's description has to do."""
    aliases: tuple[str, ...] = ()
    """Other names of it."""
    when: str = ""
    """When `auto` chooses it, as the agent is told that chooses; empty: `auto` never does."""
    kinds: tuple[str, ...] = ()
    """It needs a source of one of these kinds (`SourceSpec.kind`); none: any will do."""
    instead: str = ""
    """Of a mode for one kind of question: the mode that `auto` takes where this one cannot be chosen. Empty: it is for
    any question, so it may be taken in place of others."""
    prefix: str | None = None
    """What its nodes' names begin with in the graph of `auto`; None: its name and `_`."""

    @property
    def name(self) -> str:
        """The name by which it is asked for."""
        return self.graph.name
