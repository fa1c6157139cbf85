"""Reads pictures as documents: PNG, JPEG and TIFF, such as scans and screenshots, each page by OCR.

A picture is put into a PDF of its own, as it is packed, so it is read and its pages are drawn as those of any scan; no
imaging library is needed. A TIFF has a page for each of its images.
"""

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from elcano.activities.passages.document import FileSkipped, Parsed
from elcano.subjects.documents.ocr_languages import OCR, explain_lack, list_languages
from elcano.subjects.documents.pdf.tiff_directories import Directory, iterate_directories

MAXIMUM_PIXELS: Final = 60_000_000
"""A page of A3 at 600 dots per inch, and what telephones take; in colour it fills 180 MB while it is drawn."""
PAGE_INCHES: Final = 8.3
"""A picture is taken to be as wide as a page of A4; what it says of its resolution is often wrong."""
LEAST_DOTS: Final = 72
MOST_DOTS: Final = 150
"""Limits of its resolution in dots per inch: OCR draws pages at 200, and reads letters of fewer pixels badly."""
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_JPEG: Final = b"\xff\xd8\xff"
_TIFF: Final = (b"II*\0", b"MM\0*")
_TURNS: Final = {3: 180, 6: 90, 8: 270}
"""By the value of the tag Orientation, degrees by which a picture is to be shown turned clockwise."""
_REVERSED_BITS: Final = bytes(int(f"{value:08b}"[::-1], 2) for value in range(256))


class _Image(NamedTuple):
    """An image as PDF holds it."""

    width: int
    height: int
    colors: str
    """Its colour space."""
    bits: int
    filters: str
    data: bytes
    inverted: bool = False
    opacity: bytes = b""
    """A byte for each pixel, packed; empty: it is opaque."""


class _Page(NamedTuple):
    images: Sequence[_Image]
    """Strips, from the top."""
    turn: int = 0
    """Degrees by which it is shown turned clockwise."""


def is_picture(content: bytes) -> bool:
    """Whether a file is a picture of a kind that can be read."""
    return content.startswith((_PNG, _JPEG, *_TIFF))


def read_picture(content: bytes) -> Parsed:
    """Read a PNG, JPEG or TIFF by OCR.

    Raises:
        FileSkipped: it is damaged or of a rare kind, OCR is not installed, or there is no text in it.
    """
    from elcano.subjects.documents.pdf.reader import read_pdf  # those who only draw pictures do without

    if not list_languages():
        raise FileSkipped(f"it is a picture, and {explain_lack(OCR)}", OCR)
    return replace(read_pdf(wrap_picture(content)), title="", authors=(), year=0)


def wrap_picture(content: bytes) -> bytes:
    """A PDF that shows the picture in `content`, a page for each of its images.

    Raises:
        FileSkipped: it is damaged, or of a rare kind.
    """
    try:
        if content.startswith(_PNG):
            pages = [_Page([_read_png(content)])]
        elif content.startswith(_JPEG):
            pages = [_Page([_read_jpeg(content)], _read_exif_turn(content))]
        elif content.startswith(_TIFF):
            pages = [_read_tiff_page(content, directory) for directory in iterate_directories(content)]
        else:
            raise FileSkipped("it is no picture that can be read: save it as PNG, JPEG or TIFF")
    except (struct.error, IndexError, KeyError, ValueError, zlib.error) as error:
        raise FileSkipped("it is not a readable picture: it may be damaged or cut off") from error
    return _write_pdf(pages)


def _check_size(width: int, height: int) -> None:
    if not 0 < width * height <= MAXIMUM_PIXELS:
        limit = f"{MAXIMUM_PIXELS / 1e6:.0f} million"
        raise FileSkipped(f"it has {width} by {height} pixels; pictures of 1 to {limit} are read")


def _read_png(content: bytes) -> _Image:
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", content[16:29])
    _check_size(width, height)
    if interlaced:
        raise FileSkipped("it is an interlaced PNG: save it without interlacing")
    chunks: dict[bytes, bytearray] = {}
    for name, data in _iterate_chunks(content):
        chunks.setdefault(name, bytearray()).extend(data)
    packed = bytes(chunks[b"IDAT"])
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
    filters = f"/FlateDecode /DecodeParms {_predict(15, channels, depth, width)}"
    if kind in (4, 6):
        return _part_opacity(_Image(width, height, "/DeviceGray", depth, filters, packed), channels)
    palette = bytes(chunks.get(b"PLTE", b"\0\0\0"))
    colors = {0: "/DeviceGray", 2: "/DeviceRGB", 3: f"[/Indexed /DeviceRGB {len(palette) // 3 - 1} <{palette.hex()}>]"}
    return _Image(width, height, colors[kind], depth, filters, packed)


def _predict(predictor: int, channels: int, depth: int, width: int) -> str:
    return f"<< /Predictor {predictor} /Colors {channels} /BitsPerComponent {depth} /Columns {width} >>"


def _iterate_chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_PNG)
    while at + 8 <= len(content):
        length, name = struct.unpack(">I4s", content[at : at + 8])
        yield name, content[at + 8 : at + 8 + length]
        at += 12 + length


def _part_opacity(image: _Image, channels: int) -> _Image:
    """An image with a channel of opacity, with that apart. PDFium unpacks it: in Python that takes minutes."""
    document = pdfium.PdfDocument(_write_pdf([_Page([image])]))
    try:
        found = next(iter(document[0].get_objects([pdfium_c.FPDF_PAGEOBJ_IMAGE])))
        samples = bytes(found.get_data(decode_simple=True))[:: image.bits // 8]  # of 16 bits the high byte is enough
    except (pdfium.PdfiumError, StopIteration) as error:
        raise ValueError("no image") from error
    finally:
        document.close()
    if len(samples) < image.width * image.height * channels:
        raise ValueError("cut off")
    plain = bytearray(len(samples) // channels * (channels - 1))
    for channel in range(channels - 1):
        plain[channel :: channels - 1] = samples[channel::channels]
    opacity = samples[channels - 1 :: channels]
    return image._replace(
        colors="/DeviceGray" if channels == 2 else "/DeviceRGB",
        bits=8,
        filters="/FlateDecode",
        data=zlib.compress(plain, 1),
        opacity=zlib.compress(opacity, 1) if opacity.count(255) < len(opacity) else b"",
    )


def _read_jpeg(content: bytes) -> _Image:
    for marker, data in _iterate_segments(content):
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            depth, height, width, channels = struct.unpack(">BHHB", data[:6])
            _check_size(width, height)
            colors = {1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK"}[channels]
            return _Image(width, height, colors, depth, "/DCTDecode", content, inverted=channels == 4)
    raise ValueError("no frame")


def _read_exif_turn(content: bytes) -> int:
    for marker, data in _iterate_segments(content):
        if marker == 0xE1 and data.startswith(b"Exif\0\0"):
            directory = next(iterate_directories(data[6:]), None)
            return _TURNS.get(directory.number("orientation", 1), 0) if directory else 0
    return 0


def _iterate_segments(content: bytes) -> Iterator[tuple[int, bytes]]:
    at = 2
    while at + 4 <= len(content) and content[at] == 0xFF:
        marker, length = struct.unpack(">BH", content[at + 1 : at + 4])
        if marker == 0xDA:  # the picture itself
            return
        yield marker, content[at + 4 : at + 2 + length]
        at += 2 + length


def _read_tiff_page(content: bytes, directory: Directory) -> _Page:
    width, height = directory.number("width"), directory.number("height")
    _check_size(width, height)
    if not directory.numbers("strip_offsets") or directory.number("planes", 1) != 1:
        raise FileSkipped("it is a TIFF in tiles or planes: save it in strips")
    rows = min(directory.number("rows_per_strip", height), height)
    images: list[_Image] = []
    places = zip(directory.numbers("strip_offsets"), directory.numbers("strip_lengths"), strict=True)
    for number, (offset, length) in enumerate(places):
        strip = content[offset : offset + length]
        if directory.number("fill_order", 1) == 2:
            strip = strip.translate(_REVERSED_BITS)
        images.append(_read_strip(directory, strip, width, min(rows, height - number * rows)))
    return _Page(images, _TURNS.get(directory.number("orientation", 1), 0))


def _read_strip(directory: Directory, strip: bytes, width: int, height: int) -> _Image:
    channels, depth = directory.number("channels", 1), directory.number("bits", 1)
    kind, photometric = directory.number("compression", 1), directory.number("photometric", 1)
    if kind == 7:
        tables = directory.raw("jpeg_tables")
        whole = tables[:-2] + strip[2:] if tables else strip  # without the marks of its end and of the strip's start
        return _read_jpeg(whole)._replace(data=whole)
    fax = {2: "/K 0 /EncodedByteAlign true", 3: f"/K {directory.number('fax_options', 0) & 1}", 4: "/K -1"}.get(kind)
    if fax is not None:
        filters = f"/CCITTFaxDecode /DecodeParms << {fax} /Columns {width} /Rows {height} >>"
        return _Image(width, height, "/DeviceGray", 1, filters, strip, inverted=photometric == 1)
    inks = {2: 3, 5: 4}.get(photometric, 1)
    with_opacity = channels == inks + 1 and depth == 8 and photometric in (0, 1, 2)
    if depth > 8 or photometric not in (0, 1, 2, 3, 5) or (channels != inks and not with_opacity):
        raise FileSkipped("it is a TIFF of a rare kind: save it as PNG or JPEG")
    predictor = _predict(directory.number("predictor", 1), channels, depth, width)
    names = {5: "/LZWDecode", 8: "/FlateDecode", 32946: "/FlateDecode", 32773: "/RunLengthDecode"}
    if kind == 1:
        filters, strip = "/FlateDecode", zlib.compress(strip, 1)
    elif kind in names:
        filters = f"{names[kind]} /DecodeParms {predictor}" if kind != 32773 else names[kind]
    else:
        raise FileSkipped("it is a TIFF of a rare kind: save it as PNG or JPEG")
    palette = bytes(value >> 8 for value in directory.numbers("palette"))
    third = len(palette) // 3
    mixed = bytes(
        value for color in zip(palette, palette[third:], palette[2 * third :], strict=False) for value in color
    )
    if with_opacity:
        image = _part_opacity(_Image(width, height, "/DeviceGray", depth, filters, strip, photometric == 0), channels)
        known = directory.number("extra_samples", 0) in (1, 2)
        return image if known else image._replace(opacity=b"")
    colors = {2: "/DeviceRGB", 5: "/DeviceCMYK", 3: f"[/Indexed /DeviceRGB {third - 1} <{mixed.hex()}>]"}
    return _Image(width, height, colors.get(photometric, "/DeviceGray"), depth, filters, strip, photometric == 0)


def _write_pdf(pages: Sequence[_Page]) -> bytes:
    objects: list[bytes] = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    kids: list[int] = []
    for page in pages:
        width, height = page.images[0].width, sum(image.height for image in page.images)
        scale = 72 / min(max(min(width, height) / PAGE_INCHES, LEAST_DOTS), MOST_DOTS)
        names, drawn, below = [], [], float(height)
        for number, image in enumerate(page.images):
            mask = ""
            if image.opacity:
                plain = _Image(image.width, image.height, "/DeviceGray", 8, "/FlateDecode", image.opacity)
                objects.append(_write_image(plain))
                mask = f"/SMask {len(objects)} 0 R"
            objects.append(_write_image(image, mask))
            names.append(f"/I{number} {len(objects)} 0 R")
            below -= image.height
            place = f"{image.width * scale:.3f} 0 0 {image.height * scale:.3f} 0 {below * scale:.3f}"
            drawn.append(f"q {place} cm /I{number} Do Q")
        objects.append(_write_stream("", "\n".join(drawn).encode()))
        box = f"[0 0 {width * scale:.3f} {height * scale:.3f}]"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Rotate {page.turn} "
            f"/Contents {len(objects)} 0 R /Resources << /XObject << {' '.join(names)} >> >> >>".encode()
        )
        kids.append(len(objects))
    listed = " ".join(f"{kid} 0 R" for kid in kids)
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{listed}] >>".encode()
    return _join_objects(objects)


def _write_image(image: _Image, more: str = "") -> bytes:
    inks = 4 if image.colors == "/DeviceCMYK" else 1
    decode = f"/Decode [{' '.join(['1 0'] * inks)}]" if image.inverted else ""
    return _write_stream(
        f"/Type /XObject /Subtype /Image /Width {image.width} /Height {image.height} /ColorSpace {image.colors} "
        f"/BitsPerComponent {image.bits} /Filter {image.filters} {decode} {more}",
        image.data,
    )


def _write_stream(entries: str, data: bytes) -> bytes:
    return f"<< {entries} /Length {len(data)} >>\nstream\n".encode() + data + b"\nendstream"


def _join_objects(objects: Sequence[bytes]) -> bytes:
    parts, offsets, at = [b"%PDF-1.7\n"], [], 9
    for number, body in enumerate(objects, start=1):
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, body))
        offsets.append(at)
        at += len(parts[-1])
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    parts += [b"%010d 00000 n \n" % offset for offset in offsets]
    parts.append(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, at))
    return b"".join(parts)
