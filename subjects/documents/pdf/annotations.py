"""Reads what readers wrote into a PDF page: the values of form fields, free text, and comments.

Values and free text become words at their places, so they are read where a person sees them, behind the label of their
field. Comments are listed by themselves.
"""

import ctypes
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from elcano.activities.passages.document import Block, normalize_text
from elcano.graphs.report.places import Box, Line
from elcano.subjects.documents.pdf.frames import Frame, measure_frame
from elcano.subjects.documents.pdf.words import Word

ANNOTATIONS: Final = 5_000
"""Maximum annotations read per page; a long form has 300 fields."""
VALUE_BYTES: Final = 200_000
"""Longer values are left out: a field of a page holds a few thousand characters."""
CHARACTER_WIDTH: Final = 0.5
"""The width of most characters, in sizes: annotations do not say where theirs are."""
LINE_STEP: Final = 1.15
"""The step from line to line, in sizes."""
USUAL_SIZE: Final = 10.0
_UNSEEN: Final = pdfium_c.FPDF_ANNOT_FLAG_HIDDEN | pdfium_c.FPDF_ANNOT_FLAG_NOVIEW
_PASSWORD: Final = 1 << 13
_TICK: Final = "\u2611"
_COMMENTS: Final = frozenset(
    {
        pdfium_c.FPDF_ANNOT_TEXT,
        pdfium_c.FPDF_ANNOT_HIGHLIGHT,
        pdfium_c.FPDF_ANNOT_UNDERLINE,
        pdfium_c.FPDF_ANNOT_SQUIGGLY,
        pdfium_c.FPDF_ANNOT_STRIKEOUT,
        pdfium_c.FPDF_ANNOT_CARET,
    }
)


class Written(NamedTuple):
    """Annotations of readers on a page."""

    words: list[Word]
    """Values of fields and free text."""
    comments: list[Block]


def read_annotations(page: pdfium.PdfPage, number: int) -> Written:
    """Read the annotations of a page, of which `number` counts from 1."""
    frame = measure_frame(page.raw)
    words: list[Word] = []
    comments: list[Block] = []
    for index in range(min(pdfium_c.FPDFPage_GetAnnotCount(page.raw), ANNOTATIONS)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page.raw, index)
        if not annotation:
            continue
        try:
            if pdfium_c.FPDFAnnot_GetFlags(annotation) & _UNSEEN:
                continue
            kind = pdfium_c.FPDFAnnot_GetSubtype(annotation)
            if kind == pdfium_c.FPDF_ANNOT_WIDGET and page.formenv:
                words += _lay_out(
                    _read_value(page, annotation), _find_box(annotation, frame), _find_size(page, annotation)
                )
            elif kind == pdfium_c.FPDF_ANNOT_FREETEXT:
                words += _lay_out(_read_contents(annotation), _find_box(annotation, frame), USUAL_SIZE)
            elif kind in _COMMENTS and (text := " ".join(_read_contents(annotation).split())):
                box = _share(_find_box(annotation, frame), frame)
                comments.append(Block(text, kind="comment", page=number, lines=(Line(0, len(text), number, box),)))
        finally:
            pdfium_c.FPDFPage_CloseAnnot(annotation)
    return Written(words, comments)


def _read_value(page: pdfium.PdfPage, annotation: Any) -> str:
    """The value of a field as it is shown; a tick for a button that is on."""
    form = page.formenv.raw
    kind = pdfium_c.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in (pdfium_c.FPDF_FORMFIELD_CHECKBOX, pdfium_c.FPDF_FORMFIELD_RADIOBUTTON):
        return _TICK if pdfium_c.FPDFAnnot_IsChecked(form, annotation) else ""
    shown = (pdfium_c.FPDF_FORMFIELD_TEXTFIELD, pdfium_c.FPDF_FORMFIELD_COMBOBOX, pdfium_c.FPDF_FORMFIELD_LISTBOX)
    if kind not in shown or pdfium_c.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD:
        return ""
    return _read_string(lambda buffer, size: pdfium_c.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size))


def _read_contents(annotation: Any) -> str:
    return _read_string(lambda buffer, size: pdfium_c.FPDFAnnot_GetStringValue(annotation, b"Contents", buffer, size))


def _read_string(read: Callable[[Any, int], int]) -> str:
    """Read the string that a function of PDFium writes: UTF-16 with a zero at its end."""
    length = read(None, 0)
    if not 2 < length <= VALUE_BYTES:
        return ""
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    read(buffer, length)
    return normalize_text(bytes(buffer)[: length - 2].decode("utf-16-le", "replace")).strip()


def _find_box(annotation: Any, frame: Frame) -> tuple[float, float, float, float]:
    box = pdfium_c.FS_RECTF()
    pdfium_c.FPDFAnnot_GetRect(annotation, ctypes.byref(box))
    return frame.box(box.left, box.bottom, box.right, box.top)


def _find_size(page: pdfium.PdfPage, annotation: Any) -> float:
    """The size of a field's type; 0: as large as fits."""
    size = ctypes.c_float()
    pdfium_c.FPDFAnnot_GetFontSize(page.formenv.raw, annotation, ctypes.byref(size))
    return size.value


def _share(box: tuple[float, float, float, float], frame: Frame) -> Box:
    width, height = max(frame.width, 1.0), max(frame.height, 1.0)
    sides = (box[0] / width, box[1] / height, box[2] / width, box[3] / height)
    return Box(*(round(min(max(side, 0.0), 1.0), 5) for side in sides))


def _lay_out(text: str, box: tuple[float, float, float, float], size: float) -> Iterator[Word]:
    """The words of a text in its box: where each of them is, is estimated."""
    left, top, right, bottom = box
    height = bottom - top
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if not lines or height <= 0 or right <= left:
        return
    if not 2 <= size <= height or len(lines) > 1:
        size = min(max(height / LINE_STEP / len(lines), 2.0), size if size >= 2 else USUAL_SIZE)
    rows = [row for words in lines for row in _wrap(words, (right - left) / (CHARACTER_WIDTH * size))]
    if len(rows) * LINE_STEP * size > height:
        size = max(height / LINE_STEP / len(rows), 2.0)
    middle = (top + bottom) / 2 if len(rows) == 1 else top + size * LINE_STEP / 2
    for number, row in enumerate(rows):
        base = middle + 0.35 * size + number * LINE_STEP * size
        scale = min(1.0, (right - left) / (CHARACTER_WIDTH * size * len(" ".join(row)))) * CHARACTER_WIDTH * size
        at = left
        for word in row:
            end = at + len(word) * scale
            yield Word(word, at, base - 0.9 * size, end, base + 0.25 * size, base, size, estimated=True)
            at += (len(word) + 1) * scale


def _wrap(words: list[str], room: float) -> Iterator[list[str]]:
    row: list[str] = []
    length = 0
    for word in words:
        if row and length + len(word) > room:
            yield row
            row, length = [], 0
        row.append(word)
        length += len(word) + 1
    if row:
        yield row
