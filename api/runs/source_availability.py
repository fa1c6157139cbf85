"""Which sources a run searches, which it may search, and what the others lack, before the run starts.

A source with a key is searched by the workers that have it. Where all are started in the API's own environment
(`shared_environment`), what is not set here is not set there; elsewhere the server is asked whether a worker polls.

A graph that puts questions to databases takes those that are named, or else all that the operator named. Its other
sources are the documents beside, of which none is searched that nobody named. A run that chooses its mode takes all of
them where the operator named nothing else that is searched.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from elcano.api.http.errors import (
    FieldFault,
    RequestInvalid,
    SourceClosed,
    SourceNotFound,
    TemporalRefused,
    TemporalUnavailable,
)
from elcano.api.runs.extras import lacking_extras
from elcano.api.runs.run_request import RunRequest
from elcano.api.temporal.client import Temporal
from elcano.graphs.catalogue.sources import SOURCES, SourceSpec, list_configured_sources
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.extras import EXTRAS
from elcano.graphs.modes import can_choose_mode, mode_named
from elcano.graphs.report.tables import dialect_of
from elcano.graphs.spec.graph import Node, ResearchGraph, ToolNode
from elcano.settings.settings import Settings

HEARD_SECONDS: Final = 1.0
"""A worker that has just begun polls one queue after the other: one that is not polled is looked at again so long."""
_ASK_AGAIN_SECONDS: Final = 0.1


def list_enabled_sources(settings: Settings) -> dict[str, SourceSpec]:
    """Every source that there is here, by name, whether or not it can be searched."""
    return list_configured_sources(settings.collections, settings.has, settings.databases)


def list_all_sources(settings: Settings) -> dict[str, SourceSpec]:
    """Return every source, including those that are switched off."""
    return {**list_enabled_sources(settings), **SOURCES}


def switched_off(spec: SourceSpec, settings: Settings) -> str:
    """What turns a source on; empty if it is."""
    return spec.missing(settings.has) if spec.setting and not settings.has(spec.setting) else ""


def found_in(specs: Mapping[str, SourceSpec], name: str) -> SourceSpec:
    """The source of this name.

    Raises:
        SourceNotFound: there is none.
    """
    if (spec := specs.get(name)) is None:
        raise SourceNotFound(f"there is no source {name!r}; there are: {', '.join(specs) or 'none'}")
    return spec


async def require_open(spec: SourceSpec, temporal: Temporal, settings: Settings) -> None:
    """Sees that a source can be searched, whether or not its provider answers.

    Raises:
        SourceClosed: it cannot; the text says what to do.
    """
    why = switched_off(spec, settings) or (await find_missing_setup(temporal, settings))[spec.name]
    if why := why or await explain_unserved_source(spec, temporal):
        raise SourceClosed(f"the source {spec.name!r} cannot be searched: {why}")


async def find_missing_setup(temporal: Temporal, settings: Settings) -> dict[str, str]:
    """Return, for every source, what has to be done before it can be searched; empty if nothing.

    Those that are switched off are among them. Of a server that does not answer nothing is known, and nothing is held
    against a source.
    """
    specs = list_all_sources(settings)
    said = await asyncio.gather(*(_explain_missing_setup(spec, temporal, settings) for spec in specs.values()))
    return dict(zip(specs, said, strict=True)) | await _lacking_databases(temporal, settings)


async def explain_unserved_source(spec: SourceSpec, temporal: Temporal) -> str:
    """Explain why no worker would search it now: its queue has no poller or is unknown; empty for the shared queue."""
    if not spec.queue:
        return ""
    try:
        polled = await temporal.queue_is_polled(spec.queue)
    except (TemporalUnavailable, TemporalRefused) as error:
        return str(error)
    return "" if polled else f"no worker polls the task queue {spec.queue!r}: start one"


async def find_unreached_sources(names: Iterable[str], temporal: Temporal, settings: Settings) -> dict[str, str]:
    """Return those of these sources that no worker serves although workers run, each with what has to be done.

    Where no worker runs at all, a run waits for one whatever it searches. Of a server that does not answer nothing is
    known.
    """
    specs = list_enabled_sources(settings)
    queues = {name: specs[name].queue for name in names if name in specs and specs[name].queue}
    until = time.monotonic() + HEARD_SECONDS
    try:
        if not queues or not await temporal.worker_polls():
            return {}
        while True:
            polled = await asyncio.gather(*(temporal.queue_is_polled(queue) for queue in queues.values()))
            queues = {name: queue for (name, queue), there in zip(queues.items(), polled, strict=True) if not there}
            if not queues or time.monotonic() > until:
                break
            await asyncio.sleep(_ASK_AGAIN_SECONDS)
    except (TemporalUnavailable, TemporalRefused):
        return {}
    return {name: f"no worker polls the task queue {queue!r}: start one that does" for name, queue in queues.items()}


def list_searchable_sources(lacks: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the sources that can be searched."""
    return tuple(name for name, lack in lacks.items() if not lack)


def list_default_sources(lacks: Mapping[str, str], settings: Settings) -> tuple[str, ...]:
    """Return the sources to search if a request names none: those of the settings, as far as they can be searched.

    Else what asks nobody elsewhere, unless it was set up for that; the package readmes where there is nothing else.
    """
    there = list_searchable_sources(lacks)
    if settings.default_sources:
        return tuple(name for name in settings.default_sources if name in there)
    specs = list_all_sources(settings)
    own = tuple(name for name in there if specs[name].by_default)
    return tuple(name for name in own if name != "packages") or own


def source_faults(field: str, names: Iterable[str], lacks: Mapping[str, str]) -> Iterable[FieldFault]:
    """Yield what is wrong with the sources that a request names: unknown here, or not searchable now."""
    for name in names:
        yield from (FieldFault(field=field, message=text) for text in explain_unknown_name("source", name, lacks))
        if lack := lacks.get(name):
            yield FieldFault(field=field, message=f"{name!r} cannot be searched: {lack}")


async def require_searchable(field: str, names: Sequence[str], temporal: Temporal, settings: Settings) -> None:
    """Refuses sources that a run cannot be given here.

    Raises:
        RequestInvalid: with what is wrong with each.
    """
    if names and (faults := await find_source_faults(field, names, temporal, settings)):
        raise RequestInvalid(faults)


async def find_source_faults(
    field: str, names: Sequence[str], temporal: Temporal, settings: Settings
) -> list[FieldFault]:
    """Return what is wrong with these sources: unknown, not set up, or served by no worker."""
    lacks = await find_missing_setup(temporal, settings)
    ready = [name for name in names if not lacks.get(name, "")]
    return list(source_faults(field, names, lacks | await find_unreached_sources(ready, temporal, settings)))


async def _lacking_databases(temporal: Temporal, settings: Settings) -> dict[str, str]:
    """Return, for each database that DuckDB opens, what workers lack to open it; empty if nothing."""
    names = [name for name, address in settings.databases.items() if dialect_of(address) == "duckdb"]
    if not names or "databases" not in await lacking_extras(temporal):
        return {}
    return dict.fromkeys(names, f"no worker opens it, {EXTRAS['databases'].hint}")


async def _explain_missing_setup(spec: SourceSpec, temporal: Temporal, settings: Settings) -> str:
    if off := switched_off(spec, settings):
        return f"it is switched off: {off}"
    here = spec.missing(settings.has)
    if not here:
        return ""
    if settings.shared_environment:
        return f"{here} where the server runs and start it again"
    try:
        polled = await temporal.queue_is_polled(spec.queue)
    except (TemporalUnavailable, TemporalRefused):
        return ""
    return "" if polled else f"{here} where a worker runs, and start that again"


def may_ask_databases(graph: ResearchGraph | None) -> bool:
    """Whether a graph reads which databases its run has, on one of its ways at least."""
    return graph is not None and any(_asks(node) for each in graph.all_graphs() for node in each.nodes)


def asks_databases(graph: ResearchGraph | None) -> bool:
    """Whether a graph does so on each of its ways, so that it can do nothing without a database."""
    if graph is None or not may_ask_databases(graph):
        return False
    reached, waiting = set[str](), [graph.entry_node]
    while waiting:
        node = graph.by_id.get(waiting.pop())
        if node is None or node.id in reached or _asks(node) or _branches_ask(graph, node):
            continue
        if node.id in graph.exit_nodes:
            return False
        reached.add(node.id)
        waiting += [edge.to_node for edge in graph.routes_from(node.id)]
    return True


def _asks(node: Node) -> bool:
    return isinstance(node, ToolNode) and node.tool == "schema_context" and "databases" in (node.for_each or "")


def _branches_ask(graph: ResearchGraph, node: Node) -> bool:
    return any(asks_databases(graph.branches.get(edge.branch)) for edge in graph.branches_from(node.id))


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
