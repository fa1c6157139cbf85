"""Files that are to be uploaded: single ones, those of folders, and those in ZIP archives, which are read in place.

Nothing of an archive is written to the disk, so none of its names can lead anywhere; the API judges names, sizes and
kinds of what is in it, as of any file.
"""

import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import IO, Final

from elcano.graphs.errors import InputInvalid

ARCHIVED_FILES: Final = 10_000
"""Files of one archive that are taken."""
PIECE: Final = 1 << 20
"""Bytes of a file that are in memory while it is read."""
UNREADABLE: Final = (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)
"""What reading raises; `RuntimeError`: a file in an archive needs a password, or is packed in an unknown way."""


@dataclass(frozen=True)
class LocalFile:
    """A file, on the disk or in an archive."""

    place: str
    """Where it is, for people."""
    size: int
    """In bytes; no more are read of a file in an archive, whatever it unpacks to."""
    open: Callable[[], IO[bytes]]
    """Opens it to be read. This and reading may raise what is in `UNREADABLE`."""

    def hash(self) -> str:
        """The SHA-256 of its bytes, hexadecimal."""
        found = sha256()
        with self.open() as opened:
            while piece := opened.read(PIECE):
                found.update(piece)
        return found.hexdigest()


def find_files(paths: Iterable[Path | str]) -> dict[str, LocalFile]:
    """Files by their names in a collection, but hidden ones of folders and archives.

    A file is called by its name; those of a folder have the folder's own name before them, and those of `a.zip` `a`.

    Raises:
        InputInvalid: one cannot be read, two have the same name, or an archive cannot be taken.
    """
    found: dict[str, LocalFile] = {}
    try:
        for raw, file in _name_files(paths):
            name = raw.encode(errors="surrogateescape").decode(errors="replace")  # a disk's names may be no text
            if found.setdefault(name, file).place != file.place:
                raise InputInvalid("paths", f"{found[name].place} and {file.place} would both be called {name!r}")
    except OSError as error:
        raise InputInvalid("paths", f"files cannot be read: {error}") from error
    return found


def _name_files(paths: Iterable[Path | str]) -> Iterator[tuple[str, LocalFile]]:
    for path in (Path(one).resolve() for one in paths):
        if path.is_dir():
            for file in sorted(path.rglob("*")):
                name = file.relative_to(path).as_posix()
                if file.is_file() and not _is_hidden(name):
                    yield f"{path.name}/{name}", _describe_file(file)
        elif path.suffix.lower() == ".zip":
            yield from _list_archive(path)
        else:
            yield path.name, _describe_file(path)


def _describe_file(path: Path) -> LocalFile:
    return LocalFile(str(path), path.stat().st_size, lambda: path.open("rb"))


def _list_archive(path: Path) -> Iterator[tuple[str, LocalFile]]:
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise InputInvalid("paths", f"{path} is no ZIP archive that can be read: {error}") from error
    files = [one for one in archive.infolist() if not one.is_dir() and not _is_hidden(one.filename)]
    if len(files) > ARCHIVED_FILES:
        raise InputInvalid("paths", f"{path} has {len(files):,} files, at most {ARCHIVED_FILES:,} are taken: unpack it")
    for number, one in enumerate(files):
        place = f"{path}, file {number} ({one.filename})"
        yield f"{path.stem}/{one.filename}", LocalFile(place, one.file_size, partial(archive.open, one))


def _is_hidden(name: str) -> bool:
    parts = name.split("/")
    return "__MACOSX" in parts or any(part.startswith(".") and part.strip(".") for part in parts)
