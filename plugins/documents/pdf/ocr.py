"""Reads pictures of pages by Tesseract: their lines in reading order, each with its place and its confidence.

Tesseract's own order of lines is kept. A page that reads badly is tried turned, and in the other languages that are
installed; one that stays below `SURE` yields nothing, for a guess may not be quoted. Needs the extra `ocr`.
"""

import math
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
import regex

from elcano.activities.text.languages import text_language
from elcano.plugins.documents.pdf.joining import UNSPACED
from elcano.plugins.documents.pdf.lines import TextLine
from elcano.plugins.documents.pdf.segments import is_right_to_left, turn_upright
from elcano.plugins.documents.pdf.words import Word

if TYPE_CHECKING:
    from tesserocr import PyPageIterator, PyResultIterator, PyTessBaseAPI

DOTS_PER_INCH: Final = 200
"""Made pages and scans read as well at 200 as at 300, which takes half as long again and 26 MB more."""
MAXIMUM_PIXELS: Final = 8_000_000
"""A page of A3 at that resolution. Pages whose points are pixels of a photograph are not blown up."""
PAGE_SECONDS: Final = 20.0
"""How long one try may take; dense pages take 3 s, noise up to 10."""
SURE: Final = 0.6
"""The confidence in a page below which nothing of it is read. Upside-down pages read at .33 to .38, upright ones at .93
to .96, very noisy ones at .72."""
SURE_OF_LINE: Final = 0.45
"""The confidence in a line below which it is left out: what is read in pictures and rules beside text that is read."""
LEAST_LETTERS: Final = 12
"""So many letters and digits in all are text; fewer are what is read into a photograph."""
SKEW: Final = 0.006
"""Radians of skew, a third of a degree, from which on a page is drawn level: a skew of 1 degree costs one sentence of
twenty, one of 3 degrees half of them."""
SIZE_OF_X: Final = 0.46
"""The height of an x as a share of the size of type."""
_ISO_639_1: Final = {
    **{"ar": "ara", "bg": "bul", "ca": "cat", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng"},
    **{"es": "spa", "et": "est", "eu": "eus", "fa": "fas", "fi": "fin", "fr": "fra", "he": "heb", "hi": "hin"},
    **{"hu": "hun", "hy": "hye", "id": "ind", "it": "ita", "ja": "jpn", "ko": "kor", "lt": "lit", "nl": "nld"},
    **{"no": "nor", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus", "sk": "slk", "sr": "srp", "sv": "swe"},
    **{"ta": "tam", "th": "tha", "tr": "tur", "uk": "ukr", "vi": "vie", "zh": "chi_sim"},
}
"""What Tesseract calls a language."""
_VERTICAL: Final = ("jpn", "chi", "kor")
"""Languages that are written in columns from the right as well."""
_LETTER: Final = regex.compile(r"[\p{L}\p{N}]")


class ReadPicture(NamedTuple):
    """What OCR makes of the picture of a page."""

    lines: list[TextLine]
    """In reading order; none: there is no text, or none that is sure enough."""
    confidence: float
    """How sure it is of the words that it found, also of those that it left out, 0 to 1; 1: it found none."""
    in_time: bool = True


def list_languages() -> tuple[str, ...]:
    """The languages that OCR can read here, as Tesseract calls them, English first; none: it is not installed."""
    folder = _find_data()
    if folder is None:
        return ()
    names = sorted(path.stem for path in folder.glob("*.traineddata"))
    return tuple(sorted((name for name in names if name not in ("osd", "equ")), key=lambda name: name != "eng"))


def _find_data() -> Path | None:
    """The folder with Tesseract's data: the one that `TESSDATA_PREFIX` names, of the wheels, or of the system."""
    spec = find_spec("tesserocr")
    if spec is None or spec.origin is None:
        return None
    folders = (
        *([Path(named)] if (named := os.environ.get("TESSDATA_PREFIX")) else ()),
        Path(sys.prefix, "share/tessdata"),
        Path(spec.origin).parents[1] / "share/tessdata",  # installed by `pip install --target`
        *sorted(Path("/usr/share/tesseract-ocr").glob("*/tessdata"), reverse=True),
        Path("/usr/share/tessdata"),
    )
    return next((folder for folder in folders if any(folder.glob("*.traineddata"))), None)


class OcrReader:
    """Reads the pages of one document; what language and turn the last one had is tried first on the next.

    Args:
        language: of the document's other text, by its ISO 639-1 code; empty: there is none.
    """

    def __init__(self, language: str = "") -> None:
        self._languages = list_languages()
        self._turn = 0
        self._language = self._languages[0] if self._languages else ""
        self._engines: dict[str, PyTessBaseAPI] = {}
        self._prefer(language)

    @property
    def is_installed(self) -> bool:
        """Whether there is anything to read with."""
        return bool(self._languages)

    def read(self, page: pdfium.PdfPage, number: int) -> ReadPicture:
        """Read the picture of a page.

        Args:
            page: the page.
            number: of it, counted from 1.
        """
        best = self._try(page, number, self._turn, self._language)
        if best.found.confidence >= SURE or not best.found.in_time:
            return self._settle(page, number, best)
        others = [((best.turn + turn) % 360, self._language) for turn in (180, 90, 270)]
        others += [(0, language) for language in self._languages if _is_other_script(language, self._language)]
        for turn, language in others:
            tried = self._try(page, number, turn, language)
            best = max(best, tried, key=lambda one: one.found.confidence)
            if best.found.confidence >= SURE:
                return self._settle(page, number, best)
        return best.found._replace(lines=[])

    def _settle(self, page: pdfium.PdfPage, number: int, best: "_Try") -> ReadPicture:
        """Read the page again if its text turns out to be in another language that is installed."""
        letters = sum(len(_LETTER.findall(line.text)) for line in best.found.lines)
        if letters < LEAST_LETTERS:
            return best.found._replace(lines=[])
        self._turn, self._language = best.turn, best.language
        if len(self._languages) > 1 and self._prefer(text_language(" ".join(line.text for line in best.found.lines))):
            tried = self._try(page, number, self._turn, self._language)
            if tried.found.confidence >= best.found.confidence - 0.1:
                return tried.found
            self._language = best.language
        return best.found

    def _prefer(self, language: str) -> bool:
        """Read in this language from now on; False: it is not installed, or what is read in already."""
        name = _ISO_639_1.get(language, "")
        if name not in self._languages or name == self._language:
            return False
        self._language = name
        return True

    def _try(self, page: pdfium.PdfPage, number: int, turn: int, language: str) -> "_Try":
        engine = self._engines.get(language) or _start_engine(language)
        self._engines[language] = engine
        across, down = page.get_size()
        layout = _Layout(number, across, down, turn)
        found = _analyse(engine, page, layout)
        if found is not None and found[0] and language[:3] not in _VERTICAL:
            layout = layout._replace(turn=(turn + 270) % 360)  # so its lines are read from the left
            found = _analyse(engine, page, layout)
        if found is not None and abs(found[1]) > SKEW:
            layout = layout._replace(skew=found[1])
            found = _analyse(engine, page, layout)
        if found is None:
            return _Try(ReadPicture([], 1.0), layout.turn, language)
        in_time = bool(engine.Recognize(int(PAGE_SECONDS * 1000)))
        results = engine.GetIterator()
        lines = list(layout.read(results)) if results is not None and in_time else []
        engine.Clear()
        letters = sum(len(line.text) for line in lines)
        sure = sum((line.confidence or 0.0) * len(line.text) for line in lines) / letters if letters else 1.0
        kept = [line for line in lines if _is_text(line)]
        return _Try(ReadPicture(_equalize_sizes(kept), sure, in_time), layout.turn, language)


class _Try(NamedTuple):
    found: ReadPicture
    turn: int
    language: str


def _start_engine(language: str) -> "PyTessBaseAPI":
    from tesserocr import OEM, PSM, PyTessBaseAPI

    engine = PyTessBaseAPI(path=str(_find_data()), lang=language, psm=PSM.AUTO, oem=OEM.LSTM_ONLY)
    engine.SetVariable("debug_file", os.devnull)
    return engine


def _is_other_script(language: str, other: str) -> bool:
    return language != other and ("eng" in (language, other) or language[:3] in _VERTICAL)


def _is_text(line: TextLine) -> bool:
    letters = len(_LETTER.findall(line.text))
    return (line.confidence or 0.0) >= (SURE_OF_LINE if letters > 2 else SURE) and letters > 0


def _equalize_sizes(lines: list[TextLine]) -> list[TextLine]:
    """The lines, those of nearly the same size with just the same: what is measured of letters varies by a tenth."""
    ordered = sorted(lines, key=lambda line: line.size)
    group: list[TextLine] = []
    for line in [*ordered, None]:
        if group and (line is None or line.size > 1.12 * group[0].size):
            usual = round(median(one.size for one in group), 1)
            for one in group:
                one.size = usual
            group = []
        if line is not None:
            group.append(line)
    return lines


class _Layout(NamedTuple):
    """How a page is drawn for OCR, and so where the pixels of its picture stand on the page."""

    number: int
    width: float
    height: float
    """Of the displayed page in points."""
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
        row: list[Word] = []
        while not found.Empty(RIL.WORD):
            begins_line = found.IsAtBeginningOf(RIL.TEXTLINE)
            if begins_line and row:
                yield self._build_line(row, block, edges)
                row = []
            if found.IsAtBeginningOf(RIL.BLOCK):
                block += 1
                edges = self._measure_block(found)
            text = found.GetUTF8Text(RIL.WORD).strip()
            if text:
                row.append(self._build_word(found, text))
            if not found.Next(RIL.WORD):
                break
        if row:
            yield self._build_line(row, block, edges)

    def _measure_block(self, found: "PyResultIterator") -> tuple[float, float]:
        from tesserocr import RIL

        left, top, right, bottom = found.BoundingBox(RIL.BLOCK)
        block = self._place(Word("", left, top, right, bottom, bottom, 0.0, turn=_read_turn(found)))
        upright = turn_upright(block, self.width, self.height)
        return upright.left, upright.right

    def _build_word(self, found: "PyResultIterator", text: str) -> Word:
        from tesserocr import RIL

        left, top, right, bottom = found.BoundingBox(RIL.WORD)
        turn = _read_turn(found)
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
        return _turn_clockwise(in_points, -self.turn % 360, across, down)

    def _skew(self, word: Word) -> Word:
        """The word where it stands on the page as it is."""
        x, y = (word.left + word.right) / 2 - self.width / 2, (word.top + word.bottom) / 2 - self.height / 2
        right = x * math.cos(self.skew) - y * math.sin(self.skew) - x
        down = x * math.sin(self.skew) + y * math.cos(self.skew) - y
        return word._replace(
            left=word.left + right, right=word.right + right, top=word.top + down, bottom=word.bottom + down
        )

    def _build_line(self, row: list[Word], block: int, edges: tuple[float, float]) -> TextLine:
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
        )


def _analyse(engine: "PyTessBaseAPI", page: pdfium.PdfPage, layout: _Layout) -> tuple[bool, float] | None:
    """Draw a page for an engine: whether its lines run downwards, and its skew; None: there are no lines."""
    bitmap = layout.draw(page)
    engine.SetImageBytes(bytes(bitmap.buffer), bitmap.width, bitmap.height, 1, bitmap.stride)
    engine.SetSourceResolution(max(70, round(layout.scale * 72)))
    found = engine.AnalyseLayout()
    return None if found is None else (_read_turn(found) != 0, found.Orientation()[3])


def _read_turn(found: "PyPageIterator") -> int:
    """Degrees by which lines are turned clockwise in the picture: Tesseract takes such for lines that run downwards."""
    from tesserocr import WritingDirection

    return 90 if found.Orientation()[1] == WritingDirection.TOP_TO_BOTTOM else 0


def _turn_clockwise(word: Word, turn: int, width: float, height: float) -> Word:
    """The word after its page, `width` wide and `height` high, was turned clockwise by quarters."""
    if turn == 90:
        box = (height - word.bottom, word.left, height - word.top, word.right)
    elif turn == 180:
        box = (width - word.right, height - word.bottom, width - word.left, height - word.top)
    elif turn == 270:
        box = (word.top, width - word.right, word.bottom, width - word.left)
    else:
        return word
    upright = word.turn in (0, 180)
    base = {
        90: height - word.base if upright else word.base,
        180: height - word.base if upright else width - word.base,
        270: word.base if upright else width - word.base,
    }[turn]
    left, top, right, bottom = box
    return word._replace(left=left, top=top, right=right, bottom=bottom, base=base, turn=(word.turn + turn) % 360)
