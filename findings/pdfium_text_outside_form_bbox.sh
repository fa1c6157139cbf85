#!/bin/sh
# PDFium reports the text of a form XObject that stands outside the form's /BBox, which clips it: the page shows none of
# it, and search, copies and extraction have it. Found with pypdfium2 5.15.2 (PDFium 159.0.8149.0). Exits 1 if that changes.
#
# version: pypdfium2==5.15.2 (PDFium 159.0.8149.0)
# behaviour: text of a form outside its /BBox is extracted though the page does not show it
# seen: both texts of the form, inside and outside the box
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pypdfium2==5.15.2 pillow==13.0.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import pypdfium2
import pypdfium2.version

form = b"BT /F 12 Tf 10 10 Td (inside) Tj 0 200 Td (outside the box) Tj ET"
page = b"q 1 0 0 1 50 50 cm /X Do Q"
objects = [
    b"<< /Type /Catalog /Pages 2 0 R >>",
    b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 5 0 R /Resources << /XObject << /X 6 0 R >> >> >>",
    b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    b"<< /Length %d >>\nstream\n%s\nendstream" % (len(page), page),
    b"<< /Type /XObject /Subtype /Form /BBox [0 0 200 50] /Resources << /Font << /F 4 0 R >> >> /Length %d >>\nstream\n"
    b"%s\nendstream" % (len(form), form),
]
content, offsets = b"%PDF-1.7\n", []
for number, body in enumerate(objects, start=1):
    offsets.append(len(content))
    content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
content += b"xref\n0 7\n0000000000 65535 f \n%strailer\n<< /Size 7 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
    table,
    len(content),
)
print("pypdfium2", pypdfium2.version.PYPDFIUM_INFO, "PDFium", pypdfium2.version.PDFIUM_INFO)
document = pypdfium2.PdfDocument(content)
text = document[0].get_textpage().get_text_range()
shown = document[0].render().to_pil().convert("L")
dark = [low < 128 for low, _ in (shown.crop(box).getextrema() for box in ((0, 200, 300, 300), (0, 0, 300, 100)))]
print("text:", repr(text))
print("shown within the box:", dark[0], "outside of it:", dark[1])
sys.exit(0 if "outside the box" in text and dark == [True, False] else 1)
PYTHON
