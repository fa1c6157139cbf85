#!/bin/sh
# Word keeps a non-breaking hyphen (Ctrl+Shift+Hyphen), which writers set so that ranges are not broken at the end of a
# line, as an element of its own, w:noBreakHyphen. docx2python and docx2txt drop it and join what is around it: 5-10 mg
# is 510 mg, COVID-19 is COVID19. docx2python also writes a fraction as its digits in a row, 3/4 as 34, marked as
# LaTeX, and repeats the words of a text box, which Word saves twice for older programs, as docx2txt does. python-docx
# has the hyphen.
#
# version: docx2python==3.7.1, docx2txt==0.9, python-docx==1.2.0
# behaviour: "5", <w:noBreakHyphen/>, "10 mg" is read as "510 mg" by docx2python and docx2txt, as "5-10 mg" by
#   python-docx
# seen: 510 mg, 510 mg, 5-10 mg; <latex>34</latex> for the fraction 3/4 by docx2python
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check docx2python==3.7.1 docx2txt==0.9 python-docx==1.2.0
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import docx
import docx2txt
from docx.oxml import parse_xml
from docx2python import docx2python

SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)
RANGE = f"<w:p {SPACES}><w:r><w:t>5</w:t><w:noBreakHyphen/><w:t>10 mg</w:t></w:r></w:p>"
THREE, FOUR = (f"<m:r><m:t>{digit}</m:t></m:r>" for digit in "34")
FRACTION = f"<w:p {SPACES}><m:oMath><m:f><m:num>{THREE}</m:num><m:den>{FOUR}</m:den></m:f></m:oMath></w:p>"

document = docx.Document()
for paragraph in (RANGE, FRACTION):
    document.element.body.insert(len(document.element.body) - 1, parse_xml(paragraph))
document.save("dose.docx")
found = [
    docx2python("dose.docx").text.split("\n\n"),
    docx2txt.process("dose.docx").strip(),
    docx.Document("dose.docx").paragraphs[0].text,
]
print(*found, sep=" | ")
sys.exit(0 if found == [["510 mg", "<latex>34</latex>"], "510 mg", "5-10 mg"] else 1)
PYTHON
