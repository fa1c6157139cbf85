"""Finds running heads and feet, and page numbers, which are printed on every page next to its text.

They recur at one height on several pages with other numbers, or count the pages. A line that does neither is text,
wherever it stands.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import regex

from elcano.subjects.documents.pdf.lines import TextLine

BAND: Final = 0.16
"""Share of a page's height, from its top and from its bottom, in which heads and feet stand."""
OUTER_ROWS: Final = 4
"""Number of rows from the top and from the bottom that may be heads or feet."""
SAME_HEIGHT: Final = 0.012
"""Heads of two pages stand at one height if they differ by less than this share of it."""
LARGEST: Final = 1.25
"""Larger type than this, in sizes of the text, is a title, though it may recur; unless it is on most pages."""
SURE: Final = 3
"""Number of pages that prove that a number in a line counts them."""
APART: Final = 1.5
"""A head or foot stands this many sizes from the text, or from another one: less, and it is the text's first line."""
_NUMBERS: Final = regex.compile(r"\d+|\b[ivxlc]{1,7}\b", regex.IGNORECASE)
_PAGE_NUMBER: Final = regex.compile(
    r"\W{0,3}(?:(?:page|p\.|pp\.|seite|página|pagina|pág\.|стр\.|第)\s?)?\W{0,3}(\d{1,4}|[ivxl]{1,6})\s?(?:页|頁|ページ)?"
    r"(?:\s?(?:of|/|von|de|di|sur|из|\|)\s?\d{1,4})?\W{0,3}",
    regex.IGNORECASE,
)
_ROMAN: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class _Row:
    """Lines of a page at one height, near its top or bottom."""

    page: int
    """Index of the page."""
    lines: tuple[TextLine, ...]
    height: float
    """Position, as a share of the page's height."""
    apart: float
    """Distance to the next row towards the middle of the page, in points."""
    inner: float
    """Position of that row."""

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)


def drop_furniture(pages: Sequence[list[TextLine]], heights: Sequence[float], body_size: float) -> list[list[TextLine]]:
    """The lines of each page without heads, feet and page numbers.

    Args:
        pages: the lines of each page.
        heights: of each page, in points.
        body_size: the size of most of the text.
    """
    rows = [row for index, lines in enumerate(pages) for row in _list_outer_rows(index, lines, heights[index])]
    furniture = _find_recurring(rows, len(pages), body_size) + _find_numbered(rows, len(pages))
    dropped = {id(line) for row in furniture for line in row.lines} | set(map(id, _find_turned(pages)))
    return [[line for line in lines if id(line) not in dropped] for lines in pages]


def _list_outer_rows(index: int, lines: Sequence[TextLine], height: float) -> list[_Row]:
    upright = sorted(
        (line for line in lines if line.turn == 0 and line.thing is None), key=lambda line: (line.base, line.left)
    )
    rows: list[list[TextLine]] = []
    for line in upright:
        if rows and abs(line.base - rows[-1][0].base) <= 0.3 * min(line.size, rows[-1][0].size):
            rows[-1].append(line)
        else:
            rows.append([line])
    found: list[_Row] = []
    for number, row in enumerate(rows):
        place = row[0].base / max(height, 1.0)
        top, bottom = number < OUTER_ROWS, number >= len(rows) - OUTER_ROWS
        if (top and place < BAND) or (bottom and place > 1 - BAND):
            inner = number + 1 if place < 0.5 else number - 1
            apart = abs(rows[inner][0].base - row[0].base) if 0 <= inner < len(rows) else height
            next_place = rows[inner][0].base / max(height, 1.0) if 0 <= inner < len(rows) else 0.0
            found.append(_Row(index, tuple(sorted(row, key=lambda line: line.left)), place, apart, next_place))
    return found


def _find_recurring(rows: Sequence[_Row], pages: int, body_size: float) -> list[_Row]:
    """Rows that recur with other numbers at one height."""
    groups: defaultdict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        if key := _NUMBERS.sub("#", row.text.casefold()):
            groups[key].append(row)
    found: list[_Row] = []
    for key, group in groups.items():
        if not any(char.isalpha() for char in key):
            continue  # bare numbers have to count
        for row in group:
            on = {one.page for one in group if abs(one.height - row.height) < SAME_HEIGHT}
            large = max(line.size for line in row.lines) > LARGEST * body_size
            if len(on) > 1 and not (large and (len(on) < SURE or len(on) * 2 < pages)):
                found.append(row)
    kept: dict[tuple[int, float], _Row] = {}
    for row in sorted(found, key=lambda row: abs(row.height - 0.5)):  # from the text outwards
        if row.apart > APART * body_size or (row.page, row.inner) in kept:
            kept[row.page, row.height] = row
    return list(kept.values())


def _find_turned(pages: Sequence[Sequence[TextLine]]) -> list[TextLine]:
    """Lines that stand on their side beside the text of several pages, at one place."""
    groups: defaultdict[tuple[str, int], list[TextLine]] = defaultdict(list)
    for lines in pages:
        turned = [line for line in lines if line.turn and line.thing is None]
        if 2 * len(turned) < len(lines):
            for line in turned:
                groups[_NUMBERS.sub("#", line.text.casefold()), round(line.base)].append(line)
    recurring = (group for (key, _), group in groups.items() if any(map(str.isalpha, key)))
    return [line for group in recurring if len({one.page for one in group}) >= SURE for line in group]


def _find_numbered(rows: Sequence[_Row], pages: int) -> list[_Row]:
    """Rows that hold the number of their page."""
    seen: list[tuple[_Row, int, bool]] = []
    for row in rows:
        alone = _PAGE_NUMBER.fullmatch(row.text)
        if alone:
            seen.append((row, _read_number(alone[1]) - row.page, True))
            continue
        for line in (row.lines[0], row.lines[-1]):
            for token in {line.tokens[0], line.tokens[-1]}:
                if (number := token.strip("|-\u2013·•()[]")).isdecimal() and len(number) <= 4:
                    seen.append((row, int(number) - row.page, False))
    if pages == 1:
        return [row for row, _, alone in seen if alone and _is_outermost(row, rows) and row.apart > 20]
    offsets = Counter(
        {offset: len({row.page for row, told_offset, _ in seen if told_offset == offset}) for _, offset, _ in seen}
    )
    found: list[_Row] = []
    for row, offset, alone in seen:
        often = offsets[offset]
        outermost = _is_outermost(row, rows)
        counts = often >= 2 or (outermost and row.apart > 20)
        if (alone and counts) or (outermost and often >= min(SURE, pages) and row.apart > 16):
            found.append(row)
    return found


def _is_outermost(row: _Row, rows: Sequence[_Row]) -> bool:
    beside = [one.height for one in rows if one.page == row.page]
    return row.height in (min(beside), max(beside))


def _read_number(text: str) -> int:
    if text.isdecimal():
        return int(text)
    values = [_ROMAN[letter] for letter in text.lower()]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))
