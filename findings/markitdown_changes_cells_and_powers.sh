#!/bin/sh
# markitdown reads sheets through pandas, which guesses types even of cells that the file says are texts: identifiers
# lose their zeros, "1e5" becomes a number, "NA" (Namibia, sodium, "not applicable") nothing, and a blank cell turns its
# column's whole numbers into decimals. Of Word files it loses what is raised: 10⁹ is 109.
#
# version: markitdown==0.1.9 (pandas 3.1.1, mammoth 1.13.0)
# behaviour: text cells "007", "1e5" and "NA" are given as 7.0, 100000.0 and NaN; a raised 9 behind 10 gives 109
# seen: figures in its text that their document does not have
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q 'markitdown[docx,xlsx]==0.1.9' pandas==3.1.1 mammoth==1.13.0 xlsxwriter==3.3.0 python-docx==1.2.0
cat > "$folder/show.py" <<'PYTHON'
import sys

import docx
import xlsxwriter
from markitdown import MarkItDown

folder = sys.argv[1]
book = xlsxwriter.Workbook(f"{folder}/codes.xlsx")
sheet = book.add_worksheet()
for place, (code, count) in enumerate([("007", 12), ("1e5", None), ("NA", 7)]):
    sheet.write_string(place + 1, 0, code)
    if count is not None:
        sheet.write_number(place + 1, 1, count)
sheet.write_row(0, 0, ["code", "count"])
book.close()
document = docx.Document()
paragraph = document.add_paragraph("There were 10")
paragraph.add_run("9").font.superscript = True
paragraph.add_run(" cells.")
document.save(f"{folder}/powers.docx")
rows = MarkItDown().convert(f"{folder}/codes.xlsx").text_content.splitlines()[-3:]
powers = MarkItDown().convert(f"{folder}/powers.docx").text_content
print(rows, powers)
as_stated = rows == ["| 7.0 | 12.0 |", "| 100000.0 | NaN |", "| NaN | 7.0 |"] and "There were 109 cells." in powers
sys.exit(0 if as_stated else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py" "$folder"
