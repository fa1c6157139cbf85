"""Reads pictures of pages by Tesseract: their lines in reading order, each with its place and its confidence.

Tesseract's own order of lines is kept. A page that reads badly is tried turned, and in the other languages that are
installed; one that stays below `SURE` yields nothing, for a guess may not be quoted. Needs the extra `ocr`.
"""

import os
import time
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

import pypdfium2 as pdfium
import regex

from elcano.subjects.documents.ocr_languages import ISO_639_1, OCR, VERTICAL, find_data, list_languages
from elcano.subjects.documents.pdf.lines import TextLine
from elcano.subjects.documents.pdf.ocr_layout import Layout, read_turn
from elcano.text.languages import text_language

if TYPE_CHECKING:
    from tesserocr import PyTessBaseAPI

PAGE_SECONDS: Final = 20.0
"""Processor time of one try, in seconds; dense pages take 3 s, noise up to 10."""
MOST_BUSY: Final = 30.0
"""Times as much a try may take on a machine that does other work: what is left out for good must not depend on it."""
SURE: Final = 0.6
"""The confidence in a page below which nothing of it is read. Upside-down pages read at .33 to .38, upright ones at .93
to .96, very noisy ones at .72."""
SURE_OF_LINE: Final = 0.45
"""The confidence in a line below which it is left out: what is read in pictures and rules next to text that is read."""
LEAST_LETTERS: Final = 12
"""Minimum letters and digits of a text; fewer are misread from a photograph."""
LANGUAGE_LETTERS: Final = 100
"""Letters and digits needed to detect the language of a page."""
SKEW: Final = 0.006
"""Radians of skew, a third of a degree, from which on a page is drawn level: a skew of 1 degree costs one sentence of
twenty, one of 3 degrees half of them."""
_LETTER: Final = regex.compile(r"[\p{L}\p{N}]")


class ReadPicture(NamedTuple):
    """Output of OCR for the picture of a page."""

    lines: list[TextLine]
    """In reading order; none: there is no text, or none that is sure enough."""
    confidence: float
    """OCR's confidence in the words it found, including those it left out, 0 to 1; 1: it found none."""
    in_time: bool = True


class OcrReader:
    """Reads the pages of one document; what language and turn the last one had is tried first on the next.

    Args:
        language: of the document's other text, by its ISO 639-1 code; empty: there is none.
    """

    def __init__(self, language: str = "") -> None:
        self._languages = list_languages()
        self.needs = "" if self._languages else OCR
        """Missing component for the page read last, or for the first one; see `Gap`."""
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
        text = " ".join(line.text for line in best.found.lines)
        if letters >= LANGUAGE_LETTERS and self._prefer(text_language(text)):
            tried = self._try(page, number, self._turn, self._language)
            if tried.found.confidence >= best.found.confidence - 0.1:
                return tried.found
            self._language = best.language
        return best.found

    def _prefer(self, language: str) -> bool:
        """Read in this language from now on; False: it is not installed, or what is read in already."""
        name = ISO_639_1.get(language, "")
        if name and self._languages:
            self.needs = "" if name in self._languages else f"{OCR}:{name}"
        if name not in self._languages or name == self._language:
            return False
        self._language = name
        return True

    def _try(self, page: pdfium.PdfPage, number: int, turn: int, language: str) -> "_Try":
        begun, used = time.monotonic(), time.process_time()
        engine = self._engines.get(language) or _start_engine(language)
        self._engines[language] = engine
        across, down = page.get_size()
        layout = Layout(number, across, down, turn)
        found = _analyse(engine, page, layout)
        if found is not None and found[0] and language[:3] not in VERTICAL:
            layout = layout._replace(turn=(turn + 270) % 360)  # so its lines are read from the left
            found = _analyse(engine, page, layout)
        if found is not None and abs(found[1]) > SKEW:
            layout = layout._replace(skew=found[1])
            found = _analyse(engine, page, layout)
        if found is None:
            return _Try(ReadPicture([], 1.0), layout.turn, language)
        seconds = stretch_seconds(PAGE_SECONDS, time.monotonic() - begun, time.process_time() - used)
        in_time = bool(engine.Recognize(int(seconds * 1000)))
        results = engine.GetIterator()
        lines = list(layout.read(results)) if results is not None and in_time else []
        engine.Clear()
        letters = sum(len(line.text) for line in lines)
        sure = sum((line.confidence or 0.0) * len(line.text) for line in lines) / letters if letters else 1.0
        kept = [line for line in lines if _is_text(line)]
        return _Try(ReadPicture(_equalize_sizes(kept), sure, in_time), layout.turn, language)


def stretch_seconds(seconds: float, passed: float, used: float) -> float:
    """The time that passes while this process gets so many seconds of processor time, as Tesseract counts the former.

    Args:
        seconds: of processor time.
        passed: seconds since it began.
        used: seconds of processor time in these.
    """
    return seconds * min(max(passed / used, 1.0), MOST_BUSY) if used > 0 else seconds


class _Try(NamedTuple):
    found: ReadPicture
    turn: int
    language: str


def _start_engine(language: str) -> "PyTessBaseAPI":
    from tesserocr import OEM, PSM, PyTessBaseAPI

    engine = PyTessBaseAPI(path=str(find_data()), lang=language, psm=PSM.AUTO, oem=OEM.LSTM_ONLY)
    engine.SetVariable("debug_file", os.devnull)
    return engine


def _is_other_script(language: str, other: str) -> bool:
    return language != other and ("eng" in (language, other) or language[:3] in VERTICAL)


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


def _analyse(engine: "PyTessBaseAPI", page: pdfium.PdfPage, layout: Layout) -> tuple[bool, float] | None:
    """Draw a page for an engine: whether its lines run downwards, and its skew; None: there are no lines."""
    bitmap = layout.draw(page)
    engine.SetImageBytes(bytes(bitmap.buffer), bitmap.width, bitmap.height, 1, bitmap.stride)
    engine.SetSourceResolution(max(70, round(layout.scale * 72)))
    found = engine.AnalyseLayout()
    return None if found is None else (read_turn(found) != 0, found.Orientation()[3])
