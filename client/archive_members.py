"""The files in a ZIP archive, for clients that upload them one by one and workers that unpack an uploaded archive.

Nothing is written to the disk, so no name leads anywhere. An archive that would unpack to far more than it is, or to
more files than are taken, is refused before anything of it is unpacked; of a file no more is read than it says to have.
"""

import lzma
import stat
import zipfile
import zlib
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Final

ARCHIVED_FILES: Final = 10_000
"""Files of one archive that are taken."""
LISTED_FILES: Final = 20 * ARCHIVED_FILES
"""Entries of an archive's directory that are read at all: each takes half a kilobyte of memory."""
MOST_RATIO: Final = 100
"""Maximum ratio of unpacked to packed size; texts and logs stay below 30."""
UNREADABLE: Final = (OSError, EOFError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)
"""Exceptions that reading raises; `RuntimeError`: a file in an archive needs a password, or is packed in an unknown
way."""
_ENTRY: Final = b"PK\x01\x02"


class ArchiveInvalid(ValueError):
    """An archive cannot be taken; the text says what to do."""


def open_archive(source: Path | IO[bytes]) -> zipfile.ZipFile:
    """An archive with a directory of bounded size.

    Raises:
        ArchiveInvalid: it is none, or its directory is too long.
    """
    entries = 0
    with source.open("rb") if isinstance(source, Path) else nullcontext(source) as opened:
        while piece := opened.read(1 << 20):
            entries += piece.count(_ENTRY)
    if entries > LISTED_FILES:
        raise ArchiveInvalid(f"it has more than {LISTED_FILES:,} entries: unpack it")
    try:
        return zipfile.ZipFile(source)
    except UNREADABLE as error:
        raise ArchiveInvalid(f"it is no ZIP archive that can be read: {error}") from error


def list_members(archive: zipfile.ZipFile, size: int) -> list[zipfile.ZipInfo]:
    """The files of an archive of `size` bytes, but hidden ones.

    Raises:
        ArchiveInvalid: it cannot be taken.
    """
    files = [one for one in archive.infolist() if not one.is_dir() and not is_hidden(one.filename)]
    if len(files) > ARCHIVED_FILES:
        raise ArchiveInvalid(f"it has {len(files):,} files, at most {ARCHIVED_FILES:,} are taken: unpack it")
    unpacked = sum(one.file_size for one in files)
    if unpacked > MOST_RATIO * size:
        sizes = f"it has {size / 1e6:,.1f} MB and unpacks to {unpacked / 1e6:,.1f} MB"
        raise ArchiveInvalid(f"{sizes}, more than {MOST_RATIO} times as much: unpack it")
    return files


def open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> IO[bytes]:
    """A file of an archive, to be read. This and reading may raise what is in `UNREADABLE`."""
    if stat.S_ISLNK(member.external_attr >> 16):
        raise OSError("it is a symbolic link")
    return archive.open(member)


def is_hidden(name: str) -> bool:
    """Whether a file, or a folder that it is in, is hidden, or what macOS puts into archives."""
    parts = name.split("/")
    return "__MACOSX" in parts or any(part.startswith(".") and part.strip(".") for part in parts)
