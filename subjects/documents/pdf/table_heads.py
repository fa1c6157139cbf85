"""The head of a table: cells of several lines, and heads that are over several columns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from elcano.subjects.documents.pdf.edges import Edge
from elcano.subjects.documents.pdf.table_columns import Column, Run, cut_run, place_run, split_runs
from elcano.subjects.documents.pdf.tables import TableCell, TextRow, Token
from elcano.subjects.documents.pdf.text_rows import is_between


@dataclass
class _Head:
    """A cell in the making."""

    first: int
    last: int
    lines: list[tuple[Token, ...]] = field(default_factory=list)
    top: int = 0
    """The first line that it is printed in."""
    bottom: int = 0
    """The last one."""
    depth: int = 0


class _Piece(NamedTuple):
    run: Run
    line: int
    first: int
    last: int


def build_head(
    rows: Sequence[TextRow], columns: Sequence[Column], rules: Sequence[Edge]
) -> tuple[int, list[TableCell]]:
    """Build the head, with its number of rows and its cells.

    Args:
        rows: its printed lines.
        columns: the table's.
        rules: the horizontal lines of the table.
    """
    heads: list[_Head] = []
    for number, row in enumerate(rows):
        for piece in _place_pieces(number, row, rows[number + 1 :], columns, rules):
            _add_piece(piece, heads, rows, columns, rules)
    depth = 1 + max((head.depth for head in heads), default=0)
    return depth, _fill_cells(heads, depth, len(columns))


def _place_pieces(
    number: int, row: TextRow, below: Sequence[TextRow], columns: Sequence[Column], rules: Sequence[Edge]
) -> list[_Piece]:
    runs = [part for run in split_runs(row) for part in cut_run(run, columns, tight=not below)]
    placed = [(run, *place_run(run, columns)) for run in runs]
    shared = _share_columns(placed, columns, below)
    if shared:
        return [_Piece(run, number, first, last) for (run, _, _), (first, last) in zip(placed, shared, strict=True)]
    pieces = []
    for index, (run, first, last) in enumerate(placed):
        rule = _find_rule_below(run, row, below, rules)
        if rule and any(other is not run and rule.low <= (other.left + other.right) / 2 <= rule.high for other in runs):
            rule = None  # under the whole line
        ruled = [
            place for place, column in enumerate(columns) if rule and rule.low - 2 <= _middle(column) <= rule.high + 2
        ]
        if len(ruled) > 1 and len(ruled) < len(columns):
            first, last = ruled[0], ruled[-1]
        elif first == last and below:
            free_from = placed[index - 1][2] + 1 if index else 0
            free_to = placed[index + 1][1] - 1 if index + 1 < len(placed) else len(columns) - 1
            first, last = _widen(run, first, (free_from, free_to), columns, below[0])
        pieces.append(_Piece(run, number, first, last))
    return pieces


def _share_columns(
    placed: Sequence[tuple[Run, int, int]], columns: Sequence[Column], below: Sequence[TextRow]
) -> list[tuple[int, int]] | None:
    """The columns of each head of a line if every head is in the middle of several, and together over all."""
    heads = [(run.left + run.right) / 2 for run, first, _ in placed if first > 0]
    if len(heads) < 2 or not below or len(columns) < 2 * len(heads) + 1:
        return None
    groups: list[list[int]] = [[] for _ in heads]
    for number in range(1, len(columns)):
        middle = _middle(columns[number])
        groups[min(range(len(heads)), key=lambda head: abs(heads[head] - middle))].append(number)
    for head, group in zip(heads, groups, strict=True):
        if len(group) < 2:
            return None
        first, last = columns[group[0]], columns[group[-1]]
        off = min(abs(first.left + last.right - 2 * head), abs(first.start + last.end - 2 * head))
        if off > 0.2 * (last.right - first.left):
            return None
    spans = iter((group[0], group[-1]) for group in groups)
    return [next(spans) if first > 0 else (first, last) for _, first, last in placed]


def _middle(column: Column) -> float:
    return (column.left + column.right) / 2


def _find_rule_below(run: Run, row: TextRow, below: Sequence[TextRow], rules: Sequence[Edge]) -> Edge | None:
    """The line directly under a run: nothing is printed between them."""
    middle = (run.left + run.right) / 2
    for rule in rules:
        if rule.at > row.base - 0.1 * row.size and rule.low <= middle <= rule.high:
            under = (
                token for other in below for token in other.tokens if rule.low < token.right and token.left < rule.high
            )
            first = next(under, None)
            return rule if first is not None and rule.at < first.base - 0.3 * first.size else None
    return None


def _widen(run: Run, column: int, free: tuple[int, int], columns: Sequence[Column], below: TextRow) -> tuple[int, int]:
    """The columns that a head is in the middle of, if it is not over its own one."""
    own = columns[column]
    size = run.tokens[0].size
    middle = (run.left + run.right) / 2
    aligned = min(abs(middle - _middle(own)), abs(run.left - own.left), abs(run.right - own.right)) <= 0.7 * size
    if aligned:
        return column, column
    best, distance = (column, column), 1.2 * size
    for first in range(max(free[0], 0), column + 1):
        for last in range(max(column, first + 1), min(free[1], len(columns) - 1) + 1):
            off = abs((columns[first].left + columns[last].right) / 2 - middle)
            printed = [token for token in below.tokens if columns[first].start <= token.left <= columns[last].end]
            if off < distance and len(printed) > 1:
                best, distance = (first, last), off
    return best


def _add_piece(
    piece: _Piece, heads: list[_Head], rows: Sequence[TextRow], columns: Sequence[Column], rules: Sequence[Edge]
) -> None:
    """Join a piece with the head above that it continues, or begin another one."""
    above = [head for head in heads if head.first <= piece.last and head.last >= piece.first]
    lowest = max(above, key=lambda head: head.bottom, default=None)
    if lowest is not None:
        if lowest.bottom == piece.line:  # two pieces of one line in one cell
            lowest.lines[-1] += piece.run.tokens
            lowest.first, lowest.last = min(lowest.first, piece.first), max(lowest.last, piece.last)
            return
        same = (lowest.first, lowest.last) == (piece.first, piece.last) or _continues(piece, lowest, rows, columns)
        if same and not _is_ruled(rows[lowest.bottom], rows[piece.line], piece.run, rules):
            lowest.lines.append(piece.run.tokens)
            lowest.bottom = piece.line
            return
    depth = 1 + max((head.depth for head in above), default=-1)
    heads.append(_Head(piece.first, piece.last, [piece.run.tokens], piece.line, piece.line, depth))


def _continues(piece: _Piece, head: _Head, rows: Sequence[TextRow], columns: Sequence[Column]) -> bool:
    """Whether a line in the middle of a head over several columns is its next line."""
    if head.first == head.last or head.bottom + 1 != piece.line:
        return False
    start, end = columns[head.first].start, columns[head.last].end
    others = [token for token in rows[piece.line].tokens if start <= token.left < end and token not in piece.run.tokens]
    middle = (piece.run.left + piece.run.right) / 2
    above = [token for token in head.lines[-1]]
    return not others and abs(middle - (above[0].left + above[-1].right) / 2) <= 0.6 * above[0].size


def _is_ruled(above: TextRow, below: TextRow, run: Run, rules: Sequence[Edge]) -> bool:
    middle = (run.left + run.right) / 2
    return any(is_between(rule, above, below) and rule.low <= middle <= rule.high for rule in rules)


def _fill_cells(heads: Sequence[_Head], depth: int, columns: int) -> list[TableCell]:
    """Cells that fill the head: what has nothing under it reaches down, what has nothing above it reaches up."""
    taken: dict[tuple[int, int], _Head] = {}
    for head in sorted(heads, key=lambda head: head.depth):
        for row in range(head.depth, depth):
            for column in range(head.first, head.last + 1):
                taken[row, column] = head
    cells: list[TableCell] = []
    for head in heads:
        own = [place for place, other in taken.items() if other is head]
        if not own:
            continue
        last_row = head.depth
        while all((last_row + 1, column) in own for column in range(head.first, head.last + 1)):
            last_row += 1
        span = last_row - head.depth + 1
        cells.append(TableCell(head.depth, head.first, span, head.last - head.first + 1, True, tuple(head.lines)))
    covered = {
        (row, column)
        for cell in cells
        for row in range(cell.row, cell.row + cell.rows)
        for column in range(cell.column, cell.column + cell.columns)
    }
    for row in range(depth):
        for column in range(columns):
            if (row, column) in covered:
                continue
            span = 1
            while row + span < depth and (row + span, column) not in covered:
                span += 1
            covered.update((row + more, column) for more in range(span))
            cells.append(TableCell(row, column, span, 1, True, ()))
    return cells
