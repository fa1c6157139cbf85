import asyncio
import time
from hashlib import sha256
from pathlib import Path

import pytest

from elcano.activities.passages.document import Content, Listing, SkippedDocument
from elcano.activities.sources.base import Source
from elcano.graphs.catalogue.sources import build_collection_spec
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.storage.evidence import Evidence
from elcano.subjects.documents.local_sources import Folder
from elcano.subjects.documents.source import RESYNC_SECONDS, DocumentsSource
from tests.unit.subjects.documents.collections import Shelf
from tests.unit.subjects.documents.files import pdf, word


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def open_source(shelf: Shelf | Folder, tmp_path: Path, clock: Clock | None = None) -> DocumentsSource:
    return DocumentsSource(build_collection_spec("docs"), shelf, tmp_path / "index.sqlite", clock=clock or Clock())


async def only(source: Source, query: str) -> Evidence:
    (passage,) = (await source.search(query, 5)).evidence
    return passage


async def test_a_passage_is_a_part_of_the_text_that_comes_with_it(tmp_path: Path) -> None:
    source = open_source(Shelf({"sub/guide.md": b"# Guide\nHello.\n\n## Harbour\nThe harbour is deep."}), tmp_path)
    found = await source.search("deep harbour", 5)
    (passage,) = [evidence for evidence in found.evidence if "deep" in evidence.text]
    (text,) = found.texts
    assert text.text[passage.start : passage.end] == passage.text == "The harbour is deep."
    assert text.content_hash == passage.content_hash == sha256(text.text.encode()).hexdigest()
    assert passage.document == text.document == f"docs:sub/guide.md@{text.content_hash[:8]}"
    assert passage.id == f"{passage.document}:{passage.start}-{passage.end}"
    assert passage.title == "Guide > Harbour"
    assert passage.heading == "Guide > Harbour"
    assert passage.locator == "sub/guide.md#harbour"
    assert (text.title, text.media_type) == ("Guide", "text/markdown")
    assert passage.source == source.spec.name == "docs"


async def test_each_format_is_located_in_its_own_way(tmp_path: Path) -> None:
    source = open_source(
        Shelf(
            {
                "a.pdf": pdf([["First."], ["Anchovies."]]),
                "b.docx": word(),
                "c.html": b"<h1 id=x>H</h1><p>Barnacles.",
                "d.txt": b"Cuttlefish.",
                "e.md": b"# Eels, and more\n\nLampreys.\n",
            }
        ),
        tmp_path,
    )
    assert (await only(source, "anchovies")).locator == "a.pdf, page 2"
    assert (await only(source, "anchovies")).metadata["page"] == 2
    assert (await only(source, "pulls")).locator == "b.docx, paragraph 2"
    assert (await only(source, "barnacles")).locator == "c.html#x"
    assert (await only(source, "lampreys")).locator == "e.md"
    assert (await only(source, "cuttlefish")).locator == "d.txt"


async def test_a_file_that_changes_after_the_search_cannot_make_offsets_wrong(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("the first words about whales")
    source = open_source(Folder(folder, 1_000), tmp_path)
    await source.search("whales", 5)
    (folder / "a.md").write_text("w")
    found = await source.search("whales", 5)
    assert found.texts[0].text[found.evidence[0].start : found.evidence[0].end] == "the first words about whales"


async def test_the_same_passage_found_twice_has_the_same_id(tmp_path: Path) -> None:
    source = open_source(Shelf({"a.md": b"alpha beta"}), tmp_path)
    assert (await only(source, "alpha")).id == (await only(source, "beta")).id


async def test_ids_of_long_paths_stay_short_and_different(tmp_path: Path) -> None:
    paths = [f"{letter}/{'long ' * 60}/name.md" for letter in "ab"]
    source = open_source(Shelf({path: f"alpha {path[0]}".encode() for path in paths}), tmp_path)
    found = await source.search("alpha", 5)
    assert len({passage.id for passage in found.evidence}) == 2
    assert all(len(passage.id) <= 300 and "name.md@" in passage.id for passage in found.evidence)
    assert {passage.locator for passage in found.evidence} == set(paths)


async def test_a_search_soon_after_another_trusts_its_sync(tmp_path: Path) -> None:
    clock, shelf = Clock(), Shelf({"a.md": b"alpha"})
    source = open_source(shelf, tmp_path, clock)
    await source.search("alpha", 5)
    listings = shelf.listings
    clock.now += RESYNC_SECONDS - 0.1
    await source.search("alpha", 5)
    assert shelf.listings == listings
    shelf.change("a.md", b"beta")
    clock.now += 0.1
    assert (await source.search("alpha", 5)).evidence == ()
    assert (await only(source, "beta")).text == "beta"


async def test_skipped_documents_are_named_and_counted(tmp_path: Path) -> None:
    shelf = Shelf({"good.md": b"alpha", **{f"bad{number:02}.txt": b"\0" for number in range(24)}})
    shelf.skipped = (SkippedDocument("link.md", "it is a symbolic link"),)
    source = open_source(shelf, tmp_path)
    found = await source.search("alpha", 5)
    assert len(found.evidence) == 1
    assert len(found.warnings) == 21
    assert found.warnings[0] == "docs: bad00.txt was skipped: it is binary, not text"
    assert found.warnings[-1] == "docs: 5 more files were skipped"
    assert len(await source.skipped()) == 25


async def test_a_question_without_a_word_finds_nothing_and_says_so(tmp_path: Path) -> None:
    found = await open_source(Shelf({"a.md": b"alpha"}), tmp_path).search("?!", 5)
    assert found.evidence == ()
    assert found.warnings == ("docs: '?!' has no word to search for",)


async def test_rarer_words_tell_more(tmp_path: Path) -> None:
    shelf = Shelf({f"{number}.md": f"common words {number}".encode() for number in range(9)})
    shelf.documents["x.md"] = b"common whales"
    source = open_source(shelf, tmp_path)
    weights = await source.term_weights(["common", "whale", "nowhere", "c++", '"', ""])
    assert 0 < weights["common"] < weights["whale"] < weights["nowhere"]
    assert weights["c++"] == weights['"'] == weights[""] == weights["nowhere"]


async def test_a_missing_folder_is_refused_and_its_index_kept(tmp_path: Path) -> None:
    clock, folder = Clock(), tmp_path / "docs"
    source = open_source(Folder(folder, 1_000), tmp_path, clock)
    with pytest.raises(SourceRefused):
        await source.search("alpha", 5)
    folder.mkdir()
    (folder / "a.md").write_text("alpha")
    assert (await only(source, "alpha")).text == "alpha"
    folder.rename(tmp_path / "away")
    clock.now += 60
    with pytest.raises(SourceRefused):
        await source.search("alpha", 5)


class SlowShelf(Shelf):
    """Blocks the thread that reads it."""

    def content(self, key: str) -> Content:
        time.sleep(0.3)
        return super().content(key)


async def test_searches_share_one_sync_and_leave_the_event_loop_free(tmp_path: Path) -> None:
    shelf = SlowShelf({"a.md": b"alpha", "b.md": b"alpha"})
    source = open_source(shelf, tmp_path)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    results = await asyncio.gather(*(source.search("alpha", 5) for _ in range(5)))
    ticking.cancel()
    assert shelf.reads == ["a.md", "b.md"]
    assert [len(found.evidence) for found in results] == [1] * 5
    assert ticks > 5


async def test_a_cancelled_search_does_not_end_the_sync_for_others(tmp_path: Path) -> None:
    source = open_source(SlowShelf({"a.md": b"alpha"}), tmp_path)
    first = asyncio.create_task(source.search("alpha", 5))
    second = asyncio.create_task(source.search("alpha", 5))
    await asyncio.sleep(0.05)
    first.cancel()
    assert len((await second).evidence) == 1


async def test_closing_ends_a_sync_that_is_running(tmp_path: Path) -> None:
    source = open_source(SlowShelf({f"{number}.md": b"alpha" for number in range(1_000)}), tmp_path)
    search = asyncio.create_task(source.search("alpha", 5))
    await asyncio.sleep(0.05)
    await source.close()
    with pytest.raises(SourceUnavailable):
        await search


async def test_a_sync_that_failed_is_tried_again(tmp_path: Path) -> None:
    class Failing(Shelf):
        def listing(self) -> Listing:
            if self.listings == 0:
                self.listings += 1
                raise SourceUnavailable("not now")
            return super().listing()

    source = open_source(Failing({"a.md": b"alpha"}), tmp_path)
    with pytest.raises(SourceUnavailable):
        await source.search("alpha", 5)
    assert (await only(source, "alpha")).text == "alpha"
