import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from elcano.activities.passages.document import Content, Document, FileSkipped, Gap, Passage, SkippedDocument
from elcano.activities.passages.search import (
    best_passages,
    count_word_frequencies,
    load_indexed_texts,
    spread_over_documents,
)
from elcano.activities.passages.weak_passages import Hit
from elcano.graphs.catalogue.sources import build_collection_spec
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.subjects.documents.index_tables import OLDEST_VERSION, VERSION
from elcano.subjects.documents.parser import Parser
from elcano.subjects.documents.passage_index import Index
from elcano.subjects.documents.source import OLDER_INDEX, DocumentsSource, sync_index
from tests.unit.subjects.documents.collections import Shelf
from tests.unit.subjects.documents.files import pdf


def sync(shelf: Shelf, index: Index, stopped: threading.Event | None = None) -> None:
    sync_index(shelf, index, Parser(), stopped or threading.Event())


def found(index: Index, query: str) -> list[str]:
    with index.reading() as database:
        hits = best_passages(database, query, 10)
        documents = load_indexed_texts(database, (hit.document for hit in hits))
    return [documents[hit.document].key for hit in hits]


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path / "sub" / "index.sqlite")


def test_an_unchanged_collection_is_not_read_again(index: Index) -> None:
    shelf = Shelf({"a.md": b"alpha", "b.md": b"beta"})
    sync(shelf, index)
    assert sorted(shelf.reads) == ["a.md", "b.md"]
    sync(shelf, index)
    assert len(shelf.reads) == 2


def test_a_changed_document_replaces_its_own_passages_only(index: Index) -> None:
    shelf = Shelf({"a.md": b"# Old\nalpha common", "b.md": b"beta common"})
    sync(shelf, index)
    shelf.change("a.md", b"# New\ngamma common")
    sync(shelf, index)
    assert shelf.reads == ["a.md", "b.md", "a.md"]
    assert found(index, "alpha") == found(index, "old") == []
    assert found(index, "gamma") == found(index, "new") == ["a.md"]
    assert sorted(found(index, "common")) == ["a.md", "b.md"]
    with index.reading() as database:
        assert count_word_frequencies(database, ["alpha", "gamma", "common"]) == (2, [0, 1, 2])


def test_a_document_is_in_the_index_since_it_has_its_text(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    def indexed_at(now: float) -> dict[str, float]:
        monkeypatch.setattr("elcano.subjects.documents.passage_index.time.time", lambda: now)
        sync(shelf, index)
        with index.reading() as database:
            documents = load_indexed_texts(database, (hit.document for hit in best_passages(database, "alpha beta", 9)))
        return {one.key: one.indexed_at for one in documents.values()}

    shelf = Shelf({"a.html": b"<p>alpha</p>", "b.md": b"beta"})
    assert indexed_at(1.0) == {"a.html": 1.0, "b.md": 1.0}
    shelf.change("a.html", b"<p class='first'>alpha</p>")
    shelf.change("b.md", b"beta, changed")
    assert indexed_at(2.0) == {"a.html": 1.0, "b.md": 2.0}


def test_a_deleted_document_disappears(index: Index) -> None:
    shelf = Shelf({"a.md": b"alpha", "b.md": b"beta"})
    sync(shelf, index)
    del shelf.documents["a.md"]
    sync(shelf, index)
    assert found(index, "alpha") == []
    assert found(index, "beta") == ["b.md"]


def test_a_document_that_was_only_touched_is_read_and_not_parsed(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf({"a.md": b"alpha"})
    sync(shelf, index)
    shelf.change("a.md", b"alpha")
    monkeypatch.setattr(Parser, "parse", None)
    sync(shelf, index)
    sync(shelf, index)
    assert shelf.reads == ["a.md", "a.md"]
    assert found(index, "alpha") == ["a.md"]


def test_a_bad_document_costs_only_itself_and_is_not_parsed_again(index: Index) -> None:
    shelf = Shelf({"a.pdf": b"%PDF-1.7 garbage", "b.md": b"beta"})
    sync(shelf, index)
    sync(shelf, index)
    assert index.skipped() == [SkippedDocument("a.pdf", "it is not a readable PDF: it may be damaged or cut off")]
    assert shelf.reads == ["a.pdf", "b.md"]
    assert found(index, "beta") == ["b.md"]
    shelf.change("a.pdf", pdf([["mended"]]))
    sync(shelf, index)
    assert index.skipped() == []
    assert found(index, "mended") == ["a.pdf"]


def test_a_document_that_may_not_be_read_is_tried_again(index: Index) -> None:
    shelf = Shelf({"a.md": PermissionError(13, "Permission denied"), "b.md": b"beta"})
    sync(shelf, index)
    assert index.skipped() == [SkippedDocument("a.md", "it cannot be read (Permission denied)")]
    shelf.documents["a.md"] = b"alpha"
    sync(shelf, index)
    assert index.skipped() == []
    assert found(index, "alpha") == ["a.md"]


def test_a_document_that_vanishes_meanwhile_is_simply_not_there(index: Index) -> None:
    shelf = Shelf({"a.md": FileNotFoundError(), "b.md": b"beta"})
    sync(shelf, index)
    assert index.skipped() == []
    assert found(index, "beta") == ["b.md"]


def test_a_stopped_sync_keeps_what_it_did_and_goes_on_later(index: Index) -> None:
    stopped = threading.Event()

    class Stopping(Shelf):
        def content(self, key: str) -> Content:
            if key == "c.md":
                stopped.set()
            return super().content(key)

    shelf = Stopping({"a.md": b"alpha", "b.md": b"beta", "c.md": b"gamma"})
    with pytest.raises(SourceUnavailable):
        sync(shelf, index, stopped)
    assert found(index, "alpha beta gamma") == ["a.md", "b.md"]
    sync(shelf, index)
    assert shelf.reads == ["a.md", "b.md", "c.md", "c.md"]
    assert found(index, "gamma") == ["c.md"]


def test_one_who_waits_for_the_right_to_write_can_be_stopped(index: Index) -> None:
    stopped = threading.Event()
    stopped.set()
    with index.writing(threading.Event()), pytest.raises(SourceUnavailable), index.writing(stopped):
        raise AssertionError("two writers")


def test_one_who_waited_finds_nothing_left_to_do(index: Index) -> None:
    shelf = Shelf({f"{number}.md": b"same words" for number in range(50)})
    threads = [threading.Thread(target=sync, args=(shelf, index)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(shelf.reads) == 50


WRITER = """
import sys, threading
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from subjects.documents.local_sources import Folder
from subjects.documents.passage_index import Index
from subjects.documents.parser import Parser
from subjects.documents.source import sync_index
sync_index(Folder(Path(sys.argv[2]), 10**6), Index(Path(sys.argv[3])), Parser(), threading.Event())
"""


@pytest.mark.long
def test_two_processes_can_index_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(200):
        (folder / f"{number}.md").write_text(f"# Number {number}\nshared words {number}")
    root = str(Path(__file__).parents[4])
    command = [sys.executable, "-c", WRITER, root, str(folder), str(tmp_path / "index.sqlite")]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]
    assert [process.communicate()[1] for process in processes] == [b"", b"", b""]
    with Index(tmp_path / "index.sqlite").reading() as database:
        assert count_word_frequencies(database, ["shared"]) == (200, [200])


def test_an_index_of_another_version_is_built_anew(tmp_path: Path, index: Index) -> None:
    shelf = Shelf({"a.md": b"alpha"})
    sync(shelf, index)
    with sqlite3.connect(tmp_path / "sub" / "index.sqlite") as database:
        database.execute(f"PRAGMA user_version = {VERSION + 1}")
    database.close()
    sync(shelf, index)
    assert shelf.reads == ["a.md", "a.md"]
    assert found(index, "alpha") == ["a.md"]


def test_a_damaged_index_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    path.write_bytes(b"this is no database, whatever its name says" * 100)
    with pytest.raises(SourceRefused, match="delete it and search again"):
        sync(Shelf({"a.md": b"alpha"}), Index(path))


def test_a_deleted_index_is_never_replaced_by_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable), Index(tmp_path / "index.sqlite").reading():
        raise AssertionError("opened")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_worth_another_try(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SourceUnavailable):
        sync(Shelf({"a.md": b"alpha"}), Index(tmp_path / "file" / "index.sqlite"))


def test_a_search_sees_one_moment_of_the_index(index: Index) -> None:
    shelf = Shelf({"a.md": b"alpha before"})
    sync(shelf, index)
    with index.reading() as database:
        hits = best_passages(database, "alpha", 5)
        shelf.change("a.md", b"alpha after")
        sync(shelf, index)
        assert [text.text for text in load_indexed_texts(database, [hits[0].document]).values()] == ["alpha before"]


@pytest.mark.parametrize(
    "query",
    ['"', "'; DROP TABLE document; --", "alpha AND", "NEAR(alpha beta)", "alpha*", "body:alpha", "^alpha", "a\0b",
     "{alpha} : -", "(((", "alpha OR OR", "*", "\\", "alpha" * 500, "😀 alpha", " ".join(map(str, range(5_000)))],
)  # fmt: skip
def test_no_query_is_a_syntax_error(index: Index, query: str) -> None:
    sync(Shelf({"a.md": b"alpha"}), index)
    assert found(index, query) in ([], ["a.md"])


def test_stop_words_are_searched_for_only_when_there_is_nothing_else(index: Index) -> None:
    sync(Shelf({"a.md": b"who is who", "b.md": b"the whales"}), index)
    assert found(index, "who are the whales?") == ["b.md"]
    assert found(index, "who is") == ["a.md"]


def test_words_are_found_in_their_other_forms(index: Index) -> None:
    sync(Shelf({"a.md": "Retried connections in a café".encode()}), index)
    for query in ("retry", "retries", "connection", "CONNECTIONS", "cafe"):
        assert found(index, query) == ["a.md"], query


def test_a_word_of_the_heading_weighs_more(index: Index) -> None:
    filler = b" plain words that fill the passage up a bit"
    sync(Shelf({"a.md": b"# Whales\n" + filler, "b.md": b"# Fish\nwhales" + filler}), index)
    assert found(index, "whales") == ["a.md", "b.md"]


def test_one_document_does_not_fill_the_front(index: Index) -> None:
    book = b"\n\n".join(b"## Part %d\nwhale whale whale %d" % (number, number) for number in range(20))
    shelf: dict[str, bytes | Exception] = {"book.md": book, "a.md": b"a whale and other animals of the cold sea"}
    sync(Shelf(shelf), index)
    with index.reading() as database:
        hits = best_passages(database, "whale", 4)
        assert len({hit.document for hit in hits}) == 2
        assert len(best_passages(database, "whale", 10)) == 10, "a lone book is read beyond its third passage"
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert spread_over_documents([], 3) == []


def test_a_document_gives_no_place_to_others_that_are_far_worse() -> None:
    nowhere = Passage(0, 1, "", 0, "", 0)

    def hits(*scores: tuple[int, float]) -> list[Hit]:
        return [Hit(score, document, bytes([place]), nowhere) for place, (document, score) in enumerate(scores)]

    manual = [(1, 20.0), (1, 18.0), (1, 17.0), (1, 16.0), (1, 15.0), (1, 12.0)]
    found = spread_over_documents(hits(*manual, (2, 9.0), (3, 6.0), (4, 5.0)), 6)
    assert [(one.document, one.score) for one in found] == [*manual[:5], (2, 9.0)]
    near = spread_over_documents(hits(*manual, (2, 9.0), (3, 8.5), (4, 8.2)), 6)
    assert [one.document for one in near] == [1, 1, 1, 2, 3, 4]
    assert spread_over_documents(hits(*manual), 0) == []


def test_copies_of_a_passage_are_found_once(index: Index) -> None:
    whole = b"# One\nalpha\n\n# Two\nbeta"
    sync(Shelf({"a.md": b"# One\nalpha", "b.md": b"# Two\nbeta", "print.md": whole}), index)
    assert len(found(index, "alpha")) == len(found(index, "beta")) == 1


class Waiting(Shelf):
    """Documents that can be read only after `go`, but for the first few."""

    def __init__(self, documents: dict[str, bytes | Exception], at_once: int = 0) -> None:
        super().__init__(documents)
        self.go = threading.Event()
        self.at_once = at_once

    def content(self, key: str) -> Content:
        if len(self.reads) >= self.at_once:
            assert self.go.wait(30)
        return super().content(key)


class NewerReader(Parser):
    """A release to come, whose readers make something else of files."""

    version = Parser.version + 1

    def parse(self, name: str, content: bytes) -> Document:
        return super().parse(name, content.replace(b"old", b"new"))


async def test_an_older_index_answers_until_the_new_one_is_built(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    sync(Shelf({f"{number}.md": b"old words" for number in range(20)}), Index(path, Parser.version))
    shelf = Waiting({f"{number}.md": b"old words" for number in range(20)})
    source = DocumentsSource(build_collection_spec("docs"), shelf, path, parser=NewerReader())
    meanwhile = await source.search("words", 50)
    assert {one.text for one in meanwhile.evidence} == {"old words"}
    assert meanwhile.warnings == (f"docs: the index was skipped: {OLDER_INDEX}",)
    shelf.go.set()
    await source.update_index()
    found = await source.search("words", 50)
    assert ({one.text for one in found.evidence}, found.warnings) == ({"new words"}, ())
    await source.close()
    assert not path.with_name(f"{path.name}.next").exists()


def test_a_new_index_that_was_interrupted_is_completed(index: Index, tmp_path: Path) -> None:
    path = tmp_path / "sub" / "index.sqlite"
    documents: dict[str, bytes | Exception] = {f"{number}.md": f"old words {number}".encode() for number in range(20)}
    sync(Shelf(documents), index)
    newer, stopped = Index(path, NewerReader.version), threading.Event()

    class Stopping(Shelf):
        def content(self, key: str) -> Content:
            if len(self.reads) == 12:
                stopped.set()
            return super().content(key)

    with pytest.raises(SourceUnavailable):
        sync_index(Stopping(documents), newer, NewerReader(), stopped)
    assert newer.is_older()
    assert len(found(newer, "old")) == 10, "it answers as before"
    shelf = Shelf(documents)
    sync_index(shelf, newer, NewerReader(), threading.Event())
    assert len(shelf.reads) == 8
    assert (len(found(newer, "new")), found(newer, "old"), newer.is_older()) == (10, [], False)


def test_an_index_of_the_release_before_is_searched_though_columns_are_missing(index: Index, tmp_path: Path) -> None:
    shelf = Shelf({"a.md": b"old words"})
    sync(shelf, index)
    with sqlite3.connect(tmp_path / "sub" / "index.sqlite") as database:
        database.execute("DROP INDEX document_gaps")
        database.execute("ALTER TABLE document DROP COLUMN gaps")
        database.execute(f"PRAGMA user_version = {OLDEST_VERSION}")
    database.close()
    with index.writing(threading.Event()) as new:
        assert new is not index
        assert found(index, "words") == ["a.md"]
    sync(shelf, index)
    assert not index.is_older()
    assert found(index, "words") == ["a.md"]


def test_what_was_not_installed_has_its_documents_alone_read_anew_once_it_is(
    index: Index,
) -> None:
    installed: set[str] = set()

    class Reading(Parser):
        def parse(self, name: str, content: bytes) -> Document:
            if content == b"scan" and "ocr" not in installed:
                raise FileSkipped("it is a picture", "ocr")
            document = super().parse(name, content)
            missing = content.startswith(b"half") and "ocr:deu" not in installed
            return replace(document, gaps=(Gap("page 2 is one", (2,), needs="ocr:deu"),) if missing else ())

        def can_read_now(self, needs: str) -> bool:
            return needs in installed

    shelf = Shelf({"a.md": b"alpha", "half.md": b"half read", "scan.md": b"scan"})

    def sync_again() -> list[str]:
        shelf.reads.clear()
        sync_index(shelf, index, Reading(), threading.Event())
        return shelf.reads

    assert sync_again() == ["a.md", "half.md", "scan.md"]
    assert [key for key, _ in index.list_gaps()] == ["half.md"], "what is refused is no part of a document"
    assert [one.key for one in index.skipped()] == ["scan.md"]
    assert sync_again() == []
    installed.add("ocr")
    assert sync_again() == ["scan.md"]
    assert found(index, "scan") == ["scan.md"]
    installed.add("ocr:deu")
    assert sync_again() == ["half.md"]
    assert (sync_again(), index.list_gaps(), index.skipped()) == ([], [], [])
