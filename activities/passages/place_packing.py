"""Packs the places of one document as `StoredPlaces` reads them: compressed JSON in parts.

A book of 300 pages has some 15,000 lines, one of 5,000 pages has 250,000. So a part, which holds the places of whole
blocks, is packed by itself, and only those of a passage are unpacked when it is found.
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from elcano.activities.passages.document import Block

DIGITS: Final = 4
"""Decimals of shares of a page: a ten-thousandth of its width is less than a tenth of a point."""
LEVEL: Final = 6
"""Level of zlib: a higher one takes twice the time for a hundredth of the size."""
PART_PLACES: Final = 500
"""Lines, cells and regions of a part, give or take a block: smaller ones are not compressed as well."""


def pack_places(blocks: Iterable[Block], between: int, labels: Sequence[str] = ()) -> bytes:
    """The places and kinds of blocks in the stored text; empty if there are none.

    Args:
        blocks: in the order of the text.
        between: characters between two of them.
        labels: of the pages.
    """
    parts = [(start, end, _compress(part)) for start, end, part in _list_parts(blocks, between)]
    if not parts and not labels:
        return b""
    head = {"labels": labels, "parts": [(start, end, len(part)) for start, end, part in parts]}
    return b"".join((_compress(head), *(part for _, _, part in parts)))


def _compress(packed: dict[str, Any]) -> bytes:
    return zlib.compress(json.dumps(packed, ensure_ascii=False, separators=(",", ":")).encode(), LEVEL)


def _list_parts(blocks: Iterable[Block], between: int) -> Iterator[tuple[int, int, dict[str, list[Any]]]]:
    """List the beginning, the end and the content of each part."""
    begin = offset = end = 0
    part: dict[str, list[Any]] = {"lines": [], "cells": [], "regions": []}
    for block in blocks:
        part["lines"] += (
            (
                start + offset,
                stop + offset,
                page,
                *_round_shares(box),
                tuple(_round_shares(edges)),
                turn,
            )
            for start, stop, page, box, edges, turn in block.lines
        )
        part["cells"] += ((start + offset, stop + offset, *rest) for start, stop, *rest in block.cells)
        end = offset + len(block.text)
        # Plain text and headings that were not read by OCR are of no kind.
        if block.kind not in ("text", "heading") or block.confidence is not None:
            part["regions"].append((offset, end, block.kind, block.confidence))
        offset = end + between
        if sum(map(len, part.values())) >= PART_PLACES:
            yield begin, end, part
            begin, part = offset, {name: [] for name in part}
    if any(part.values()):
        yield begin, end, part


def _round_shares(shares: Iterable[float]) -> Iterator[float]:
    return (round(share, DIGITS) for share in shares)
