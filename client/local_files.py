"""Files that are to be uploaded: single ones, those of folders, and those in ZIP archives, which are read in place.

Nothing of an archive is written to the disk, so none of its names can lead anywhere; the API judges names, sizes and
kinds of what is in it, as of any file.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import IO, Final

from elcano.api import archive_members
from elcano.api.archive_members import is_hidden, list_members, open_archive, open_member
from elcano.api.uploaded_documents import name_file_collection
from elcano.graphs.errors import InputInvalid

PIECE: Final = 1 << 20
"""Bytes of a file that are in memory while it is read."""

UNREADABLE: Final = archive_members.UNREADABLE
"""What reading a file raises."""


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

    A file is called by its name; those of a folder have the folder's own name before them, and those of an archive the
    archive's.

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


def name_own_collection(files: Mapping[str, LocalFile]) -> str:
    """The name of a collection of just these files.

    Raises:
        OSError: and what else is in `UNREADABLE`: one cannot be read.
    """
    return name_file_collection((file.hash(), name) for name, file in files.items())


def _name_files(paths: Iterable[Path | str]) -> Iterator[tuple[str, LocalFile]]:
    for path in (Path(one).resolve() for one in paths):
        if path.is_dir():
            for file in sorted(path.rglob("*")):
                name = file.relative_to(path).as_posix()
                if file.is_file() and not is_hidden(name):
                    yield f"{path.name}/{name}", _describe_file(file)
        elif path.suffix.lower() == ".zip":
            yield from _list_archive(path)
        else:
            yield path.name, _describe_file(path)


def _describe_file(path: Path) -> LocalFile:
    return LocalFile(str(path), path.stat().st_size, lambda: path.open("rb"))


def _list_archive(path: Path) -> Iterator[tuple[str, LocalFile]]:
    try:
        archive = open_archive(path)
        members = list_members(archive, path.stat().st_size)
    except InputInvalid as error:
        raise InputInvalid("paths", f"{path}: {error}") from error
    for number, one in enumerate(members):
        place = f"{path}, file {number} ({one.filename})"
        yield f"{path.name}/{one.filename}", LocalFile(place, one.file_size, partial(open_member, archive, one))
