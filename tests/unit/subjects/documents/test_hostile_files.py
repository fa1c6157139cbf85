"""What somebody put into a file to be in the way: text that is no text, claims, depth, and repetition."""

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest

from elcano.activities.passages.document import Block, FileSkipped, Gap, Parsed
from elcano.activities.passages.packing import ANCHOR_CHARACTERS, LABEL_CHARACTERS, assemble_document
from elcano.activities.passages.stored_places import StoredPlaces
from elcano.graphs.report.places import Cell
from elcano.subjects.documents import parser as parsing
from elcano.subjects.documents.file_formats import parse_document
from elcano.subjects.documents.parser import Parser
from elcano.subjects.documents.pdf import reader
from tests.unit.subjects.documents.files import pdf
from tests.unit.subjects.documents.office_files import package
from tests.unit.subjects.documents.test_reader_version import OPEN, SAMPLES

HOSTILE = "a\u202eb\u2066c\ufdd0d\U0001fffee"
"""Characters that reorder text, and noncharacters: all may stand in XML, and in any text."""
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff\U0001fffe]"
)
WORD = re.compile(rb"moon|Tides|Brest")


def poison(content: bytes) -> bytes:
    """The file with hostile characters in its words, also where it names itself."""
    if not content.startswith(b"PK"):
        return WORD.sub(HOSTILE.encode(), content)
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for one in old.infolist():
            new.writestr(one, WORD.sub(HOSTILE.encode(), old.read(one)))
    return out.getvalue()


def list_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from list_texts(one)
    elif isinstance(value, tuple | list):
        for one in value:
            yield from list_texts(one)


@pytest.mark.parametrize("name", [name for name in SAMPLES if not name.endswith(".pdf")])
def test_no_reader_lets_characters_through_that_are_no_text(name: str) -> None:
    poisoned = poison(SAMPLES[name])
    assert poisoned != SAMPLES[name]
    document = parse_document(name, poisoned)
    assert not [text for text in list_texts(asdict(document)) if FORBIDDEN.search(text)]
    assert "abc" in document.text.replace(" ", ""), "what stands around them stays"


def test_what_a_file_says_of_itself_is_cleaned_and_bounded() -> None:
    said = HOSTILE * 100_000
    block = Block("Herring spawn.", anchor=HOSTILE)
    parsed = Parsed([block, block], said, (said, "\0"), gaps=(Gap(said),), page_labels=(said, "iv"))
    document = assemble_document(parsed, "a", "application/pdf")
    assert not [text for text in list_texts(asdict(document)) if FORBIDDEN.search(text)]
    assert max(map(len, list_texts(asdict(document)))) <= 2_000
    stored = StoredPlaces(document.places)
    assert stored.describe(0, 1, 2)["page_labels"] == {"2": "iv"}
    label = str(stored.describe(0, 1, 1)["page_labels"])
    assert len(label) <= LABEL_CHARACTERS + len("{'1': ''}")
    assert not FORBIDDEN.search(label)
    assert len(document.authors) == 1
    far = assemble_document(Parsed([Block("Text.", anchor="x" * (ANCHOR_CHARACTERS + 1))]), "a", "text/html")
    assert far.passages[0].anchor == ""


def test_a_failure_of_a_reader_in_this_process_costs_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str, content: bytes) -> None:
        raise ValueError

    monkeypatch.setattr(parsing, "parse_document", fail)
    with pytest.raises(FileSkipped, match=r"its parser failed \(ValueError\)"):
        Parser().parse("a.md", b"text")


def test_a_file_with_nothing_but_what_was_not_read_says_so() -> None:
    nested = "<text:list><text:list-item>" * 60 + "<text:p>x</text:p>" + "</text:list-item></text:list>" * 60
    content = package(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"<office:document-content {OPEN}><office:body><office:text>{nested}</office:text>"
            "</office:body></office:document-content>",
        }
    )
    with pytest.raises(FileSkipped, match="nested more than"):
        parse_document("a.odt", content)


def test_pages_beyond_the_most_that_are_read_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_PAGES", 2)
    found = reader.read_pdf(pdf([["Herring spawn in spring."], ["Cod spawn in winter."], ["Eels swim far away."]]))
    assert [gap.reason for gap in found.gaps] == ["1 pages were left out after the first 2: split it"]
    assert {block.page for block in found.blocks} == {1, 2}


def test_pages_that_only_repeat_each_other_keep_their_text() -> None:
    found = reader.read_pdf(pdf([["Handle with care."]] * 4))
    assert [block.text for block in found.blocks].count("Handle with care.") == 4


def test_a_page_of_which_nothing_can_be_seen_says_so() -> None:
    with pytest.raises(FileSkipped, match="hidden text on page 1 was left out"):
        reader.read_pdf(pdf([["Herring spawn."]]).replace(b"/F1 12 Tf 14 TL", b"/F1 .1 Tf 14 TL"))


def test_the_head_of_a_long_table_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0

    class Counted(tuple[Cell, ...]):
        def __iter__(self) -> Iterator[Cell]:
            nonlocal looked
            looked += 1
            return super().__iter__()

    rows = "\n".join(f"row {number} | {number}" for number in range(5_000))
    document = assemble_document(Parsed([Block(rows, "table", cells=Counted([Cell(0, 5, 0, 0)]))]), "a", "text/csv")
    assert len(document.passages) > 50
    assert document.passages[-1].head == "row 0 | 0"
    assert looked < 10
