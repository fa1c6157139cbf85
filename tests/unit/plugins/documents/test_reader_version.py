"""`READER` is another whenever the readers, or the packing, make something else of the same files.

Stores and indexes are read anew only if it is raised. So what they make of one sample of each format is compared with
what this version of them made. Boxes on pages are left out: fonts that are not in a file differ between machines.
"""

import json
from hashlib import sha256

from elcano.activities.passages.document import Document
from elcano.plugins.documents.file_formats import FORMATS, READER, parse_document
from tests.unit.plugins.documents.files import pdf, word

WORDS = "The moon pulls the sea. It rises twice a day, and the port of Brest has a range of 7.5 m. "
SAMPLES = {
    "sample.txt": f"Tides\n=====\n\n{WORDS * 30}\n\n- first\n- second\n".encode(),
    "sample.rst": f"Tides\n=====\n\n{WORDS * 30}\n\n::\n\n    code = 1\n".encode(),
    "sample.md": b"---\ntitle: Tides\n---\n# Tides\n\n"
    + f"{WORDS * 30}\n\n| Port | Range |\n| --- | --- |\n| Brest | 7 m |\n".encode(),
    "sample.html": f"<h1>Tides</h1><p>{WORDS * 30}<table><tr><th>Port<th>Range<tr><td>Brest<td>7 m</table>".encode(),
    "sample.csljson": json.dumps({"id": "a", "title": "Tides", "abstract": WORDS, "DOI": "10.1234/tides"}).encode(),
    "sample.pdf": pdf([["Tides", "", *[WORDS.strip()] * 4], [WORDS.strip()], []]),
    "sample.docx": word("Tides"),
}
RECORDED = (
    1,
    {
        "sample.txt": "55646b8cdadd",
        "sample.rst": "80a142348664",
        "sample.md": "5729a193f173",
        "sample.html": "1b351f8c6e07",
        "sample.csljson": "368fbbb52ed2",
        "sample.pdf": "3218929bcb8f",
        "sample.docx": "a705d14731a3",
    },
)
"""The version, and what it made. If the test below fails: raise `READER`, and write here what it prints."""


def digest(document: Document) -> str:
    """A short hash of what a reader made of a file, without its boxes."""
    made = [
        document.text,
        document.passages,
        (document.title, document.authors, document.year, document.work, document.doi, document.gaps),
        document.regions,
        [(line.start, line.end, line.page, line.turn) for line in document.places.lines],
        document.places.cells,
    ]
    return sha256(json.dumps(made).encode()).hexdigest()[:12]


def test_the_version_of_the_readers_changes_with_what_they_make() -> None:
    made = READER, {name: digest(parse_document(name, content)) for name, content in SAMPLES.items()}
    assert made == RECORDED, f"raise READER above {RECORDED[0]} unless it is, and have RECORDED = {made}"


def test_every_format_has_a_sample() -> None:
    read = {FORMATS[f".{name.rpartition('.')[2]}"].reader for name in SAMPLES}
    assert read == {kind.reader for kind in FORMATS.values()}
