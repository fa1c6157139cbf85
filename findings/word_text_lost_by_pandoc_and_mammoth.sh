#!/bin/sh
# Word files say some things in elements that pandoc's and mammoth's readers step over, with what is in them and without
# a warning: simple fields, in which Word keeps the numbers of captions and cross-references, and ruby, under which the
# words themselves stand. pandoc also loses the paragraph in which a text box is anchored, and moves the cells of a row
# that begins in a later column (gridBefore) to the first.
#
# version: pypandoc-binary==1.17 (pandoc 3.9), mammoth==1.13.0
# behaviour: "Table 3 shows" is read as "Table shows", ruby is read without its base text, a cell changes its column
# seen: quotes of Word documents that their conversions do not have
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q pypandoc-binary==1.17 mammoth==1.13.0
cat > "$folder/show.py" <<'PYTHON'
import io
import re
import subprocess
import sys
import zipfile

import mammoth
import pypandoc

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
WPS = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
NAMES = {
    "w": W,
    "v": "urn:schemas-microsoft-com:vml",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "wps": WPS,
}
TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def row(*cells: str, before: int = 0) -> str:
    skipped = f'<w:trPr><w:gridBefore w:val="{before}"/></w:trPr>' if before else ""
    return f"<w:tr>{skipped}{''.join(f'<w:tc><w:p>{run(one)}</w:p></w:tc>' for one in cells)}</w:tr>"


field = run("Table ") + f'<w:fldSimple w:instr=" REF t ">{run("3 ")}</w:fldSimple>' + run("shows")
ruby = f"<w:r><w:ruby><w:rt>{run('kanji')}</w:rt><w:rubyBase>{run('BASE')}</w:rubyBase></w:ruby></w:r>"
text_box = f"<w:txbxContent><w:p>{run('In the box')}</w:p></w:txbxContent>"
drawing = f"<a:graphic><a:graphicData uri='{WPS}'><wps:wsp><wps:txbx>{text_box}</wps:txbx></wps:wsp></a:graphicData></a:graphic>"
box = (  # as Word writes it
    f'<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline>{drawing}</wp:inline></w:drawing></mc:Choice>'
    f"<mc:Fallback><w:pict><v:shape><v:textbox>{text_box}</v:textbox></v:shape></w:pict></mc:Fallback>"
    "</mc:AlternateContent></w:r>"
)
grid = '<w:gridCol w:w="3000"/>' * 3
table = f"<w:tbl><w:tblGrid>{grid}</w:tblGrid>{row('arm', 'dead', 'alive')}{row('5', '7', before=1)}</w:tbl>"
body = f"<w:p>{field}</w:p><w:p>{run('Word ')}{ruby}</w:p><w:p>{run('Beside it ')}{box}</w:p>{table}<w:p/>"
names = " ".join(f'xmlns:{key}="{name}"' for key, name in NAMES.items())
packed = io.BytesIO()
with zipfile.ZipFile(packed, "w") as archive:
    archive.writestr(
        "[Content_Types].xml",
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{TYPE}"/></Types>',
    )
    archive.writestr(
        "_rels/.rels",
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{RELATION}" Target="word/document.xml"/></Relationships>',
    )
    archive.writestr(
        "word/document.xml",
        f"<w:document {names}>"
        f"<w:body>{body}</w:body></w:document>",
    )
command = [pypandoc.get_pandoc_path(), "--from=docx", "--to=html"]
made = subprocess.run(command, input=packed.getvalue(), capture_output=True, check=True)
pandoc = " ".join(made.stdout.decode().split())
read = " ".join(mammoth.extract_raw_text(io.BytesIO(packed.getvalue())).value.split())
cells = re.findall(r"<t[dh]>(.*?)</t[dh]>", pandoc)
print("pandoc:", pandoc, "warnings:", made.stderr.decode() or "none")
print("mammoth:", read)
as_stated = (
    "Table shows" in pandoc
    and "Table shows" in read
    and "BASE" not in pandoc + read
    and "Beside it" not in pandoc
    and "In the box" in pandoc
    and cells[3:] == ["5", "7", ""]
)
sys.exit(0 if as_stated else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py"
