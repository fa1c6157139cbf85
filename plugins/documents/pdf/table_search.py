"""Finds the tables of a page: those of connected lines, those between rules, and those of aligned words alone.

What is not sure to be a table is none: running text that is taken for a table loses its sentences.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from elcano.plugins.documents.pdf.edges import Edge, Edges, Rectangle, turn_edges
from elcano.plugins.documents.pdf.prose import find_prose
from elcano.plugins.documents.pdf.segments import turn_back
from elcano.plugins.documents.pdf.table_layout import Layout, Region, lay_out
from elcano.plugins.documents.pdf.table_surroundings import attach_surroundings
from elcano.plugins.documents.pdf.tables import Table, TableCell, TextRow, Token
from elcano.plugins.documents.pdf.tables_ruled import Area, Grid, find_grids
from elcano.plugins.documents.pdf.text_rows import build_row, build_rows, collect_tokens, is_number, split_segments
from elcano.plugins.documents.pdf.words import Page

LEAST_TOKENS: Final = 6
"""Words that a table has at least."""
RULE_LENGTH: Final = 60.0
"""A line between rows of a table is at least this long, in points."""
SAME_END: Final = 6.0
"""Rules of one table begin and end at the same places, give or take this, in points."""
PART_GAP: Final = 12.0
"""Parts of a rule that is broken between columns are not farther apart than this, in points."""
ROW_DISTANCE: Final = 3.2
"""Rows of one table are not farther apart than this many times their size."""
PAGE_LIMIT: Final = 12_000
"""Tokens of a page that are looked at: a page of small print has 2,500."""


def find_tables(page: Page, edges: Edges) -> list[Table]:
    """The tables of a page, from the top; those in other directions of reading than most of it come last.

    Args:
        page: its words; see `words.read_words`.
        edges: its lines; see `edges.read_edges`.
    """
    turns = Counter(word.turn for word in page.words)
    tokens = {
        turn: collect_tokens(page.words, turn, page.width, page.height) if count <= PAGE_LIMIT else []
        for turn, count in turns.items()
        if turn % 90 == 0
    }
    tables: list[Table] = []
    for turn in sorted(tokens, key=lambda turn: -len(tokens[turn])):
        aside = [token for other in tokens if other != turn for token in tokens[other]] if turn == 0 else []
        if len(tokens[turn]) < LEAST_TOKENS:
            continue
        search = _Search(tokens[turn], turn_edges(edges, turn, page.width, page.height), aside, page)
        tables.extend(table._replace(turn=turn) for table in search.run())
        for other in tokens:
            tokens[other] = [token for token in tokens[other] if token not in search.taken]
    return tables


class _Search:
    """Looks for tables among the words of one direction."""

    def __init__(self, tokens: Sequence[Token], edges: Edges, aside: Sequence[Token], page: Page) -> None:
        self.taken: set[Token] = set()
        self._left = list(tokens)
        self._edges = edges
        self._outlined = edges.outline_fills() if edges.fills else edges
        self._aside = aside
        self._page = page
        self._found: list[Table] = []

    def run(self) -> list[Table]:
        """The tables, from the top."""
        for grid in find_grids(self._edges, self._left):
            self._try_grid(grid)
        rows = build_rows(self._left)
        prose = find_prose(rows)
        for region in self._list_ruled_regions(rows, prose):
            self._try_region(region)
        rows = build_rows(token for token in self._left if token not in prose)
        for region in self._list_plain_regions(rows):
            self._try_region(region)
        found = sorted(self._found, key=lambda table: (table.box[1], table.box[0]))
        return attach_surroundings(found, self._left) if found else []

    def _take(self, table: Table) -> None:
        self._found.append(table)
        taken = {token for cell in table.cells for line in cell.lines for token in line}
        self.taken |= taken
        self._left = [token for token in self._left if token not in taken]

    def _try_grid(self, grid: Grid) -> None:
        left, top, right, bottom = grid.box
        inside = [
            token
            for token in self._left
            if left - 1 <= (token.left + token.right) / 2 <= right + 1 and top - 1 <= _center(token) <= bottom + 1
        ]
        if len(inside) < LEAST_TOKENS:
            return
        aside = [
            (middle, token)
            for token in self._aside
            if token not in self.taken and _is_within(middle := self._find_middle(token), grid.box)
        ]
        table = build_grid_table(grid, inside, aside)
        if table is not None:
            self._take(table)

    def _find_middle(self, token: Token) -> tuple[float, float]:
        """The middle of a word that is turned, on the displayed page."""
        box = (token.left, token.top, token.right, token.bottom)
        left, top, right, bottom = turn_back(box, token.words[0].turn, self._page.width, self._page.height)
        return (left + right) / 2, (top + bottom) / 2

    def _try_region(self, region: Region) -> None:
        left = set(self._left)
        rows = [build_row(kept) for row in region.rows if (kept := [token for token in row.tokens if token in left])]
        if sum(len(row.tokens) for row in rows) < 0.8 * sum(len(row.tokens) for row in region.rows):
            return
        layout = lay_out(region._replace(rows=tuple(rows)))
        if layout is not None and is_table(layout, count_rules(region)):
            self._take(layout.table)

    def _list_ruled_regions(self, rows: Sequence[TextRow], prose: set[Token]) -> Iterator[Region]:
        for group in _group_rules(self._outlined.horizontal):
            left, right = group[0].low, group[0].high
            parts: list[TextRow] = []
            for above, below in pairwise(group):
                band = _cut_rows(rows, (left, above.at, right, below.at))
                if _is_tabular(band, prose):
                    parts.extend(band)
                    continue
                if len(parts) > 2:
                    yield self._build_region(parts, (left, right))
                parts = []
            if len(parts) > 2:
                yield self._build_region(parts, (left, right))

    def _list_plain_regions(self, rows: Sequence[TextRow]) -> Iterator[Region]:
        for block in _split_blocks(rows):
            left = min(token.left for row in block for token in row.tokens)
            right = max(token.right for row in block for token in row.tokens)
            yield self._build_region(block, (left, right))

    def _build_region(self, rows: Sequence[TextRow], sides: tuple[float, float]) -> Region:
        left, right = sides
        rows = drop_leaders(rows)
        top, bottom = rows[0].top, rows[-1].bottom
        rules = [
            edge
            for edge in self._outlined.horizontal
            if top - 6 <= edge.at <= bottom + 6 and edge.low < right and edge.high > left
        ]
        walls = [
            edge.at
            for edge in self._outlined.vertical
            if left < edge.at < right and min(edge.high, bottom) - max(edge.low, top) >= 0.6 * (bottom - top)
        ]
        return Region(tuple(rows), tuple(join_rules(rules)), tuple(walls))


def _is_within(point: tuple[float, float], box: Rectangle) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def _center(token: Token) -> float:
    return token.base - 0.3 * token.size


_LEADER: Final = re.compile(r"[._…]{4,}|[-=–—]{5,}")


def drop_leaders(rows: Sequence[TextRow]) -> list[TextRow]:
    """Rows without the dots that lead from labels to values, and without lines made of dashes."""
    kept = []
    for row in rows:
        dots = sum(1 for token in row.tokens if token.text in (".", ".."))
        tokens = [
            token
            for token in row.tokens
            if not _LEADER.fullmatch(token.text) and not (dots > 3 and token.text in (".", ".."))
        ]
        if tokens:
            kept.append(row if len(tokens) == len(row.tokens) else build_row(tokens))
    return kept


def join_rules(edges: Iterable[Edge]) -> list[Edge]:
    """Rules, and beside them those that are made of parts broken between columns."""
    joined: list[Edge] = []
    for edge in sorted(edges):
        joined.append(edge)
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


def _group_rules(edges: Sequence[Edge]) -> list[list[Edge]]:
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


def _cut_rows(rows: Sequence[TextRow], box: Rectangle) -> list[TextRow]:
    """What rows print in a part of the page."""
    left, top, right, bottom = box
    cut = []
    for row in rows:
        if not top - 1 <= row.base - 0.3 * row.size <= bottom + 1:
            continue
        tokens = [token for token in row.tokens if left - 4 <= (token.left + token.right) / 2 <= right + 4]
        if tokens:
            cut.append(build_row(tokens))
    return cut


def _is_tabular(rows: Sequence[TextRow], prose: set[Token]) -> bool:
    """Whether what stands between two rules may belong to a table: its lines have gaps, or are one or two."""
    if not rows:
        return True
    flowing = sum(1 for row in rows if all(token in prose for token in row.tokens))
    if flowing >= 3 and flowing > 0.3 * len(rows):
        return False
    parted = sum(1 for row in rows if len(split_segments(row)) > 1)
    return len(rows) <= 2 or parted >= 0.5 * len(rows)


def _split_blocks(rows: Sequence[TextRow]) -> Iterator[list[TextRow]]:
    """Rows that follow each other closely and mostly have several segments."""
    block: list[TextRow] = []
    alone = 0
    for row in rows:
        parted = len(split_segments(row)) > 1
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


_LIST_MARK: Final = re.compile(r"[•·●○▪■◦‣*–—-]|\[?\(?(?:\d{1,3}|[a-z]|[ivx]{1,5}|[A-Z])[.)\]]{0,2}\]?")
_BULLET: Final = re.compile(r"[•·●○▪■◦‣❖➢✓\uf000-\uf0ff](?:\s|$)")
_LEADERS: Final = re.compile(r"(?:\. ?){4,}|…{2,}|_{4,}")
_EQUATION: Final = re.compile(r"[.,;]?\s?\((?:[A-Z]\.?)?\d{1,3}(?:\.\d{1,3})?[a-z]?\)")


def count_rules(region: Region) -> int:
    """How many lines as wide as a region stand above, between and below its rows."""
    left = min(token.left for row in region.rows for token in row.tokens)
    right = max(token.right for row in region.rows for token in row.tokens)
    places = [
        rule.at
        for rule in region.rules
        if min(rule.high, right) - max(rule.low, left) >= 0.8 * (right - left)
        and rule.length <= 1.3 * (right - left) + 20
    ]
    return sum(1 for before, place in pairwise([float("-inf"), *places]) if place - before > 4)


def is_table(layout: Layout, rules: int) -> bool:
    """Whether what is laid out is a table: its cells are short or numbers, and most of them are filled.

    Args:
        layout: rows and columns.
        rules: how many lines as wide as the table it has.
    """
    body = layout.body
    columns = layout.table.columns
    ruled = rules > 1 or (rules == 1 and layout.head_rows > 0)
    if len(body) < 2 or (not ruled and len(body) < 3):
        return False
    firsts = [row[0] for row in body if row[0]]
    values = [text for row in body for text in row[1:] if text]
    if not values or _is_list(firsts, values, columns) or _is_contents(body):
        return False
    numbers = sum(map(is_number, values))
    filled = len(values) / (len(body) * (columns - 1))
    short = sum(1 for text in values if len(text.split()) <= 4)
    if numbers >= 0.5 * len(values):
        if ruled:
            return filled >= 0.3
        wordy = sum(1 for text in firsts if len(text.split()) > 10)
        return filled >= 0.4 and len(firsts) >= 0.5 * len(body) and wordy < 0.3 * len(body) and _has_numbers(body)
    if _is_monospaced(layout.table):
        return False  # code
    if ruled:
        labelled = len(firsts) >= 0.6 * len(body) and filled >= 0.5
        return filled >= 0.3 and (short >= 0.5 * len(values) or (labelled and (rules > 2 or columns > 2)))
    return columns >= 3 and len(body) >= 4 and filled >= 0.7 and short >= 0.9 * len(values)


def _has_numbers(body: Sequence[Sequence[str]]) -> bool:
    """Whether a column behind the first one is of numbers."""
    for column in range(1, len(body[0])):
        texts = [row[column] for row in body if row[column]]
        digits = sum(1 for text in texts if is_number(text) and any(map(str.isdigit, text)))
        if len(texts) >= 3 and digits >= 0.6 * len(texts):
            return True
    return False


def _is_monospaced(table: Table) -> bool:
    """Whether all characters are equally wide."""
    widths = sorted(
        (token.right - token.left) / len(token.text) / token.size
        for cell in table.cells
        for line in cell.lines
        for token in line
        if len(token.text) > 2
    )
    return len(widths) > 5 and widths[len(widths) // 10] > 0.97 * widths[-1 - len(widths) // 10]


def _is_list(firsts: Sequence[str], values: Sequence[str], columns: int) -> bool:
    """Whether the first column is the marks of a list, and what follows is text."""
    marks = sum(1 for text in firsts if _LIST_MARK.fullmatch(text))
    bullets = sum(1 for text in [*firsts, *values] if _BULLET.match(text))
    if bullets >= 0.3 * (len(firsts) + len(values)):
        return True
    numbers = sum(map(is_number, values))
    return bool(firsts) and marks >= 0.7 * len(firsts) and (columns == 2 or numbers < 0.2 * len(values))


def _is_contents(body: Sequence[Sequence[str]]) -> bool:
    """Whether rows are a table of contents, or formulas with their numbers."""
    lasts = [row[-1] for row in body if row[-1]]
    if sum(1 for text in lasts if _EQUATION.fullmatch(text)) >= 0.5 * len(lasts) > 0:
        return True
    if len(body[0]) > 3:
        return False
    pages = [int(text) for text in lasts if text.isdigit() and len(text) <= 4]
    leaders = sum(1 for row in body if _LEADERS.search(row[-2]))
    rising = sum(1 for before, after in pairwise(pages) if after >= before)
    titles = sum(1 for row in body if sum(map(str.isalpha, row[-2])) > 3)
    return (
        len(pages) >= 0.7 * len(lasts)
        and titles >= 0.7 * len(body)
        and (leaders >= 0.3 * len(body) or (len(pages) >= 4 and rising == len(pages) - 1))
    )


WIDE_CELL: Final = 0.35
"""A cell as wide as this share of its table may hide columns; narrow ones have gaps where they are justified."""
REGULAR: Final = 0.3
"""Cells of a table are at least this share of the places of their lattice; forms and drawings have fewer."""
FILLED: Final = 0.25
"""The share of a grid's cells that have words in them, at least; charts and crosswords have fewer."""


def build_grid_table(
    grid: Grid, tokens: Sequence[Token], aside: Sequence[tuple[tuple[float, float], Token]] = ()
) -> Table | None:
    """The table of a grid and the words in it; None: it is a frame, a form or a chart.

    Args:
        grid: the cells.
        tokens: the words in it.
        aside: words that are turned, as heads of narrow columns are, each with its middle.
    """
    placed = _place_tokens(grid, tokens)
    filled = sum(1 for found in placed.values() if found)
    lattice = (len(grid.across) - 1) * (len(grid.down) - 1)
    if filled < 3 or filled < FILLED * len(grid.areas) or len(grid.areas) < REGULAR * lattice:
        return None
    rows = {area.top for area, found in placed.items() if found}
    columns = {area.left for area, found in placed.items() if found}
    bounded = len(rows) >= 2 and len(columns) >= 2
    if not bounded or _needs_layout(grid, placed):
        laid_out = _lay_out_grid(grid, tokens)
        if laid_out is not None or not bounded:
            return laid_out
    for (x, y), token in aside:
        area = _find_area(grid, x, y)
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
        placed[at[_find_place(grid, (token.left + token.right) / 2, _center(token))]].append(token)
    return placed


def _find_place(grid: Grid, x: float, y: float) -> tuple[int, int]:
    row = min(max(bisect_right(grid.down, y) - 1, 0), len(grid.down) - 2)
    return row, min(max(bisect_right(grid.across, x) - 1, 0), len(grid.across) - 2)


def _find_area(grid: Grid, x: float, y: float) -> Area:
    row, column = _find_place(grid, x, y)
    return next(area for area in grid.areas if area.top <= row < area.bottom and area.left <= column < area.right)


def _needs_layout(grid: Grid, placed: dict[Area, list[Token]]) -> bool:
    """Whether cells hold several rows: lines with gaps, or numbers below one another in two cells of one band."""
    bands: Counter[tuple[int, int]] = Counter()
    for area, tokens in placed.items():
        rows = build_rows(tokens)
        texts = [" ".join(token.text for token in row.tokens) for row in rows]
        parted = sum(1 for row in rows if len(split_segments(row)) > 1 and not _BULLET.match(row.tokens[0].text))
        wide = grid.across[area.right] - grid.across[area.left] >= WIDE_CELL * (grid.across[-1] - grid.across[0])
        if wide and parted > 1 and parted >= 0.6 * len(rows):
            return True
        if len(rows) > 1 and sum(map(is_number, texts)) >= 0.8 * len(texts):
            bands[area.top, area.bottom] += 1
    return any(count > 1 for count in bands.values())


def _lay_out_grid(grid: Grid, tokens: Sequence[Token]) -> Table | None:
    rows = build_rows(tokens)
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
    rows = _keep_used(len(grid.down) - 1, [(area.top, area.bottom) for area in grid.areas], grid.down)
    columns = _keep_used(len(grid.across) - 1, [(area.left, area.right) for area in grid.areas], grid.across)
    cells = []
    for area, tokens in placed.items():
        parts = [
            part
            for band, held in _split_bands(area, tokens, grid.down)
            for part in _split_area(band, held, grid.across)
        ]
        for part, inside in parts:
            row, column = rows[part.top], columns[part.left]
            lines = tuple(found.tokens for found in build_rows(inside))
            cells.append(TableCell(row, column, rows[part.bottom] - row, columns[part.right] - column, False, lines))
    cells = [cell for cell in cells if cell.rows and cell.columns]
    per_row = Counter(cell.row for cell in cells if cell.lines)
    if len(per_row) > 2 and sum(1 for count in per_row.values() if count > 1) < 0.5 * len(per_row):
        return None  # a drawing with words in it
    table = Table(grid.box, rows[-1], columns[-1], tuple(sorted(cells)), grid.across)
    return mark_heads(table)


def _split_bands(area: Area, tokens: Sequence[Token], down: Sequence[float]) -> Iterator[tuple[Area, Sequence[Token]]]:
    """The cells of an area over many rows that prints one line in each: no lines part the labels of a table."""
    count = area.bottom - area.top
    bands: list[list[Token]] = [[] for _ in range(count)]
    for token in tokens:
        number = bisect_right(down, _center(token)) - 1 - area.top
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


def _keep_used(count: int, spans: Iterable[tuple[int, int]], bounds: Sequence[float]) -> list[int]:
    """The numbers of bands when those are left out that begin no cell."""
    starts = {start for start, _ in spans}
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
