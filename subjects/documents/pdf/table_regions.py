"""Parts of a page that may be tables: rows between rules, and rows whose words leave gaps below one another."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from elcano.subjects.documents.pdf.edges import Edge
from elcano.subjects.documents.pdf.frames import Rectangle
from elcano.subjects.documents.pdf.paragraph_signs import is_caption
from elcano.subjects.documents.pdf.tables import TextRow, Token
from elcano.subjects.documents.pdf.text_rows import build_row, split_segments

SAME_END: Final = 6.0
"""Rules of one table begin and end at the same places, give or take this, in points."""
RULE_LENGTH: Final = 60.0
"""A line between rows of a table is at least this long, in points."""
FAR_ROW: Final = 4.0
"""Between rules too, rows farther apart than this many times their size are not of one table, unless all are."""
PART_GAP: Final = 12.0
"""Parts of a rule that is broken between columns are not farther apart than this, in points."""
ROW_DISTANCE: Final = 3.2
"""Rows of one table are not farther apart than this many times their size."""


LEADER: Final = re.compile(r"[._\u2026]{4,}$|[-=\u2013\u2014]{5,}$|\.{1,3}$")
"""Dots and dashes; three dots or fewer lead only where there are more such words in the row."""


def is_caption_row(row: TextRow) -> bool:
    """Whether a row is the first line of a caption and no row of cells: what is below it is another table."""
    return len(split_segments(row)) == 1 and is_caption(" ".join(token.text for token in row.tokens))


def drop_caption(rows: Sequence[TextRow]) -> Sequence[TextRow]:
    """Rows without a caption, and what is above it, at their beginning."""
    for number, row in enumerate(rows[:6]):
        if not is_caption(" ".join(token.text for token in row.tokens)):
            continue
        number += 1
        while (
            number < len(rows)
            and len(split_segments(rows[number])) == 1
            and rows[number].base - rows[number - 1].base < 1.4 * rows[number].size
            and abs(rows[number].size - row.size) < 0.1 * row.size
        ):
            number += 1
        return rows[number:]
    return rows


def drop_leaders(rows: Sequence[TextRow]) -> list[TextRow]:
    """Rows without the dots that lead from labels to values, and without lines made of dashes."""
    kept = []
    for row in rows:
        leaders = {token for token in row.tokens if LEADER.match(token.text)}
        if sum(len(token.text) for token in leaders) < 4:
            kept.append(row)
        elif len(leaders) < len(row.tokens):
            kept.append(build_row(token for token in row.tokens if token not in leaders))
    return kept


def join_rules(edges: Iterable[Edge]) -> list[Edge]:
    """Rules, and next to them those that are made of parts broken between columns."""
    joined = sorted(edges)
    found = list(joined)
    for first, edge in enumerate(joined):
        reach = edge
        for other in joined[first + 1 :]:
            if other.at - edge.at > 2.5:
                break
            if reach.high < other.low <= reach.high + PART_GAP:
                reach = Edge(edge.at, edge.low, other.high)
        if reach is not edge:
            found.append(reach)
    return sorted(found)


def group_rules(edges: Sequence[Edge]) -> list[list[Edge]]:
    """Rules that begin and end at the same places, from the top; each group has two or more."""
    groups: list[list[Edge]] = []
    for edge in join_rules(edges):
        if edge.length < RULE_LENGTH:
            continue
        for group in groups:
            first = group[0]
            if abs(first.low - edge.low) <= SAME_END and abs(first.high - edge.high) <= SAME_END:
                group.append(edge)
                break
        else:
            groups.append([edge])
        if len(groups) > 200:
            break
    return sorted((group for group in groups if len(group) > 1), key=lambda group: -group[0].length)


def cut_rows(rows: Sequence[TextRow], box: Rectangle) -> list[TextRow]:
    """Cut rows to a part of the page."""
    left, top, right, bottom = box
    cut = []
    for row in rows:
        if not top - 1 <= row.base - 0.3 * row.size <= bottom + 1:
            continue
        tokens = [token for token in row.tokens if left - 4 <= (token.left + token.right) / 2 <= right + 4]
        if tokens:
            cut.append(build_row(tokens))
    return cut


def is_tabular(rows: Sequence[TextRow], prose: set[Token]) -> bool:
    """Return whether lines between two rules may belong to a table: they have gaps, or are one or two."""
    if not rows:
        return True
    flowing = sum(1 for row in rows if all(token in prose for token in row.tokens))
    if flowing >= 3 and flowing > 0.3 * len(rows):
        return False
    parted = sum(1 for row in rows if len(split_segments(row)) > 1)
    # Heads over several columns, and heads of several lines, are above the last line of a head.
    return len(rows) <= 2 or parted >= 0.5 * len(rows) or (len(rows) <= 4 and len(split_segments(rows[-1])) > 2)


def split_far(rows: list[TextRow]) -> Iterator[list[TextRow]]:
    """Rows without a gap between them that is much wider than usual: rules of a page may bound several things."""
    if not rows:
        return
    steps = sorted(below.base - above.base for above, below in pairwise(rows))
    usual = steps[len(steps) // 2] if steps else 0.0
    part = [rows[0]]
    for above, row in pairwise(rows):
        if row.base - above.base > max(FAR_ROW * row.size, 1.6 * usual):
            yield part
            part = []
        part.append(row)
    yield part


def split_blocks(rows: Sequence[TextRow]) -> Iterator[list[TextRow]]:
    """Rows that follow each other closely and mostly have several segments."""
    block: list[TextRow] = []
    alone = 0
    for row in rows:
        parted = len(split_segments(row)) > 1
        if block and is_caption_row(row):
            yield from _trim_block(block)
            block, alone = [], 0
        if block and (row.base - block[-1].base > ROW_DISTANCE * row.size or (not parted and alone >= 2)):
            yield from _trim_block(block)
            block, alone = [], 0
        if not parted and not block:
            continue
        block.append(row)
        alone = 0 if parted else alone + 1
    yield from _trim_block(block)


def _trim_block(block: list[TextRow]) -> Iterator[list[TextRow]]:
    """The block without lines of one segment at its end, if it still has enough rows."""
    while block and len(split_segments(block[-1])) == 1:
        block = block[:-1]
    if sum(1 for row in block if len(split_segments(row)) > 1) >= 3:
        yield block
