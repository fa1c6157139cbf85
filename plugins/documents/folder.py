"""A folder as a collection: every readable file below it, and nothing outside it.

Symbolic links are never followed: their targets inside are found anyway, and targets outside were not offered. Names
that begin with a dot are ignored.
"""

import os
import re
import stat
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from elcano.activities.passages.document import Content, FileSkipped, Listing, SkippedDocument
from elcano.graphs.errors import SourceRefused
from elcano.plugins.documents.file_formats import FORMATS

_MEGABYTE: Final = 1_000_000
LINK: Final = "it is a symbolic link, which is not followed: put what it leads to here, or name that folder, too"
_SOURCES: Final = "_sources"
"""Where Sphinx puts the sources of its pages, as `page.rst.txt`."""
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
    return f"has no document to search{other}: add {', '.join(FORMATS)} files"


def _sanitize_file_name(name: str) -> str:
    """Make a name storable and printable: undecodable bytes and control characters become U+FFFD."""
    return _NO_TEXT.sub("\ufffd", name)
