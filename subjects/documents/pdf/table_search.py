"""Finds the tables of a page: those of connected lines, those between rules, and those of aligned words alone.

What is not sure to be a table is none: running text that is taken for a table loses its sentences.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from elcano.subjects.documents.pdf.edges import Edges, turn_edges
from elcano.subjects.documents.pdf.frames import Rectangle, turn_back
from elcano.subjects.documents.pdf.prose import find_prose
from elcano.subjects.documents.pdf.segments import Segment
from elcano.subjects.documents.pdf.table_evidence import count_rules, is_table
from elcano.subjects.documents.pdf.table_grids import build_grid_table
from elcano.subjects.documents.pdf.table_layout import Region, lay_out
from elcano.subjects.documents.pdf.table_regions import (
    LEADER,
    SAME_END,
    cut_rows,
    drop_caption,
    drop_leaders,
    group_rules,
    is_caption_row,
    is_tabular,
    join_rules,
    split_blocks,
    split_far,
)
from elcano.subjects.documents.pdf.table_surroundings import attach_surroundings
from elcano.subjects.documents.pdf.tables import Table, TextRow, Token
from elcano.subjects.documents.pdf.tables_ruled import Grid, find_grids
from elcano.subjects.documents.pdf.text_rows import build_row, build_rows, collect_tokens, find_middle_height
from elcano.subjects.documents.pdf.words import Page

LEAST_TOKENS: Final = 6
"""Words that a table has at least."""
NEAR_RULE: Final = 80.0
"""A rule is not farther from the grid that it continues than this, in points."""
PAGE_LIMIT: Final = 12_000
"""Tokens of a page that are looked at: a page of small print has 2,500."""


def find_tables(page: Page, edges: Edges, segments: Mapping[int, Sequence[Segment]]) -> list[Table]:
    """The tables of a page, from the top; those in other directions of reading than most of it come last.

    Args:
        page: its words; see `words.read_words`.
        edges: its lines; see `edges.read_edges`.
        segments: of its words by their turns; see `segments.build_segments_by_turn`.
    """
    turns = Counter(word.turn for word in page.words)
    tokens = {
        turn: collect_tokens(found) if turns[turn] <= PAGE_LIMIT else []
        for turn, found in segments.items()
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
        later = [grid for grid in find_grids(self._edges, self._left) if not self._try_grid(grid, first=True)]
        rows = build_rows(self._left)
        prose = find_prose(rows)
        for region in self._list_ruled_regions(rows, prose):
            self._try_region(region)
        for grid in later:
            self._try_grid(grid, first=False)
        rows = build_rows(token for token in self._left if token not in prose)
        for region in self._list_plain_regions(rows):
            self._try_region(region)
        found = sorted(self._found, key=lambda table: (table.box[1], table.box[0]))
        return attach_surroundings(found, self._left) if found else []

    def _take(self, table: Table) -> None:
        taken = {token for cell in table.cells for line in cell.lines for token in line}
        left, top, right, bottom = table.box
        dropped = [
            token
            for token in self._left
            if token not in taken
            and LEADER.match(token.text)
            and _is_within(
                ((token.left + token.right) / 2, find_middle_height(token)), (left - 2, top - 2, right + 2, bottom + 2)
            )
        ]
        taken.update(dropped)
        self._found.append(table._replace(dropped=tuple(dropped)))
        self.taken |= taken
        self._left = [token for token in self._left if token not in taken]

    def _try_grid(self, grid: Grid, *, first: bool) -> bool:
        """Take the table of a grid, if it is one; False: its lines may bound only a part of a table."""
        left, top, right, bottom = grid.box
        inside = [
            token
            for token in self._left
            if left - 1 <= (token.left + token.right) / 2 <= right + 1
            and top - 1 <= find_middle_height(token) <= bottom + 1
        ]
        if len(inside) < LEAST_TOKENS:
            return True
        aside = [
            (middle, token)
            for token in self._aside
            if token not in self.taken and _is_within(middle := self._find_middle(token), grid.box)
        ]
        open_ended = first and self._is_continued(grid)
        table = build_grid_table(grid, inside, aside, open_ended=open_ended)
        if table is not None and not self._is_drawing(table):
            self._take(table)
        return table is not None or not open_ended

    def _is_drawing(self, table: Table) -> bool:
        """Whether a chart or diagram covers what looks like a table."""
        left, top, right, bottom = table.box
        inside = 0
        for drawing in self._edges.drawings:
            wide = min(right, drawing[2]) - max(left, drawing[0])
            high = min(bottom, drawing[3]) - max(top, drawing[1])
            if wide < 0 or high < 0:
                continue
            if wide >= 0.25 * (right - left) and high >= 0.25 * (bottom - top):
                return True
            inside += 1
        return inside > max(2, 0.3 * table.rows)

    def _is_continued(self, grid: Grid) -> bool:
        """Whether rules outside a grid begin and end where its own do: its lines bound only a part of a table."""
        left, top, right, bottom = grid.box
        return any(
            abs(edge.low - left) <= 2 * SAME_END
            and abs(edge.high - right) <= 2 * SAME_END
            and (0 < top - edge.at < NEAR_RULE or 0 < edge.at - bottom < NEAR_RULE)
            for edge in self._edges.horizontal
        )

    def _find_middle(self, token: Token) -> tuple[float, float]:
        """The middle of a word that is turned, on the displayed page."""
        box = (token.left, token.top, token.right, token.bottom)
        left, top, right, bottom = turn_back(box, token.words[0].turn, self._page.width, self._page.height)
        return (left + right) / 2, (top + bottom) / 2

    def _try_region(self, region: Region) -> None:
        left = set(self._left)
        rows = [build_row(kept) for row in region.rows if (kept := [token for token in row.tokens if token in left])]
        layout = lay_out(region._replace(rows=tuple(rows)))
        if layout is not None and is_table(layout, count_rules(region)) and not self._is_drawing(layout.table):
            self._take(layout.table)

    def _list_ruled_regions(self, rows: Sequence[TextRow], prose: set[Token]) -> Iterator[Region]:
        for group in group_rules(self._outlined.horizontal):
            left, right = group[0].low, group[0].high
            parts: list[TextRow] = []
            for above, below in pairwise(group):
                band = cut_rows(rows, (left, above.at, right, below.at))
                if parts and any(map(is_caption_row, band)):
                    yield from self._trim_region(parts, prose, (left, right))
                    parts = []
                if is_tabular(band, prose):
                    parts.extend(band)
                    continue
                yield from self._trim_region(parts, prose, (left, right))
                parts = []
            yield from self._trim_region(parts, prose, (left, right))

    def _trim_region(self, rows: list[TextRow], prose: set[Token], sides: tuple[float, float]) -> Iterator[Region]:
        """The region of rows without the running text before and behind them."""
        flowing = [all(token in prose for token in row.tokens) for row in rows]
        first = next((number for number, flows in enumerate(flowing) if not flows), len(rows))
        last = next((number for number, flows in enumerate(flowing[::-1]) if not flows), 0)
        for part in split_far(rows[first : len(rows) - last]):
            if len(part) > 2:
                yield from self._build_region(part, sides)

    def _list_plain_regions(self, rows: Sequence[TextRow]) -> Iterator[Region]:
        for block in split_blocks(rows):
            left = min(token.left for row in block for token in row.tokens)
            right = max(token.right for row in block for token in row.tokens)
            yield from self._build_region(block, (left, right))

    def _build_region(self, rows: Sequence[TextRow], sides: tuple[float, float]) -> Iterator[Region]:
        left, right = sides
        rows = drop_leaders(drop_caption(rows))
        if not rows:  # a form's dotted lines, to be filled in
            return
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
        yield Region(tuple(rows), tuple(join_rules(rules)), tuple(walls))


def _is_within(point: tuple[float, float], box: Rectangle) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]
