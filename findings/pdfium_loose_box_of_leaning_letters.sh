#!/bin/sh
# FPDFText_GetLooseCharBox is meant for boxes that meet, so that the gap between two tells words apart; but the box of a
# letter that leans, such as an italic f, also holds its ink, and the space before it nearly vanishes. Its origin does
# not move. Found with pypdfium2 5.15.2 (PDFium 159.0.8149.0). Exits 1 if that changes.
#
# version: pypdfium2==5.15.2 (PDFium 159.0.8149.0)
# behaviour: the loose box of an italic f begins before the origin of the letter
# seen: "need for" in Times-Italic, 10 points: a space of 1.7 points is .3 wide between the boxes
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pypdfium2==5.15.2
"$folder/venv/bin/python" - <<'PYTHON'
import ctypes
import sys

import pypdfium2
import pypdfium2.raw
import pypdfium2.version

page = b"BT /F 10 Tf 10 50 Td (need) Tj 20.88 0 Td (for) Tj ET"
objects = [
    b"<< /Type /Catalog /Pages 2 0 R >>",
    b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 100] /Contents 5 0 R /Resources << /Font << /F 4 0 R >> >> >>",
    b"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Italic >>",
    b"<< /Length %d >>\nstream\n%s\nendstream" % (len(page), page),
]
content, offsets = b"%PDF-1.7\n", []
for number, body in enumerate(objects, start=1):
    offsets.append(len(content))
    content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
content += b"xref\n0 6\n0000000000 65535 f \n%strailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
    table,
    len(content),
)
print("pypdfium2", pypdfium2.version.PYPDFIUM_INFO, "PDFium", pypdfium2.version.PDFIUM_INFO)
text_page = pypdfium2.PdfDocument(content)[0].get_textpage()
text = text_page.get_text_range()
before, letter = pypdfium2.raw.FS_RECTF(), pypdfium2.raw.FS_RECTF()
x, y = ctypes.c_double(), ctypes.c_double()
pypdfium2.raw.FPDFText_GetLooseCharBox(text_page.raw, text.index("d"), before)
pypdfium2.raw.FPDFText_GetLooseCharBox(text_page.raw, text.index("f"), letter)
pypdfium2.raw.FPDFText_GetCharOrigin(text_page.raw, text.index("f"), x, y)
print("text:", repr(text))
print(f"from the box of d to that of f: {letter.left - before.right:.2f}; to the origin of f: {x.value - before.right:.2f}")
sys.exit(0 if x.value - letter.left > 1.0 else 1)
PYTHON
