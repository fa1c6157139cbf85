"""Tables of PDF pages: what a table is, and how it becomes a block of a document."""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from elcano.activities.passages.document import Block, normalize_text
from elcano.graphs.report.places import Box, Cell, Line
from elcano.plugins.documents.pdf.edges import Rectangle
from elcano.plugins.documents.pdf.words import Page, Word

class Token(NamedTuple):
    """A word with what is joined to it, in the frame in which it is read: x rightwards, y downwards."""

    left: float
    top: float
    right: float
    bottom: float
    base: float
    size: float
    bold: bool
    text: str
    pieces: tuple[tuple[str, Word], ...]
    """The parts of its text between spaces, each with the word that begins it as it stands on the displayed page."""
    words: tuple[Word, ...]
    """As they stand on the displayed page."""


class TextRow(NamedTuple):
    """Tokens on one base line, from left to right."""

    base: float
    top: float
    bottom: float
    size: float
    tokens: tuple[Token, ...]


class TableCell(NamedTuple):
    """A cell and what is printed in it."""

    row: int
    column: int
    rows: int
    columns: int
    head: bool
    lines: tuple[tuple[Token, ...], ...]
    """Its printed lines."""
    page: int = 0
    """The page that it stands on if that is not the table's: a head that a continued table has on its first page only;
    0: the table's."""

    @property
    def text(self) -> str:
        """What it says, on one line."""
        return " ".join(token.text for line in self.lines for token in line)


class Table(NamedTuple):
    """A table of a page."""

    box: Rectangle
    """In the frame in which it is read."""
    rows: int
    columns: int
    cells: tuple[TableCell, ...]
    """Row by row; every place of the grid belongs to one cell."""
    bounds: tuple[float, ...]
    """Where its columns begin and the last one ends, in the frame in which it is read."""
    turn: int = 0
    """Degrees by which it is turned clockwise on the displayed page."""
    caption: tuple[tuple[Token, ...], ...] = ()
    """The lines of the caption above or below it."""
    notes: tuple[tuple[tuple[Token, ...], ...], ...] = ()
    """The lines of each of the notes below it."""

    def collect_words(self) -> set[Word]:
        """The words of the page that belong to it, its caption and its notes."""
        lines = [line for cell in self.cells if not cell.page for line in cell.lines]
        lines += self.caption
        lines += [line for note in self.notes for line in note]
        return {word for line in lines for token in line for word in token.words}


def split_pieces(words: Sequence[Word]) -> tuple[tuple[str, Word], ...]:
    """The text of a word and of what is joined to it; the raised mark of a note stands apart from its number."""
    pieces = [(words[0].text, words[0])]
    for before, word in zip(words, words[1:], strict=False):
        if _is_apart(before, word):
            pieces.append((word.text, word))
        else:
            pieces[-1] = (pieces[-1][0] + word.text, pieces[-1][1])
    return tuple((normalize_text(text), word) for text, word in pieces)


_MARK: Final = re.compile(r"[a-z](?:,[a-z])*|[\d,]{1,3}|[*†‡§¶#]{1,4}")


def _is_apart(before: Word, word: Word) -> bool:
    raised = word.raised or (word.size < 0.85 * before.size and word.bottom < before.bottom - 0.1 * before.size)
    return raised and before.text[-1:].isdigit() and bool(_MARK.fullmatch(word.text))


def build_table_blocks(table: Table, page: Page) -> list[Block]:
    """The blocks of a table: its caption, itself, its notes."""
    blocks = []
    if table.caption:
        blocks.append(_build_text_block(table.caption, "caption", page, table.turn))
    blocks.append(_build_grid_block(table, page))
    blocks.extend(_build_text_block(note, "note", page, table.turn) for note in table.notes)
    return blocks


def _build_text_block(lines: Iterable[Sequence[Token]], kind: str, page: Page, turn: int) -> Block:
    writer = _Writer(page, turn)
    for line in lines:
        writer.write_line(line, page.number)
    return Block(writer.text, kind="caption" if kind == "caption" else "note", page=page.number, lines=writer.lines)


def _build_grid_block(table: Table, page: Page) -> Block:
    writer = _Writer(page, table.turn)
    at = {(cell.row, cell.column): cell for cell in table.cells}
    cells: list[Cell] = []
    for row in range(table.rows):
        writer.write("\n" if row else "")
        for column in range(table.columns):
            writer.write(" | " if column else "")
            cell = at.get((row, column))
            if cell is None:  # within a cell that spans it
                continue
            start = writer.length
            for line in cell.lines:
                writer.write_line(line, cell.page or page.number)
            cells.append(Cell(start, writer.length, row, column, cell.rows, cell.columns, cell.head))
    return Block(writer.text, kind="table", page=page.number, lines=writer.lines, cells=tuple(cells))


class _Writer:
    """Writes printed lines one after the other and notes where each stands."""

    def __init__(self, page: Page, turn: int) -> None:
        self._parts: list[str] = []
        self.length = 0
        self._lines: list[Line] = []
        self._page = page
        self._turn = turn
        self._fresh = True

    @property
    def text(self) -> str:
        """What was written."""
        return "".join(self._parts)

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines written so far."""
        return tuple(self._lines)

    def write(self, text: str) -> None:
        """Write what stands on no page; a line that follows begins without a space."""
        self._parts.append(text)
        self.length += len(text)
        self._fresh = True

    def write_line(self, tokens: Sequence[Token], page: int) -> None:
        """Write a printed line, after a space if another one precedes it."""
        pieces = [piece for token in tokens for piece in token.pieces if piece[0].strip()]
        if not pieces:
            return
        if not self._fresh:
            self.write(" ")
        start = self.length
        self.write(" ".join(text for text, _ in pieces))
        self._fresh = False
        box = self._share_box([word for token in tokens for word in token.words])
        edges = tuple(self._share_edge(word) for _, word in pieces)
        self._lines.append(Line(start, self.length, page, box, edges, self._turn))

    def _share_box(self, words: Sequence[Word]) -> Box:
        wide, high = self._page.width, self._page.height
        return Box(
            min(word.left for word in words) / wide,
            min(word.top for word in words) / high,
            max(word.right for word in words) / wide,
            max(word.bottom for word in words) / high,
        )

    def _share_edge(self, word: Word) -> float:
        """Where a word begins in its direction of reading."""
        if self._turn == 90:
            return word.top / self._page.height
        if self._turn == 270:
            return word.bottom / self._page.height
        return (word.right if self._turn == 180 else word.left) / self._page.width
