"""The places of the passages of one document, as an index keeps them: apart from its text.

It is read only when a passage is found, only the parts that hold the passage, and only its own lines become objects.
"""

import json
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any

from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.cells import list_column_heads
from elcano.graphs.report.places import Box, Cell, Line, Places
from elcano.storage.evidence import CONFIDENCE, KIND, PAGE_LABELS

_Raw = list[Any]
_Part = dict[str, list[_Raw]]


class StoredPlaces:
    """Packed positions of one document, as `pack_places` made them."""

    def __init__(self, packed: bytes) -> None:
        first = zlib.decompressobj()
        head: dict[str, Any] = json.loads(first.decompress(packed)) if packed else {}
        self._labels: list[str] = head.get("labels", [])
        self._rest = first.unused_data
        self._parts: list[tuple[int, int, int]] = head.get("parts", [])
        self._unpacked: dict[int, _Part] = {}
        """By the offset of each part that was asked for."""
        if "lines" in head:  # an index that was written before there were parts holds one
            self._parts, self._unpacked = [(0, sys.maxsize, 0)], {0: head}

    def select(self, name: str, start: int, end: int) -> Iterator[_Raw]:
        """Select the lines, cells or regions that overlap the characters `start` to `end`."""
        offset = 0
        for part_start, part_end, length in self._parts:
            if part_start < end and part_end > start:
                if offset not in self._unpacked:
                    self._unpacked[offset] = json.loads(zlib.decompress(self._rest[offset : offset + length]))
                yield from _select_overlapping(self._unpacked[offset][name], start, end)
            offset += length

    def cut(self, start: int, end: int) -> Places:
        """The places of the characters `start` to `end`, and the cells that name the columns of their tables."""
        lines = tuple(map(_read_line, self.select("lines", start, end)))
        cells = [Cell(*raw) for raw in self.select("cells", start, end)]
        heads = [head for head in self._list_heads(start, end) if head not in cells] if cells else []
        return Places(lines=lines, cells=tuple(sorted((*heads, *cells), key=itemgetter(0, 2, 3))))

    def describe(self, start: int, end: int, page: int) -> JsonObject:
        """The metadata of a passage: its kind and confidence, and labels of its pages, where there are any.

        Args:
            start: its first character.
            end: the one behind its last.
            page: the page on which it begins; 0: its format has none.
        """
        regions = list(self.select("regions", start, end))
        sure = [confidence for *_, confidence in regions if confidence is not None]
        pages = {page, *(raw[2] for raw in self.select("lines", start, end))}
        labels = {str(number): label for number in sorted(pages) if (label := self._find_label(number))}
        described: JsonObject = {
            KIND: _find_main_kind(regions, start, end),
            CONFIDENCE: round(min(sure), 3) if sure else None,
            PAGE_LABELS: dict[str, Any](labels),
        }
        return {name: value for name, value in described.items() if value not in ("", None, {})}

    def _find_label(self, page: int) -> str:
        """Find the printed number of a page; empty if that is its number, or unknown."""
        label = self._labels[page - 1] if 0 < page <= len(self._labels) else ""
        return "" if label == str(page) else label

    def _list_heads(self, start: int, end: int) -> Iterator[Cell]:
        for table_start, table_end, kind, _ in self.select("regions", start, end):
            if kind == "table":
                cells = (Cell(*raw) for raw in self.select("cells", table_start - 1, table_end + 1))
                yield from list_column_heads(
                    [cell for cell in cells if cell.start >= table_start and cell.end <= table_end]
                )


def _find_main_kind(regions: Iterable[_Raw], start: int, end: int) -> str:
    """Find the kind of more than half of the characters `start` to `end`; empty: plain text."""
    lengths: Counter[str] = Counter()
    for first, last, kind, _ in regions:
        lengths[kind] += min(last, end) - max(first, start)
    kind, length = max(lengths.items(), key=itemgetter(1), default=("text", 0))
    return kind if kind not in ("text", "heading") and 2 * length > end - start else ""


def _select_overlapping(raw: _Raw, start: int, end: int) -> Iterator[_Raw]:
    return (one for one in raw if one[0] < end and one[1] > start)


def _read_line(raw: _Raw) -> Line:
    start, end, page, left, top, right, bottom, edges, turn = raw
    return Line(start, end, page, Box(left, top, right, bottom), tuple(edges), turn)
