"""Groups the lines of a document into paragraphs, headings, lists, captions and notes.

What ends a paragraph: a wider step to the next line, an indent, a line that ends although the next word had room, other
type, the sign of an item. A paragraph goes on in the next column or on the next page, past the captions, notes and
tables between, where it breaks off without a full stop.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import regex

from elcano.activities.passages.document import BlockKind
from elcano.plugins.documents.pdf.lines import TextLine

SAME_SIZE: Final = 0.08
"""Type that differs by more than this share is other type."""
WIDE_STEP: Final = 1.3
"""A step to the next line that is so many times the usual one ends a paragraph."""
INDENT: Final = 0.7
"""An indent is wider than this share of the size."""
ROOM: Final = 0.6
"""The next word had room if this much, in sizes, would have been left."""
SMALL_NOTE: Final = 0.93
"""The type of notes is smaller than this share of the text's."""
NOTE_LINES: Final = 5
"""A paragraph without a sign that has more lines is no further one of a note, but an abstract above it."""
HEADING_SIZE: Final = 1.09
"""Type that is larger than the text's by this is that of a heading."""
HEADING_LENGTH: Final = 180
HEADING_LINES: Final = 4
"""A heading has fewer lines."""
FRAGMENT: Final = 60
"""A shorter text may be a label of a figure."""
TABULAR: Final = 3
"""A line of so many segments is a row of a table that was not recognised; it stays a line."""

_ENDS: Final = regex.compile(
    r"[.!?:;\u2026\u3002\uff01\uff1f\u061f\u06d4][\"')\]\u201d\u2019\u00bb]*[\u00b9\u00b2\u00b3\u2070-\u2079*\u2020\u2021,\[\]\d]{0,8}$"
)
_SENTENCE_ENDS: Final = regex.compile(
    r"[.!?\u3002\uff01\uff1f\u061f\u06d4][\"')\]\u201d\u2019\u00bb]*[\u00b9\u00b2\u00b3\u2070-\u2079*\u2020\u2021]{0,6}$"
)
_HYPHEN_END: Final = regex.compile(r"[\p{L}\p{N}]-$")
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
_NOTE_SIGN: Final = regex.compile(
    r"[*\u2020\u2021\u00a7\u00b6#]|[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3}|\d{1,2}[).]?(?:\s|$)"
)
_NUMBERED_HEADING: Final = regex.compile(
    r"(?:(\d{1,2}(?:\.\d{1,2}){0,4})\.?|[IVX]{1,5}\.|[A-Z]\.(?:\d{1,2}\.?)*|(?:Appendix|Chapter|Section|Part|Kapitel|Anhang)\s[\dA-Z]{1,3}[.:]?)\s+\p{L}"
)
_LETTER: Final = regex.compile(r"\p{L}")


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together."""

    lines: list[TextLine]
    kind: BlockKind = "text"
    item: bool = False
    level: int = 0
    breaks: frozenset[int] = frozenset()
    """The numbers of lines that stand on lines of their own."""
    thing: Any = None

    @property
    def text(self) -> str:
        """Its words, with its hyphens."""
        return " ".join(line.text for line in self.lines)

    @property
    def size(self) -> float:
        """The size of its first line."""
        return self.lines[0].size


def group_paragraphs(pages: Sequence[list[TextLine]], body_size: float) -> list[Paragraph]:
    """The paragraphs of the pages of a document, in reading order; notes stand behind the text of their page."""
    _unfix_documents(pages)
    found: list[Paragraph] = []
    for lines in pages:
        paragraphs = [_classify(one, body_size) for one in _split_page(lines)]
        _find_notes(paragraphs, body_size)
        found += [one for one in paragraphs if one.kind != "note"]
        found += [one for one in paragraphs if one.kind == "note"]
    _find_headings(found, body_size)
    return _join_items(_join_broken(found))


def _unfix_documents(pages: Sequence[list[TextLine]]) -> None:
    """Where most of a document was written by a typewriter, its type tells nothing."""
    lines = [line for page in pages for line in page]
    if sum(len(line.tokens) for line in lines if line.fixed) * 3 > sum(len(line.tokens) for line in lines):
        for line in lines:
            line.fixed = False


def _split_page(lines: Sequence[TextLine]) -> list[Paragraph]:
    steps = _find_steps(lines)
    found: list[Paragraph] = []
    for number, line in enumerate(lines):
        if line.thing is not None:
            found.append(Paragraph([line], "table", thing=line.thing))
            continue
        before = lines[number - 1] if number else None
        if before is not None and found[-1].thing is None and not _breaks(lines, number, found[-1], steps):
            found[-1].lines.append(line)
        else:
            found.append(Paragraph([line], item=_sign_of(line) is not None))
    return found


def _find_steps(lines: Sequence[TextLine]) -> dict[tuple[int, float], float]:
    """The usual step from line to line, by column and size."""
    steps: dict[tuple[int, float], list[float]] = {}
    for before, line in itertools.pairwise(lines):
        step = line.base - before.base
        beside = min(before.right, line.right) - max(before.left, line.left) < 0.5 * min(
            before.right - before.left, line.right - line.left
        )
        if before.column != line.column or before.size != line.size or before.pieces + line.pieces > 2 or beside:
            continue
        if 0.7 * line.size < step < 2.5 * line.size:
            steps.setdefault((line.column, line.size), []).append(step)
    return {key: _low_median(found) for key, found in steps.items()}


def _low_median(values: list[float]) -> float:
    """The usual step: paragraphs of one line have more wide steps than others."""
    ordered = sorted(values)
    return ordered[(len(ordered) - 1) // 3]


def _breaks(
    lines: Sequence[TextLine], number: int, paragraph: Paragraph, steps: dict[tuple[int, float], float]
) -> bool:
    """Whether a paragraph begins with a line, which is not the first one of a page."""
    before, line = lines[number - 1], lines[number]
    if before.column != line.column or before.turn != line.turn or before.thing is not None:
        return True
    step, size = line.base - before.base, max(line.size, before.size)
    usual = steps.get((line.column, line.size)) or 1.2 * line.size
    if step < -0.2 * size or step > max(WIDE_STEP * usual, usual + 0.3 * size):
        return True
    if _is_other_type(before, line):
        return True
    if (before.fixed and line.fixed) or _HYPHEN_END.search(before.text):
        return False
    tabular = line.pieces >= TABULAR
    if tabular != (before.pieces >= TABULAR):
        return True
    if tabular:
        return False
    edge = _local_room(lines, number - 1)
    early = edge - _width_of_first(line) > ROOM * size  # the next word had room on the line before
    ended = _ENDS.search(before.text) is not None
    sign = _sign_of(line)
    if sign == "bullet" or (sign and _begins_item(before, line, paragraph, ended=ended, early=early)):
        return True
    if (early or ended) and (is_caption(line.text) or (line.marked and line.start < size)):
        return True
    if step > 1.12 * usual and step > usual + 1 and (ended or early):
        return True
    return _is_indented(lines, number, paragraph, ended, early) or (early and _ends_deliberately(before, line, edge))


def _begins_item(before: TextLine, line: TextLine, paragraph: Paragraph, *, ended: bool, early: bool) -> bool:
    """Whether a number at the beginning of a line is that of an item; a sentence may have broken before one too."""
    outdented = abs(line.start - before.start) > 0.3 * line.size
    return early or (ended and outdented) or (before is paragraph.lines[0] and paragraph.item and ended)


def _is_other_type(before: TextLine, line: TextLine) -> bool:
    if abs(before.size - line.size) > SAME_SIZE * max(before.size, line.size):
        return True
    if before.fixed != line.fixed and min(len(before.tokens), len(line.tokens)) > 1:
        return True
    if before.bold == line.bold:
        return False
    # A sentence in bold may begin within a line: its paragraph goes on.
    first = line.text[:1]
    going_on = before.room < line.size * 3 and first.islower()
    return not going_on


def _local_room(lines: Sequence[TextLine], number: int) -> float:
    """The room behind a line up to the furthest end of the lines around it of the same kind."""
    line = lines[number]
    near = [
        one.room
        for one in lines[max(0, number - 4) : number + 5]
        if one.column == line.column and one.thing is None and abs(one.size - line.size) <= SAME_SIZE * line.size
    ]
    return line.room - min(near, default=0.0)


def _width_of_first(line: TextLine) -> float:
    if len(line.edges) < 2:
        return line.right - line.left
    return abs(line.edges[1] - line.edges[0])


def _is_indented(lines: Sequence[TextLine], number: int, paragraph: Paragraph, ended: bool, early: bool) -> bool:
    """Whether a line begins a paragraph by its indent, or by its hanging out."""
    before, line = lines[number - 1], lines[number]
    more = line.start - before.start
    if more > INDENT * line.size:
        after = lines[number + 1] if number + 1 < len(lines) else None
        returns = after is None or after.column != line.column or after.start < line.start - 0.5 * INDENT * line.size
        hangs = len(paragraph.lines) == 1 and not returns
        return (ended or early or _is_capital(line)) and not (hangs and not (ended and early)) and (returns or ended)
    if more < -INDENT * line.size:
        # Hanging out ends an item whose first line hangs out too; a first line that is indented has begun a paragraph.
        return (
            len(paragraph.lines) > 1
            and paragraph.lines[0].start < before.start - 0.5 * INDENT * line.size
            and (ended or early)
        )
    return False


def _is_capital(line: TextLine) -> bool:
    first = line.text[:1]
    return not first.islower()


def _ends_deliberately(before: TextLine, line: TextLine, room: float) -> bool:
    """Whether a line ends where it did not have to because its paragraph ends."""
    if _SENTENCE_ENDS.search(before.text) or before.text.endswith(":"):
        return True
    wide = before.column_right - before.column_left
    return _is_capital(line) and room > max(0.25 * wide, 3 * line.size)


def _sign_of(line: TextLine) -> str | None:
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
    """Whether a text that stands by itself is the caption of a figure or table."""
    start = text[:60]
    found = _CAPTION.match(start)
    if found is None or not _CAPTION_CASE.match(start):
        return _CJK_CAPTION.match(start) is not None
    return found["next"] is None or not found["next"].islower()


def _classify(paragraph: Paragraph, body_size: float) -> Paragraph:
    first = paragraph.lines[0]
    if paragraph.thing is not None:
        return paragraph
    if first.pieces >= TABULAR and len(paragraph.lines) > 1:
        paragraph.breaks = frozenset(range(1, len(paragraph.lines)))
    elif is_caption(first.text):
        paragraph.kind = "caption"
    elif all(line.fixed for line in paragraph.lines):
        paragraph.kind, paragraph.item = "code", False
        paragraph.breaks = frozenset(range(1, len(paragraph.lines)))
    return paragraph


def _find_notes(paragraphs: Sequence[Paragraph], body_size: float) -> None:
    """Name the notes of a page: small type with a sign below the text of its column, and what follows it.

    An abstract is none, though it stands in small type below the addresses of authors, which have signs.
    """
    columns: dict[int, list[Paragraph]] = {}
    for paragraph in paragraphs:
        if paragraph.lines[0].turn != paragraphs[0].lines[0].turn:
            continue
        columns.setdefault(paragraph.lines[0].column, []).append(paragraph)
    running = [
        one for one in paragraphs if one.thing is None and len(one.lines) > 2 and one.size > SMALL_NOTE * body_size
    ]
    for column in columns.values():
        notes: list[Paragraph] = []
        for paragraph in reversed(column):
            if paragraph.kind != "text" or paragraph.thing is not None or paragraph.size > SMALL_NOTE * body_size:
                break
            if len(paragraph.lines) > NOTE_LINES and not _begins_note(paragraph):
                break
            if any(_stands_below(text, paragraph) for text in running):
                break
            notes.append(paragraph)
        if any(_begins_note(one) for one in notes):
            while notes and not _begins_note(notes[-1]):
                notes.pop()
            for one in notes:
                one.kind = "note"
                one.item = False


def _stands_below(text: Paragraph, note: Paragraph) -> bool:
    """Whether running text stands below what would be a note, and not only beside it."""
    line, other = text.lines[0], note.lines[0]
    return line.turn == other.turn and line.top > other.bottom and line.left < other.right and line.right > other.left


def _begins_note(paragraph: Paragraph) -> bool:
    line = paragraph.lines[0]
    return line.marked or bool(_NOTE_SIGN.match(line.text[:8]))


def _find_headings(paragraphs: Sequence[Paragraph], body_size: float) -> None:
    """Name the headings, and their levels by the size and weight of their type."""
    bold = sum(len(one.text) for one in paragraphs if one.lines and one.lines[0].bold)
    whole = sum(len(one.text) for one in paragraphs) or 1
    weighty = bold < 0.4 * whole  # where most is bold, weight tells nothing
    headings = [one for one in paragraphs if _is_heading(one, body_size, weighty)]
    styles = _rank_styles(headings)
    for heading in headings:
        heading.kind, heading.item = "heading", False
        heading.level = styles[_style_of(heading)]


def _rank_styles(headings: Sequence[Paragraph]) -> dict[tuple[float, int], int]:
    """The level of each style; sizes that nearly equal one another are one."""
    levels: dict[tuple[float, int], int] = {}
    level, before = 0, None
    for style in sorted({_style_of(one) for one in headings}, key=lambda style: (-style[0], style[1])):
        if before is None or style[0] < 0.93 * before[0] or style[1] != before[1]:
            level, before = min(level + 1, 6), style
        levels[style] = level
    return levels


def _style_of(heading: Paragraph) -> tuple[float, int]:
    """What tells the level of a heading: its size, and how deep its number is."""
    numbered = _NUMBERED_HEADING.match(heading.text[:60])
    return heading.size, numbered[1].count(".") if numbered and numbered[1] else 0


def _is_heading(paragraph: Paragraph, body_size: float, weighty: bool) -> bool:
    if paragraph.kind != "text" or paragraph.thing is not None or len(paragraph.lines) >= HEADING_LINES:
        return False
    text, first = paragraph.text, paragraph.lines[0]
    if len(text) > HEADING_LENGTH or not _LETTER.search(text) or first.pieces >= TABULAR or first.turn % 90:
        return False
    if len(_LETTER.findall(text)) < 2 or text[-1] in ",;" or (_sign_of(first) == "bullet"):
        return False
    numbered = _NUMBERED_HEADING.match(text[:60]) is not None
    if _SENTENCE_ENDS.search(text) and not numbered and text.endswith("."):
        return False
    if paragraph.size > HEADING_SIZE * body_size:
        return True
    if all(line.bold for line in paragraph.lines) and weighty:
        return paragraph.size > 0.9 * body_size
    capitals = text.isupper() and len(text) > 4 and len(paragraph.lines) == 1
    return (capitals or (numbered and len(paragraph.lines) == 1)) and _stands_alone(paragraph, body_size)


def _stands_alone(paragraph: Paragraph, body_size: float) -> bool:
    line = paragraph.lines[0]
    return (
        line.size > 0.95 * body_size
        and line.room > 2 * line.size
        and len(line.tokens) < 14
        and not paragraph.text.endswith(".")
    )


def _join_broken(paragraphs: Iterable[Paragraph]) -> list[Paragraph]:
    """Join paragraphs that go on in another column or on the next page."""
    found: list[Paragraph] = []
    last: dict[tuple[int, int], Paragraph] = {}  # by size and turn: the labels of a figure may stand between
    for paragraph in paragraphs:
        if paragraph.kind == "heading":
            last.clear()
        elif paragraph.kind == "text":
            type_of = (round(paragraph.lines[0].size * 2), paragraph.lines[0].turn)
            before = last.get(type_of)
            if before is not None and _goes_on(before, paragraph):
                before.lines += paragraph.lines
                continue
            if before is None or not _is_broken_off(before) or not _is_fragment(paragraph):
                last[type_of] = paragraph
        found.append(paragraph)
    return found


def _is_fragment(paragraph: Paragraph) -> bool:
    """Whether a paragraph is a row of a table or a label, which stands between the parts of another."""
    return paragraph.lines[0].pieces >= TABULAR or len(paragraph.text) < FRAGMENT


def _is_broken_off(paragraph: Paragraph) -> bool:
    return not _SENTENCE_ENDS.search(paragraph.lines[-1].text)


def _goes_on(paragraph: Paragraph, after: Paragraph) -> bool:
    last, first = paragraph.lines[-1], after.lines[0]
    if first.page - last.page > 2 or (first.page, first.column) == (last.page, last.column):
        return False
    if abs(last.size - first.size) > 0.04 * last.size or last.turn != first.turn or first.bold != last.bold:
        return False
    if after.item or first.pieces >= TABULAR or last.pieces >= TABULAR or not _is_broken_off(paragraph):
        return False
    text = first.text
    if last.tokens[-1].endswith("-") or text[:1].islower():
        return len(last.tokens) > 2 or len(paragraph.lines) > 1
    full = last.room < 2 * last.size and len(paragraph.lines) > 1
    return full and first.start < INDENT * first.size and not _ENDS.search(last.text)


def _join_items(paragraphs: Iterable[Paragraph]) -> list[Paragraph]:
    """Put items that follow one another into one list."""
    found: list[Paragraph] = []
    for paragraph in paragraphs:
        item = paragraph.item and paragraph.kind == "text"
        before = found[-1] if found else None
        if item and before is not None and before.kind == "list" and len(before.lines) < 200:
            before.breaks |= {len(before.lines)}
            before.lines += paragraph.lines
            continue
        if item:
            paragraph.kind = "list"
        found.append(paragraph)
    return found


def find_body_size(pages: Iterable[Sequence[TextLine]]) -> float:
    """The size of most of the text."""
    sizes = Counter[float]()
    for lines in pages:
        for line in lines:
            if line.turn == 0 or line.turn % 90 == 0:
                sizes[line.size] += sum(map(len, line.tokens))
    if not sizes:
        return 10.0
    return sizes.most_common(1)[0][0]
