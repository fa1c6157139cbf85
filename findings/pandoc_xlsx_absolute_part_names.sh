#!/bin/sh
# pandoc's reader of XLSX fails on workbooks that openpyxl writes, because these name their parts from the root of the
# package ("/xl/worksheets/sheet1.xml"), as OPC allows. With relative names the same workbook is read, but cells show what
# is stored and not what the spreadsheet shows: 12.5 % is 0.125, a date is a day number, 00007 is 7.0.
#
# version: pypandoc_binary==1.17 (pandoc 3.9), openpyxl==3.1.5
# behaviour: workbooks that openpyxl writes are refused, since they name parts from the root; with relative names cells show stored values
# seen: 12.5 % as 0.125, a date as a day number, 00007 as 7.0
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q pypandoc_binary==1.17 openpyxl==3.1.5
cat > "$folder/show.py" <<'PYTHON'
import datetime
import subprocess
import sys
import zipfile

import openpyxl
import pypandoc

folder = sys.argv[1]
book = openpyxl.Workbook()
sheet = book.active
sheet.append(["Site", "Rate", "Day", "Code"])
sheet.append(["Brest", 0.125, datetime.date(2024, 3, 5), 7])
for place, code in (("B2", "0.0%"), ("C2", "yyyy-mm-dd"), ("D2", "00000")):
    sheet[place].number_format = code
book.save(f"{folder}/absolute.xlsx")
with zipfile.ZipFile(f"{folder}/absolute.xlsx") as source, zipfile.ZipFile(f"{folder}/relative.xlsx", "w") as target:
    for part in source.infolist():
        content = source.read(part)
        if part.filename == "xl/_rels/workbook.xml.rels":
            content = content.replace(b'Target="/xl/', b'Target="')
        target.writestr(part.filename, content)


def convert(name):
    command = [pypandoc.get_pandoc_path(), "-f", "xlsx", "-t", "plain", f"{folder}/{name}.xlsx"]
    done = subprocess.run(command, capture_output=True, text=True)
    print(f"{name}: exit {done.returncode}\n{done.stderr}{done.stdout}")
    return done


print("pandoc", pypandoc.get_pandoc_version(), "openpyxl", openpyxl.__version__)
absolute, relative = convert("absolute"), convert("relative")
failed = absolute.returncode == 64 and "Entry not found: xl//xl/worksheets/sheet1.xml" in absolute.stderr
raw = relative.returncode == 0 and "0.125" in relative.stdout and "45356" in relative.stdout and "12.5" not in relative.stdout
sys.exit(0 if failed and raw else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py" "$folder"
