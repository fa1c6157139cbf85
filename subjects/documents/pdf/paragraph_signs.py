"""Paragraphs of lines, and the signs by which they are recognised: of items, of captions, of the ends of sentences."""

from dataclasses import dataclass
from typing import Any, Final

import regex

from elcano.activities.passages.document import BlockKind
from elcano.subjects.documents.pdf.lines import TextLine

INDENT: Final = 0.7
"""An indent is wider than this share of the size."""
TABULAR: Final = 3
"""A line of so many segments is a row of a table that was not recognised; it stays a line."""

ENDS: Final = regex.compile(
    r"[.!?:;\u2026\u3002\uff01\uff1f\u061f\u06d4][\"')\]\u201d\u2019\u00bb]*[\u00b9\u00b2\u00b3\u2070-\u2079*\u2020\u2021,\[\]\d]{0,8}$"
)
SENTENCE_ENDS: Final = regex.compile(
    r"[.!?\u3002\uff01\uff1f\u061f\u06d4][\"')\]\u201d\u2019\u00bb]*[\u00b9\u00b2\u00b3\u2070-\u2079*\u2020\u2021]{0,6}$"
)
_BULLET: Final = regex.compile(
    r"[\u2022\u25aa\u25ab\u25e6\u2023\u25cf\u25cb\u25a0\u25a1\u25ba\u25b8\u2756\u27a2\u2713\u2714\u2610\u2611\u2612\u00b7\u2043\uf000-\uf0ff]$"
)
_NUMBERED: Final = regex.compile(
    r"(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]|\[\d{1,3}\]|\[[A-Z][\w+]{1,12}\]|\d{1,2}(?:\.\d{1,2}){1,3}\.?|[-\u2013\u2014*])$"
)
_CAPTION: Final = regex.compile(
    r"(?:fig(?:ure|ura)?s?|tab(?:le|elle|leau|la)?s?|scheme|chart|box|exhibit|plate|listing|algorithm|abb(?:ildung)?|"
    r"figura|gr[aá]fico|cuadro|quadro|рис(?:унок)?|таблица|supplementary (?:figure|table))\.?\s?"
    r"(?:(?:[A-Z]{1,2}[.-]?)?\d{1,3}(?:[.-]\d{1,3})?[a-z]?|[IVX]{1,5})(?:[.:|\u2013\u2014]|$|\s+(?P<next>[\p{L}(\u2013\u2014-]))",
    regex.IGNORECASE,
)
_CAPTION_CASE: Final = regex.compile(r"\p{Lu}|[\u56fe\u8868\u5716]")
_CJK_CAPTION: Final = regex.compile(r"[\[<\u3008\u3010]?(?:[\u56fe\u8868\u5716\u56f3]|\ud45c|\uadf8\ub9bc)\s?\d{1,3}")


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together."""

    lines: list[TextLine]
    kind: BlockKind = "text"
    item: bool = False
    level: int = 0
    breaks: frozenset[int] = frozenset()
    """The numbers of lines that are on lines of their own."""
    thing: Any = None

    @property
    def text(self) -> str:
        """Its words, with its hyphens."""
        return " ".join(line.text for line in self.lines)

    @property
    def size(self) -> float:
        """The size of its first line."""
        return self.lines[0].size


def sign_of(line: TextLine) -> str | None:
    """The kind of the sign with which an item begins."""
    if not line.tokens:
        return None
    first = line.tokens[0]
    if _BULLET.match(first[:1]):
        return "bullet"
    if len(line.tokens) > 1 and _NUMBERED.match(first):
        return "number"
    return None


def is_caption(text: str) -> bool:
    """Whether a text by itself is the caption of a figure or table."""
    start = text[:60]
    found = _CAPTION.match(start)
    if found is None or not _CAPTION_CASE.match(start):
        return _CJK_CAPTION.match(start) is not None
    return found["next"] is None or not found["next"].islower()
