"""What a run searches: the sources that its request names, or those of a server; and which of them are databases.

A graph that puts questions to databases takes those that are named, or else all that the operator named. Its other
sources are the documents beside, of which none is searched that nobody named.
"""

from collections.abc import Mapping

from elcano.api.http.errors import FieldFault, RequestInvalid
from elcano.api.http.requests import RunRequest
from elcano.api.runs.sources import unnamed
from elcano.graphs.modes import mode_named
from elcano.graphs.spec.graph import ResearchGraph, ToolNode
from elcano.settings import Settings

NO_DATABASE = (
    "{mode!r} puts questions to databases, and this server has none: name one in ELCANO_DATABASES where the server and "
    "its workers run"
)


def asks_databases(graph: ResearchGraph | None) -> bool:
    """Whether a graph reads which databases its run has."""
    nodes = (node for each in (graph.all_graphs() if graph else ()) for node in each.nodes)
    return any(
        isinstance(node, ToolNode) and node.tool == "schema_context" and "databases" in (node.for_each or "")
        for node in nodes
    )


def searched(
    request: RunRequest, lacks: Mapping[str, str], settings: Settings, graph: ResearchGraph | None = None
) -> tuple[str, ...]:
    """The names of what a run searches.

    Args:
        request: what is asked.
        lacks: of every source what it needs before it can be searched.
        settings: of the server.
        graph: the one that the request names or holds; None: the built-in one of its mode, if there is such a one.
    """
    if not asks_databases(graph or mode_named(request.mode)):
        return unnamed(lacks, settings) if request.sources is None else tuple(dict.fromkeys(request.sources))
    names = dict.fromkeys(request.sources or ())
    if not names.keys() & settings.databases.keys():
        names |= dict.fromkeys(settings.databases)
    return tuple(names)


def require_databases(graph: ResearchGraph, settings: Settings) -> None:
    """Refuses a graph that puts questions to databases where there are none.

    Raises:
        RequestInvalid: with what to do.
    """
    if asks_databases(graph) and not settings.databases:
        raise RequestInvalid([FieldFault(field="sources", message=NO_DATABASE.format(mode=graph.name))])
