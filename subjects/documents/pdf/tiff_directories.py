"""The directories of a TIFF file, one for each of its images: the data of an image, and where its parts lie."""

import struct
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

MAXIMUM_DIRECTORIES: Final = 2_000
"""Pages of one file. A file whose directories point in circles ends here."""
MAXIMUM_VALUES: Final = 200_000
"""Values of one entry: strips of a page, or three times 65,536 colours."""

_TAGS: Final = {
    **{256: "width", 257: "height", 258: "bits", 259: "compression", 262: "photometric", 266: "fill_order"},
    **{273: "strip_offsets", 274: "orientation", 277: "channels", 278: "rows_per_strip", 279: "strip_lengths"},
    **{284: "planes", 292: "fax_options", 317: "predictor", 320: "palette", 338: "extra_samples", 347: "jpeg_tables"},
}
_FORMATS: Final = {1: "B", 3: "H", 4: "I", 7: "B"}
"""By the type of an entry, how `struct` reads a value of it; others are not used."""


class Directory(NamedTuple):
    """Metadata of one image in a file."""

    entries: Mapping[str, tuple[int, ...]]

    def numbers(self, name: str) -> tuple[int, ...]:
        """The values of an entry; none: it is not there."""
        return self.entries.get(name, ())

    def number(self, name: str, default: int | None = None) -> int:
        """The value of an entry.

        Raises:
            KeyError: it is not there, and there is no default.
        """
        values = self.numbers(name)
        if values:
            return values[0]
        if default is None:
            raise KeyError(name)
        return default

    def raw(self, name: str) -> bytes:
        """The bytes of an entry."""
        return bytes(self.numbers(name))


def iterate_directories(content: bytes) -> Iterator[Directory]:
    """The directories of a TIFF file in order.

    Raises:
        struct.error: it is cut off.
    """
    order = "<" if content.startswith(b"II") else ">"
    (at,) = struct.unpack(f"{order}I", content[4:8])
    for _ in range(MAXIMUM_DIRECTORIES):
        if not at:
            return
        (count,) = struct.unpack(f"{order}H", content[at : at + 2])
        entries: dict[str, tuple[int, ...]] = {}
        for number in range(count):
            start = at + 2 + 12 * number
            tag, kind, length = struct.unpack(f"{order}HHI", content[start : start + 8])
            if tag in _TAGS and kind in _FORMATS and length <= MAXIMUM_VALUES:
                entries[_TAGS[tag]] = _read_values(content, order, kind, length, start + 8)
        yield Directory(entries)
        end = at + 2 + 12 * count
        (at,) = struct.unpack(f"{order}I", content[end : end + 4])


def _read_values(content: bytes, order: str, kind: int, length: int, at: int) -> tuple[int, ...]:
    layout = f"{order}{length}{_FORMATS[kind]}"
    size = struct.calcsize(layout)
    if size > 4:
        (at,) = struct.unpack(f"{order}I", content[at : at + 4])
    return struct.unpack(layout, content[at : at + size])
