"""Rows and columns of a table by how its words are aligned, with what lines there are."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from elcano.subjects.documents.pdf.edges import Edge
from elcano.subjects.documents.pdf.table_columns import (
    Column,
    Run,
    cut_run,
    find_columns,
    place_run,
    split_runs,
)
from elcano.subjects.documents.pdf.table_heads import build_head
from elcano.subjects.documents.pdf.tables import Table, TableCell, TextRow, Token
from elcano.subjects.documents.pdf.text_rows import is_between, is_number

FULL_RULE: Final = 0.7
"""A line that is as long as this share of the table's width parts its rows."""
MAX_HEAD: Final = 10
"""Lines that a head has at most."""
NUMERIC: Final = 0.6
"""A column with this share of numbers is one of numbers."""
WRAPPED_STEP: Final = 1.18
"""Lines of one cell are nearer to one another than rows do, by this factor at least, where a table shows it."""


class Region(NamedTuple):
    """A part of a page that may be a table."""

    rows: tuple[TextRow, ...]
    rules: tuple[Edge, ...]
    """The horizontal lines in it."""
    walls: tuple[float, ...] = ()
    """Positions of vertical lines in it."""


class _Piece(NamedTuple):
    run: Run
    first: int
    last: int


class Layout(NamedTuple):
    """A table in the making, with what its shape says of whether it is one."""

    table: Table
    head_rows: int
    body: tuple[tuple[str, ...], ...]
    """The texts of its other rows by column."""


def lay_out(region: Region) -> Layout | None:
    """The table that the words of a region make; None: they make no columns."""
    columns = find_columns(region.rows, region.walls)
    if len(columns) < 2:
        return None
    lines = [_place_line(row, columns) for row in region.rows]
    left, right = min(row.tokens[0].left for row in region.rows), max(column.right for column in columns)
    full = [rule for rule in region.rules if min(rule.high, right) - max(rule.low, left) >= FULL_RULE * (right - left)]
    head = _measure_head(region.rows, lines, full)
    head_rows = 0
    cells: list[TableCell] = []
    if head:
        head_rows, cells = build_head(region.rows[:head], columns, region.rules)
    groups = _group_lines(region.rows[head:], lines[head:], full, len(columns))
    texts = []
    for number, group in enumerate(groups):
        row_cells = _build_row(head_rows + number, [lines[head + index] for index in group], columns)
        cells.extend(row_cells)
        texts.append(_list_texts(row_cells, len(columns)))
    box = (
        min([left, *(token.left for row in region.rows for token in row.tokens)]),
        min(row.top for row in region.rows),
        max(token.right for row in region.rows for token in row.tokens),
        max(row.bottom for row in region.rows),
    )
    bounds = (columns[0].left, *(column.start for column in columns[1:]), columns[-1].right)
    cells.sort()
    table = Table(box, head_rows + len(groups), len(columns), tuple(cells), bounds)
    return Layout(table, head_rows, tuple(texts))


def _place_line(row: TextRow, columns: Sequence[Column]) -> list[_Piece]:
    """The runs of a line with the columns they cover; a run over empty columns next to it spans them."""
    runs = [part for run in split_runs(row) for part in cut_run(run, columns)]
    pieces: list[_Piece] = []
    for run in runs:
        first, last = place_run(run, columns)
        if pieces and first <= pieces[-1].last:
            if last <= pieces[-1].last:
                before = pieces.pop()
                joined = Run(before.run.left, max(before.run.right, run.right), before.run.tokens + run.tokens)
                pieces.append(_Piece(joined, before.first, before.last))
                continue
            first = pieces[-1].last + 1
        pieces.append(_Piece(run, first, last))
    if len(pieces) == 1 and pieces[0].last > pieces[0].first:
        return [_Piece(pieces[0].run, 0, len(columns) - 1)]  # the name of a section
    return pieces


def _is_values(line: Sequence[_Piece], *, years: bool) -> bool:
    """Whether most of what is behind the first column is numbers; `years`: though all of them be years."""
    values = [piece for piece in line if piece.first > 0]
    numbers = [piece for piece in values if is_number(piece.run.text)]
    if not numbers or len(numbers) < 0.5 * len(values):
        return False
    return years or not all(_YEAR.fullmatch(piece.run.text) for piece in numbers)


_YEAR: Final = re.compile(r"(?:FY ?)?(?:1[89]|20)\d\d(?:[-\u2013/](?:\d\d|\d{4}))?[a-zA-Z*]{0,2}")


def _measure_head(rows: Sequence[TextRow], lines: Sequence[Sequence[_Piece]], full: Sequence[Edge]) -> int:
    """Count the lines of the head."""
    first = next((number for number, line in enumerate(lines) if _is_values(line, years=False)), None)
    if first is None:
        first = next((number for number, line in enumerate(lines) if _is_values(line, years=True)), None)
    borders = [
        number
        for number, (above, below) in enumerate(pairwise(rows), 1)
        if any(is_between(rule, above, below) for rule in full)
    ]
    if first is None:
        if borders and borders[0] <= MAX_HEAD:
            return borders[0]
        bold = next((number for number, row in enumerate(rows) if not _is_bold(row)), len(rows))
        return bold if 0 < bold <= MAX_HEAD and bold < len(rows) / 2 else 0
    if 0 < first <= MAX_HEAD:
        ruled = [border for border in borders if border <= first]
        while len(ruled) > 1 and len(lines[ruled[-1] - 1]) == 1 and lines[ruled[-1] - 1][0].first == 0:
            ruled.pop()  # the name of a section has a rule or a background of its own
        if ruled:
            return ruled[-1]
        while first and max(piece.last for piece in lines[first - 1]) == 0:
            first -= 1  # the name of a section
        return first
    return 0


def _is_bold(row: TextRow) -> bool:
    return all(token.bold for token in row.tokens)


def _group_lines(
    rows: Sequence[TextRow], lines: Sequence[Sequence[_Piece]], full: Sequence[Edge], columns: int
) -> list[list[int]]:
    """The lines of each row of the table."""
    if not rows:
        return []
    numeric = _find_numeric(lines, columns)
    ruled = [any(is_between(rule, above, below) for rule in full) for above, below in pairwise(rows)]
    banded = _group_bands(lines, ruled, numeric)
    if banded:
        return banded
    step = _find_wrapped_step(rows, [_collides([above], below, numeric) for above, below in pairwise(lines)])
    groups = [[0]]
    for number in range(1, len(rows)):
        group = [lines[index] for index in groups[-1]]
        near = rows[number].base - rows[number - 1].base <= step * rows[number].size
        if (
            not ruled[number - 1]
            and not _collides(group, lines[number], numeric)
            and ((near and not _is_label_alone(group, lines[number])) or _continues(group, lines[number], rows, number))
        ):
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def _find_numeric(lines: Sequence[Sequence[_Piece]], columns: int) -> set[int]:
    numeric = set()
    for column in range(columns):
        texts = [piece.run.text for line in lines for piece in line if piece.first == piece.last == column]
        if texts and sum(map(is_number, texts)) >= NUMERIC * len(texts):
            numeric.add(column)
    return numeric


def _group_bands(lines: Sequence[Sequence[_Piece]], ruled: Sequence[bool], numeric: set[int]) -> list[list[int]] | None:
    """The lines between full rules, if each of these bands can be one row and there are enough of them."""
    bands = [[0]]
    for number, wall in enumerate(ruled, 1):
        if wall:
            bands.append([])
        bands[-1].append(number)
    if len(bands) < 3 or max(map(len, bands)) > 12:
        return None
    clashes = sum(
        any(_collides([lines[index] for index in band[:end]], lines[band[end]], numeric) for end in range(1, len(band)))
        for band in bands
    )
    return bands if clashes == 0 else None


def _collides(group: Sequence[Sequence[_Piece]], line: Sequence[_Piece], numeric: set[int]) -> bool:
    """Whether a line and a row that it might belong to both print something in a column, and a number at that."""
    above = {piece.first: is_number(piece.run.text) for other in group for piece in other if piece.first in numeric}
    return any(piece.first in above and (above[piece.first] or is_number(piece.run.text)) for piece in line)


def _find_wrapped_step(rows: Sequence[TextRow], apart: Sequence[bool]) -> float:
    """The step between lines of one cell as a multiple of the size, where rows are clearly farther apart; else 0.

    Args:
        rows: lines of a table.
        apart: for each but the first whether it is a row of its own in any case.
    """
    steps = sorted(
        ((below.base - above.base) / below.size, sure)
        for (above, below), sure in zip(pairwise(rows), apart, strict=True)
    )
    if len(steps) < 3:
        return 0.0
    best, border = WRAPPED_STEP, 0.0
    for number in range(1, len(steps)):
        if steps[number - 1][1]:
            break
        ratio = steps[number][0] / max(steps[number - 1][0], 0.1)
        if ratio > best and len(steps) - number >= 0.25 * len(steps) and steps[number - 1][0] < 1.6:
            best, border = ratio, (steps[number][0] + steps[number - 1][0]) / 2
    return border


def _continues(group: Sequence[Sequence[_Piece]], line: Sequence[_Piece], rows: Sequence[TextRow], number: int) -> bool:
    """Whether a line goes on with the cells of the row above: text that begins in small letters, or without a label."""
    if rows[number].base - rows[number - 1].base > 1.9 * rows[number].size:
        return False
    if any(is_number(piece.run.text) for piece in line if piece.first > 0):
        # A label of two lines may have its values next to the second.
        label = [piece for piece in line if piece.first == 0]
        valued = any(piece.first > 0 for other in group for piece in other)
        return bool(label) and not valued and label[0].run.text[:1].islower()
    above = {column for other in group for piece in other for column in range(piece.first, piece.last + 1)}
    if not all(piece.first in above for piece in line):
        return False
    if line[0].first > 0:
        return True
    return all(piece.run.text[:1].islower() or piece.run.text[:1] in "(&/" for piece in line)


_OPEN_ENDS: Final = (
    *("/", ",", "-", "\u2013", "(", "&"),
    *(" and", " of", " or", " the", " for", " to", " in", " with", " by"),
)
"""Ends of the first line of a label that continues."""


def _is_label_alone(group: Sequence[Sequence[_Piece]], line: Sequence[_Piece]) -> bool:
    """Whether a line under a row with values is a label of its own, such as the name of a section."""
    if len(line) > 1 or line[0].first > 0 or all(piece.first == 0 for other in group for piece in other):
        return False
    label = line[0].run
    above = next((piece.run for other in reversed(group) for piece in other if piece.first == 0), None)
    if above is None:
        return True
    indented = label.left > above.left + 0.4 * label.tokens[0].size
    return not (indented or label.text[:1].islower() or label.text[:1] == "(" or above.text.endswith(_OPEN_ENDS))


def _build_row(row: int, lines: Sequence[Sequence[_Piece]], columns: Sequence[Column]) -> list[TableCell]:
    """The cells of a row, empty ones too."""
    parts: dict[int, list[tuple[Token, ...]]] = {}
    ends: dict[int, int] = {}
    for line in lines:
        for piece in line:
            start = next((first for first in ends if first <= piece.first <= ends[first]), piece.first)
            parts.setdefault(start, []).append(piece.run.tokens)
            ends[start] = max(ends.get(start, 0), piece.last)
    cells = []
    column = 0
    while column < len(columns):
        last = column
        if column in parts:
            following = min((start for start in parts if start > column), default=len(columns))
            last = min(ends[column], following - 1)
        cells.append(TableCell(row, column, 1, last - column + 1, False, tuple(parts.get(column, ()))))
        column = last + 1
    return cells


def _list_texts(cells: Sequence[TableCell], columns: int) -> tuple[str, ...]:
    texts = [""] * columns
    for cell in cells:
        texts[cell.column] = cell.text
    return tuple(texts)
