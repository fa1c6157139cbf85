"""The description of a mode, beyond its graph: what it is good for."""

from dataclasses import dataclass

from elcano.graphs.spec.graph import ResearchGraph


@dataclass(frozen=True)
class Mode:
    """A built-in graph, and when to choose it."""

    graph: ResearchGraph
    purpose: str = ""
    """For which questions it is, in one or two sentences; empty: its graph's description has to do."""
    aliases: tuple[str, ...] = ()
    """Other names of it."""

    @property
    def name(self) -> str:
        """The name by which it is asked for."""
        return self.graph.name
