"""`READER` is another whenever the readers, or the packing, make something else of the same files.

Stores and indexes are read anew only if it is raised. So what they make of one sample of each format is compared with
what this version of them made. Boxes on pages are left out: fonts that are not in a file differ between machines.
"""

import json
from hashlib import sha256

from elcano.activities.passages.document import Document
from elcano.activities.passages.stored_places import StoredPlaces
from elcano.subjects.documents.file_formats import FORMATS, READER, parse_document
from tests.unit.subjects.documents.files import pdf, word
from tests.unit.subjects.documents.office_files import (
    epub,
    package,
    presentation,
    shape,
    sheet_xml,
    slide_xml,
    workbook,
)

WORDS = "The moon pulls the sea. It rises twice a day, and the port of Brest has a range of 7.5 m. "
OPEN = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
)
SAMPLES = {
    "sample.txt": f"Tides\n=====\n\n{WORDS * 30}\n\n- first\n- second\n".encode(),
    "sample.rst": f"Tides\n=====\n\n{WORDS * 30}\n\n::\n\n    code = 1\n".encode(),
    "sample.md": b"---\ntitle: Tides\n---\n# Tides\n\n"
    + f"{WORDS * 30}\n\n| Port | Range |\n| --- | --- |\n| Brest | 7 m |\n".encode(),
    "sample.html": f"<h1>Tides</h1><p>{WORDS * 30}<table><tr><th>Port<th>Range<tr><td>Brest<td>7 m</table>".encode(),
    "sample.csljson": json.dumps({"id": "a", "title": "Tides", "abstract": WORDS, "DOI": "10.1234/tides"}).encode(),
    "sample.pdf": pdf([["Tides", "", *[WORDS.strip()] * 4], [WORDS.strip()], []]),
    "sample.docx": word("Tides"),
    "sample.odt": package(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"<office:document-content {OPEN}><office:body><office:text><text:p>"
            f"{WORDS}</text:p></office:text>"
            "</office:body></office:document-content>",
        }
    ),
    "sample.pptx": presentation([slide_xml(shape("Tides", kind="title"), shape(f"{WORDS}\nHigh", kind=""))]),
    "sample.xlsx": workbook({"Ports": sheet_xml([["Port", "Range"], ["Brest", (7.5, 1)]])}, formats=["0.00"]),
    "sample.ods": package(
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "content.xml": f'<office:document-content {OPEN}><table:table table:name="Ports"><table:table-row>'
            "<table:table-cell><text:p>Port</text:p></table:table-cell><table:table-cell><text:p>Range</text:p>"
            "</table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>Brest</text:p>"
            '</table:table-cell><table:table-cell office:value-type="float"><text:p>7.50</text:p></table:table-cell>'
            "</table:table-row></table:table></office:document-content>",
        }
    ),
    "sample.odp": package(
        {
            "mimetype": "application/vnd.oasis.opendocument.presentation",
            "content.xml": f"<office:document-content {OPEN} "
            'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"><office:body>'
            "<office:presentation><draw:page><draw:frame><draw:text-box><text:p>Tides</text:p>"
            f"<text:p>{WORDS}</text:p></draw:text-box></draw:frame></draw:page></office:presentation></office:body>"
            "</office:document-content>",
        }
    ),
    "sample.csv": b"port;range\nBrest;7,5\n",
    "sample.tsv": b"port\trange\nBrest\t7,5\n",
    "sample.epub": epub({"one.xhtml": f"<html><body><h1>Tides</h1><p>{WORDS * 30}</p></body></html>"}),
    "sample.eml": f"From: Ann Roe <ann@example.org>\nSubject: Tides\nMIME-Version: 1.0\n\n{WORDS}\n\n> Yes?\n".encode(),
    "sample.mbox": f"From a@example.org Mon Jun 01 10:00:00 2009\nSubject: Tides\n\n{WORDS}\n".encode(),
    "sample.jats": f"<article><body><sec><title>Tides</title><p>{WORDS * 30}</p></sec></body></article>".encode(),
    "sample.tei": f"<TEI><text><body><div><head>Tides</head><p>{WORDS * 30}</p></div></body></text></TEI>".encode(),
    "sample.ipynb": json.dumps(
        {"nbformat": 4, "cells": [{"cell_type": "markdown", "source": WORDS}, {"cell_type": "code", "source": "a = 1"}]}
    ).encode(),
    "sample.tex": f"\\begin{{document}}\\section{{Tides}}{WORDS * 30} $x^2$\\end{{document}}".encode(),
}
RECORDED = (
    11,
    {
        "sample.txt": "55646b8cdadd",
        "sample.rst": "80a142348664",
        "sample.md": "d57b338e5019",
        "sample.html": "b244c1f66e60",
        "sample.csljson": "368fbbb52ed2",
        "sample.pdf": "25253933c40d",
        "sample.docx": "52c28a48ed85",
        "sample.odt": "78a8e214640b",
        "sample.pptx": "1d25aeb67018",
        "sample.xlsx": "d91b7bb3d2e6",
        "sample.ods": "d91b7bb3d2e6",
        "sample.odp": "7bdf6fc6e3c7",
        "sample.csv": "7a99d00ffc7a",
        "sample.tsv": "7a99d00ffc7a",
        "sample.epub": "c6358e1bc33a",
        "sample.eml": "4abaac88abc0",
        "sample.mbox": "a47682d43f32",
        "sample.jats": "efba33f2d1a3",
        "sample.tei": "efba33f2d1a3",
        "sample.ipynb": "ca8bca69b4dc",
        "sample.tex": "130b2d12ef9b",
    },
)
"""The version, and what it made. If the test below fails: raise `READER`, and write here what it prints."""


def digest(document: Document) -> str:
    """A short hash of what a reader made of a file, without its boxes."""
    stored = StoredPlaces(document.places)
    lines, cells, regions = (
        list(stored.select(name, -1, len(document.text) + 1)) for name in ("lines", "cells", "regions")
    )
    made = [
        document.text,
        document.passages,
        (document.title, document.authors, document.year, document.work, document.doi, document.gaps),
        regions,
        [(start, end, page, turn) for start, end, page, *_, turn in lines],
        cells,
    ]
    return sha256(json.dumps(made).encode()).hexdigest()[:12]


def test_the_version_of_the_readers_changes_with_what_they_make() -> None:
    made = READER, {name: digest(parse_document(name, content)) for name, content in SAMPLES.items()}
    assert made == RECORDED, f"raise READER above {RECORDED[0]} unless it is, and have RECORDED = {made}"


def test_every_format_has_a_sample() -> None:
    read = {FORMATS[f".{name.rpartition('.')[2]}"].reader for name in SAMPLES}
    # What is read of a picture depends on the data of OCR that is installed.
    assert read == {kind.reader for kind in FORMATS.values() if not kind.media_type.startswith("image/")}
