"""Draws a page of a PDF, or of a file that is a picture, as PNG with marks.

PDFium draws the page, zlib packs it; no imaging library is needed.
"""

import struct
import zlib
from collections.abc import Sequence
from typing import Final

import pypdfium2 as pdfium

from elcano.activities.child_processes import limit_resources
from elcano.activities.passages.document import FileSkipped
from elcano.graphs.report.places import Box
from elcano.subjects.documents.file_processes import FileAnswer, answer_or_report_skip
from elcano.subjects.documents.pdf.opening import open_pdf
from elcano.subjects.documents.pdf.picture_files import is_picture, wrap_picture
from elcano.subjects.documents.pdf.pictures import (
    MAXIMUM_PIXELS,
    MAXIMUM_WIDTH,
    MINIMUM_WIDTH,
    RENDER_MEMORY_BYTES,
    WHOLE_PAGE,
    PagePicture,
    PictureRequest,
)

_MARKED: Final = tuple(
    bytes(black + (white - black) * value // 255 for value in range(256))
    for black, white in ((72, 255), (62, 232), (0, 92))
)
"""Replacement of each red, green and blue value under a mark: translucent yellow that keeps dark print dark and shows
on a dark background."""
_PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_RGB_8_BITS: Final = b"\x08\x02\x00\x00\x00"
_ZLIB_LEVEL: Final = 1
"""Level 6 takes twice as long for a tenth less."""


def answer_request(request: PictureRequest) -> FileAnswer[PagePicture]:
    """The answer to one request, by this process."""
    limit_resources(RENDER_MEMORY_BYTES)
    return answer_or_report_skip(
        lambda: render_page(request.content, request.page, request.width, request.marks, request.rows)
    )


def render_page(
    content: bytes, page: int, width: int, marks: Sequence[Box] = (), rows: tuple[float, float] = WHOLE_PAGE
) -> PagePicture:
    """Render a page in this process; see `PageRenderer.render`."""
    document = open_pdf(wrap_picture(content) if is_picture(content) else content)
    try:
        if not 1 <= page <= len(document):
            raise FileSkipped(f"it has no page {page}")
        document.init_forms()  # the values of its fields are drawn
        bitmap = render_bitmap(document[page - 1], max(MINIMUM_WIDTH, min(width, MAXIMUM_WIDTH)), MAXIMUM_PIXELS)
    except pdfium.PdfiumError as error:
        raise FileSkipped(f"page {page} is damaged") from error
    pixels = bytearray(bitmap.buffer)
    for mark in marks:
        _draw_mark(pixels, bitmap, mark)
    top, bottom = (round(min(max(share, 0.0), 1.0) * bitmap.height) for share in rows)
    top = min(top, bitmap.height - 1)
    bottom = max(bottom, top + 1)
    return PagePicture(content=_encode_png(pixels, bitmap, top, bottom), width=bitmap.width, height=bottom - top)


def render_bitmap(
    page: pdfium.PdfPage, width: int, maximum_pixels: int, *, grey: bool = False, turn: int = 0
) -> pdfium.PdfBitmap:
    """Draw a page, `width` pixels wide or narrower, so that it has at most `maximum_pixels`.

    Args:
        page: the page.
        width: of the page in pixels, before it is turned.
        maximum_pixels: a larger picture is made smaller.
        grey: whether a pixel is one byte, instead of three for red, green and blue.
        turn: degrees by which it is turned clockwise: 0, 90, 180 or 270.
    """
    across, down = page.get_size()
    scale = min((width - 0.001) / across, (maximum_pixels / (across * down)) ** 0.5)
    # A width is rounded up, also one that is greater by the error of a float.
    return page.render(scale=scale, rotation=turn, grayscale=grey, rev_byteorder=not grey)


def _draw_mark(pixels: bytearray, bitmap: pdfium.PdfBitmap, mark: Box) -> None:
    left, right = (round(min(max(edge, 0.0), 1.0) * bitmap.width) for edge in (mark.left, mark.right))
    top, bottom = (round(min(max(edge, 0.0), 1.0) * bitmap.height) for edge in (mark.top, mark.bottom))
    for row in range(top, bottom):
        start = row * bitmap.stride + 3 * left
        stop = row * bitmap.stride + 3 * right
        for channel, marked in enumerate(_MARKED):
            values = slice(start + channel, stop, 3)
            pixels[values] = pixels[values].translate(marked)


def _encode_png(pixels: bytearray, bitmap: pdfium.PdfBitmap, top: int, bottom: int) -> bytes:
    packer = zlib.compressobj(_ZLIB_LEVEL)
    starts = range(top * bitmap.stride, bottom * bitmap.stride, bitmap.stride)
    rows = (pixels[start : start + 3 * bitmap.width] for start in starts)
    packed = b"".join(packer.compress(b"\0" + row) for row in rows) + packer.flush()
    header = struct.pack(">II", bitmap.width, bottom - top) + _RGB_8_BITS
    chunks = ((b"IHDR", header), (b"IDAT", packed), (b"IEND", b""))
    return _PNG_SIGNATURE + b"".join(_encode_chunk(kind, data) for kind, data in chunks)


def _encode_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
