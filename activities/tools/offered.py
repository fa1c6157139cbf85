"""The sources that this worker offers, by name. A client names a source, never a path."""

import asyncio
import difflib
import re
from collections.abc import Mapping
from types import TracebackType
from typing import Final

from elcano.activities.sources.base import Source
from elcano.activities.sources.documents.folder import Folder
from elcano.activities.sources.documents.packages import PackageReadmes
from elcano.activities.sources.documents.source import DocumentsSource
from elcano.graphs.errors import InputInvalid, SourceRefused
from elcano.settings import Settings

PACKAGES: Final = "packages"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class Sources:
    """What can be searched here. Closing it ends indexings that are running."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = dict(sources)

    async def __aenter__(self) -> "Sources":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    @property
    def names(self) -> tuple[str, ...]:
        """In the order of the settings."""
        return tuple(self._sources)

    def get(self, name: str) -> Source:
        """The source called `name`.

        Raises:
            SourceRefused: there is none; the text names those that there are.
        """
        source = self._sources.get(name)
        if source is None:
            raise SourceRefused(self._unknown(name))
        return source

    async def aclose(self) -> None:
        """Ends what the sources are doing."""
        closable = [source for source in self._sources.values() if isinstance(source, DocumentsSource)]
        await asyncio.gather(*(source.aclose() for source in closable))

    def _unknown(self, name: str) -> str:
        if not self._sources:
            return f"there is no source {name!r}, nor any other: name a folder in ELCANO_COLLECTIONS"
        close = difflib.get_close_matches(name, self._sources, n=1)
        guess = f"; did you mean {close[0]!r}?" if close else ""
        return f"there is no source {name!r}; there are: {', '.join(self._sources)}{guess}"


def open_sources(settings: Settings) -> Sources:
    """The sources that the settings name. Nothing is read before the first search.

    Raises:
        InputInvalid: a collection's name cannot be used.
    """
    sources: dict[str, Source] = {}
    indexes = settings.data_dir / "index"
    for name, folder in settings.collections.items():
        if not _NAME.fullmatch(name) or (name == PACKAGES and settings.package_readmes):
            raise InputInvalid("collections", _bad_name(name))
        files = Folder(folder, limit_bytes=int(settings.file_limit_mb * 1_000_000))
        sources[name] = DocumentsSource(name, f"The documents of {name!r}.", files, indexes / f"{name}.sqlite")
    if settings.package_readmes:
        sources[PACKAGES] = DocumentsSource(
            PACKAGES,
            "What the installed Python packages say of themselves.",
            PackageReadmes(),
            indexes / f"{PACKAGES}.sqlite",
        )
    return Sources(sources)


def require_folders(settings: Settings) -> None:
    """Refuses collections whose folders are not there, before a run finds nothing in them.

    Raises:
        InputInvalid: naming every such collection and its folder.
    """
    missing = [f"{name!r}: {str(folder)!r}" for name, folder in settings.collections.items() if not folder.is_dir()]
    if missing:
        raise InputInvalid(
            "collections",
            f"ELCANO_COLLECTIONS names folders that are not there ({'; '.join(missing)}): create them, or write names "
            'with folders that exist, such as {"handbook": "docs/handbook"}',
        )


def _bad_name(name: str) -> str:
    if name == PACKAGES:
        return f"a collection cannot be called {name!r} unless ELCANO_PACKAGE_READMES is false: that name is taken"
    return f"a collection cannot be called {name!r}: use up to 64 lower-case letters, digits, `_` and `-`"
