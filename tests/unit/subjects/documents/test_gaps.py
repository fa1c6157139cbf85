"""What was not read of a document is said wherever the document is: by a search, by doctor, and in a report."""

from pathlib import Path

import pytest

from elcano.activities.passages.document import Gap
from elcano.activities.passages.unread_warnings import condense_gap_warnings, list_gap_warnings, name_pages
from elcano.graphs.catalogue.sources import build_collection_spec
from elcano.settings import Settings
from elcano.subjects.documents.local_sources import Folder, check_collections
from elcano.subjects.documents.source import DocumentsSource
from tests.unit.subjects.documents.collections import Shelf
from tests.unit.subjects.documents.files import pdf

SCANNED = Gap("pages 3 to 5 are pictures, and OCR is not installed: make setup", (3, 4, 5))
HIDDEN = Gap("text that nobody sees was left out", unread=False)


@pytest.mark.parametrize(
    ("pages", "name"),
    [
        ([3], "page 3"),
        ([5, 3, 4, 4], "pages 3 to 5"),
        ([1, 3, 4], "pages 1 and 3 to 4"),
        (range(1, 30, 2), "pages 1, 3, 5, 7, 9, 11 and 9 more"),
    ],
)
def test_pages_are_named_in_a_sentence(pages: list[int], name: str) -> None:
    assert name_pages(pages) == name


def test_documents_that_a_search_found_are_named_first_and_the_others_are_counted() -> None:
    others = {f"{number}.pdf": (SCANNED,) for number in range(12)} | {"hidden.pdf": (HIDDEN,)}
    found, counted = list_gap_warnings("docs", {"7.pdf": (SCANNED,), "hidden.pdf": (HIDDEN,)}, others)
    assert found == "docs: 7.pdf was not read whole: pages 3 to 5 are pictures, and OCR is not installed: make setup"
    assert counted.startswith("docs: 12 documents of the collection could not be read whole: 0.pdf (pages 3 to 5 are")
    assert counted.endswith("; and 7 more")
    assert list_gap_warnings("docs", {"7.pdf": (SCANNED,)}, {"7.pdf": (SCANNED,)}) == (found,), "said once"
    assert list_gap_warnings("docs", {"hidden.pdf": (HIDDEN,)}, {"hidden.pdf": (HIDDEN,)}) == ()


def test_a_report_counts_what_would_flood_it() -> None:
    many = [list_gap_warnings("docs", {f"{number}.pdf": (SCANNED,)}, {})[0] for number in range(30)]
    said = condense_gap_warnings([*many, "docs: x was skipped: it is empty"])
    assert said[:10] == tuple(many[:10])
    assert said[10:] == (
        "docs: x was skipped: it is empty",
        "20 more documents that were found could not be read whole",
    )
    assert condense_gap_warnings(many[:3]) == tuple(many[:3])


HALF = (
    b'<article article-type="research-article"><body><p>Ropes are replaced.</p>'
    b"<table-wrap><graphic/></table-wrap></body></article>"
)
"""An article whose table is a picture."""


async def test_a_search_says_what_was_not_read(tmp_path: Path) -> None:
    shelf = Shelf({"a.xml": HALF, "whole.pdf": pdf([["Ladders are checked."]])})
    source = DocumentsSource(build_collection_spec("docs"), shelf, tmp_path / "index.sqlite")
    found = await source.search("ropes", 5)
    assert found.warnings == ("docs: a.xml was not read whole: a table is a picture, which is not read",)
    others = await source.search("ladders", 5)
    assert others.warnings == (
        "docs: 1 document of the collection could not be read whole: a.xml (a table is a picture, which is not read)",
    )
    await source.close()


async def test_doctor_names_documents_that_were_not_read_whole(tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "a.xml").write_bytes(HALF)
    settings = Settings(data_dir=tmp_path, collections={"handbook": folder}, package_readmes=False)
    assert len(list(check_collections(settings))) == 1, "nothing was read yet"
    index = tmp_path / "index" / "handbook.sqlite"
    source = DocumentsSource(build_collection_spec("handbook"), Folder(folder, 10**6), index)
    await source.update_index()
    await source.close()
    _, note = check_collections(settings)
    assert note.text == "collection handbook has not all of a.xml: a table is a picture, which is not read"
