"""A certificate's places have to fit its texts and citations, and the original files if there are any."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import pytest

from elcano.doors.certificates.certificate_checks import of_places
from elcano.doors.certificates.certificate_format import Contents, Fault
from elcano.doors.certificates.verify_command import check_documents, count_documents, find_documents
from elcano.graphs.report.places import Box, Cell, Line, Places
from elcano.graphs.report.report import Report
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.store import open_store
from elcano.subjects.documents.file_formats import FORMATS, Format
from tests.unit.subjects.documents.files import pdf
from tests.unit.subjects.documents.placed import READER
from tests.unit.subjects.documents.reported import FILE, PAGES, QUOTE, fill_folder, leave_report


@dataclass(frozen=True)
class Held:
    """What of a certificate's contents these checks read."""

    published: Report
    evidence: tuple[Evidence, ...]
    texts: tuple[StoredText, ...]

    def forge(self, id: str, **changes: Any) -> "Held":
        """Somebody changed a passage."""
        changed = tuple(one.model_copy(update=changes) if one.id == id else one for one in self.evidence)
        return replace(self, evidence=changed)

    def cite(self, **changes: Any) -> "Held":
        """Somebody changed the citations."""
        cited = tuple(one.model_copy(update=changes) for one in self.published.citations)
        return replace(self, published=self.published.model_copy(update={"citations": cited}))

    @property
    def cited(self) -> Evidence:
        return next(one for one in self.evidence if one.id == self.published.citations[0].evidence)


@pytest.fixture
async def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Held]:
    monkeypatch.setitem(FORMATS, ".pdf", Format("application/pdf", READER))
    fill_folder(tmp_path / "fish")
    async with open_store(tmp_path / "data") as store:
        run_id, report = await leave_report(store, tmp_path / "fish", tmp_path)
        evidence = await store.of("default").evidence.of_run(run_id)
        texts = await store.of("default").evidence.texts(evidence)
        yield Held(report, tuple(evidence), tuple(texts.values()))


def find_faults(held: Held) -> list[Fault]:
    return list(of_places(cast("Contents", held)))


def compare(held: Held, folder: Path) -> list[Fault]:
    return [*dict.fromkeys(check_documents(cast("Contents", held), folder))]


async def test_places_that_fit_have_no_fault(held: Held) -> None:
    assert held.published.citations[0].marks
    assert find_faults(held) == []


async def test_lines_beyond_the_page_or_out_of_order_are_found(held: Held) -> None:
    lines = held.cited.places.lines
    for wrong in (
        (lines[0]._replace(box=Box(0.1, 0.9, 0.5, 1.4)), *lines[1:]),
        (lines[0]._replace(box=Box(0.5, 0.1, 0.1, 0.2)), *lines[1:]),
        (lines[0]._replace(page=0), *lines[1:]),
        (lines[1], lines[0], *lines[2:]),
        (Line(5, 5, 1, Box(0, 0, 1, 1)), *lines),
        (lines[0]._replace(edges=(0.1, 7.0)), *lines[1:]),
        (lines[0]._replace(box=Box(float("nan"), 0, 1, 1)), *lines[1:]),
    ):
        faults = find_faults(held.forge(held.cited.id, places=Places(lines=wrong)))
        assert faults[0].part == "evidence"


async def test_cells_that_are_not_those_of_the_text_are_found(held: Held) -> None:
    (text, *_) = (one for one in held.texts if one.content_hash == held.cited.content_hash)
    rows = "Port | Range\nBrest | 7 m"
    placed = replace(held, texts=(text.model_copy(update={"text": rows}),))
    cells = (Cell(0, 4, 0, 0, head=True), Cell(7, 12, 0, 1, head=True), Cell(13, 18, 1, 0), Cell(21, 24, 1, 1))

    def tell(*cells: Cell) -> str:
        return " ".join(one.text for one in find_faults(placed.forge(held.cited.id, places=Places(cells=cells))))

    assert "cell" not in tell(*cells)
    assert "is in another row" in tell(*cells[:2], cells[2]._replace(row=2), cells[3]._replace(row=2))
    assert "out of order" in tell(*cells[:3], cells[3]._replace(column=0))
    assert "is not in a row" in tell(*cells[:3], cells[3]._replace(end=99))
    assert "is not in a row" in tell(cells[0], cells[1]._replace(end=18))


async def test_a_quote_on_another_page_or_at_another_place_is_found(held: Held) -> None:
    (fault, *_) = find_faults(held.cite(page=1))
    assert (fault.part, "said to be on page 1" in fault.text) == ("report", True)
    moved = tuple(mark._replace(box=Box(0, 0, 0.1, 0.1)) for mark in held.published.citations[0].marks)
    assert "not those of its lines" in find_faults(held.cite(marks=moved))[0].text


async def test_a_word_of_a_quote_without_a_line_is_found(held: Held) -> None:
    last = held.cited.places.lines[-1]
    cut = last._replace(end=last.end - len(" spring."), edges=())
    forged = held.forge(held.cited.id, places=Places(lines=(*held.cited.places.lines[:-1], cut)))
    faults = find_faults(
        forged.cite(marks=tuple(one._replace(box=last.box) for one in held.published.citations[0].marks))
    )
    assert "no line has the word 'spring'" in faults[0].text


async def test_the_original_file_bears_out_its_quotes(held: Held, tmp_path: Path) -> None:
    contents = cast("Contents", held)
    assert count_documents(contents) == 1
    assert [*find_documents(contents, tmp_path / "fish").values()] == [tmp_path / "fish" / "cod.pdf"]
    assert compare(held, tmp_path / "fish") == []
    assert compare(held, tmp_path / "data") == [], "files that are not there are no fault"


async def test_a_quote_that_the_page_does_not_have_is_found(held: Held, tmp_path: Path) -> None:
    other = pdf([PAGES[0], [*PAGES[1][:-1], "Cod never spawn at all."]])
    metadata = {**held.cited.metadata, "data_hash": sha256(other).hexdigest()}
    (tmp_path / "fish" / "cod.pdf").write_bytes(other)
    (fault,) = compare(held.forge(held.cited.id, metadata=metadata), tmp_path / "fish")
    assert f"does not have the words {QUOTE!r}" in fault.text


async def test_a_file_of_the_same_name_with_other_bytes_is_found(held: Held, tmp_path: Path) -> None:
    (tmp_path / "fish" / "cod.pdf").write_bytes(FILE + b"%")
    (fault,) = compare(held, tmp_path / "fish")
    assert "is not the file 'cod.pdf' that was read" in fault.text
