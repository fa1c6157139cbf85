"""Limits on the unpacked size of a ZIP package, by the sizes that its parts declare.

Python's `zipfile` unpacks no more of a part than is declared, and the memory limit of the process that reads it catches
the rest. A package whose parts are all read is checked as a whole before anything is unpacked; one of which only some
are, such as a workbook with large pictures, part by part.
"""

from collections.abc import Sequence
from typing import Final
from zipfile import ZipInfo

from elcano.activities.passages.document import FileSkipped

TOTAL_BYTES: Final = 200_000_000
"""Size of all parts together that are read."""
PART_BYTES: Final = 50_000_000
"""Size of a part of a package that is read part by part: as a tree it takes some ten times as much memory."""
TOTAL_RATIO: Final = 100
PART_RATIO: Final = 200
"""Maximum compression ratio of a part: some parts pack better than their package. `deflate` reaches 1,030."""
HARMLESS_BYTES: Final = 1_000_000
"""Size below which the ratio says nothing: an empty template packs well."""
MOST_PARTS: Final = 50_000
"""Parts whose names are read: a book with a picture on every page has some 2,000."""
_ENTRY: Final = b"PK\x01\x02"
"""Beginning of each directory entry."""


def check_count(content: bytes) -> None:
    """Check how many parts a package has, before its directory is read.

    Raises:
        FileSkipped: they are too many.
    """
    if content.count(_ENTRY) > MOST_PARTS:
        raise FileSkipped(f"it has more than {MOST_PARTS:,} parts")


def check_total(parts: Sequence[ZipInfo], packed: int) -> None:
    """Check the unpacked size of all parts of a package of `packed` bytes.

    Raises:
        FileSkipped: it is too much.
    """
    size = sum(part.file_size for part in parts)
    if size > TOTAL_BYTES:
        raise FileSkipped(f"it would unpack to {size / 1e6:.0f} MB; the limit is {TOTAL_BYTES / 1e6:.0f} MB")
    _check_ratio(size, packed, TOTAL_RATIO)


class UnpackedSizes:
    """Counts the unpacked bytes of a package that is read part by part."""

    def __init__(self) -> None:
        self._total = 0

    def add(self, part: ZipInfo) -> None:
        """Count a part that is about to be unpacked.

        Raises:
            FileSkipped: it, or all parts up to it, are too large.
        """
        self._total += part.file_size
        if part.file_size > PART_BYTES or self._total > TOTAL_BYTES:
            raise FileSkipped(
                f"it would unpack to more than {TOTAL_BYTES / 1e6:.0f} MB, or a part to {PART_BYTES / 1e6:.0f} MB"
            )
        _check_ratio(part.file_size, part.compress_size, PART_RATIO)


def _check_ratio(size: int, packed: int, ratio: int) -> None:
    if size > HARMLESS_BYTES and size > packed * ratio:
        raise FileSkipped(f"it would unpack to more than {ratio} times its size")
