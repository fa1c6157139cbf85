"""Determines what a run searches: the sources in its request or the server's defaults, and which are databases.

A graph that puts questions to databases takes those that are named, or else all that the operator named. Its other
sources are the documents beside, of which none is searched that nobody named. A run that chooses its mode takes all of
them where the operator named nothing else that is searched.
"""

from collections.abc import Mapping

from elcano.api.http.errors import FieldFault, RequestInvalid
from elcano.api.http.requests import RunRequest
from elcano.api.runs.database_graphs import asks_databases
from elcano.api.runs.source_availability import list_default_sources
from elcano.graphs.modes import can_choose_mode, mode_named
from elcano.graphs.spec.graph import ResearchGraph
from elcano.settings import Settings

NO_DATABASE = (
    "{mode!r} puts questions to databases, and this server has none: name one in ELCANO_DATABASES where the server and "
    "its workers run"
)


def choose_sources(
    request: RunRequest, lacks: Mapping[str, str], settings: Settings, graph: ResearchGraph | None = None
) -> tuple[str, ...]:
    """The names of what a run searches.

    Args:
        request: what is asked.
        lacks: of every source what it needs before it can be searched.
        settings: of the server.
        graph: the one that the request names or holds; None: the built-in one of its mode, if there is such a one.
    """
    if graph is None and request.graph is None:
        graph = mode_named(request.mode)
    if not asks_databases(graph):
        if request.sources is not None:
            return tuple(dict.fromkeys(request.sources))
        found = list_default_sources(lacks, settings)
        return _prefer_databases(settings, found) if graph is not None and can_choose_mode(graph) else found
    names = dict.fromkeys(request.sources or ())
    if not names.keys() & settings.databases.keys():
        names |= dict.fromkeys(name for name in settings.databases if not lacks.get(name))
    return tuple(names)


def _prefer_databases(settings: Settings, others: tuple[str, ...]) -> tuple[str, ...]:
    """All databases, if the operator named some and no other source; else the `others`.

    Then the others are what every server has, such as the readmes of packages.
    """
    alone = settings.databases and not settings.default_sources and not settings.collections
    return tuple(settings.databases) if alone and set(others) <= {"packages"} else others


def require_databases(graph: ResearchGraph, settings: Settings, lacks: Mapping[str, str]) -> None:
    """Refuses a graph that puts questions to databases where there are none, or none that workers can open.

    Raises:
        RequestInvalid: with what to do.
    """
    if not asks_databases(graph):
        return
    if not settings.databases:
        raise RequestInvalid([FieldFault(field="sources", message=NO_DATABASE.format(mode=graph.name))])
    if all(lacks.get(name) for name in settings.databases):
        why = "; ".join(f"{name!r}: {lacks[name]}" for name in settings.databases)
        raise RequestInvalid([FieldFault(field="sources", message=f"no database can be asked: {why}")])
