"""Pictures of pages as PNG, with marks where quoted words stand. Rendered in processes of their own: see `parser`.

PDFium draws the page, zlib packs it; no imaging library is needed.
"""

import asyncio
import struct
import zlib
from collections.abc import Sequence
from typing import Final

import pypdfium2 as pdfium
from pydantic import ConfigDict

from elcano.activities.child_processes import ChildProcesses, Stop, limit_resources
from elcano.activities.passages.document import FileSkipped
from elcano.graphs.frozen import Frozen
from elcano.graphs.report.places import Box
from elcano.plugins.documents.parser import FileAnswer, FileRequest, answer_or_report_skip, ask_process
from elcano.plugins.documents.pdf.opening import open_pdf

MEDIA_TYPE: Final = "image/png"
RENDER_SECONDS: Final = 20.0
"""How long one page may take. Ordinary pages take .02 s, maps with a million paths some seconds."""
RENDER_MEMORY_BYTES: Final = 1_500_000_000
"""Address space of the process: its libraries take .5 GB of it, and embedded images are unpacked in it."""
RENDERED_AT_ONCE: Final = 3
"""Further requests wait, so that fifty of them take the memory and processors of three."""
MINIMUM_WIDTH: Final = 50
MAXIMUM_WIDTH: Final = 2400
"""A page of A4 at 290 dots per inch."""
MAXIMUM_PIXELS: Final = 8_000_000
"""A page that is ten metres long becomes a narrower picture instead of a larger one."""

_MARKED: Final = tuple(
    bytes(black + (white - black) * value // 255 for value in range(256))
    for black, white in ((72, 255), (62, 232), (0, 92))
)
"""What each value of red, green and blue becomes under a mark: translucent yellow that keeps dark print dark, and shows
on a dark background."""
_PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_RGB_8_BITS: Final = b"\x08\x02\x00\x00\x00"
_ZLIB_LEVEL: Final = 1
"""Level 6 takes twice as long for a tenth less."""


class PagePicture(Frozen):
    """A picture of a page."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    content: bytes
    """A PNG file."""
    width: int
    height: int
    """Both in pixels."""


class PictureRequest(FileRequest):
    """A request to render a page."""

    page: int
    width: int
    marks: tuple[Box, ...] = ()


def answer_request(request: PictureRequest) -> FileAnswer[PagePicture]:
    """The answer to one request, by this process."""
    limit_resources(RENDER_MEMORY_BYTES)
    return answer_or_report_skip(lambda: render_page(request.content, request.page, request.width, request.marks))


RENDERERS: Final[ChildProcesses[PictureRequest, FileAnswer[PagePicture]]] = ChildProcesses(
    f"{__name__}:{answer_request.__name__}", FileAnswer[PagePicture], [__name__]
)


class PageRenderer:
    """Renders pages in processes of their own, a few at once.

    A picture depends on the arguments of `render` alone, so it can be cached under them for good.

    Args:
        seconds: how long one page may take.
        at_once: how many pages are rendered at the same time; further calls wait.
        processes: what renders them; tests put broken ones here.
    """

    def __init__(
        self,
        seconds: float = RENDER_SECONDS,
        at_once: int = RENDERED_AT_ONCE,
        processes: ChildProcesses[PictureRequest, FileAnswer[PagePicture]] = RENDERERS,
    ) -> None:
        self._seconds = seconds
        self._room = asyncio.Semaphore(at_once)
        self._processes = processes

    async def render(self, content: bytes, page: int, width: int, marks: Sequence[Box] = ()) -> PagePicture:
        """Render a page of the PDF or picture in `content`; a call that is cancelled ends its process.

        Args:
            content: the file.
            page: counted from 1.
            width: of the picture in pixels; a very long page gets a narrower one.
            marks: rectangles that are marked in yellow.

        Raises:
            FileSkipped: the page does not exist, cannot be rendered, or takes too long.
        """
        request = PictureRequest(seconds=self._seconds, content=content, page=page, width=width, marks=tuple(marks))
        stop = Stop()
        async with self._room:
            try:
                return await asyncio.to_thread(ask_process, self._processes, request, stop)
            except asyncio.CancelledError:
                stop.now()
                raise


def render_page(content: bytes, page: int, width: int, marks: Sequence[Box] = ()) -> PagePicture:
    """Render a page in this process; see `PageRenderer.render`."""
    from elcano.plugins.documents.pdf.picture_files import is_picture, wrap_picture  # they load the reader and OCR

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
    return PagePicture(content=_encode_png(pixels, bitmap), width=bitmap.width, height=bitmap.height)


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


def _encode_png(pixels: bytearray, bitmap: pdfium.PdfBitmap) -> bytes:
    packer = zlib.compressobj(_ZLIB_LEVEL)
    rows = (
        pixels[start : start + 3 * bitmap.width] for start in range(0, bitmap.height * bitmap.stride, bitmap.stride)
    )
    packed = b"".join(packer.compress(b"\0" + row) for row in rows) + packer.flush()
    header = struct.pack(">II", bitmap.width, bitmap.height) + _RGB_8_BITS
    chunks = ((b"IHDR", header), (b"IDAT", packed), (b"IEND", b""))
    return _PNG_SIGNATURE + b"".join(_encode_chunk(kind, data) for kind, data in chunks)


def _encode_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
