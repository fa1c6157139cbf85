"""The page of a report as elements of HTML: what documents of other formats are made of, so that all say the same."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Any, Final

from elcano.graphs.report.report import Report

HEADINGS: Final = {"h1": 0, "h2": 1, "h3": 2}
"""The level of each heading; 0 is the title."""
BLOCKS: Final = frozenset({"ul", "ol", "p", "table", "pre", "blockquote", "details", "div"})
CONTENTS_FROM: Final = 4
"""Headings from which on a document has contents."""
LINE: Final = 80
"""Characters that a line holds."""
_WIDEST, _NARROWEST, _SHORT, _LONGEST_WORD, _PADDING = 120, 4, 12, 16, 3
"""Characters: what a column is as wide as at most and at least, cells and words that stay whole, the padding."""
_WORD: Final = re.compile(r"[^\s\u2e80-\uffef]+")
"""Text in which no line may be broken; Chinese, Japanese and Korean may be broken anywhere."""
_SCRIPTS: Final = (
    ("ja", re.compile(r"[\u3041-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7a3]")),
    ("th", re.compile(r"[\u0e01-\u0e5b]")),
    ("ar", re.compile(r"[\u0620-\u064a]")),
    ("he", re.compile(r"[\u05d0-\u05ea]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
)
"""The language that a script speaks for, where a report does not name its own; the first that is found."""
_OPENING, _CLOSING = frozenset("([{|‖"), frozenset(")]}|‖")
_NOT_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read_report_elements(report: Report, pictures: Mapping[str, str | None] | None = None) -> list[Any]:
    """The blocks of the report's page, with its pictures (SVG) by their paths."""
    from lxml import html

    from elcano.service.reports.html_report import render_report_page

    page: Any = html.fromstring(render_report_page(report, pictures))
    for table in list(page.iter("mtable")):
        _stretch_brackets(table)
    return list(list_blocks(page.find("body/main")))


def _stretch_brackets(matrix: Any) -> None:
    """Has the brackets next to a matrix grow with it, as browsers do of themselves: they and it become one `mrow`."""
    opening, closing = matrix.getprevious(), matrix.getnext()
    if opening is None or opening.tag != "mo" or (opening.text or "").strip() not in _OPENING:
        return
    if closing is None or closing.tag != "mo" or (closing.text or "").strip() not in _CLOSING:
        if opening.get("form") != "prefix":
            return
        closing = matrix.makeelement("mo", {})  # of cases, which only a brace stands before
    group = matrix.makeelement("mrow", {})
    opening.addprevious(group)
    group.extend([opening, matrix, closing])
    opening.set("form", "prefix")
    closing.set("form", "postfix")


def find_language(report: Report) -> str:
    """The language of a report, or what the script of its title speaks for; empty: unknown."""
    return report.language or next((name for name, script in _SCRIPTS if script.search(report.title)), "")


def measure_columns(rows: Sequence[Sequence[Any]], columns: int) -> list[float]:
    """The share of a table's width that each column takes: room for its longest word, and more for its longest cell."""
    least, most = [_NARROWEST] * columns, [_NARROWEST] * columns
    for row in rows:
        for at, cell in enumerate(row):
            text = cell.text_content()
            width = len(text) + sum(unicodedata.east_asian_width(one) in "WF" for one in text)
            whole = width if width <= _SHORT else max(map(len, _WORD.findall(text)), default=0)
            least[at] = max(least[at], min(whole, _LONGEST_WORD) + _PADDING)
            most[at] = max(most[at], min(width, _WIDEST) + _PADDING)
    left = min(max(LINE - sum(least), 0) / max(sum(most) - sum(least), 1), 1)
    widths = [low + left * (high - low) for low, high in zip(least, most, strict=True)]
    return [width / sum(widths) for width in widths]


def place_drawings(pictures: Mapping[str, str | None]) -> tuple[list[str], dict[str, str | None]]:
    """Return the drawings (SVG) that there are, and by path what stands in their place: see `find_drawing`."""
    drawn = {path: drawing for path, drawing in pictures.items() if drawing is not None}
    places = {path: f'<svg role="drawing-{number}"></svg>' for number, path in enumerate(drawn)}
    return list(drawn.values()), {**dict.fromkeys(pictures), **places}


def find_drawing(element: Any) -> int:
    """Which drawing an element `svg` stands for."""
    return int(element.get("role").removeprefix("drawing-"))


def read_drawing_title(drawing: str) -> str:
    """The title of a drawing (SVG); `Picture` if it has none."""
    title = re.search(r"<title[^>]*>(.*?)</title>", drawing, re.DOTALL)
    return " ".join(unescape(title[1]).split()) if title else "Picture"


def describe_drawing(drawing: str) -> str:
    """Describe a drawing (SVG) to those who do not see it: its title and its description."""
    described = re.search(r"<desc[^>]*>(.*?)</desc>", drawing, re.DOTALL)
    more = " ".join(unescape(described[1]).split()) if described else ""
    return f"{read_drawing_title(drawing)}. {more}" if more else read_drawing_title(drawing)


def describe_changes(changed: Counter[str]) -> Iterator[str]:
    """Sentences on what is not in a document as it is on the page: how many pictures and formulas."""
    for thing, count in sorted(changed.items()):
        many = f"{count} {thing}s are" if count > 1 else f"One {thing} is"
        where = "shown as text here" if thing == "formula" else "left out here"
        yield f"{many} {where}; the report as HTML draws {'them' if count > 1 else 'it'}."


def list_blocks(element: Any) -> Iterator[Any]:
    """The blocks within an element; text that stands in it without one is a paragraph."""
    from lxml import html

    loose = html.Element("p")
    loose.text = element.text
    for child in element:
        if child.tag in BLOCKS or child.tag in HEADINGS or child.tag == "hr":
            if _has_content(loose):
                yield _without_outer_space(loose)
            tail, child.tail = child.tail, None
            yield child
            loose = html.Element("p")
            loose.text = tail
        else:
            loose.append(child)
    if _has_content(loose):
        yield _without_outer_space(loose)


def _without_outer_space(element: Any) -> Any:
    """The element without the space between its text and the blocks before and behind it."""
    element.text = (element.text or "").lstrip()
    if len(element):
        element[-1].tail = (element[-1].tail or "").rstrip()
    else:
        element.text = element.text.rstrip()
    return element


def _has_content(element: Any) -> bool:
    return bool(len(element) or (element.text or "").strip())


def read_title(element: Any) -> str:
    """Return the text that replaces a picture, or a formula."""
    title = element.find(".//title")
    return " ".join((element if title is None else title).text_content().split())


def clean_text(text: str) -> str:
    """The text without characters that no XML may have; a sign stands in their place."""
    return _NOT_XML.sub("\ufffd", text)
