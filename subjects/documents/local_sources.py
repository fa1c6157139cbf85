"""Opens the sources whose documents are on this machine: folders as collections, and the packages' readmes.

Of a folder every readable file below it is read, and nothing outside it. Symbolic links are never followed: their
targets inside are found anyway, and targets outside were not offered. Names that begin with a dot are ignored.

The readmes of the installed Python packages are a collection too: something to ask about before you have a folder.
Only the packages' own metadata is read; nothing is imported. This project itself is left out: the searched texts are by
others.
"""

import asyncio
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.metadata import PathDistribution
from pathlib import Path, PurePosixPath
from typing import Final

from elcano.activities.passages.document import Content, FileSkipped, Listing, SkippedDocument
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import InputInvalid, SourceRefused, SourceUnavailable
from elcano.graphs.extras import DISTRIBUTION
from elcano.settings.plugins import Finding
from elcano.settings.settings import Settings
from elcano.storage.evidence import PATH, Evidence, SourceFile
from elcano.storage.store import TenantStore
from elcano.subjects.documents.file_formats import FORMATS, READER
from elcano.subjects.documents.passage_index import Index
from elcano.subjects.documents.source import DocumentsSource

_MEGABYTE: Final = 1_000_000
LINK: Final = "it is a symbolic link, which is not followed: put what it leads to here, or name that folder, too"
_SOURCES: Final = "_sources"
"""Folder in which Sphinx puts the sources of its pages, as `page.rst.txt`."""
_NO_TEXT: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
"""Control characters, and the surrogates with which Python replaces undecodable bytes."""


@dataclass
class _Scan:
    """The results of a scan so far."""

    documents: dict[str, str] = field(default_factory=dict)
    skipped: list[SkippedDocument] = field(default_factory=list)
    unreadable_kinds: Counter[str] = field(default_factory=Counter)


class Folder:
    """The files of one folder and its subfolders, by their path relative to it, with `/` on every system.

    Args:
        path: the folder.
        limit_bytes: larger files are skipped before they are read.
    """

    def __init__(self, path: Path, limit_bytes: int) -> None:
        self._path = path
        self._limit_bytes = limit_bytes

    def listing(self) -> Listing:
        """List every file with a known suffix; its fingerprint is its size and its times of change.

        Raises:
            SourceRefused: the folder is missing, no folder, not readable, or has no readable file.
        """
        root = self._root()
        scan = _Scan()
        pending = [("", root)]
        while pending:
            prefix, folder = pending.pop()
            pending.extend(self._scan(scan, prefix, folder))
        kinds = scan.unreadable_kinds
        twice = [key for key in scan.documents if _page_of(key) in scan.documents]
        for key in twice:
            del scan.documents[key]
        if not scan.documents:
            raise SourceRefused(f"folder {str(self._path)!r} {_nothing_in(scan)}")
        ignored = [
            SkippedDocument(f"*{kind}", f"a kind of file that cannot be read ({count} of them)")
            for kind, count in kinds.items()
        ]
        if twice:
            ignored.append(
                SkippedDocument(f"{_SOURCES}/", f"what pages that are searched were made of ({len(twice)} files)")
            )
        return Listing(dict(sorted(scan.documents.items())), tuple(sorted(scan.skipped)), tuple(sorted(ignored)))

    def content(self, key: str) -> Content:
        """Return the file's bytes, with a last check of its size and kind.

        Raises:
            FileSkipped: it grew over the limit or became something else since it was listed.
            OSError: it is gone, or not readable.
        """
        path = self._root().joinpath(*PurePosixPath(key).parts)
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise FileSkipped("it is no regular file")
            data = file.read(self._limit_bytes + 1)
        if len(data) > self._limit_bytes:
            raise FileSkipped(self._too_large(len(data)))
        return Content(key, data)

    def holds(self, key: str) -> bool:
        """Whether this is the name of a file that `listing` could have: below the folder, and behind no link.

        Raises:
            SourceRefused: the folder is missing.
        """
        root = self._root()
        parts = PurePosixPath(key).parts
        place = root.joinpath(*parts)
        hidden = any(part.startswith(".") for part in parts)
        return not hidden and place.resolve() == place and place.is_relative_to(root) and place != root

    def _root(self) -> Path:
        try:
            root = self._path.resolve(strict=True)
        except (OSError, RuntimeError) as error:  # RuntimeError: a link that leads to itself
            raise SourceRefused(
                f"folder {str(self._path)!r} cannot be found: create it, or correct ELCANO_COLLECTIONS"
            ) from error
        if not root.is_dir():
            raise SourceRefused(f"{str(self._path)!r} is a file: a collection is the folder that holds the files")
        return root

    def _scan(self, scan: _Scan, prefix: str, folder: Path) -> list[tuple[str, Path]]:
        """Record the files of one folder and return its subfolders."""
        try:
            with os.scandir(folder) as entries:
                found = [self._look(scan, prefix, entry) for entry in entries if not entry.name.startswith(".")]
        except OSError as error:
            if not prefix:
                raise SourceRefused(
                    f"folder {str(self._path)!r} cannot be read ({error.strerror}): "
                    "give the account of the worker the right to read it"
                ) from error
            scan.skipped.append(
                SkippedDocument(_sanitize_file_name(prefix), f"the folder cannot be read ({error.strerror})")
            )
            return []
        return [subfolder for subfolder in found if subfolder is not None]

    def _look(self, scan: _Scan, prefix: str, entry: os.DirEntry[str]) -> tuple[str, Path] | None:
        key = prefix + entry.name
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:  # It vanished between listing and looking: it is not there.
            return None
        if stat.S_ISDIR(status.st_mode):
            return f"{key}/", Path(entry.path)
        suffix = PurePosixPath(entry.name).suffix.lower()
        if stat.S_ISLNK(status.st_mode):
            scan.skipped.append(SkippedDocument(_sanitize_file_name(key), LINK))
        elif suffix not in FORMATS:
            scan.unreadable_kinds[_sanitize_file_name(suffix)] += 1
        elif not stat.S_ISREG(status.st_mode):
            scan.skipped.append(SkippedDocument(_sanitize_file_name(key), "it is no regular file"))
        elif _sanitize_file_name(key) != key:
            scan.skipped.append(
                SkippedDocument(_sanitize_file_name(key), "its name has characters that are no text: rename it")
            )
        elif status.st_size > self._limit_bytes:
            scan.skipped.append(SkippedDocument(key, self._too_large(status.st_size)))
        else:
            scan.documents[key] = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"
        return None

    def _too_large(self, size: int) -> str:
        return (
            f"it has {size / _MEGABYTE:.1f} MB; the limit is {self._limit_bytes / _MEGABYTE:g} MB "
            "(ELCANO_FILE_LIMIT_MB)"
        )


def _page_of(key: str) -> str:
    """Return the page that Sphinx made of a file in `_sources`; empty for other files."""
    path = PurePosixPath(key)
    if _SOURCES not in path.parts or path.suffix != ".txt":
        return ""
    parts = list(path.parts)
    parts.remove(_SOURCES)
    return str(PurePosixPath(*parts).with_suffix("").with_suffix(".html"))


def _nothing_in(scan: _Scan) -> str:
    if scan.skipped:
        return f"has no document that can be searched: {'; '.join(': '.join(one) for one in scan.skipped[:3])}"
    other = f" (only {', '.join(sorted(scan.unreadable_kinds))})" if scan.unreadable_kinds else ""
    return f"has no document to search{other}: add files such as PDF, DOCX, PPTX, XLSX, HTML or Markdown"


def _sanitize_file_name(name: str) -> str:
    """Make a name storable and printable: undecodable bytes and control characters become U+FFFD."""
    return _NO_TEXT.sub("\ufffd", name)


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
    return DocumentsSource(spec, folder, _build_index_path(spec.name, settings))


async def find_local_file(settings: Settings, store: TenantStore, passage: Evidence) -> SourceFile | None:
    """See `Plugin.document_files`: a file in the folder of a collection that the tenant may search, on this machine."""
    path = passage.metadata.get(PATH)
    root = settings.collections.get(passage.source)
    if root is None or not isinstance(path, str):
        return None
    folder = Folder(root, limit_bytes=settings.file_limit_bytes)

    def read() -> bytes | None:
        try:
            return folder.content(path).data if folder.holds(path) else None
        except (FileSkipped, SourceRefused, OSError, ValueError):
            return None

    data = await asyncio.to_thread(read)
    if data is None:
        return None

    async def load() -> bytes:
        return data

    return SourceFile((await asyncio.to_thread(sha256, data)).hexdigest(), load)


def open_packages(spec: SourceSpec, settings: Settings) -> DocumentsSource:
    """Open the readmes of the installed Python packages."""
    return DocumentsSource(spec, PackageReadmes(), _build_index_path(spec.name, settings))


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


def _build_index_path(name: str, settings: Settings) -> Path:
    return settings.data_dir / "index" / f"{name}.sqlite"


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
        yield from _report_gaps(name, Index(_build_index_path(name, chosen), READER))


def _report_gaps(name: str, index: Index) -> Iterable[Finding]:
    """Report the documents that were not read whole; before the first search none has been read."""
    try:
        found = index.list_gaps() if index.known() else []
    except (SourceRefused, SourceUnavailable) as error:
        yield Finding("note", f"collection {name}: {error}")
        return
    partly = [(key, gap.reason) for key, gaps in found for gap in gaps if gap.unread]
    for key, reason in partly[:_SHOWN]:
        yield Finding("note", f"collection {name} has not all of {key}: {reason}")
    if len(partly) > _SHOWN:
        yield Finding("note", f"collection {name} has {len(partly) - _SHOWN} more such gaps")
