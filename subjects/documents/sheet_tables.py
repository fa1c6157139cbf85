"""The tables of a spreadsheet as blocks: separated where rows or columns are empty, with their heads found.

Readers of XLSX, ODS and CSV fill a `Sheet`; what becomes of its cells is decided here, once for all of them. Of a
region of cells, rows at its beginning with a single text are its caption, those at its end are notes. A cell that
is alone is text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from elcano.activities.passages.document import Block
from elcano.subjects.documents.office.list_numbers import write_letters
from elcano.subjects.documents.sheets import Merge, Place, Sheet, Value
from elcano.subjects.documents.tables import MOST_COLUMNS, MOST_PLACES, TableCell, build_table, clean_line

_HEAD_ROWS: Final = 4
"""Rows at the beginning of a table that may name its columns."""
_HEAD_CHARACTERS: Final = 80
"""A longer text is no name of a column."""
_YEAR: Final = re.compile(r"(?:FY ?)?(?:1[5-9]|20)\d\d(?:[/-]\d\d(?:\d\d)?)?[EFPA]?")


@dataclass(frozen=True, slots=True)
class _Region:
    top: int
    left: int
    bottom: int
    right: int

    @classmethod
    def around(cls, places: list[Place]) -> "_Region":
        """The smallest region with these places."""
        rows, columns = [place[0] for place in places], [place[1] for place in places]
        return cls(min(rows), min(columns), max(rows), max(columns))

    def name(self, sheet: str) -> str:
        first = f"{write_letters(self.left + 1)}{self.top + 1}"
        last = f"{write_letters(self.right + 1)}{self.bottom + 1}"
        return f"{sheet}{'!' if sheet else ''}{first}{'' if first == last else f':{last}'}"


def build_sheet_blocks(sheet: Sheet, *, level: int = 1) -> list[Block]:
    """Return the tables and texts of a sheet under its name, from the top to the bottom."""
    blocks = [block for region in _find_regions(sheet) for block in _build_region(sheet, region)]
    blocks += [Block(text, anchor=sheet.name) for text in sheet.texts]
    for (row, column), text in sheet.comments:
        blocks.append(Block(clean_line(text), "comment", anchor=_Region(row, column, row, column).name(sheet.name)))
    if blocks and sheet.name:
        blocks.insert(0, Block(clean_line(sheet.name), "heading", level=level, anchor=sheet.name))
    return blocks


def _find_regions(sheet: Sheet) -> list[_Region]:
    """The parts of a sheet between empty rows and columns."""
    filled = set(sheet.cells)
    for merge in sheet.merges:
        if (merge.top, merge.left) in sheet.cells:
            width = range(merge.left, min(merge.right, merge.left + MOST_COLUMNS) + 1)
            filled.update(
                (row, column) for row in range(merge.top, min(merge.bottom, merge.top + 50) + 1) for column in width
            )
    found: list[_Region] = []
    for band in _split_at_gaps(sorted(filled), 0):
        for part in _split_unrelated(band):
            found += _join_neighbours(sheet, [_Region.around(group) for group in _split_at_gaps(part, 1)])
    return _join_continued(sheet, sorted(found, key=lambda region: (region.top, region.left)))


def _split_at_gaps(places: list[Place], axis: int) -> list[list[Place]]:
    """The places between empty rows, or between empty columns."""
    groups: list[list[Place]] = []
    for place in sorted(places, key=lambda place: place[axis]):
        if groups and place[axis] - groups[-1][-1][axis] <= 1:
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def _split_unrelated(places: list[Place]) -> list[list[Place]]:
    """Groups of places of which no two share a row or a column: tables that touch each other at a corner."""
    roots: dict[tuple[int, int], tuple[int, int]] = {}

    def find(one: tuple[int, int]) -> tuple[int, int]:
        while (above := roots.setdefault(one, one)) != one:
            roots[one] = roots[above]
            one = above
        return one

    for row, column in places:
        roots[find((0, row))] = find((1, column))
    groups: dict[tuple[int, int], list[Place]] = {}
    for place in places:
        groups.setdefault(find((0, place[0])), []).append(place)
    return list(groups.values())


def _join_neighbours(sheet: Sheet, regions: list[_Region]) -> list[_Region]:
    """Regions with empty columns between them are one table, unless two next to each other both have heads."""
    joined: list[_Region] = []
    for region in regions:
        if joined and not (_is_alone(sheet, joined[-1]) and _is_alone(sheet, region)):
            above = joined.pop()
            region = _Region(min(above.top, region.top), above.left, max(above.bottom, region.bottom), region.right)
        joined.append(region)
    return joined


def _is_alone(sheet: Sheet, region: _Region) -> bool:
    return region.right > region.left and _count_head_rows(sheet, region) > 0


def _join_continued(sheet: Sheet, regions: list[_Region]) -> list[_Region]:
    """A table that goes on after one empty row, in the same columns and without a head of its own, is one table."""
    joined: dict[tuple[int, int, int], _Region] = {}
    for region in regions:
        above = joined.get((region.top - 2, region.left, region.right))
        if (
            above is not None
            and region.left != region.right
            and _count_head_rows(sheet, above) > 0
            and _count_filled(sheet, region, region.top) > 1
            and not _count_head_rows(sheet, region)
        ):
            del joined[region.top - 2, region.left, region.right]
            region = replace(above, bottom=region.bottom)
        joined[region.bottom, region.left, region.right] = region
    return sorted(joined.values(), key=lambda region: (region.top, region.left))


def _build_region(sheet: Sheet, region: _Region) -> Iterator[Block]:
    top, bottom = region.top, region.bottom
    if region.left == region.right or _is_prose(sheet, region):
        yield from _build_texts(sheet, region)
        return
    while top < bottom and _is_caption(sheet, region, top):
        top += 1
    if _count_filled(sheet, region, top) <= 1:  # nothing below the captions is a table
        yield from _build_texts(sheet, region)
        return
    while bottom > top and _is_note(sheet, region, bottom):
        bottom -= 1
    yield from _build_texts(sheet, replace(region, bottom=top - 1), "caption")
    last = min(bottom, top + max(MOST_PLACES // (region.right - region.left + 1), 1))
    if last < bottom:
        sheet.first_unread_row = min(sheet.first_unread_row or bottom + 2, last + 2)
    yield _build_table(sheet, replace(region, top=top, bottom=last))
    yield from _build_texts(sheet, replace(region, top=bottom + 1), "note")


def _build_texts(sheet: Sheet, region: _Region, kind: Literal["text", "caption", "note"] = "text") -> Iterator[Block]:
    """Each row as a text; short ones that follow each other in one column are a list of one column."""
    for row in range(region.top, region.bottom + 1):
        shown = [column for column in range(region.left, region.right + 1) if (row, column) in sheet.cells]
        if shown:
            text = " ".join(clean_line(sheet.cells[row, column].text) for column in shown)
            yield Block(text, kind, anchor=_Region(row, shown[0], row, shown[-1]).name(sheet.name))


def _build_table(sheet: Sheet, region: _Region) -> Block:
    heads = region.top + _count_head_rows(sheet, region)
    named_rows = _names_rows(sheet, region, heads)
    spans = {
        (merge.top, merge.left): merge
        for merge in sheet.merges
        if region.top <= merge.top <= region.bottom and region.left <= merge.left <= region.right
    }

    def list_cells() -> Iterator[TableCell]:
        for row in range(region.top, region.bottom + 1):
            for column in range(region.left, region.right + 1):
                value = sheet.cells.get((row, column), Value(""))
                merge = spans.get((row, column), Merge(row, column, row, column))
                bottom, right = min(merge.bottom, region.bottom), min(merge.right, region.right)
                is_head = row < heads or (named_rows and column == region.left and bool(value.text))
                at = row - region.top, column - region.left
                yield TableCell(value.text, *at, bottom - row + 1, right - column + 1, is_head)

    return build_table(list_cells(), anchor=region.name(sheet.name))


def _row(sheet: Sheet, region: _Region, row: int) -> list[Value]:
    return [value for column in range(region.left, region.right + 1) if (value := sheet.cells.get((row, column)))]


def _count_filled(sheet: Sheet, region: _Region, row: int) -> int:
    return len(_row(sheet, region, row))


def _is_caption(sheet: Sheet, region: _Region, row: int) -> bool:
    values = _row(sheet, region, row)
    return len(values) <= 1 and all(one.kind == "text" for one in values) and not _is_spanned(sheet, region, row)


def _is_note(sheet: Sheet, region: _Region, row: int) -> bool:
    """Whether a row below a table is a remark on it: one text of several words, in its first column."""
    values = _row(sheet, region, row)
    first = sheet.cells.get((row, region.left))
    return len(values) == 1 and first is not None and first.kind == "text" and first.text.count(" ") >= 2


def _is_prose(sheet: Sheet, region: _Region) -> bool:
    """Whether no row has more than one cell."""
    return all(_count_filled(sheet, region, row) <= 1 for row in range(region.top, region.bottom + 1))


def _count_head_rows(sheet: Sheet, region: _Region) -> int:
    """Count the rows at the top of a table that name its columns.

    Captions above it do not count: they are rows with a single text.
    """
    top = region.top
    while top < region.bottom and _is_caption(sheet, region, top):
        top += 1
    count = top - region.top
    if region.bottom == top:
        return 0
    for row in range(top, min(top + _HEAD_ROWS, region.bottom)):
        if not _can_be_head(sheet, region, row):
            return count
        count += 1
        if not _is_spanned(sheet, region, row) and row not in sheet.heads:
            break
    return count if _differs_below(sheet, region, region.top + count) else 0


def _is_spanned(sheet: Sheet, region: _Region, row: int) -> bool:
    """Whether a cell of a row names several columns of a table but not all."""
    width = region.right - region.left
    return any(merge.top == row and 0 < merge.right - merge.left < width for merge in sheet.merges) or any(
        merge.top == row < merge.bottom for merge in sheet.merges
    )


def _can_be_head(sheet: Sheet, region: _Region, row: int) -> bool:
    if row in sheet.heads:
        return True
    values = _row(sheet, region, row)
    texts = [value for value in values if len(value.text) <= _HEAD_CHARACTERS]
    named = [value for value in texts if value.kind == "text" or _YEAR.fullmatch(value.text) or value.strong]
    if len(named) != len(values) or not values:
        return False
    return 2 * len(values) > region.right - region.left or _is_spanned(sheet, region, row)


def _differs_below(sheet: Sheet, region: _Region, first: int) -> bool:
    """Whether the row above `first` is another kind of row than those from it on: named columns have other values."""
    above = first - 1
    if above in sheet.heads:
        return True
    head = [sheet.cells.get((above, column)) for column in range(region.left, region.right + 1)]
    below = [_row(sheet, region, row) for row in range(first, min(first + 20, region.bottom + 1))]
    if any(value.kind != "text" for row in below for value in row):
        return True
    if all(value.strong for value in head if value) and not all(value.strong for row in below for value in row):
        return True
    # All is text: a head is complete and its names differ from each other.
    names = [value.text.casefold() for value in head if value]
    return len(names) == len(head) == len(set(names)) and max(map(len, names), default=0) <= _HEAD_CHARACTERS // 2


def _names_rows(sheet: Sheet, region: _Region, first: int) -> bool:
    """Whether the first column of a table names its rows: it has texts, and figures are next to them."""
    rows = range(first, min(first + 50, region.bottom + 1))
    names = [value for row in rows if (value := sheet.cells.get((row, region.left)))]
    others = [value for row in rows for value in _row(sheet, replace(region, left=region.left + 1), row)]
    figures = sum(value.kind == "number" for value in others)
    return bool(names) and all(value.kind != "number" for value in names) and figures * 2 > len(others)
