"""Positions of the passages of one document in an index: compressed JSON, from which a passage takes its part.

A book of 300 pages has some 15,000 lines. They are kept apart from its text and read only when one of its passages is
found, and only those of the passage become objects.
"""

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any, Final

from elcano.activities.passages.document import Document
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.cells import list_column_heads
from elcano.graphs.report.places import Box, Cell, Line, Places
from elcano.storage.evidence import CONFIDENCE, KIND, PAGE_LABELS

DIGITS: Final = 4
"""Decimals of shares of a page: a ten-thousandth of its width is less than a tenth of a point."""
LEVEL: Final = 6
"""Level of zlib: a higher one takes twice the time for a hundredth of the size."""
_Raw = list[Any]


def pack_places(document: Document) -> bytes:
    """The places, regions and page labels of a document; empty if it has none."""
    places = document.places
    if not (places or document.regions or document.page_labels):
        return b""
    packed = {
        "lines": [
            (
                *line[:3],
                *_round_shares(line.box),
                tuple(_round_shares(line.edges)),
                line.turn,
            )
            for line in places.lines
        ],
        "cells": places.cells,
        "regions": document.regions,
        "labels": document.page_labels,
    }
    return zlib.compress(json.dumps(packed, ensure_ascii=False, separators=(",", ":")).encode(), LEVEL)


def _round_shares(shares: Iterable[float]) -> Iterator[float]:
    return (round(share, DIGITS) for share in shares)


class StoredPlaces:
    """Packed positions of one document, as `pack_places` made them."""

    def __init__(self, packed: bytes) -> None:
        found: dict[str, _Raw] = json.loads(zlib.decompress(packed)) if packed else {}
        self._lines = found.get("lines", [])
        self._cells = found.get("cells", [])
        self._regions = found.get("regions", [])
        self._labels: list[str] = found.get("labels", [])

    def cut(self, start: int, end: int) -> Places:
        """The places of the characters `start` to `end`, and the cells that name the columns of their tables."""
        lines = tuple(map(_read_line, _select_overlapping(self._lines, start, end)))
        cells = [Cell(*raw) for raw in _select_overlapping(self._cells, start, end)]
        heads = [head for head in self._list_heads(start, end) if head not in cells] if cells else []
        return Places(lines=lines, cells=tuple(sorted((*heads, *cells), key=itemgetter(0, 2, 3))))

    def describe(self, start: int, end: int, page: int) -> JsonObject:
        """The metadata of a passage: its kind and confidence, and labels of its pages, where there are any.

        Args:
            start: its first character.
            end: the one behind its last.
            page: the page on which it begins; 0: its format has none.
        """
        regions = list(_select_overlapping(self._regions, start, end))
        sure = [confidence for *_, confidence in regions if confidence is not None]
        pages = {page, *(raw[2] for raw in _select_overlapping(self._lines, start, end))}
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
        for table_start, table_end, kind, _ in _select_overlapping(self._regions, start, end):
            if kind == "table":
                yield from list_column_heads(
                    [Cell(*raw) for raw in self._cells if raw[0] >= table_start and raw[1] <= table_end]
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
