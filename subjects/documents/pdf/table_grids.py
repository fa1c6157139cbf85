"""Tables of grids of lines: the words of each cell, and rows and columns that no lines part."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from elcano.subjects.documents.pdf.table_evidence import BULLET, count_rules, is_table
from elcano.subjects.documents.pdf.table_layout import Region, lay_out
from elcano.subjects.documents.pdf.table_regions import drop_leaders, join_rules
from elcano.subjects.documents.pdf.tables import Table, TableCell, TextRow, Token
from elcano.subjects.documents.pdf.tables_ruled import Area, Grid
from elcano.subjects.documents.pdf.text_rows import build_rows, find_middle_height, is_number, split_segments

WIDE_CELL: Final = 0.35
"""A cell as wide as this share of its table may hide columns; narrow ones have gaps where they are justified."""
REGULAR: Final = 0.3
"""Cells of a table are at least this share of the places of their lattice; forms and drawings have fewer."""
FILLED: Final = 0.25
"""The share of a grid's cells that have words in them, at least, and more where cells span much; charts, crosswords and
drawings of boxes have fewer."""


def build_grid_table(
    grid: Grid,
    tokens: Sequence[Token],
    aside: Sequence[tuple[tuple[float, float], Token]] = (),
    *,
    open_ended: bool = False,
) -> Table | None:
    """The table of a grid and the words in it; None: it is a frame, a form or a chart.

    Args:
        grid: the cells.
        tokens: the words in it.
        aside: words that are turned, as heads of narrow columns are, each with its middle.
        open_ended: whether it may be a part of a table that other rules bound.
    """
    placed = _split_cells(grid, _place_tokens(grid, tokens))
    filled = sum(1 for found in placed.values() if found)
    lattice = (len(grid.across) - 1) * (len(grid.down) - 1)
    regular = len(placed) / lattice
    if filled < 3 or regular < REGULAR or filled < (FILLED + 0.5 * (1 - regular)) * len(placed):
        return None
    rows = {area.top for area, found in placed.items() if found}
    columns = {area.left for area, found in placed.items() if found}
    bounded = len(rows) >= 2 and len(columns) >= 2
    if not bounded or _needs_layout(grid, placed):
        if open_ended:
            return None
        laid_out = _lay_out_grid(grid, tokens)
        if laid_out is not None or not bounded:
            return laid_out
    for (x, y), token in aside:
        area = _find_area(grid, placed, x, y)
        if not placed[area] or placed[area][-1].words[0].turn == token.words[0].turn:
            placed[area].append(token)
    return _build_ruled(grid, placed)


def _place_tokens(grid: Grid, tokens: Iterable[Token]) -> dict[Area, list[Token]]:
    placed: dict[Area, list[Token]] = {area: [] for area in grid.areas}
    at = {
        (row, column): area
        for area in grid.areas
        for row in range(area.top, area.bottom)
        for column in range(area.left, area.right)
    }
    for token in tokens:
        placed[at[_find_place(grid, (token.left + token.right) / 2, find_middle_height(token))]].append(token)
    return placed


def _find_place(grid: Grid, x: float, y: float) -> tuple[int, int]:
    row = min(max(bisect_right(grid.down, y) - 1, 0), len(grid.down) - 2)
    return row, min(max(bisect_right(grid.across, x) - 1, 0), len(grid.across) - 2)


def _find_area(grid: Grid, areas: Iterable[Area], x: float, y: float) -> Area:
    row, column = _find_place(grid, x, y)
    return next(area for area in areas if area.top <= row < area.bottom and area.left <= column < area.right)


def _needs_layout(grid: Grid, placed: dict[Area, list[Token]]) -> bool:
    """Whether cells hold several rows: lines with gaps, or a band whose cells have equally many lines."""
    bands: dict[tuple[int, int], list[list[TextRow]]] = {}
    for area, tokens in placed.items():
        rows = build_rows(tokens)
        parted = sum(1 for row in rows if len(split_segments(row)) > 1 and not BULLET.match(row.tokens[0].text))
        wide = grid.across[area.right] - grid.across[area.left] >= WIDE_CELL * (grid.across[-1] - grid.across[0])
        if wide and parted > 1 and parted >= 0.6 * len(rows):
            return True
        if rows:
            bands.setdefault((area.top, area.bottom), []).append(rows)
    return any(_is_several(cells) for cells in bands.values() if len(cells) > 1)


def _is_several(cells: Sequence[Sequence[TextRow]]) -> bool:
    """Whether cells next to one another hold several rows of a table: their lines are next to each other.

    They have equally many, or two have all numbers, or one, each of which is next to a line of every other cell.
    """
    counts = [len(rows) for rows in cells]
    if min(counts) < 2:
        return False
    numeric = sum(
        1
        for rows in cells
        if sum(is_number(" ".join(token.text for token in row.tokens)) for row in rows) >= 0.8 * len(rows)
    )
    if numeric > 1 or (min(counts) == max(counts) >= 3):
        return True
    fewest = min(cells, key=len)
    return (
        numeric == 1
        and len(fewest) >= 3
        and all(any(abs(row.base - one.base) < 0.3 * row.size for one in rows) for rows in cells for row in fewest)
    )


def _lay_out_grid(grid: Grid, tokens: Sequence[Token]) -> Table | None:
    rows = drop_leaders(build_rows(tokens))
    if len(rows) < 2:
        return None
    walls = [
        wall
        for wall in grid.across[1:-1]
        if sum(any(token.left < wall - 1 and token.right > wall + 1 for token in row.tokens) for row in rows)
        <= 0.1 * len(rows)
    ]
    rules = join_rules(grid.horizontal)
    region = Region(tuple(rows), tuple(rules), tuple(walls))
    layout = lay_out(region)
    if layout is None or not is_table(layout, count_rules(region)):
        return None
    return layout.table


def _build_ruled(grid: Grid, placed: dict[Area, list[Token]]) -> Table | None:
    rows = _number_bands(len(grid.down) - 1, {area.top for area in placed})
    columns = _number_bands(len(grid.across) - 1, {area.left for area in placed})
    cells = []
    for area, tokens in placed.items():
        row, column = rows[area.top], columns[area.left]
        lines = tuple(found.tokens for found in drop_leaders(build_rows(tokens)))
        cells.append(TableCell(row, column, rows[area.bottom] - row, columns[area.right] - column, False, lines))
    per_row = Counter(cell.row for cell in cells if cell.lines)
    if len(per_row) > 2 and sum(1 for count in per_row.values() if count > 1) < 0.5 * len(per_row):
        return None  # a drawing with words in it
    table = Table(grid.box, rows[-1], columns[-1], tuple(sorted(cells)), grid.across)
    return mark_heads(table)


def _split_cells(grid: Grid, placed: dict[Area, list[Token]]) -> dict[Area, list[Token]]:
    """The cells of areas in which no lines part some rows or columns that lines part elsewhere in the table."""
    return {
        part: list(inside)
        for area, tokens in placed.items()
        for band, held in _split_bands(area, tokens, grid.down)
        for part, inside in _split_area(band, held, grid.across)
    }


def _split_bands(area: Area, tokens: Sequence[Token], down: Sequence[float]) -> Iterator[tuple[Area, Sequence[Token]]]:
    """The cells of an area over many rows that prints one line in each: no lines part the labels of a table."""
    count = area.bottom - area.top
    bands: list[list[Token]] = [[] for _ in range(count)]
    for token in tokens:
        number = bisect_right(down, find_middle_height(token)) - 1 - area.top
        bands[min(max(number, 0), count - 1)].append(token)
    single = sum(1 for band in bands if len(build_rows(band)) == 1)
    if count < 4 or single < 0.8 * count:
        yield area, tokens
        return
    for number, band in enumerate(bands):
        yield Area(area.top + number, area.left, area.top + number + 1, area.right), band


def _split_area(area: Area, tokens: Sequence[Token], across: Sequence[float]) -> Iterator[tuple[Area, Sequence[Token]]]:
    """The cells of an area over several columns whose lines leave gaps where other rows of the table have lines."""
    borders = []
    for number in range(area.left + 1, area.right):
        wall = across[number]
        before = max((token.right for token in tokens if token.left + token.right < 2 * wall), default=None)
        after = min((token.left for token in tokens if token.left + token.right >= 2 * wall), default=None)
        if before is None or after is None:
            borders.append((number, False))
        elif before <= wall + 1 and after >= wall - 1 and after - before > 0.8 * tokens[0].size:
            borders.append((number, True))
    if not any(certain for _, certain in borders):
        yield area, tokens
        return
    bounds = [area.left, *(number for number, _ in borders), area.right]
    for left, right in pairwise(bounds):
        low = across[left] if left > area.left else float("-inf")
        high = across[right] if right < area.right else float("inf")
        inside = [token for token in tokens if low <= (token.left + token.right) / 2 < high]
        yield Area(area.top, left, area.bottom, right), inside


def _number_bands(count: int, starts: set[int]) -> list[int]:
    """The numbers of bands when those are left out in which no cell begins, and how many are left."""
    numbers = [0]
    for band in range(count):
        numbers.append(numbers[-1] + (1 if band in starts else 0))
    return numbers


def mark_heads(table: Table) -> Table:
    """Mark the cells of the first rows as heads where the rows below have numbers and they have none, or are bold."""
    by_row: dict[int, list[TableCell]] = {}
    for cell in table.cells:
        by_row.setdefault(cell.row, []).append(cell)
    values = [any(is_number(cell.text) for cell in by_row.get(row, ()) if cell.column) for row in range(table.rows)]
    head = 0
    if any(values):
        head = values.index(True)
    if head == 0 and by_row.get(0):
        bold = [token.bold for cell in by_row[0] for line in cell.lines for token in line]
        rest = [token.bold for cell in table.cells if cell.row for line in cell.lines for token in line]
        head = 1 if bold and all(bold) and not all(rest) else 0
    head = min(head, max(1, table.rows // 2))
    cells = tuple(cell._replace(head=cell.row < head) for cell in table.cells)
    return table._replace(cells=cells)
