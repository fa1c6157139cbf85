"""PDF documents with pictures, hidden text and odd fonts, made by hand."""

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import pypdfium2 as pdfium

FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
A4 = (595, 842)


class Picture(NamedTuple):
    """A picture in levels of grey."""

    width: int
    height: int
    pixels: bytes

    def turned(self, quarters: int) -> "Picture":
        """The picture turned clockwise by so many quarters."""
        picture = self
        for _ in range(quarters):
            columns = [picture.pixels[column :: picture.width][::-1] for column in range(picture.width)]
            picture = Picture(picture.height, picture.width, b"".join(columns))
        return picture


def write_pdf(
    streams: Sequence[bytes],
    picture: Picture | None = None,
    *,
    size: tuple[float, float] = A4,
    font: bytes = FONT,
    more: Sequence[bytes] = (),
) -> bytes:
    """A PDF of a page for each content stream, with a font /F and, if there is one, a picture /I.

    Args:
        streams: what is drawn on each page.
        picture: of all pages.
        size: of the pages in points.
        font: its object, number 3.
        more: objects from number 6 on.
    """
    image = b"null"
    if picture is not None:
        packed = zlib.compress(picture.pixels, 1)
        image = (
            b"<< /Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 /ColorSpace /DeviceGray "
            b"/Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream"
        ) % (picture.width, picture.height, len(packed), packed)
    clear = b"<< /Type /ExtGState /ca 0 /CA 0 >>"
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", font, image, clear, *more]
    kids = []
    for stream in streams:
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %g %g] /Contents %d 0 R /Resources << /Font << /F 3 0 R >> "
            b"/XObject << /I 4 0 R >> /ExtGState << /G 5 0 R >> >> >>" % (*size, len(objects))
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(kids))
    content = b"%PDF-1.7\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    count = len(objects) + 1
    return (
        content
        + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF"
        % (
            count,
            table,
            count,
            len(content),
        )
    )


def show(text: str, left: float, bottom: float, size: float = 12, before: str = "") -> bytes:
    """Draws a line of text; `before` sets its colour, mode and the like."""
    return f"q {before} BT /F {size:g} Tf {left:g} {bottom:g} Td ({text}) Tj ET Q\n".encode()


def cover(size: tuple[float, float] = A4) -> bytes:
    """Draws the picture over a whole page."""
    return b"q %g 0 0 %g 0 0 cm /I Do Q\n" % size


def photograph(content: bytes, dots_per_inch: float = 150) -> Picture:
    """The picture of the first page of a PDF."""
    document = pdfium.PdfDocument(content)
    bitmap = document[0].render(scale=dots_per_inch / 72, grayscale=True)
    raw = bytes(bitmap.buffer)
    rows = (raw[row * bitmap.stride : row * bitmap.stride + bitmap.width] for row in range(bitmap.height))
    picture = Picture(bitmap.width, bitmap.height, b"".join(rows))
    document.close()
    return picture
