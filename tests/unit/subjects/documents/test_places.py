"""Where passages stand goes from a reader through the index to the evidence, and only the part of the passage does."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from elcano.activities.passages.document import Block, Content, Listing
from elcano.activities.passages.stored_places import StoredPlaces
from elcano.graphs.catalogue.sources import build_collection_spec
from elcano.graphs.report.places import NOWHERE, Box, Line, Places, find_marks
from elcano.storage.evidence import Evidence
from elcano.subjects.documents.file_formats import FORMATS, Format
from elcano.subjects.documents.source import DocumentsSource
from tests.unit.subjects.documents.collections import Shelf
from tests.unit.subjects.documents.files import pdf
from tests.unit.subjects.documents.placed import READER, assemble, table_block

PAGES = [["The first page is a preface."], ["A second one, too."], ["Herring spawn in autumn.", "Cod spawn in spring."]]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DocumentsSource:
    monkeypatch.setitem(FORMATS, ".pdf", Format("application/pdf", READER))
    return DocumentsSource(build_collection_spec("docs"), Shelf({"fish.pdf": pdf(PAGES)}), tmp_path / "index.sqlite")


async def find(source: DocumentsSource, query: str) -> Evidence:
    return (await source.search(query, 5)).evidence[0]


async def test_a_passage_of_a_pdf_says_where_its_lines_stand(source: DocumentsSource) -> None:
    passage = await find(source, "cod spawn")
    (text,) = (await source.search("cod spawn", 5)).texts
    assert [text.text[line.start : line.end] for line in passage.places.lines] == PAGES[2]
    assert {line.page for line in passage.places.lines} == {3}
    start = text.text.index("Cod")
    (mark,) = find_marks(text.text, passage.places, start, start + len("Cod spawn"))
    whole = passage.places.lines[1].box
    assert mark.page == 3
    assert mark.box.left == whole.left
    assert mark.box.right < whole.right - 0.05


async def test_metadata_find_the_file_and_the_page_again(source: DocumentsSource) -> None:
    passage = await find(source, "preface")
    assert passage.metadata["path"] == "fish.pdf"
    assert passage.metadata["data_hash"] == sha256(pdf(PAGES)).hexdigest()
    assert passage.metadata["page"] == 1
    assert passage.metadata["page_labels"] == {"1": "i"}
    assert passage.locator == "fish.pdf, page 1 (i)"
    assert (await find(source, "herring")).locator == "fish.pdf, page 3 (1)"


async def test_an_upload_is_known_by_its_own_bytes_and_not_by_what_was_read_of_them(tmp_path: Path) -> None:
    class Read(Shelf):
        def content(self, key: str) -> Content:
            return super().content(key)._replace(file_hash="f" * 64)

        def listing(self) -> Listing:
            return super().listing()

    source = DocumentsSource(build_collection_spec("docs"), Read({"a.md": b"Whales sing."}), tmp_path / "index.sqlite")
    assert (await find(source, "whales")).metadata["data_hash"] == "f" * 64


def test_a_passage_keeps_the_heads_of_the_columns_of_its_table() -> None:
    rows = [["Port", "Range"], *([f"Port {number}", f"{number} m"] for number in range(1, 60))]
    document = assemble(Block("Tides of the coast."), table_block(rows))
    start = document.text.index("Port 40")
    places = StoredPlaces(document.places).cut(start, start + len("Port 40 | 40 m"))
    assert [document.text[cell.start : cell.end] for cell in places.cells] == ["Port", "Range", "Port 40", "40 m"]


def test_what_ocr_read_tells_the_confidence_of_its_least_certain_part() -> None:
    clear = Block("Clearly printed words of the first paragraph.", page=1, confidence=0.97)
    faded = Block("Faded words.", page=1, confidence=0.62)
    stored = StoredPlaces(assemble(clear, faded).places)
    assert stored.describe(0, 40, 1) == {"confidence": 0.97}
    assert stored.describe(0, 60, 1) == {"confidence": 0.62}


def test_a_passage_is_of_the_kind_that_most_of_it_is() -> None:
    document = assemble(Block("Short."), table_block([["Port", "Range"], ["Brest", "7 m"], ["Quebec", "4 m"]]))
    stored = StoredPlaces(document.places)
    assert stored.describe(0, len(document.text), 0)["kind"] == "table"
    assert "kind" not in stored.describe(0, 10, 0)


def test_a_document_without_places_takes_no_room() -> None:
    assert assemble(Block("Only words.")).places == b""
    assert StoredPlaces(b"").cut(0, 10) == NOWHERE
    assert StoredPlaces(b"").describe(0, 10, 0) == {}


def test_places_of_a_long_book_are_packed_small() -> None:
    words = "the words of a line of a book that is printed here "
    line = Line(0, len(words) - 1, 1, Box(0.12345, 0.23456, 0.87654, 0.25), tuple(n / 12.7 for n in range(12)))
    pages = [
        Block(words * 50, page=page, lines=[line._replace(start=n * len(words), page=page) for n in range(50)])
        for page in range(1, 301)
    ]
    document = assemble(*pages)
    assert len(document.places) < 0.5 * len(document.text)
    start = 200 * 50 * len(words)
    (first, *_) = StoredPlaces(document.places).cut(start, start + 900).lines
    assert first == replace_shares(first)


def replace_shares(line: Line) -> Line:
    box = Box(*(round(share, 4) for share in line.box))
    return line._replace(box=box, edges=tuple(round(edge, 4) for edge in line.edges))


def test_evidence_without_places_reads_as_it_always_did() -> None:
    kept = {"id": "a", "source": "s", "document": "d", "content_hash": "0" * 64, "title": "T", "locator": "l"}
    old = Evidence.model_validate({**kept, "text": "words", "start": 0, "end": 5, "places": None})
    assert not old.places
    assert "places" not in json.loads(old.model_dump_json())
    placed = old.model_copy(update={"places": Places(lines=(Line(0, 5, 1, Box(0, 0, 1, 1)),))})
    assert Evidence.model_validate_json(placed.model_dump_json()) == placed
