"""Extras that workers lack: what cannot be done without them is refused before a run is accepted."""

from collections.abc import Collection

from elcano.api.http.errors import FieldFault, RequestInvalid, TemporalRefused, TemporalUnavailable
from elcano.api.temporal.client import Temporal
from elcano.graphs.checks.callees import extra_faults
from elcano.graphs.spec.graph import ResearchGraph


async def lacking_extras(temporal: Temporal) -> frozenset[str]:
    """The extras that a worker lacks which may be given a run now.

    A worker that was stopped counts for another minute. Of a server that does not answer nothing is known, and nothing
    is held against a run: it waits for a worker whatever it needs.
    """
    try:
        return await temporal.lacking_extras()
    except (TemporalUnavailable, TemporalRefused):
        return frozenset()


def require_extras(field: str, graph: ResearchGraph, lacking: Collection[str]) -> None:
    """Refuses a graph that cannot be run by workers that lack these extras.

    Raises:
        RequestInvalid: with what to install.
    """
    if faults := extra_faults(repr(graph.name), graph, lacking):
        raise RequestInvalid([FieldFault(field=field, message=fault) for fault in faults])
