"""Finds running heads and feet, and page numbers, which are printed on every page next to its text.

They recur at one height on several pages, word for word or with a number that counts the pages. A line that does
neither is text, wherever it is; so are captions, and a word with a number such as `Step 2`: it may count anything.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import regex

from elcano.subjects.documents.pdf.lines import TextLine
from elcano.subjects.documents.pdf.paragraph_signs import is_caption
from elcano.subjects.documents.pdf.segments import group_rows

BAND: Final = 0.16
"""Share of a page's height, from its top and from its bottom, in which heads and feet stand."""
OUTER_ROWS: Final = 4
"""Number of rows from the top and from the bottom that may be heads or feet."""
SAME_HEIGHT: Final = 0.012
"""Heads of two pages are at one height if they differ by less than this share of it."""
LARGEST: Final = 1.25
"""Larger type than this, in sizes of the text, is a title, though it may recur; unless it is on most pages."""
SURE: Final = 3
"""Number of pages that prove that a number in a line counts them."""
APART: Final = 1.5
"""A head or foot is this many sizes from the text, or from another one: less, and it is the text's first line."""
_NUMBERS: Final = regex.compile(r"\d+|\b[ivxlc]{1,7}\b", regex.IGNORECASE)
_PAGE_NUMBER: Final = regex.compile(
    r"\W{0,3}(?P<name>(?:page|p\.|pp\.|seite|página|pagina|pág\.|стр\.|第)\s?)?\W{0,3}(?P<number>\d{1,4}|[ivxl]{1,6})"
    r"\s?(?:页|頁|ページ)?(?:\s?(?:of|/|von|de|di|sur|из|\|)\s?\d{1,4})?\W{0,3}",
    regex.IGNORECASE,
)
_END_NUMBER: Final = regex.compile(r"[^\w.]*(\d{1,4})(?:/\d{1,4})?[^\w.)]*")
"""Number of a page at the end of a row; `1.` and `1)` are those of items."""
_OF_ALL: Final = regex.compile(r"(\d{1,4})\s?(?:of|/|von|de|di|sur|из|\|)\s?\d{1,4}\W*$", regex.IGNORECASE)
_LABEL: Final = regex.compile(r"\W*\p{L}+\.?\s#\W*")
_ROMAN: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class _Row:
    """Lines of a page at one height, near its top or bottom."""

    page: int
    """Index of the page."""
    lines: tuple[int, ...]
    """Their indexes among those of the page."""
    text: str
    offsets: frozenset[int]
    """By how much the numbers at the ends of its outermost lines exceed the index of the page."""
    size: float
    """The size of its largest type."""
    height: float
    """Position, as a share of the page's height."""
    apart: float
    """Distance to the next row towards the middle of the page, in points."""
    inner: float
    """Position of that row."""


class Furniture:
    """What pages have besides their text, collected page by page."""

    def __init__(self) -> None:
        self._rows: list[_Row] = []
        self._turned: defaultdict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
        """By its text and place, the page and the index of each line that is on its side next to the text."""
        self._pages = 0

    def add_page(self, lines: Sequence[TextLine], height: float) -> None:
        """Take the lines of the next page, which is so many points high."""
        self._rows += _list_outer_rows(self._pages, lines, height)
        turned = [(number, line) for number, line in enumerate(lines) if line.turn and line.thing is None]
        if 2 * len(turned) < len(lines):
            for number, line in turned:
                key = _NUMBERS.sub("#", line.text.casefold())
                self._turned[key, round(line.base)].append((self._pages, number))
        self._pages += 1

    def find(self, body_size: float) -> dict[int, set[int]]:
        """The lines that are heads, feet and page numbers, as indexes among the lines of each page, by its index.

        Args:
            body_size: the size of most of the text.
        """
        found: defaultdict[int, set[int]] = defaultdict(set)
        for row in _find_furniture(self._rows, self._pages, body_size):
            found[row.page].update(row.lines)
        for (key, _), group in self._turned.items():
            if any(map(str.isalpha, key)) and len({page for page, _ in group}) >= SURE:
                for page, number in group:
                    found[page].add(number)
        return found


def _list_outer_rows(index: int, lines: Sequence[TextLine], height: float) -> list[_Row]:
    places = {id(line): number for number, line in enumerate(lines)}
    grouped = group_rows((line for line in lines if line.turn == 0 and line.thing is None), 0.3)
    rows = [[(places[id(line)], line) for line in row] for row in grouped]
    heights = [row[0].base for row in grouped]
    found: list[_Row] = []
    for number, row in enumerate(rows):
        place = heights[number] / max(height, 1.0)
        top, bottom = number < OUTER_ROWS, number >= len(rows) - OUTER_ROWS
        if (top and place < BAND) or (bottom and place > 1 - BAND):
            inner = number + 1 if place < 0.5 else number - 1
            apart = abs(heights[inner] - heights[number]) if 0 <= inner < len(rows) else height
            next_place = heights[inner] / max(height, 1.0) if 0 <= inner < len(rows) else 0.0
            found.append(_build_row(index, row, place, apart, next_place))
    return found


def _build_row(page: int, row: Sequence[tuple[int, TextLine]], height: float, apart: float, inner: float) -> _Row:
    ordered = sorted(row, key=lambda one: one[1].left)
    lines = [line for _, line in ordered]
    text = " ".join(line.text for line in lines)
    if alone := _PAGE_NUMBER.fullmatch(text):
        numbers = [_read_number(alone["number"])]
    else:
        ends = (token for line in (lines[0], lines[-1]) for token in (line.tokens[0], line.tokens[-1]))
        numbers = [int(one[1]) for one in (*map(_END_NUMBER.fullmatch, ends), _OF_ALL.search(text)) if one]
    return _Row(
        page,
        tuple(number for number, _ in ordered),
        text,
        frozenset(number - page for number in numbers),
        max(line.size for line in lines),
        height,
        apart,
        inner,
    )


def _find_furniture(rows: Sequence[_Row], pages: int, body_size: float) -> list[_Row]:
    """Rows that recur or count the pages, if they are apart from the text or from other such rows."""
    rows = [row for row in rows if not is_caption(row.text)]
    counting = Counter(offset for row in rows if not _is_label(row) for offset in row.offsets)
    outermost = _find_outermost(rows)
    same: defaultdict[tuple[str, int | None], list[_Row]] = defaultdict(list)
    """Rows of the same words, by the words, and by those between their numbers with what the numbers count."""
    numbered: defaultdict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        same[row.text.casefold(), None].append(row)
        words = _NUMBERS.sub("#", row.text.casefold())
        for number in row.offsets if not _is_label(row) else ():
            same[words, number].append(row)
            numbered[words].append(row)
    groups = [(words, group, 2) for (words, _), group in same.items()]
    groups += [(words, group, SURE) for words, group in numbered.items() if _is_rising(group)]
    found: set[_Row] = set()
    for words, group, least in groups:
        for row, on in _count_pages(group) if any(map(str.isalpha, words)) else ():  # bare numbers may be figures
            large = row.size > LARGEST * body_size
            if on >= least and not (large and (on < SURE or on * 2 < pages)):
                found.add(row)
    for row in rows:
        often = max((counting[offset] for offset in row.offsets), default=0) if not _is_label(row) else 0
        alone = _PAGE_NUMBER.fullmatch(row.text)
        counts = often >= max(min(SURE, pages), 2) or (alone is not None and alone["name"])
        if counts and row.height in outermost[row.page]:
            found.add(row)
    kept: dict[tuple[int, float], _Row] = {}
    for row in sorted(found, key=lambda row: abs(row.height - 0.5)):  # from the text outwards
        if row.apart > APART * body_size or (row.page, row.inner) in kept:
            kept[row.page, row.height] = row
    return list(kept.values())


def _is_rising(group: Sequence[_Row]) -> bool:
    """Whether numbers rise at least as fast as the pages: some pages may have been taken out of a file."""
    offsets = [min(row.offsets) for row in sorted(group, key=lambda row: row.page)]
    return all(one <= after for one, after in pairwise(offsets))


def _is_label(row: _Row) -> bool:
    """Whether a row is a word with a number that may count anything but pages."""
    return _PAGE_NUMBER.fullmatch(row.text) is None and _LABEL.fullmatch(_NUMBERS.sub("#", row.text)) is not None


def _count_pages(group: Sequence[_Row]) -> Iterator[tuple[_Row, int]]:
    """Each row, and on how many pages there is one at its height."""
    ordered = sorted(group, key=lambda row: row.height)
    pages = Counter[int]()
    begin = end = 0
    for row in ordered:
        while end < len(ordered) and ordered[end].height - row.height < SAME_HEIGHT:
            pages[ordered[end].page] += 1
            end += 1
        while row.height - ordered[begin].height >= SAME_HEIGHT:
            pages[ordered[begin].page] -= 1
            if not pages[ordered[begin].page]:
                del pages[ordered[begin].page]
            begin += 1
        yield row, len(pages)


def _find_outermost(rows: Sequence[_Row]) -> dict[int, tuple[float, float]]:
    """Where the first and the last row of each page stand."""
    found: dict[int, tuple[float, float]] = {}
    for row in rows:
        low, high = found.get(row.page, (row.height, row.height))
        found[row.page] = min(low, row.height), max(high, row.height)
    return found


def _read_number(text: str) -> int:
    if text.isdecimal():
        return int(text)
    values = [_ROMAN[letter] for letter in text.lower()]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))
