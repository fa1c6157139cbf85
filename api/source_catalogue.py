"""The sources of a server as it is set up: which there are, and what each lacks. It does not change while it runs."""

from collections.abc import Mapping
from dataclasses import dataclass

from elcano.api.http.errors import SourceNotFound
from elcano.graphs.catalogue.sources import SOURCES, SourceSpec, list_configured_sources
from elcano.settings.settings import Settings


def list_enabled_sources(settings: Settings) -> dict[str, SourceSpec]:
    """Every source that there is here, by name, whether or not it can be searched."""
    return list_configured_sources(settings.collections, settings.has, settings.databases)


def list_all_sources(settings: Settings) -> dict[str, SourceSpec]:
    """Return every source, including those that are switched off."""
    return {**list_enabled_sources(settings), **SOURCES}


@dataclass(frozen=True)
class SourceCatalogue:
    """Every source by name, those that are switched off too."""

    specs: Mapping[str, SourceSpec]
    missing: Mapping[str, str]
    """What has to be set, for sources that lack something."""
    off: frozenset[str]
    """Sources that are switched off."""
    queues: Mapping[str, str]
    """The task queues of those that have one of their own."""

    @classmethod
    def of(cls, settings: Settings) -> "SourceCatalogue":
        """Return the sources that the settings know.

        Raises:
            InputInvalid: the name of a collection or of a database cannot be used.
        """
        specs = list_all_sources(settings)
        missing = {name: spec.missing(settings.has) for name, spec in specs.items()}
        return cls(
            specs=specs,
            missing={name: lack for name, lack in missing.items() if lack},
            off=frozenset(name for name, spec in specs.items() if spec.setting and not settings.has(spec.setting)),
            queues={name: spec.queue for name, spec in specs.items() if spec.queue},
        )

    def get(self, name: str) -> SourceSpec:
        """The source of this name.

        Raises:
            SourceNotFound: there is none.
        """
        if (spec := self.specs.get(name)) is None:
            raise SourceNotFound(f"there is no source {name!r}; there are: {', '.join(self.specs) or 'none'}")
        return spec
