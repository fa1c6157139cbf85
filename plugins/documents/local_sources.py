"""Opens the sources whose documents are on this machine: the collections, and the packages' readmes.

The readmes of the installed Python packages are a collection too: something to ask about before you have a folder.

Only the packages' own metadata is read; nothing is imported. This project itself is left out: the searched texts are by
others.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import PathDistribution
from pathlib import Path
from typing import Final

from elcano.activities.passages.document import Content, FileSkipped, Listing
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import InputInvalid, SourceRefused
from elcano.graphs.extras import DISTRIBUTION
from elcano.plugins.documents.folder import Folder
from elcano.plugins.documents.source import DocumentsSource
from elcano.settings.plugins import Finding
from elcano.settings.settings import Settings

_SUFFIXES: Final = {"text/markdown": ".md", "text/plain": ".txt"}
_SEPARATORS: Final = re.compile(r"[-_.]+")
_INFO: Final = re.compile(r"(?P<name>.+?)-(?P<version>[^-]+)\.dist-info")


class PackageReadmes:
    """The long descriptions of installed distributions, by the distribution's name.

    Args:
        folders: where to look, first come first served; by default where Python itself looks.
    """

    def __init__(self, folders: Sequence[str] | None = None) -> None:
        self._folders = folders

    def listing(self) -> Listing:
        """List every distribution; its fingerprint is its version and its metadata's size and time of change.

        Raises:
            SourceRefused: no distribution is installed.
        """
        found: dict[str, str] = {}
        for name, info in self._distributions():
            try:
                status = (info / "METADATA").stat()
            except OSError:  # Half-removed packages leave such folders behind.
                continue
            found.setdefault(name, f"{info.name}:{status.st_size}:{status.st_mtime_ns}")
        if not found:
            raise SourceRefused("no installed Python package has metadata to read")
        return Listing(dict(sorted(found.items())))

    def content(self, key: str) -> Content:
        """Return the package's long description; its summary if it has none.

        Raises:
            FileSkipped: it has neither.
            OSError: it was removed since it was listed.
        """
        info = next((info for name, info in self._distributions() if name == key), None)
        if info is None:
            raise FileNotFoundError(key)
        metadata = PathDistribution(info).metadata.json
        body = metadata.get("description") or metadata.get("summary")
        if not isinstance(body, str) or not body.strip():
            raise FileSkipped("the package has no description")
        kind = str(metadata.get("description_content_type", "")).split(";")[0].strip().lower()
        return Content(key + _SUFFIXES.get(kind, ".rst"), body.encode("utf-8", "replace"), title=key)

    def _distributions(self) -> Iterator[tuple[str, Path]]:
        for folder in self._folders if self._folders is not None else sys.path:
            for info in sorted(Path(folder or ".").glob("*.dist-info")):
                match = _INFO.fullmatch(info.name)
                name = _SEPARATORS.sub("-", match["name"]).lower() if match else DISTRIBUTION
                if name != DISTRIBUTION:
                    yield name, info


def open_collection(spec: SourceSpec, settings: Settings) -> DocumentsSource:
    """Open the folder that the settings give to this name. Nothing is read before the first search."""
    folder = Folder(settings.collections[spec.name], limit_bytes=settings.file_limit_bytes)
    return DocumentsSource(spec, folder, _build_index_path(spec, settings))


def open_packages(spec: SourceSpec, settings: Settings) -> DocumentsSource:
    """Open the readmes of the installed Python packages."""
    return DocumentsSource(spec, PackageReadmes(), _build_index_path(spec, settings))


def require_folders(settings: Settings) -> None:
    """Refuse collections whose folders are missing, before a run finds nothing in them.

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


def _build_index_path(spec: SourceSpec, settings: Settings) -> Path:
    return settings.data_dir / "index" / f"{spec.name}.sqlite"


_SHOWN: Final = 5
"""Number of skipped files that are named; the rest is counted."""


def check_collections(chosen: Settings) -> Iterable[Finding]:
    """Report the contents of each document collection, and the files that it leaves out."""
    if chosen.package_readmes:
        yield Finding("good", "collection packages: the installed Python packages")
    for name, path in chosen.collections.items():
        try:
            listing = Folder(path, limit_bytes=chosen.file_limit_bytes).listing()
        except SourceRefused as error:
            yield Finding("fault", f"collection {name}: {error}")
            continue
        yield Finding("good", f"collection {name}: {len(listing.documents)} documents in {path}")
        left_out = [*listing.skipped, *listing.ignored]
        for skipped in left_out[:_SHOWN]:
            yield Finding("note", f"collection {name} leaves out {skipped.key}: {skipped.reason}")
        if len(left_out) > _SHOWN:
            yield Finding("note", f"collection {name} leaves out {len(left_out) - _SHOWN} more")
