"""Draws a page for OCR, and maps the pixels of its picture to lines with their places on the page."""

import math
from collections.abc import Iterator
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from elcano.subjects.documents.pdf.joining import UNSPACED
from elcano.subjects.documents.pdf.lines import TextLine
from elcano.subjects.documents.pdf.segments import is_right_to_left, turn_upright, turn_word
from elcano.subjects.documents.pdf.words import Word

if TYPE_CHECKING:
    from tesserocr import PyPageIterator, PyResultIterator

DOTS_PER_INCH: Final = 200
"""Made pages and scans read as well at 200 as at 300, which takes half as long again and 26 MB more."""
MAXIMUM_PIXELS: Final = 8_000_000
"""A page of A3 at that resolution. Pages whose points are pixels of a photograph are not blown up."""
SIZE_OF_X: Final = 0.46
"""The height of an x as a share of the size of type."""


class Layout(NamedTuple):
    """Drawing of a page for OCR, and so the places on the page of the pixels of its picture."""

    number: int
    width: float
    height: float
    """Height of the displayed page, in points."""
    turn: int = 0
    """Degrees by which it is drawn turned clockwise."""
    skew: float = 0.0
    """Radians by which its lines fall off to the right, which are drawn level."""

    @property
    def scale(self) -> float:
        """Pixels per point."""
        return min(DOTS_PER_INCH / 72, math.sqrt(MAXIMUM_PIXELS / (self.width * self.height)))

    def draw(self, page: pdfium.PdfPage) -> pdfium.PdfBitmap:
        """Draw the page, in levels of grey."""
        across, down = (self.height, self.width) if self.turn in (90, 270) else (self.width, self.height)
        width, height = max(1, round(across * self.scale)), max(1, round(down * self.scale))
        bitmap = pdfium.PdfBitmap.new_native(width, height, pdfium_c.FPDFBitmap_Gray)
        bitmap.fill_rect((255, 255, 255, 255), 0, 0, width, height)
        angle = math.radians(self.turn) - self.skew
        a, b = self.scale * math.cos(angle), self.scale * math.sin(angle)
        x, y = self.width / 2, self.height / 2  # the centre, about which it is turned
        matrix = pdfium_c.FS_MATRIX(a, b, -b, a, width / 2 - a * x + b * y, height / 2 - b * x - a * y)
        whole = pdfium_c.FS_RECTF(0, 0, width, height)
        pdfium_c.FPDF_RenderPageBitmapWithMatrix(bitmap, page, matrix, whole, pdfium_c.FPDF_ANNOT)
        return bitmap

    def read(self, found: "PyResultIterator") -> Iterator[TextLine]:
        """The lines that were found."""
        from tesserocr import RIL

        block = -1
        edges = (0.0, 0.0)
        lean = 0.0
        row: list[Word] = []
        while not found.Empty(RIL.WORD):
            begins_line = found.IsAtBeginningOf(RIL.TEXTLINE)
            if begins_line and row:
                yield self._build_line(row, block, edges, lean)
                row = []
            if begins_line:
                lean = math.tan(self.skew) + _measure_slope(found)
            if found.IsAtBeginningOf(RIL.BLOCK):
                block += 1
                edges = self._measure_block(found)
            text = found.GetUTF8Text(RIL.WORD).strip()
            if text:
                row.append(self._build_word(found, text))
            if not found.Next(RIL.WORD):
                break
        if row:
            yield self._build_line(row, block, edges, lean)

    def _measure_block(self, found: "PyResultIterator") -> tuple[float, float]:
        from tesserocr import RIL

        left, top, right, bottom = found.BoundingBox(RIL.BLOCK)
        block = self._place(Word("", left, top, right, bottom, bottom, 0.0, turn=read_turn(found)))
        upright = turn_upright(block, self.width, self.height)
        return upright.left, upright.right

    def _build_word(self, found: "PyResultIterator", text: str) -> Word:
        from tesserocr import RIL

        left, top, right, bottom = found.BoundingBox(RIL.WORD)
        turn = read_turn(found)
        (x, y), (other_x, other_y) = found.Baseline(RIL.TEXTLINE)
        base = (x + other_x) / 2 if turn else (y + other_y) / 2
        row = found.RowAttributes()
        size = (row["row_height"] - row["ascenders"] + row["descenders"]) / SIZE_OF_X
        confidence = found.Confidence(RIL.WORD) / 100
        return self._place(Word(text, left, top, right, bottom, base, size, turn=turn, confidence=confidence))

    def _place(self, word: Word) -> Word:
        """A word with a place in pixels of the picture, with its place in points of the displayed page, not skewed."""
        across, down = (self.height, self.width) if self.turn in (90, 270) else (self.width, self.height)
        in_points = word._replace(
            left=word.left / self.scale,
            top=word.top / self.scale,
            right=word.right / self.scale,
            bottom=word.bottom / self.scale,
            base=word.base / self.scale,
            size=word.size / self.scale,
        )
        return turn_word(in_points, self.turn, across, down)._replace(turn=(word.turn - self.turn) % 360)

    def _skew(self, word: Word) -> Word:
        """The word where it is on the page as it is."""
        x, y = (word.left + word.right) / 2 - self.width / 2, (word.top + word.bottom) / 2 - self.height / 2
        right = x * math.cos(self.skew) - y * math.sin(self.skew) - x
        down = x * math.sin(self.skew) + y * math.cos(self.skew) - y
        return word._replace(
            left=word.left + right, right=word.right + right, top=word.top + down, bottom=word.bottom + down
        )

    def _build_line(self, row: list[Word], block: int, edges: tuple[float, float], lean: float) -> TextLine:
        level = turn_upright(row[0], self.width, self.height)
        upright = [turn_upright(self._skew(word), self.width, self.height) for word in row]
        mirrored = sum(is_right_to_left(word.text) for word in row) * 2 > len(row)
        tokens: list[str] = []
        starts: list[float] = []
        for word in upright:
            if tokens and UNSPACED.match(tokens[-1][-1]) and UNSPACED.match(word.text):
                tokens[-1] += word.text
                continue
            tokens.append(word.text)
            starts.append(word.right if mirrored else word.left)
        letters = sum(len(word.text) for word in row)
        shift = upright[0].left - level.left
        return TextLine(
            self.number,
            row[0].turn,
            tokens,
            starts,
            min(word.left for word in upright),
            min(word.top for word in upright),
            max(word.right for word in upright),
            max(word.bottom for word in upright),
            level.base,
            median(word.size for word in upright),
            False,
            block,
            edges[0] + shift,
            edges[1] + shift,
            right_to_left=mirrored,
            confidence=sum((word.confidence or 0.0) * len(word.text) for word in row) / letters,
            lean=lean,
        )


def read_turn(found: "PyPageIterator") -> int:
    """Degrees by which lines are turned clockwise in the picture: Tesseract takes such for lines that run downwards."""
    from tesserocr import WritingDirection

    return 90 if found.Orientation()[1] == WritingDirection.TOP_TO_BOTTOM else 0


def _measure_slope(found: "PyResultIterator") -> float:
    """By how much a line falls in the picture for each pixel to the right; 0 for one that runs downwards."""
    from tesserocr import RIL

    (x, y), (other_x, other_y) = found.Baseline(RIL.TEXTLINE)
    return 0.0 if read_turn(found) or other_x <= x else float(other_y - y) / (other_x - x)
