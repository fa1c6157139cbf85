"""The sources that this worker offers, by name. A client names a source, never a path.

What there is says the catalogue; each source is opened by the function that its entry names. All of them are closed in
the end, whatever became of the others.
"""

import asyncio
import difflib
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager

from elcano.activities.sources.base import HasParts, Source
from elcano.graphs.catalogue.sources import SOURCES, SourceSpec, list_configured_sources
from elcano.graphs.errors import ElcanoError, InputInvalid, SourceRefused
from elcano.graphs.plugin import import_object
from elcano.settings import Settings, SettingsInvalid

_log = logging.getLogger("sources")


class Sources:
    """The sources that can be searched here.

    Args:
        sources: the open sources by name.
        missing: what sources that cannot be searched here still need.
    """

    def __init__(self, sources: Mapping[str, Source], missing: Mapping[str, str] | None = None) -> None:
        self._sources = dict(sources)
        self._missing = dict(missing or {})

    @property
    def names(self) -> tuple[str, ...]:
        """In the order of the settings."""
        return tuple(self._sources)

    @property
    def queued(self) -> tuple[SourceSpec, ...]:
        """Return the sources whose searches wait in a queue of their own."""
        return tuple(source.spec for source in self._sources.values() if source.spec.queue)

    def get(self, name: str) -> Source:
        """The source called `name`, or the part of one that is named behind a colon.

        Raises:
            SourceRefused: there is none, or it is not set up; the text says what to do.
        """
        whole, _, part = name.partition(":")
        source = self._sources.get(whole)
        if part:
            source = source.get_part(part) if isinstance(source, HasParts) else None
        if source is None:
            raise SourceRefused(self._refusal(name))
        return source

    def describe_purpose(self, name: str) -> str:
        """Describe the purpose of the source `name`, whether or not it can be searched here.

        Workers need not have the same keys: one asks an agent where to search, another one searches.

        Raises:
            SourceRefused: nothing is known of it.
        """
        return SOURCES[name].purpose if name in self._missing and name in SOURCES else self.get(name).spec.purpose

    def _refusal(self, name: str) -> str:
        if (remedy := self._missing.get(name)) is not None:
            return f"the source {name!r} cannot be searched here: {remedy} where the worker runs"
        if not self._sources:
            return f"there is no source {name!r}, nor any other: name a folder in ELCANO_COLLECTIONS"
        close = difflib.get_close_matches(name, self._sources, n=1)
        guess = f"; did you mean {close[0]!r}?" if close else ""
        return f"there is no source {name!r}; there are: {', '.join(self._sources)}{guess}"


@asynccontextmanager
async def open_sources(settings: Settings) -> AsyncIterator[Sources]:
    """Every source that can be searched with these settings, closed when the block is left.

    Nothing is searched or read by opening. A source that lacks its key is left out; naming it raises that reason.

    Raises:
        InputInvalid: the name of a collection or of a database cannot be used, or a source cannot be opened.
    """
    specs = list_configured_sources(settings.collections, settings.has, settings.databases)
    missing = {name: remedy for name, spec in specs.items() if (remedy := spec.missing(settings.has))}
    for name, remedy in missing.items():
        _log.info("the source %s is not offered: %s", name, remedy)
    opened: dict[str, Source] = {}
    try:
        for name, spec in specs.items():
            if name not in missing:
                opened[name] = _open_from_spec(spec, settings)
        yield Sources(opened, missing)
    finally:
        await close_all(opened.values())


async def close_all(sources: Iterable[Source]) -> None:
    """Closes them side by side; one that cannot be closed keeps none of the others open.

    Raises:
        ExceptionGroup: with what went wrong.
    """
    closed = await asyncio.gather(*(source.close() for source in sources), return_exceptions=True)
    if failed := [error for error in closed if isinstance(error, Exception)]:
        raise ExceptionGroup("sources could not be closed", failed)


def _open_from_spec(spec: SourceSpec, settings: Settings) -> Source:
    opener: Callable[[SourceSpec, Settings], Source] = import_object(spec.opened_by, f"the source {spec.name!r}")
    try:
        return opener(spec, settings)
    except (ElcanoError, SettingsInvalid):
        raise
    except Exception as error:  # whatever the code of a plugin raises; its text may not say which source it is of
        text = f"the source {spec.name!r} cannot be opened: {type(error).__name__}: {error}"
        raise InputInvalid("sources", f"{text}; correct what it needs, or leave its plugin out") from error
