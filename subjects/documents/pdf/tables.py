"""Tables of PDF pages: what a table is, and how it becomes a block of a document. `table_search` finds them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from elcano.activities.passages.document import Block
from elcano.activities.passages.place_arrays import CellArray, LineArray
from elcano.graphs.report.places import Cell, Line
from elcano.subjects.documents.pdf.frames import Rectangle
from elcano.subjects.documents.pdf.joining import Vocabulary, join_lines
from elcano.subjects.documents.pdf.lines import TextLine, build_line
from elcano.subjects.documents.pdf.segments import Segment, turn_upright
from elcano.subjects.documents.pdf.words import Page, Word


class Token(NamedTuple):
    """Text between two spaces, in the frame in which it is read: x rightwards, y downwards."""

    left: float
    top: float
    right: float
    bottom: float
    base: float
    size: float
    bold: bool
    text: str
    words: tuple[Word, ...]
    """Its words in that frame."""

    def __hash__(self) -> int:
        """A hash of its identity; that of all its fields takes ten times as long."""
        return hash((self.left, self.base, self.text))


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
    """The page that it is on where that is not the table's: a head that a table over several pages has only on its
    first one; 0: the table's."""

    @property
    def text(self) -> str:
        """Return its text, on one line."""
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
    """Starts of its columns and the end of the last one, in the frame in which it is read."""
    turn: int = 0
    """Degrees by which it is turned clockwise on the displayed page."""
    caption: tuple[tuple[Token, ...], ...] = ()
    """The lines of the caption above or below it."""
    notes: tuple[tuple[tuple[Token, ...], ...], ...] = ()
    """The lines of each of the notes below it."""
    dropped: tuple[Token, ...] = ()
    """Tokens that only lead the eye from one cell to another, such as rows of dots."""

    @property
    def lines(self) -> Iterator[tuple[Token, ...]]:
        """Every printed line of its page that it takes."""
        for cell in self.cells:
            if not cell.page:
                yield from cell.lines
        yield self.dropped
        yield from self.caption
        for note in self.notes:
            yield from note


def drop_table_words(page: Page, tables: Iterable[Table]) -> Page:
    """The page without the words of its tables, of their captions and of their notes."""
    taken = {
        (word.turn, word.text, word.left, word.top)
        for table in tables
        for line in table.lines
        for token in line
        for word in token.words
    }
    if not taken:
        return page
    left = []
    for word in page.words:
        upright = turn_upright(word, page.width, page.height)
        if (word.turn, word.text, upright.left, upright.top) not in taken:
            left.append(word)
    return page._replace(words=tuple(left))


def build_table_blocks(
    table: Table, page: int, vocabulary: Vocabulary, sizes: Sequence[tuple[float, float]]
) -> list[Block]:
    """The blocks of a table: its caption, itself, its notes.

    Args:
        table: what was found.
        page: its number, counted from 1.
        vocabulary: the document's words.
        sizes: the width and height of each page of the document.
    """

    def build_text_block(lines: Sequence[Sequence[Token]], kind: Literal["caption", "note"]) -> Block:
        text, places = join_lines([build_text_line(line, page) for line in lines], vocabulary, sizes)
        return Block(text, kind=kind, page=page, lines=LineArray(places))

    blocks = [build_text_block(table.caption, "caption")] if table.caption else []
    blocks.append(_build_grid_block(table, page, vocabulary, sizes))
    blocks.extend(build_text_block(note, "note") for note in table.notes)
    return blocks


def build_text_line(tokens: Sequence[Token], page: int) -> TextLine:
    """The printed line of some tokens."""
    words = [word for token in tokens for word in token.words]
    first = words[0]
    segment = Segment(first.left, first.top, first.right, first.bottom, first.base, first.size)
    for word in words:
        segment.add(word)
    return build_line([segment], page, first.turn, 0)


def _build_grid_block(table: Table, page: int, vocabulary: Vocabulary, sizes: Sequence[tuple[float, float]]) -> Block:
    text = ""
    lines: list[Line] = []
    cells: list[Cell] = []
    at = {(cell.row, cell.column): cell for cell in table.cells}
    for row in range(table.rows):
        text += "\n" if row else ""
        for column in range(table.columns):
            text += " | " if column else ""
            cell = at.get((row, column))
            if cell is None:  # within a cell that spans it
                continue
            printed = [build_text_line(line, cell.page or page) for line in cell.lines]
            written, places = join_lines(printed, vocabulary, sizes)
            start = len(text)
            lines += [place._replace(start=place.start + start, end=place.end + start) for place in places]
            text += written
            cells.append(Cell(start, len(text), row, column, cell.rows, cell.columns, cell.head))
    return Block(text, kind="table", page=page, lines=LineArray(lines), cells=CellArray(cells))
