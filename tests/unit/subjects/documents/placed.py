"""Documents whose lines and cells have places, made by hand: what readers give, without any of theirs."""

from collections.abc import Iterator
from itertools import groupby

import pypdfium2 as pdfium

from elcano.activities.passages.document import Block, Document, Parsed
from elcano.activities.passages.packing import assemble_document
from elcano.graphs.report.places import Box, Cell, Line

READER = f"{__name__}:read_placed_pdf"
"""The path of a reader of PDF for the table of formats."""


def read_placed_pdf(content: bytes) -> Parsed:
    """One block for each page, one line for each of its lines, boxes from PDFium's characters."""
    document = pdfium.PdfDocument(content)
    blocks = [block for number in range(len(document)) if (block := _read_page(document[number], number + 1)).text]
    return Parsed(blocks, page_labels=("i", "ii", *map(str, range(1, len(document) - 1))))


def _read_page(page: pdfium.PdfPage, number: int) -> Block:
    width, height = page.get_size()
    textpage = page.get_textpage()
    text = textpage.get_text_range().replace("\r\n", "\n").strip()
    lines = list(_read_lines(textpage, width, height, number))
    joined = text.replace("\n", " ")
    offset, placed = 0, []
    for words, line in lines:
        offset = joined.index(words, offset)
        placed.append(line._replace(start=offset, end=offset + len(words)))
    return Block(joined, page=number, lines=tuple(placed))


def _read_lines(textpage: pdfium.PdfTextPage, width: float, height: float, page: int) -> Iterator[tuple[str, Line]]:
    raw = textpage.get_text_range()
    at = 0
    for words in raw.split("\r\n"):
        boxes = [textpage.get_charbox(at + n, loose=True) for n, one in enumerate(words) if not one.isspace()]
        if boxes:
            edges, seen = [], 0
            for space, group in groupby(words, key=str.isspace):
                length = len(list(group))
                if not space:
                    edges.append(textpage.get_charbox(at + seen, loose=True)[0] / width)
                seen += length
            box = Box(
                min(one[0] for one in boxes) / width,
                1 - max(one[3] for one in boxes) / height,
                max(one[2] for one in boxes) / width,
                1 - min(one[1] for one in boxes) / height,
            )
            yield words, Line(0, len(words), page, box, tuple(edges))
        at += len(words) + 2


def table_block(rows: list[list[str]], page: int = 0, heads: int = 1, anchor: str = "") -> Block:
    """A table whose first rows name its columns, with a line in each cell if it stands on a page."""
    text, cells, lines = "", [], []
    for row, values in enumerate(rows):
        text += "\n" if row else ""
        for column, value in enumerate(values):
            text += " | " if column else ""
            start = len(text)
            text += value
            cells.append(Cell(start, len(text), row, column, head=row < heads))
            if page and value:
                box = Box(0.1 + 0.2 * column, 0.2 + 0.05 * row, 0.28 + 0.2 * column, 0.24 + 0.05 * row)
                lines.append(Line(start, len(text), page, box))
    return Block(text, kind="table", page=page, anchor=anchor, cells=tuple(cells), lines=tuple(lines))


def assemble(*blocks: Block, labels: tuple[str, ...] = ()) -> Document:
    """The stored document of these blocks."""
    return assemble_document(Parsed(list(blocks), page_labels=labels), "doc", "application/pdf")
