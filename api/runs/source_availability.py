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
from dataclasses import dataclass, replace
from typing import Final

from elcano.api.http.errors import (
    FieldFault,
    RequestInvalid,
    SourceClosed,
    SourceNotFound,
    TemporalRefused,
    TemporalUnavailable,
)
from elcano.api.temporal.client import Temporal
from elcano.graphs.catalogue.sources import SOURCES, SourceSpec, list_configured_sources
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.extras import EXTRAS
from elcano.graphs.modes import can_choose_mode
from elcano.graphs.report.tables import dialect_of
from elcano.graphs.spec.graph import Node, ResearchGraph, ToolNode
from elcano.settings.settings import Settings

HEARD_SECONDS: Final = 1.0
"""A worker that has just begun polls one queue after the other: one that is not polled is looked at again so long."""
_ASK_AGAIN_SECONDS: Final = 0.1


@dataclass(frozen=True)
class SourceSurvey:
    """What a server and its workers have at one moment. It is asked for once a request."""

    specs: Mapping[str, SourceSpec]
    """Every source by name, those that are switched off too."""
    lacks: Mapping[str, str]
    """Of each what has to be done before it can be searched; empty if nothing has to."""
    lacking: frozenset[str]
    """The extras that a worker lacks which may be given a run now."""

    @property
    def searchable(self) -> tuple[str, ...]:
        """The sources that can be searched."""
        return tuple(name for name, lack in self.lacks.items() if not lack)


async def survey_sources(temporal: Temporal, settings: Settings) -> SourceSurvey:
    """Finds out what can be searched, and what workers lack.

    Of a server that does not answer nothing is known, and nothing is held against a source.
    """
    specs = list_all_sources(settings)
    lacks = await _find_missing_setup(specs, temporal, settings)
    lacking = await find_lacking_extras(temporal)
    if "databases" in lacking:
        opened = (name for name, address in settings.databases.items() if dialect_of(address) == "duckdb")
        lacks |= dict.fromkeys(opened, f"no worker opens it, {EXTRAS['databases'].hint}")
    return SourceSurvey(specs, lacks, lacking)


async def survey_named_sources(names: Sequence[str], temporal: Temporal, settings: Settings) -> SourceSurvey:
    """The same, and whether a worker serves these sources."""
    return await add_unserved_sources(await survey_sources(temporal, settings), names, temporal)


async def add_unserved_sources(survey: SourceSurvey, names: Iterable[str], temporal: Temporal) -> SourceSurvey:
    """The survey with those of these sources that no worker serves although workers run, and what has to be done.

    Where no worker runs at all, a run waits for one whatever it searches. Of a server that does not answer nothing is
    known.
    """
    ready = (name for name in names if survey.lacks.get(name) == "")
    queues = {name: survey.specs[name].queue for name in ready if survey.specs[name].queue}
    until = time.monotonic() + HEARD_SECONDS
    try:
        if not queues or not await temporal.worker_polls():
            return survey
        while True:
            polled = await asyncio.gather(*(temporal.queue_is_polled(queue) for queue in queues.values()))
            queues = {name: queue for (name, queue), there in zip(queues.items(), polled, strict=True) if not there}
            if not queues or time.monotonic() > until:
                break
            await asyncio.sleep(_ASK_AGAIN_SECONDS)
    except (TemporalUnavailable, TemporalRefused):
        return survey
    why = {name: f"no worker polls the task queue {queue!r}: start one that does" for name, queue in queues.items()}
    return replace(survey, lacks={**survey.lacks, **why})


async def find_lacking_extras(temporal: Temporal) -> frozenset[str]:
    """The extras that a worker lacks which may be given a run now.

    A worker that was stopped counts for another minute. Of a server that does not answer nothing is known, and nothing
    is held against a run: it waits for a worker whatever it needs.
    """
    try:
        return await temporal.lacking_extras()
    except (TemporalUnavailable, TemporalRefused):
        return frozenset()


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
    why = switched_off(spec, settings) or (await survey_sources(temporal, settings)).lacks[spec.name]
    if why := why or await explain_unserved_source(spec, temporal):
        raise SourceClosed(f"the source {spec.name!r} cannot be searched: {why}")


async def explain_unserved_source(spec: SourceSpec, temporal: Temporal) -> str:
    """Explain why no worker would search it now: its queue has no poller or is unknown; empty for the shared queue."""
    if not spec.queue:
        return ""
    try:
        polled = await temporal.queue_is_polled(spec.queue)
    except (TemporalUnavailable, TemporalRefused) as error:
        return str(error)
    return "" if polled else f"no worker polls the task queue {spec.queue!r}: start one"


def find_source_faults(field: str, names: Iterable[str], survey: SourceSurvey) -> list[FieldFault]:
    """What is wrong with the sources that a request names: unknown here, or not searchable now."""
    faults = []
    for name in names:
        faults += [FieldFault(field=field, message=text) for text in explain_unknown_name("source", name, survey.lacks)]
        if lack := survey.lacks.get(name):
            faults.append(FieldFault(field=field, message=f"{name!r} cannot be searched: {lack}"))
    return faults


async def require_searchable(field: str, names: Sequence[str], temporal: Temporal, settings: Settings) -> None:
    """Refuses sources that a run cannot be given here.

    Raises:
        RequestInvalid: with what is wrong with each.
    """
    if names and (faults := find_source_faults(field, names, await survey_named_sources(names, temporal, settings))):
        raise RequestInvalid(faults)


async def _find_missing_setup(
    specs: Mapping[str, SourceSpec], temporal: Temporal, settings: Settings
) -> dict[str, str]:
    """Of each source what has to be set; where workers have an environment of their own, one may have it there."""
    variables = {name for spec in specs.values() for name in (spec.setting, spec.key, *spec.any_of) if name}
    is_set = {name: settings.has(name) for name in variables}
    here = {name: spec.missing(is_set.__getitem__) for name, spec in specs.items()}
    off = {name for name, spec in specs.items() if spec.setting and not is_set[spec.setting]}
    asked = {name for name, lack in here.items() if lack and name not in off and not settings.shared_environment}
    served = dict(zip(asked, await asyncio.gather(*(_is_served(specs[name], temporal) for name in asked)), strict=True))
    return {name: _explain_setup(lack, name in off, served.get(name)) for name, lack in here.items()}


async def _is_served(spec: SourceSpec, temporal: Temporal) -> bool:
    """Whether a worker searches a source, as far as is known."""
    try:
        return await temporal.queue_is_polled(spec.queue)
    except (TemporalUnavailable, TemporalRefused):
        return True


def _explain_setup(lack: str, off: bool, served: bool | None) -> str:
    """What to do about a lack; `served`: whether a worker searches the source, None where nobody was asked."""
    if off:
        return f"it is switched off: {lack}"
    if not lack or served:
        return ""
    where = "the server runs and start it again" if served is None else "a worker runs, and start that again"
    return f"{lack} where {where}"


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


def choose_sources(
    wanted: Sequence[str] | None, graph: ResearchGraph | None, survey: SourceSurvey, settings: Settings
) -> tuple[str, ...]:
    """The names of what a run searches.

    Args:
        wanted: what its request names; None: nothing.
        graph: that it follows; None: one that is not known.
        survey: what can be searched.
        settings: of the server.
    """
    if asks_databases(graph):
        names = dict.fromkeys(wanted or ())
        if not names.keys() & settings.databases.keys():
            names |= dict.fromkeys(name for name in settings.databases if not survey.lacks.get(name))
        return tuple(names)
    if wanted is not None:
        return tuple(dict.fromkeys(wanted))
    found = _list_default_sources(survey, settings)
    return _prefer_databases(settings, found) if graph is not None and can_choose_mode(graph) else found


def _list_default_sources(survey: SourceSurvey, settings: Settings) -> tuple[str, ...]:
    """Return the sources to search if a request names none: those of the settings, as far as they can be searched.

    Else what asks nobody elsewhere, unless it was set up for that; the package readmes where there is nothing else.
    """
    there = survey.searchable
    if settings.default_sources:
        return tuple(name for name in settings.default_sources if name in there)
    own = tuple(name for name in there if survey.specs[name].by_default)
    return tuple(name for name in own if name != "packages") or own


def _prefer_databases(settings: Settings, others: tuple[str, ...]) -> tuple[str, ...]:
    """All databases, if the operator named some and no other source; else the `others`.

    Then the others are what every server has, such as the readmes of packages.
    """
    alone = settings.databases and not settings.default_sources and not settings.collections
    return tuple(settings.databases) if alone and set(others) <= {"packages"} else others


def find_choice_faults(
    wanted: Sequence[str] | None, graph: ResearchGraph | None, survey: SourceSurvey, settings: Settings
) -> list[FieldFault]:
    """Why a run of `graph` has nothing to search, or what is wrong with what its request names."""
    faults = find_source_faults("sources", wanted or (), survey)
    if asks_databases(graph):
        assert graph is not None
        why = "; ".join(f"{name!r}: {survey.lacks[name]}" for name in settings.databases)
        if not settings.databases:
            text = (
                f"{graph.name!r} puts questions to databases, and this server has none: name one in ELCANO_DATABASES "
                "where the server and its workers run"
            )
            faults.append(FieldFault(field="sources", message=text))
        elif all(survey.lacks[name] for name in settings.databases):
            faults.append(FieldFault(field="sources", message=f"no database can be asked: {why}"))
    elif not survey.searchable:
        faults.append(FieldFault(field="sources", message="this server has no source; set ELCANO_COLLECTIONS"))
    elif wanted is None and not choose_sources(wanted, graph, survey, settings):
        meant = (f"{name!r}: {survey.lacks[name]}" for name in settings.default_sources if survey.lacks.get(name))
        why = "; ".join(meant) or "none is without its name"
        named = ", ".join(survey.searchable)
        faults.append(FieldFault(field="sources", message=f"name what shall be searched, of: {named}; {why}"))
    return faults
