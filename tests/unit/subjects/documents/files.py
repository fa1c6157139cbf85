"""Small documents of each format, made by hand."""

import io
import zipfile
from collections.abc import Sequence

import docx

ENCRYPTION = b"<< /Filter /Standard /V 1 /R 2 /P -1 /O <" + b"4f" * 32 + b"> /U <" + b"55" * 32 + b"> >>"


def pdf(pages: Sequence[Sequence[str]], *, encrypted: bool = False) -> bytes:
    """A PDF whose pages hold these lines; encrypted: with a password that nobody knows."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        text = " ".join(f"({line}) Tj T*" for line in lines)
        stream = f"BT /F1 12 Tf 14 TL 72 720 Td {text} ET".encode()
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            b"/Contents %d 0 R >>" % (5 + 2 * number)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    if encrypted:
        objects.append(ENCRYPTION)
    content = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    trailer = b"<< /Size %d /Root 1 0 R %s/ID [<00> <00>] >>" % (
        size,
        b"/Encrypt %d 0 R " % len(objects) if encrypted else b"",
    )
    content += b"xref\n0 %d\n0000000000 65535 f \n%strailer\n%s\nstartxref\n%d\n%%%%EOF" % (size, table, trailer, start)
    return bytes(content)


def word(title: str = "") -> bytes:
    """A Word document with two headings, two paragraphs and a table."""
    document = docx.Document()
    document.core_properties.title = title
    document.add_heading("Tides", 1)
    document.add_paragraph("The moon pulls the sea.")
    document.add_heading("Spring tides", 2)
    document.add_paragraph("They come with the new moon.")
    table = document.add_table(2, 2)
    for cell, text in zip(table._cells, ("Port", "Range", "Brest", "7 m"), strict=True):
        cell.text = text
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def with_entry(archive: bytes, name: str, content: bytes) -> bytes:
    """The ZIP archive with one more file in it."""
    out = io.BytesIO(archive)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr(name, content)
    return out.getvalue()
