"""Groups the lines of a document into paragraphs, headings, lists, captions and notes.

What ends a paragraph: a wider step to the next line, an indent, a line that ends although the next word had room, other
type, the sign of an item. A paragraph goes on in the next column or on the next page, past the captions, notes and
tables between, where it breaks off without a full stop.
"""

import itertools
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import regex

from elcano.subjects.documents.pdf.chars import UNKNOWN
from elcano.subjects.documents.pdf.formulas import find_formulas
from elcano.subjects.documents.pdf.headings import begins_small, find_headings, has_room, is_numbered, join_headings
from elcano.subjects.documents.pdf.lines import TextLine
from elcano.subjects.documents.pdf.paragraph_joins import join_broken, join_items
from elcano.subjects.documents.pdf.paragraph_signs import (
    ENDS,
    INDENT,
    SENTENCE_ENDS,
    TABULAR,
    Paragraph,
    is_caption,
    sign_of,
)

SAME_SIZE: Final = 0.08
"""Type that differs by more than this share is other type."""
WIDE_STEP: Final = 1.3
"""A step to the next line that is so many times the usual one ends a paragraph."""
ROOM: Final = 0.6
"""The next word had room if this much, in sizes, would have been left."""
SMALL_NOTE: Final = 0.93
"""The type of notes is smaller than this share of the text's."""
NOTE_LINES: Final = 5
"""A paragraph without a sign that has more lines is no further one of a note, but an abstract above it."""
_HYPHEN_END: Final = regex.compile(r"[\p{L}\p{N}]-$")
_NOTE_SIGN: Final = regex.compile(
    r"[*\u2020\u2021\u00a7\u00b6#]|[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3}|\d{1,2}[).]?(?:\s|$)"
)


def group_paragraphs(pages: deque[Sequence[TextLine]], body_size: float) -> Iterator[Paragraph]:
    """The paragraphs of the pages of a document, which are taken out of `pages`, in reading order.

    Notes are behind the text of their page.
    """
    typewritten = _is_typewritten(pages)
    grouped = (_group_page(list(pages.popleft()), body_size, typewritten) for _ in range(len(pages)))
    return join_items(join_broken(join_headings(find_headings(grouped, body_size))))


def _is_typewritten(pages: Iterable[Sequence[TextLine]]) -> bool:
    """Whether most of a document was written by a typewriter, so that its type tells nothing."""
    fixed = whole = 0
    for line in itertools.chain.from_iterable(pages):
        whole += len(line.tokens)
        fixed += len(line.tokens) if line.fixed else 0
    return fixed * 3 > whole


def _group_page(lines: Sequence[TextLine], body_size: float, typewritten: bool) -> list[Paragraph]:
    if typewritten:
        for line in lines:
            line.fixed = False
    paragraphs = [_classify(one) for one in _split_page(lines)]
    _find_notes(paragraphs, body_size)
    return sorted(paragraphs, key=lambda one: one.kind == "note")


def _split_page(lines: Sequence[TextLine]) -> list[Paragraph]:
    steps = _find_steps(lines)
    formulas = find_formulas(lines)
    found: list[Paragraph] = []
    for number, line in enumerate(lines):
        if line.thing is not None:
            found.append(Paragraph([line], "table", thing=line.thing))
            continue
        before = lines[number - 1] if number else None
        if number in formulas:
            _add_formula(found, line)
        elif before is not None and found[-1].kind == "text" and not _breaks(lines, number, found[-1], steps):
            found[-1].lines.append(line)
        else:
            found.append(Paragraph([line], item=sign_of(line) is not None))
    return found


def _add_formula(found: list[Paragraph], line: TextLine) -> None:
    """Add a line to the formula that ends here, or begin one."""
    last = found[-1] if found else None
    if last is not None and last.kind == "formula" and last.lines[-1].column == line.column:
        last.breaks |= {len(last.lines)}
        last.lines.append(line)
    else:
        found.append(Paragraph([line], "formula"))


def _find_steps(lines: Sequence[TextLine]) -> dict[tuple[int, float], float]:
    """The usual step from line to line, by column and size."""
    steps: dict[tuple[int, float], list[float]] = {}
    for before, line in itertools.pairwise(lines):
        step = line.base - before.base
        neighbours = min(before.right, line.right) - max(before.left, line.left) < 0.5 * min(
            before.right - before.left, line.right - line.left
        )
        if before.column != line.column or before.size != line.size or before.pieces + line.pieces > 2 or neighbours:
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
    if before.column != line.column:
        return True
    step, size = line.base - before.base, max(line.size, before.size)
    usual = steps.get((line.column, line.size)) or 1.2 * line.size
    if step > max(WIDE_STEP * usual, usual + 0.3 * size):
        return True
    if _is_other_type(before, line) or _begins_heading(before, line, paragraph):
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
    ended = ENDS.search(before.text) is not None
    sign = sign_of(line)
    if sign == "bullet" or (sign and _begins_item(before, line, paragraph, ended=ended, early=early)):
        return True
    if (early or ended) and (is_caption(line.text) or (line.marked and line.start < size)):
        return True
    if step > 1.12 * usual and (ended or early):
        return True
    return _is_indented(lines, number, paragraph, ended, early) or (early and _ends_deliberately(before, line, edge))


def _begins_item(before: TextLine, line: TextLine, paragraph: Paragraph, *, ended: bool, early: bool) -> bool:
    """Whether a number at the beginning of a line is that of an item; a sentence may have broken before one too."""
    outdented = abs(line.start - before.start) > 0.3 * line.size
    return early or (ended and outdented) or (before is paragraph.lines[0] and paragraph.item and ended)


def _begins_heading(before: TextLine, line: TextLine, paragraph: Paragraph) -> bool:
    """Whether a line is a heading below another one in bold type."""
    if not (before.bold and line.bold) or len(paragraph.lines) > 1:
        return False
    if is_numbered(line.text):
        return is_numbered(before.text)
    return has_room(before, line) and not begins_small(line.text)


def _is_other_type(before: TextLine, line: TextLine) -> bool:
    if abs(before.size - line.size) > SAME_SIZE * max(before.size, line.size):
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
    return not first.islower() and first != UNKNOWN


def _ends_deliberately(before: TextLine, line: TextLine, room: float) -> bool:
    """Whether a line ends where it did not have to because its paragraph ends."""
    if SENTENCE_ENDS.search(before.text) or before.text.endswith(":"):
        return True
    wide = before.column_right - before.column_left
    return _is_capital(line) and room > max(0.25 * wide, 3 * line.size)


def _classify(paragraph: Paragraph) -> Paragraph:
    first = paragraph.lines[0]
    if paragraph.kind != "text":
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

    An abstract is none, though it is in small type below the addresses of authors, which have signs.
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
            if paragraph.kind != "text" or paragraph.size > SMALL_NOTE * body_size:
                break
            if len(paragraph.lines) > NOTE_LINES and not _begins_note(paragraph):
                break
            if any(_is_below(text, paragraph) for text in running):
                break
            notes.append(paragraph)
        if any(_begins_note(one) for one in notes):
            while notes and not _begins_note(notes[-1]):
                notes.pop()
            for one in notes:
                one.kind = "note"
                one.item = False


def _is_below(text: Paragraph, note: Paragraph) -> bool:
    """Whether running text is below what would be a note, and not only next to it."""
    line, other = text.lines[0], note.lines[0]
    return line.top > other.bottom and line.left < other.right and line.right > other.left


def _begins_note(paragraph: Paragraph) -> bool:
    line = paragraph.lines[0]
    return line.marked or bool(_NOTE_SIGN.match(line.text[:8]))


def count_sizes(lines: Iterable[TextLine]) -> Counter[float]:
    """How many characters are of each size."""
    sizes = Counter[float]()
    for line in lines:
        if line.turn % 90 == 0:
            sizes[line.size] += sum(map(len, line.tokens))
    return sizes
