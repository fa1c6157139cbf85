"""Documents of thousands of pages: what each page takes in memory, and that nothing is lost where they are packed."""

import random
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import replace

import pytest
from pypdfium2 import PdfDocument

from elcano.activities.passages.document import Block
from elcano.activities.passages.place_arrays import CellArray, LineArray
from elcano.activities.passages.place_packing import PART_PLACES
from elcano.activities.passages.stored_places import StoredPlaces
from elcano.graphs.report.places import Box, Cell, Line
from elcano.subjects.documents.file_formats import parse_document
from elcano.subjects.documents.pdf import page_reader, reader
from elcano.subjects.documents.pdf.furniture import SAME_HEIGHT, _count_pages, _Row
from elcano.subjects.documents.pdf.opening import open_pdf
from elcano.subjects.documents.pdf.packed_lists import PackedList
from elcano.subjects.documents.pdf.page_reader import PageText
from tests.unit.subjects.documents.files import pdf
from tests.unit.subjects.documents.placed import assemble, table_block

PAGE_BYTES = 30_000
"""So much memory a page of a long document may take while it is read."""
LINES = [
    Line(0, 5, 1, Box(0.1, 0.20001, 0.99999, 0.3), (0.1, 0.55555), 90),
    Line(6, 9, 2, Box(0, 0, 1, 1)),
    Line(10, 12, 3, Box(0.5, 0.5, 0.6, 0.6), (0.5,)),
]
CELLS = [Cell(0, 5, 0, 0, head=True), Cell(6, 6, 0, 1, 2, 3)]


def make_page() -> bytes:
    draw = random.Random(7)
    words = ["".join(draw.choices("abcdefghijklmnop", k=draw.randint(2, 9))) for _ in range(500)]
    lines = [" ".join(draw.choices(words, k=11)) for _ in range(42)]
    return pdf([["Book of tides", *lines, f"{lines[0]}."]])


def measure_peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_page_of_a_long_document_takes_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_pdf(make_page()) as document:
        page = page_reader.read_page(document, 0)

    def read_page(document: PdfDocument, index: int) -> PageText:
        lines = [replace(line, page=index + 1, tokens=[*line.tokens, str(index)]) for line in page.lines]
        return replace(page, number=index + 1, lines=lines)

    monkeypatch.setattr(reader, "read_page", read_page)
    few, many = (pdf([[]] * pages) for pages in (50, 150))
    parse_document("book.pdf", few)
    small = measure_peak(lambda: parse_document("book.pdf", few))
    large = measure_peak(lambda: parse_document("book.pdf", many))
    assert (large - small) / 100 < PAGE_BYTES


@pytest.mark.parametrize("held", [LINES, []])
def test_lines_come_out_of_an_array_as_they_went_in(held: list[Line]) -> None:
    array = LineArray(held)
    assert list(array) == held
    assert array[:2] == held[:2]
    assert bool(array) is bool(held)
    assert not held or array[-1] == held[-1]
    with pytest.raises(IndexError):
        array[len(held)]


def test_cells_come_out_of_an_array_as_they_went_in() -> None:
    array = CellArray(CELLS[:1])
    array.append(CELLS[1])
    assert list(array) == CELLS
    assert array[-1] == CELLS[-1]
    assert array[:1] == CELLS[:1]
    with pytest.raises(IndexError):
        array[len(CELLS)]


def test_a_list_comes_out_of_its_bytes_as_it_went_in() -> None:
    assert list(PackedList(LINES)) == LINES
    assert PackedList(LINES)[1:] == LINES[1:]
    assert len(PackedList(LINES)) == 3
    assert not PackedList()


def test_places_in_all_parts_of_a_long_document_are_found() -> None:
    rows = [["Port", "Range"], *([f"Port {number}", f"{number} m"] for number in range(PART_PLACES))]
    document = assemble(
        Block("Tides of the coast."), table_block(rows, page=2), Block("End.", page=3), table_block(rows)
    )
    stored = StoredPlaces(document.places)
    for word in ("Port 7", f"Port {PART_PLACES - 1}"):
        for start in (document.text.index(f"{word} |"), document.text.rindex(f"{word} |")):
            cut = stored.cut(start, start + len(word))
            assert [document.text[cell.start : cell.end] for cell in cut.cells] == ["Port", "Range", word]
            assert stored.describe(start, start + 5, 2)["kind"] == "table"
    assert [line.page for line in stored.cut(0, len(document.text)).lines] == [2] * (2 * len(rows))


def test_places_that_an_older_version_packed_are_read() -> None:
    packed = zlib.compress(
        b'{"lines":[[0,5,1,0.1,0.2,0.3,0.4,[0.1],0]],"cells":[[0,5,0,0,1,1,true]],'
        b'"regions":[[0,5,"table",0.9]],"labels":["iv"]}'
    )
    stored = StoredPlaces(packed)
    assert stored.cut(0, 5).lines == (Line(0, 5, 1, Box(0.1, 0.2, 0.3, 0.4), (0.1,)),)
    assert stored.cut(0, 5).cells == (Cell(0, 5, 0, 0, head=True),)
    assert stored.describe(0, 5, 1) == {"kind": "table", "confidence": 0.9, "page_labels": {"1": "iv"}}


def test_pages_with_a_row_at_one_height_are_counted() -> None:
    draw = random.Random(3)
    rows = [_Row(draw.randrange(30), (0,), "a", frozenset(), 10, draw.uniform(0, 0.1), 20, 0.5) for _ in range(200)]
    for row, count in _count_pages(rows):
        assert count == len({one.page for one in rows if abs(one.height - row.height) < SAME_HEIGHT})
