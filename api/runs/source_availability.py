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
    TemporalRefused,
    TemporalUnavailable,
)
from elcano.api.runs.runnable_graphs import GraphTraits
from elcano.api.source_catalogue import SourceCatalogue
from elcano.api.temporal.client import Temporal
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.extras import EXTRAS
from elcano.settings.settings import Settings

HEARD_SECONDS: Final = 1.0
"""How long an unpolled queue is checked again: a worker that has just started polls one queue after the other."""
_SERVED: Final = ("sqlite://", "postgresql://")
"""How the addresses of databases begin that need no extra."""
_ASK_AGAIN_SECONDS: Final = 0.1


@dataclass(frozen=True)
class SourceSurvey:
    """The sources of a server and its workers at one moment. It is taken once per request."""

    sources: SourceCatalogue
    """The configured sources."""
    lacks: Mapping[str, str]
    """What each needs before it can be searched; empty if nothing."""
    lacking: frozenset[str]
    """The extras that a worker lacks which may be given a run now; one that was stopped counts for another minute."""
    unreachable: TemporalUnavailable | None = None
    """Why workers could not be asked."""
    unserved: frozenset[str] = frozenset()
    """Sources that lack only a worker, as far as that was checked."""

    @property
    def searchable(self) -> tuple[str, ...]:
        """The sources that can be searched."""
        return tuple(name for name, lack in self.lacks.items() if not lack)


async def survey_sources(
    sources: SourceCatalogue, temporal: Temporal, settings: Settings, named: Sequence[str] = ()
) -> SourceSurvey:
    """Finds out what can be searched, what workers lack, and whether one serves the sources that are `named`.

    A source that lacks a setting here may have it where workers run, if they have an environment of their own. Of a
    server that does not answer nothing is known, and nothing is held against a source.
    """
    asked = [name for name in sources.missing if name not in sources.off and not settings.shared_environment]
    served = dict(
        zip(asked, await asyncio.gather(*(_is_served(sources, name, temporal) for name in asked)), strict=True)
    )
    lacks = dict.fromkeys(sources.specs, "")
    for name, lack in sources.missing.items():
        if name in sources.off:
            lacks[name] = f"it is switched off: {lack}"
        elif name not in served:
            lacks[name] = f"{lack} where the server runs and start it again"
        elif not served[name]:
            lacks[name] = f"{lack} where a worker runs, and start that again"
    lacking, unreachable = await find_lacking_extras(temporal)
    if "databases" in lacking:
        opened = (name for name, address in settings.databases.items() if not address.startswith(_SERVED))
        lacks |= dict.fromkeys(opened, f"no worker opens it, {EXTRAS['databases'].hint}")
    survey = SourceSurvey(sources, lacks, lacking, unreachable)
    return await add_unserved_sources(survey, named, temporal) if named else survey


async def find_lacking_extras(temporal: Temporal) -> tuple[frozenset[str], TemporalUnavailable | None]:
    """The extras that a worker lacks which may be given a run now, none if nobody knows; and why Temporal is silent."""
    try:
        return await temporal.lacking_extras(), None
    except TemporalUnavailable as error:
        return frozenset(), error
    except TemporalRefused:
        return frozenset(), None


async def add_unserved_sources(survey: SourceSurvey, names: Iterable[str], temporal: Temporal) -> SourceSurvey:
    """The survey with those of these sources that no worker serves although workers run, and what has to be done.

    Where no worker runs at all, a run waits for one whatever it searches. Of a server that does not answer nothing is
    known.
    """
    own = survey.sources.queues
    queues = {name: own[name] for name in names if survey.lacks.get(name) == "" and name in own}
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
    return replace(survey, lacks={**survey.lacks, **why}, unserved=frozenset(why))


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
    """List the faults of the sources that a request names: unknown here, or not searchable now."""
    faults = []
    for name in names:
        faults += [FieldFault(field=field, message=text) for text in explain_unknown_name("source", name, survey.lacks)]
        if lack := survey.lacks.get(name):
            faults.append(FieldFault(field=field, message=f"{name!r} cannot be searched: {lack}"))
    return faults


async def _is_served(sources: SourceCatalogue, name: str, temporal: Temporal) -> bool:
    """Whether a worker searches a source, as far as is known."""
    try:
        return await temporal.queue_is_polled(sources.queues[name])
    except (TemporalUnavailable, TemporalRefused):
        return True


def choose_sources(
    wanted: Sequence[str] | None, graph: GraphTraits | None, survey: SourceSurvey, settings: Settings
) -> tuple[str, ...]:
    """The names of what a run searches.

    Args:
        wanted: what its request names; None: nothing.
        graph: that it follows; None: one that is not known.
        survey: what can be searched.
        settings: of the server.
    """
    if graph is not None and graph.asks_databases:
        names = dict.fromkeys(wanted or ())
        if not names.keys() & settings.databases.keys():
            names |= dict.fromkeys(name for name in settings.databases if not survey.lacks.get(name))
        return tuple(names)
    if wanted is not None:
        return tuple(dict.fromkeys(wanted))
    found = _list_default_sources(survey, settings)
    return _prefer_databases(settings, found) if graph is not None and graph.chooses_mode else found


def _list_default_sources(survey: SourceSurvey, settings: Settings) -> tuple[str, ...]:
    """Return the sources to search if a request names none: those of the settings, as far as they can be searched.

    Else what asks nobody elsewhere, unless it was set up for that; the package readmes where there is nothing else.
    """
    there = survey.searchable
    if settings.default_sources:
        return tuple(name for name in settings.default_sources if name in there)
    own = tuple(name for name in there if survey.sources.specs[name].by_default)
    return tuple(name for name in own if name != "packages") or own


def _prefer_databases(settings: Settings, others: tuple[str, ...]) -> tuple[str, ...]:
    """All databases, if the operator named some and no other source; else the `others`.

    Then the others are what every server has, such as the readmes of packages.
    """
    alone = settings.databases and not settings.default_sources and not settings.collections
    return tuple(settings.databases) if alone and set(others) <= {"packages"} else others


def find_choice_faults(
    wanted: Sequence[str] | None,
    chosen: Sequence[str],
    graph: GraphTraits | None,
    survey: SourceSurvey,
    settings: Settings,
) -> list[FieldFault]:
    """List the faults of the sources that a request names, or why there are none to choose from."""
    faults = find_source_faults("sources", wanted or (), survey)
    message = ""
    if graph is not None and graph.asks_databases:
        if not settings.databases:
            message = (
                f"{graph.name!r} puts questions to databases, and this server has none: name one in ELCANO_DATABASES "
                "where the server and its workers run"
            )
        elif not faults and all(survey.lacks[name] for name in settings.databases):
            why = "; ".join(f"{name!r}: {survey.lacks[name]}" for name in settings.databases)
            message = f"no database can be asked: {why}"
    elif not survey.searchable:
        message = "this server has no source; set ELCANO_COLLECTIONS"
    elif not chosen:
        meant = (f"{name!r}: {survey.lacks[name]}" for name in settings.default_sources if survey.lacks.get(name))
        why = "; ".join(meant) or "none is without its name"
        message = f"name what shall be searched, of: {', '.join(survey.searchable)}; {why}"
    return [*faults, FieldFault(field="sources", message=message)] if message else faults
