"""Charts of DrawingML as a caption and a table of the values that they draw."""

import re
from collections.abc import Iterator
from typing import Final

from elcano.activities.passages.document import Block, normalize_text
from elcano.subjects.documents.office.grids import GridCell, build_table
from elcano.subjects.documents.office.word_drawings import read_drawing_text
from elcano.subjects.documents.office.word_names import get_name, parse_number
from elcano.text.xml_tree import Element

_MOST_POINTS: Final = 1_000
"""Points of one series; beyond that a chart is a drawing of data, whose values no one reads off."""


def read_chart(root: Element, paragraph: int) -> Iterator[Block]:
    """The titles of a chart and its axes, and its series as columns."""
    titles = [text for one in root.iter() if get_name(one) == "c:title" and (text := read_drawing_text(one))]
    if titles:
        yield Block(". ".join(" ".join(text.split()) for text in dict.fromkeys(titles)), "caption", paragraph=paragraph)
    cells: dict[tuple[int, int], str] = {}
    series = [one for one in root.iter() if get_name(one) == "c:ser"]
    for column, one in enumerate(series, start=1):
        for child in one:
            name = get_name(child)
            if name == "c:tx":
                cells[0, column] = " ".join(text for _, text in _list_points(child))
            elif name in ("c:cat", "c:xVal"):
                for row, text in _list_points(child):
                    cells.setdefault((row + 1, 0), text)
            elif name in ("c:val", "c:yVal"):
                for row, text in _list_points(child):
                    cells[row + 1, column] = text
    rows = max((row for row, _ in cells), default=-1) + 1
    table = build_table(
        [
            GridCell(row, column, cells.get((row, column), ""), head=row == 0 or column == 0)
            for row in range(rows)
            for column in range(len(series) + 1)
        ],
        paragraph,
    )
    if table is not None:
        yield table


def _list_points(element: Element) -> Iterator[tuple[int, str]]:
    """The points that are stored with a chart, by their index."""
    for one in element.iter():
        if get_name(one) == "c:pt":
            place = parse_number(one.get("idx"))
            value = next((child.text or "" for child in one if get_name(child) == "c:v"), "")
            if 0 <= place < _MOST_POINTS and value.strip() and value.strip().lower() != "nan":
                yield place, _round_noise(" ".join(normalize_text(value).split()))
        elif get_name(one) == "c:v" and one.getparent() is element:
            yield 0, " ".join(normalize_text(one.text or "").split())


def _round_noise(value: str) -> str:
    """`4.4000000000000004` as 4.4: charts store what their program computed, to the last bit."""
    if len(value) < 16 or not re.fullmatch(r"-?\d{1,15}\.\d{10,20}", value):
        return value
    return f"{float(value):.12g}"
