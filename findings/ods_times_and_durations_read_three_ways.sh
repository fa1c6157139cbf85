#!/bin/sh
# A cell of an OpenDocument sheet has its value in an attribute, for times an XML Schema duration such as PT00H01M30S,
# and next to it the text that is shown. pandas takes times from the text, though numbers and dates from the value: a
# minute and a half that is shown as 01:30 is an hour and a half. odfdo reads the value, but a fraction of a second, as
# LibreOffice writes it with nine digits, as that many seconds: a minute and a half lasts 958 years. python-calamine
# has a time, and the text of the attribute where a duration is a day or longer. None raises an error.
#
# version: pandas==3.1.1 with odfpy==1.4.1, odfdo==3.27.3, python-calamine==0.9.1
# behaviour: PT00H01M30S shown as 01:30 is 1:30:00 in pandas; PT00H01M30.250000000S is 350115 days in odfdo
# seen: PT00H01M30S: pandas 01:30:00, odfdo 0:01:30, calamine 00:01:30; PT00H01M30.250000000S shown as 01:30.25: pandas
#   01:30:15, odfdo 350115 days, 17:47:40, calamine 00:01:30.250000; PT26H00M00S: calamine the text PT26H00M00S
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pandas==3.1.1 odfpy==1.4.1 odfdo==3.27.3 \
    python-calamine==0.9.1
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import zipfile

import pandas
from odfdo import Document
from python_calamine import CalamineWorkbook

NAMES = "urn:oasis:names:tc:opendocument:xmlns:"
KIND = "application/vnd.oasis.opendocument.spreadsheet"


def write_sheet(path, value, shown):
    cell = f'<table:table-cell office:value-type="time" office:time-value="{value}"><text:p>{shown}</text:p>'
    table = f'<table:table table:name="a"><table:table-row>{cell}</table:table-cell></table:table-row></table:table>'
    spaces = " ".join(f'xmlns:{name}="{NAMES}{name}:1.0"' for name in ("office", "table", "text"))
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    entries = "".join(
        f'<m:file-entry m:full-path="{part}" m:media-type="{kind}"/>'
        for part, kind in (("/", KIND), ("content.xml", "text/xml"))
    )
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("mimetype", KIND)
        content = f'<office:document-content {spaces} office:version="1.3">{body}</office:document-content>'
        package.writestr("content.xml", content)
        manifest = f'<m:manifest xmlns:m="{NAMES}manifest:1.0" m:version="1.3">{entries}</m:manifest>'
        package.writestr("META-INF/manifest.xml", manifest)


def read_sheet(path):
    return (
        str(pandas.read_excel(path, engine="odf", header=None).iloc[0, 0]),
        str(Document(path).body.tables[0].get_value((0, 0))),
        str(CalamineWorkbook.from_path(path).get_sheet_by_index(0).to_python()[0][0]),
    )


cells = (("PT00H01M30S", "01:30"), ("PT00H01M30.250000000S", "01:30.25"), ("PT26H00M00S", "02:00:00"))
found = {}
for value, shown in cells:
    write_sheet("times.ods", value, shown)
    found[value] = read_sheet("times.ods")
    print(value, "shown as", shown, *found[value], sep=" | ")
same = found == {
    "PT00H01M30S": ("01:30:00", "0:01:30", "00:01:30"),
    "PT00H01M30.250000000S": ("01:30:15", "350115 days, 17:47:40", "00:01:30.250000"),
    "PT26H00M00S": ("02:00:00", "1 day, 2:00:00", "PT26H00M00S"),
}
sys.exit(0 if same else 1)
PYTHON
