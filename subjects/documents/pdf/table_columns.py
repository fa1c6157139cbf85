"""Columns of a table that no lines part: strips between which every row, or nearly every one, leaves a gap."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from elcano.subjects.documents.pdf.tables import TextRow, Token
from elcano.subjects.documents.pdf.text_rows import is_number, split_segments

RUN_GAP: Final = 0.45
"""A gap wider than this share of the size may part two cells; spaces between words are .25 to .35 wide."""
CROSSED: Final = 0.1
"""A strip may be crossed by this share of the rows, whose cells then span it."""
MAX_NAMES: Final = 6
"""Lines that may name columns."""
CURRENCIES: Final = (
    frozenset("$€£¥+-\u2212\u2013(<>≤≥~≈±") | {"US$", "Rs.", "kr", "CHF", "USD", "EUR", "R$"} | frozenset("•·●○▪■◦‣►✓")
)
"""Tokens before a number or a list item that belong to it and are no column."""
SUFFIXES: Final = frozenset("%)*†‡°§¶") | {"**", "***", "%)", ")%", "††"}
"""Tokens after a number that belong to it and are no column."""


class Column(NamedTuple):
    """A strip of a table and what its rows print there."""

    left: float
    right: float
    """What is printed in it is between these."""
    start: float
    end: float
    """Start and end, in the middle of the adjacent gaps."""


class Run(NamedTuple):
    """Words of a row that are printed together."""

    left: float
    right: float
    tokens: tuple[Token, ...]

    @property
    def text(self) -> str:
        """Return its text."""
        return " ".join(token.text for token in self.tokens)


def split_runs(row: TextRow, gap: float = RUN_GAP) -> list[Run]:
    """The words of a row between gaps that may part cells."""
    return [build_run(segment) for segment in split_segments(row, gap)]


def build_run(tokens: Sequence[Token]) -> Run:
    """The run of some tokens that stand side by side."""
    return Run(tokens[0].left, max(token.right for token in tokens), tuple(tokens))


def find_columns(rows: Sequence[TextRow], walls: Sequence[float] = ()) -> list[Column]:
    """The columns of rows of a table; where `walls` stand, columns end in any case."""
    runs = [split_runs(row) for row in rows]
    core = _choose_core(runs)
    if not core:
        return []
    named = [row for row in runs[:MAX_NAMES] if len(row) > 2 and row not in core]
    valleys = _find_valleys(core, walls)
    strips = _cut_strips(core, valleys)
    strips = _merge_symbols(strips, core)
    for row in named:
        strips = _add_named(strips, row)
    return _build_columns(strips)


def _choose_core(runs: Sequence[list[Run]]) -> list[list[Run]]:
    """The rows that show the columns best: those with numbers, if there are enough, else those with several cells."""
    several = [row for row in runs if len(row) > 1]
    numeric = [row for row in several if any(is_number(run.text) for run in row[1:])]
    return numeric if len(numeric) >= max(2, 0.4 * len(several)) else several


def _find_valleys(core: Sequence[list[Run]], walls: Sequence[float]) -> list[tuple[float, float]]:
    """The intervals that (nearly) no row prints in, from left to right, between the first and the last that all do."""
    allowed = int(CROSSED * len(core))
    events = sorted([(run.left, 1) for row in core for run in row] + [(run.right, -1) for row in core for run in row])
    valleys: list[tuple[float, float]] = []
    depth, start = 0, None
    for place, change in events:
        depth += change
        if depth <= allowed and start is None:
            start = place
        elif depth > allowed and start is not None:
            valleys.append((start, place))
            start = None
    low, high = events[0][0], events[-1][0]
    size = core[0][0].tokens[0].size
    valleys = [(a, b) for a, b in valleys if a > low and b - a > 0.12 * size]
    for wall in walls:
        if low < wall < high and not any(a - 1 <= wall <= b + 1 for a, b in valleys):
            valleys.append((wall, wall))
    return sorted(valleys)


def _cut_strips(core: Sequence[list[Run]], valleys: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Cut the strips between the valleys; strips that one row alone prints in join the nearest one."""
    middles = [(a + b) / 2 for a, b in valleys]
    extents: list[list[float]] = [[] for _ in range(len(middles) + 1)]
    counts = [0] * len(extents)
    for row in core:
        for run in row:
            first, last = bisect_right(middles, run.left), bisect_right(middles, run.right)
            if first == last:
                extents[first] += (run.left, run.right)
                counts[first] += 1
    strips = [(min(part), max(part), count) for part, count in zip(extents, counts, strict=True) if part]
    least = 2 if len(core) >= 4 else 1
    index = 0
    while index < len(strips) and len(strips) > 1:
        if strips[index][2] >= least:
            index += 1
            continue
        before = strips[index][0] - strips[index - 1][1] if index else float("inf")
        after = strips[index + 1][0] - strips[index][1] if index + 1 < len(strips) else float("inf")
        other = index - 1 if before <= after else index
        left, right = strips[other], strips[other + 1]
        strips[other : other + 2] = [(left[0], right[1], left[2] + right[2])]
        index = other
    return [(left, right) for left, right, _ in strips]


def _add_named(strips: list[tuple[float, float]], row: Sequence[Run]) -> list[tuple[float, float]]:
    """Add strips for heads under which nothing is printed, if the other heads of their line are over strips."""
    over = [
        [number for number, (left, right) in enumerate(strips) if run.left < right and run.right > left] for run in row
    ]
    single = [found[0] for found in over if len(found) == 1]
    if len(single) < 2 or len(set(single)) < len(single) or any(len(found) > 1 for found in over):
        return strips
    size = row[0].tokens[0].size
    added = [
        (run.left, run.right)
        for run, found in zip(row, over, strict=True)
        if not found and all(run.left > right + 0.3 * size or run.right < left - 0.3 * size for left, right in strips)
    ]
    return sorted(strips + added)


def _merge_symbols(strips: list[tuple[float, float]], core: Sequence[list[Run]]) -> list[tuple[float, float]]:
    """Join strips of currencies with the numbers behind them, and strips of marks with the numbers before them."""
    texts: list[Counter[str]] = [Counter() for _ in strips]
    for row in core:
        for run in row:
            for number, (left, right) in enumerate(strips):
                if left <= (run.left + run.right) / 2 <= right:
                    texts[number][run.text] += 1
    merged: list[tuple[float, float]] = []
    pending: float | None = None
    for number, (left, right) in enumerate(strips):
        found = texts[number]
        if pending is not None:
            left, pending = pending, None
        if found and found.keys() <= CURRENCIES and number + 1 < len(strips):
            pending = left
        elif found and merged and (found.keys() <= SUFFIXES or _is_unit(found)):
            merged[-1] = (merged[-1][0], right)
        else:
            merged.append((left, right))
    return merged


def _is_unit(texts: Counter[str]) -> bool:
    """Whether a strip repeats one word, as units do."""
    text, count = texts.most_common(1)[0]
    return len(texts) == 1 and count > 2 and text.isalpha() and text.islower()


def _build_columns(strips: Sequence[tuple[float, float]]) -> list[Column]:
    columns = []
    for number, (left, right) in enumerate(strips):
        start = (strips[number - 1][1] + left) / 2 if number else left
        end = (right + strips[number + 1][0]) / 2 if number + 1 < len(strips) else right
        columns.append(Column(left, right, start, end))
    return columns


def place_run(run: Run, columns: Sequence[Column]) -> tuple[int, int]:
    """The first and the last column that a run covers."""
    covered = []
    for number, column in enumerate(columns):
        overlap = min(run.right, column.right) - max(run.left, column.left)
        if overlap > 0.5 * min(column.right - column.left, run.right - run.left):
            covered.append(number)
    if covered:
        return covered[0], covered[-1]
    middle = (run.left + run.right) / 2
    nearest = min(
        range(len(columns)), key=lambda number: max(columns[number].left - middle, middle - columns[number].right)
    )
    return nearest, nearest


def cut_run(run: Run, columns: Sequence[Column], *, tight: bool = False) -> Iterable[Run]:
    """Cut a run where a column ends between two of its words and both are numbers, or are apart a little.

    Args:
        run: words printed together.
        columns: the table's.
        tight: whether word spaces may part cells: nothing but its own name is directly over a column.
    """
    borders = [column.start for column in columns[1:]]
    parts: list[list[Token]] = [[run.tokens[0]]]
    for before, token in zip(run.tokens, run.tokens[1:], strict=False):
        near = any(before.right - 0.5 * token.size <= border <= token.left + 0.5 * token.size for border in borders)
        if near and (
            tight or token.left - before.right > 0.36 * token.size or (is_number(before.text) and is_number(token.text))
        ):
            parts.append([])
        parts[-1].append(token)
    return [build_run(part) for part in parts]
