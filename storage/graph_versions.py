"""Graphs of a tenant's own, by name and version."""

from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.graphs.errors import TooManyGraphs
from elcano.graphs.frozen import Frozen
from elcano.graphs.spec.graph import ResearchGraph
from elcano.storage.sql.tables import graphs
from elcano.storage.versions import TooManyVersions, Version, Versions

MOST_GRAPHS: Final = 500
"""Of one tenant: a list that a person can read."""
MOST_VERSIONS: Final = 1_000
"""Of one graph. Who makes more of them keeps data in graphs."""


class GraphVersion(Frozen):
    """One version of a graph of a tenant's own."""

    version: int
    """From 1; each is one more than the one before."""
    at: float
    """When it was kept, in seconds since the epoch."""
    graph: ResearchGraph


class GraphStore(Versions):
    """The graphs of one tenant."""

    def __init__(self, engine: AsyncEngine, tenant: str) -> None:
        super().__init__(engine, tenant, graphs)

    async def keep(self, graph: ResearchGraph) -> tuple[GraphVersion, bool]:
        """Keeps a graph under its name; with it comes whether that made a new version.

        Raises:
            TooManyGraphs: the tenant has as many graphs, or the graph as many versions, as may be.
        """
        try:
            kept, new = await self.keep_body(graph.name, graph.model_dump_json(), MOST_GRAPHS, MOST_VERSIONS)
        except TooManyVersions as full:
            if full.names:
                text = f"there are {MOST_GRAPHS} graphs, and no more may be kept: delete one first"
            else:
                text = f"{graph.name!r} has had {MOST_VERSIONS} versions: keep it under another name"
            raise TooManyGraphs(text) from full
        return GraphVersion(version=kept.number, at=kept.at, graph=graph), new

    async def get(self, name: str, version: int | None = None) -> GraphVersion | None:
        """A version of a graph, the latest if none is named; None if there is none."""
        found = await self.find(name, version)
        return None if found is None else _build_graph_version(found)

    async def all(self) -> list[GraphVersion]:
        """The latest version of each graph, by name."""
        return [_build_graph_version(found) for found in await self.newest()]


def _build_graph_version(kept: Version) -> GraphVersion:
    return GraphVersion(version=kept.number, at=kept.at, graph=ResearchGraph.model_validate_json(kept.body))
