"""Finds a table's surroundings: the caption above or below, and the notes below."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from elcano.subjects.documents.pdf.paragraph_signs import is_caption
from elcano.subjects.documents.pdf.tables import Table, TextRow, Token
from elcano.subjects.documents.pdf.text_rows import build_row, build_rows, split_segments

FAR: Final = 3.5
"""A caption or note is not farther from its table than this many times its size."""
LINE_STEP: Final = 1.65
"""The step between lines of a caption or note is at most this many times their size."""
MAX_CAPTION: Final = 12
MAX_NOTES: Final = 24
"""Lines that a caption has at most, and the notes of a table together."""
_FIGURE: Final = re.compile(r"(?:fig|abb|рис|gr[aá]f|plate|scheme|图|圖|図|chart|listing|algorithm)", re.IGNORECASE)
_NOTE: Final = re.compile(
    r"(?i:notes?|sources?|abbreviations?|legend|key|n\.?a\.?|anm(?:erkung)?|quellen?|fuentes?|notas?|fonte|remarques?|"
    r"significan(?:ce|t)|signif)\b|[*†‡§¶#※]|\(?[a-z\d]\)\s|[a-z]\s?[A-Z=]|[¹²³⁰-⁹ᵃ-ᶻ]"
)


def attach_surroundings(tables: Sequence[Table], tokens: Iterable[Token]) -> list[Table]:
    """The tables with their captions and notes.

    Args:
        tables: those of one direction of reading, from the top.
        tokens: the words of that direction that belong to none of them.
    """
    left = list(tokens)
    attached = list(tables)
    for below in (False, True):  # A caption above is sure; one below may be that of the next table.
        for number, table in enumerate(attached):
            if table.caption:
                continue
            caption = _find_caption(table, _list_lines(table, left, tables, below=below), below=below)
            if caption:
                taken = {token for line in caption for token in line}
                left = [token for token in left if token not in taken]
                attached[number] = table._replace(caption=caption)
    for number, table in enumerate(attached):
        notes = _find_notes(table, _list_lines(table, left, tables, below=True))
        if notes:
            taken = {token for note in notes for line in note for token in line}
            left = [token for token in left if token not in taken]
            attached[number] = table._replace(notes=notes)
    return attached


def _list_lines(table: Table, tokens: Iterable[Token], tables: Sequence[Table], *, below: bool) -> list[TextRow]:
    """The lines next to a table, from the nearest on, up to the next table."""
    left, top, right, bottom = table.box
    size = max((token.size for line in table.lines for token in line), default=10.0)
    reach = 40 * size
    if below:
        limit = min((other.box[1] for other in tables if other.box[1] >= bottom - 1), default=bottom + reach)
        near = [token for token in tokens if bottom - 2 <= token.base - 0.3 * token.size <= min(limit, bottom + reach)]
    else:
        limit = max((other.box[3] for other in tables if other.box[3] <= top + 1), default=top - reach)
        near = [token for token in tokens if max(limit, top - reach) <= token.base - 0.3 * token.size <= top + 2]
    lines = []
    for row in build_rows(near):
        parts = [part for part in split_segments(row, 1.5) if part[0].left < right and part[-1].right > left]
        if parts:
            lines.append(build_row([token for part in parts for token in part]))
    return lines if below else lines[::-1]


def _write(row: TextRow) -> str:
    return " ".join(token.text for token in row.tokens)


def _is_table_caption(row: TextRow) -> bool:
    text = _write(row)
    return is_caption(text) and not _FIGURE.match(text)


def _find_caption(table: Table, lines: Sequence[TextRow], *, below: bool) -> tuple[tuple[Token, ...], ...]:
    if not lines:
        return ()
    edge = table.box[3] if below else table.box[1]
    if abs(lines[0].base - edge) > (FAR + 1) * lines[0].size:
        return ()
    block = _take_block(lines[:MAX_CAPTION])
    if below:
        return tuple(row.tokens for row in block) if _is_table_caption(block[0]) else ()
    for number, row in enumerate(block):
        if _is_table_caption(row):
            return tuple(row.tokens for row in block[number::-1])
    return ()


def _take_block(lines: Sequence[TextRow]) -> list[TextRow]:
    """The lines that follow one another closely, in whatever direction, in type of one size."""
    block = [lines[0]]
    for before, row in pairwise(lines):
        size = max(before.size, row.size)
        if abs(row.base - before.base) > LINE_STEP * size or min(before.size, row.size) < 0.8 * size:
            break
        block.append(row)
    return block


def _find_notes(table: Table, lines: Sequence[TextRow]) -> tuple[tuple[tuple[Token, ...], ...], ...]:
    notes: list[list[tuple[Token, ...]]] = []
    edge = table.box[3]
    step = FAR
    size = 0.0
    for row in lines[:MAX_NOTES]:
        begins = bool(_NOTE.match(_write(row)))
        if row.base - edge > step * row.size or (size and abs(row.size - size) > 0.15 * size):
            break
        if not notes and not begins:
            break
        if begins and not (notes and _is_flowing(notes[-1], row)):
            notes.append([])
        notes[-1].append(row.tokens)
        edge, size, step = row.base, row.size, LINE_STEP if not begins else LINE_STEP + 0.6
    return tuple(tuple(note) for note in notes)


def _is_flowing(note: Sequence[tuple[Token, ...]], row: TextRow) -> bool:
    """Whether a line only happens to begin like a note: the line above it is full, and does not end a sentence."""
    last = note[-1]
    return last[-1].right >= row.tokens[-1].right - 2 and not last[-1].text.endswith((".", ";", ":", ")"))
