"""The sources of a server: which there are, what each lacks, what workers serve of them, and which a run searches.

A request may name sources. What it names is searched, and nothing else, but for the databases that a graph asks: of
these it searches those that are named, or else all that the operator named. A run that chooses its mode takes all of
them where the operator named nothing else that is searched.

A tenant is offered a part of this, and of the modes.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, runtime_checkable

from elcano.graphs.catalogue.sources import SOURCES, SourceSpec, list_configured_sources
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.extras import EXTRAS
from elcano.graphs.graph_traits import GraphTraits
from elcano.graphs.mode_choice import MODES
from elcano.graphs.tenants import Allowance
from elcano.service.errors import FieldFault, SourceNotFound
from elcano.service.temporal.workers import Workers, WorkerSurvey
from elcano.settings.settings import Settings
from elcano.storage.store import TenantStore

_SERVED: Final = ("sqlite://", "postgresql://")
"""URL prefixes of databases that need no extra."""


def list_enabled_sources(settings: Settings) -> dict[str, SourceSpec]:
    """Every source that there is here, by name, whether or not it can be searched."""
    return list_configured_sources(settings.collections, settings.has, settings.databases)


def list_all_sources(settings: Settings) -> dict[str, SourceSpec]:
    """Return every source, including those that are switched off."""
    return {**list_enabled_sources(settings), **SOURCES}


@dataclass(frozen=True)
class SourceCatalogue:
    """The sources of a server as it is set up, those that are switched off too. It does not change while it runs."""

    specs: Mapping[str, SourceSpec]
    missing: Mapping[str, str]
    """Missing settings, by source."""
    off: frozenset[str]
    """Sources that are switched off."""
    by_default: tuple[str, ...]
    """Sources that may be searched though a request does not name them."""
    queues: Mapping[str, str]
    """The task queues of those that lack nothing and have one of their own."""
    elsewhere: Mapping[str, str]
    """The same for those that lack a setting here which workers may have: they have an environment of their own."""

    @classmethod
    def of(cls, settings: Settings) -> "SourceCatalogue":
        """Return the sources that the settings know.

        Raises:
            InputInvalid: the name of a collection or of a database cannot be used.
        """
        specs = list_all_sources(settings)
        missing = {name: lack for name, spec in specs.items() if (lack := spec.missing(settings.has))}
        off = frozenset(name for name, spec in specs.items() if spec.setting and not settings.has(spec.setting))
        elsewhere = frozenset() if settings.shared_environment else missing.keys() - off
        return cls(
            specs=specs,
            missing=missing,
            off=off,
            by_default=settings.default_sources or tuple(name for name, spec in specs.items() if spec.by_default),
            queues={name: spec.queue for name, spec in specs.items() if spec.queue and name not in missing},
            elsewhere={name: specs[name].queue for name in elsewhere},
        )

    def narrow(self, names: Collection[str]) -> "SourceCatalogue":
        """The catalogue with these sources alone."""
        return SourceCatalogue(
            specs={name: spec for name, spec in self.specs.items() if name in names},
            missing={name: lack for name, lack in self.missing.items() if name in names},
            off=self.off.intersection(names),
            by_default=tuple(name for name in self.by_default if name in names),
            queues={name: queue for name, queue in self.queues.items() if name in names},
            elsewhere={name: queue for name, queue in self.elsewhere.items() if name in names},
        )

    def get(self, name: str) -> SourceSpec:
        """The source of this name.

        Raises:
            SourceNotFound: there is none.
        """
        if (spec := self.specs.get(name)) is None:
            raise SourceNotFound(f"there is no source {name!r}; there are: {', '.join(self.specs) or 'none'}")
        return spec


@runtime_checkable
class OwnSources(Protocol):
    """The data of a plugin in which a tenant has sources of its own."""

    async def describe_sources(self) -> Mapping[str, Mapping[str, str]]:
        """By the source that they are parts of: what each is called behind the colon, and its description."""
        ...


async def add_own_sources(sources: SourceCatalogue, store: TenantStore) -> SourceCatalogue:
    """The catalogue with the sources that the tenant has itself, as far as it may use what they are parts of."""
    specs = dict(sources.specs)
    for own in store.plugins.values():
        if not isinstance(own, OwnSources):
            continue
        for whole, parts in (await own.describe_sources()).items():
            if (spec := sources.specs.get(whole)) is not None:
                named = ((f"{whole}:{name}", text) for name, text in parts.items())
                specs |= {name: spec.model_copy(update={"name": name, "description": text}) for name, text in named}
    return replace(sources, specs=specs)


@dataclass(frozen=True)
class SourceSurvey:
    """The sources of a server and its workers at one moment. It is taken once per request."""

    specs: Mapping[str, SourceSpec]
    """The sources that there are."""
    lacks: Mapping[str, str]
    """Missing requirement of each source; empty if it can be searched."""
    workers: WorkerSurvey = field(default_factory=WorkerSurvey)
    """Extras that workers lack, and queues that give their calls to no worker."""
    unserved: frozenset[str] = frozenset()
    """Sources that lack only a worker, as far as that was checked."""

    @property
    def searchable(self) -> tuple[str, ...]:
        """The sources that can be searched."""
        return tuple(name for name, lack in self.lacks.items() if not lack)


async def survey_sources(
    sources: SourceCatalogue, workers: Workers, settings: Settings, named: Sequence[str] = ()
) -> SourceSurvey:
    """Finds out what can be searched, and whether workers serve the sources that are `named`."""
    queues = [sources.queues[name] for name in named if name in sources.queues]
    return assess_sources(sources, await workers.survey(queues, sources.elsewhere.values()), settings, named)


def assess_sources(
    sources: SourceCatalogue, seen: WorkerSurvey, settings: Settings, named: Iterable[str]
) -> SourceSurvey:
    """Assess the sources that can be searched, by the settings here and the queues that workers serve.

    A source that lacks a setting here may have it where workers run, if they have an environment of their own. Of a
    server that does not answer nothing is known, and nothing is held against a source.
    """
    lacks = dict.fromkeys(sources.specs, "")
    for name, lack in sources.missing.items():
        if name in sources.off:
            lacks[name] = f"it is switched off: {lack}"
        elif name not in sources.elsewhere:
            lacks[name] = f"{lack} where the server runs and start it again"
        elif sources.elsewhere[name] in seen.unpolled:
            lacks[name] = f"{lack} where a worker runs, and start that again"
    if "databases" in seen.lacking:
        opened = (name for name, address in settings.databases.items() if not address.startswith(_SERVED))
        lacks |= dict.fromkeys(opened, f"no worker opens it, {EXTRAS['databases'].hint}")
    unserved: dict[str, str] = {}
    for name in named:
        if (queue := sources.queues.get(name)) in seen.unpolled and queue is not None and not lacks[name]:
            unserved[name] = seen.unpolled[queue]
    return SourceSurvey(sources.specs, {**lacks, **unserved}, seen, frozenset(unserved))


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

    Else what asks no one elsewhere, unless it was set up for that; the package readmes where there is nothing else.
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


def find_source_faults(field: str, names: Iterable[str], survey: SourceSurvey) -> list[FieldFault]:
    """List the faults of the sources that a request names: unknown here, or not searchable now."""
    faults = []
    for name in names:
        faults += [FieldFault(field=field, message=text) for text in explain_unknown_name("source", name, survey.lacks)]
        if lack := survey.lacks.get(name):
            faults.append(FieldFault(field=field, message=f"{name!r} cannot be searched: {lack}"))
    return faults


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
                f"{graph.graph.name!r} puts questions to databases, and this server has none: "
                "name one in ELCANO_DATABASES where the server and its workers run"
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


def narrow_offer(
    settings: Settings, sources: SourceCatalogue, allowance: Allowance
) -> tuple[Settings, SourceCatalogue]:
    """The settings and the sources of a tenant with this allowance: what it may not use is not there."""
    databases = {name: url for name, url in settings.databases.items() if allowance.allows("databases", name)}
    barred = allowance.find_barred_parts("sources")
    names = {
        name
        for name in sources.specs
        if (name in databases if name in settings.databases else allowance.allows("sources", name))
        and name not in barred
    }
    narrowed = settings.model_copy(
        update={
            "databases": databases,
            "collections": {name: folder for name, folder in settings.collections.items() if name in names},
            "mcp_servers": {
                name: server for name, server in settings.mcp_servers.items() if allowance.allows("tools", name)
            },
            "default_sources": tuple(name for name in settings.default_sources if name in names),
        }
    )
    return narrowed, sources.narrow(names)


def list_barred_modes(allowance: Allowance) -> dict[str, str]:
    """The built-in modes that a tenant may not use, each with the reason."""
    of_plugins = {
        name: allowance.explain_refusal("plugins", plugin)
        for name, plugin in allowance.find_barred_parts("modes").items()
    }
    named = {name: allowance.explain_refusal("modes", name) for name in MODES if not allowance.allows("modes", name)}
    return of_plugins | named
