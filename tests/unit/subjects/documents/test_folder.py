import os
from pathlib import Path

import pytest

from elcano.activities.passages.document import FileSkipped, SkippedDocument
from elcano.graphs.errors import SourceRefused
from elcano.subjects.documents.local_sources import LINK, Folder

LIMIT = 1_000


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("alpha")
    return folder


def listed(folder: Path) -> list[str]:
    return list(Folder(folder, LIMIT).listing().documents)


def skipped(folder: Path) -> list[SkippedDocument]:
    return list(Folder(folder, LIMIT).listing().skipped)


def test_files_of_all_subfolders_by_their_path(docs: Path) -> None:
    (docs / "sub" / "deep").mkdir(parents=True)
    (docs / "sub" / "deep" / "B.HTML").write_text("beta")
    (docs / ".git").mkdir()
    (docs / ".git" / "c.md").write_text("hidden")
    (docs / ".hidden.md").write_text("hidden")
    assert listed(docs) == ["a.md", "sub/deep/B.HTML"]
    assert Folder(docs, LIMIT).content("sub/deep/B.HTML").data == b"beta"


def test_the_fingerprint_changes_with_size_and_time(docs: Path) -> None:
    def fingerprint() -> str:
        return Folder(docs, LIMIT).listing().documents["a.md"]

    first = fingerprint()
    assert fingerprint() == first
    os.utime(docs / "a.md", ns=(1, 1))
    second = fingerprint()
    (docs / "a.md").write_text("alphas")
    os.utime(docs / "a.md", ns=(1, 1))
    assert len({first, second, fingerprint()}) == 3


def test_other_kinds_of_files_are_counted_for_whoever_asks(docs: Path) -> None:
    for name in ("a.zip", "b.ZIP", "c.mobi"):
        (docs / name).write_bytes(b"")
    listing = Folder(docs, LIMIT).listing()
    assert listing.skipped == ()
    assert listing.ignored == (
        SkippedDocument("*.mobi", "a kind of file that cannot be read (1 of them)"),
        SkippedDocument("*.zip", "a kind of file that cannot be read (2 of them)"),
    )


@pytest.mark.parametrize("above", ["", "build/html/"])
def test_the_sources_of_sphinx_are_not_searched_beside_their_pages(docs: Path, above: str) -> None:
    for key in ("guide/intro.html", "_sources/guide/intro.rst.txt", "_sources/guide/alone.rst.txt"):
        (docs / above / key).parent.mkdir(parents=True, exist_ok=True)
        (docs / above / key).write_text("words")
    assert listed(docs) == sorted(["a.md", f"{above}_sources/guide/alone.rst.txt", f"{above}guide/intro.html"])
    assert Folder(docs, LIMIT).listing().ignored == (
        SkippedDocument("_sources/", "what pages that are searched were made of (1 files)"),
    )


@pytest.mark.parametrize("name", ["no such", "file.md", "loop"])
def test_what_is_no_folder_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file.md").write_text("text")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(SourceRefused, match=name):
        listed(tmp_path / name)


def test_an_empty_folder_says_what_to_add(tmp_path: Path) -> None:
    with pytest.raises(SourceRefused, match=r"has no document to search: add .*PDF.*Markdown"):
        listed(tmp_path)
    (tmp_path / "a.zip").write_bytes(b"")
    with pytest.raises(SourceRefused, match=r"\(only \.zip\)"):
        listed(tmp_path)


def test_a_folder_of_bad_files_says_what_is_wrong_with_them(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(bytes(LIMIT + 1))
    with pytest.raises(SourceRefused, match=r"a\.md: it has 0\.0 MB"):
        listed(tmp_path)


def test_a_large_file_is_skipped_before_it_is_read(docs: Path) -> None:
    with (docs / "big.txt").open("wb") as file:
        file.truncate(200_000_000)
    limit = 50_000_000
    listing = Folder(docs, limit).listing()
    reason = "it has 200.0 MB; the limit is 50 MB (ELCANO_FILE_LIMIT_MB)"
    assert listing.skipped == (SkippedDocument("big.txt", reason),)
    assert list(listing.documents) == ["a.md"]


def test_a_file_that_grew_since_it_was_listed_is_not_read_whole(docs: Path) -> None:
    with (docs / "a.md").open("wb") as file:
        file.truncate(10_000_000)
    with pytest.raises(FileSkipped, match="the limit is"):
        Folder(docs, LIMIT).content("a.md")


def test_links_are_not_followed(docs: Path, tmp_path: Path) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text("secret")
    (docs / "out.md").symlink_to(outside)
    (docs / "up").symlink_to(tmp_path, target_is_directory=True)
    (docs / "loop").symlink_to(docs, target_is_directory=True)
    (docs / "broken.md").symlink_to("nowhere")
    assert listed(docs) == ["a.md"]
    assert skipped(docs) == [SkippedDocument(key, LINK) for key in ("broken.md", "loop", "out.md", "up")]
    assert "name that folder" in LINK


def test_a_file_that_became_a_link_since_it_was_listed_is_not_read(docs: Path, tmp_path: Path) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text("secret")
    (docs / "a.md").unlink()
    (docs / "a.md").symlink_to(outside)
    with pytest.raises(OSError, match="symbolic links"):
        Folder(docs, LIMIT).content("a.md")


def test_the_folder_itself_may_be_a_link(docs: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(docs, target_is_directory=True)
    assert listed(tmp_path / "link") == ["a.md"]


def test_a_pipe_is_not_waited_for(docs: Path) -> None:
    os.mkfifo(docs / "pipe.md")
    assert skipped(docs) == [SkippedDocument("pipe.md", "it is no regular file")]
    with pytest.raises(FileSkipped, match="no regular file"):
        Folder(docs, LIMIT).content("pipe.md")


@pytest.mark.parametrize("name", ["a b.md", "ä#?%@:.md", "'\"`$;.md", "😀\u202f.md", "-rf.md", "x" * 250 + ".md"])
def test_odd_names(docs: Path, name: str) -> None:
    (docs / name).write_text("text")
    assert name in listed(docs)
    assert Folder(docs, LIMIT).content(name).data == b"text"


@pytest.mark.parametrize("name", [b"line\nbreak.md", b"\xff\xfe.md"])
def test_names_that_are_no_text_are_skipped(docs: Path, name: bytes) -> None:
    (docs / os.fsdecode(name)).write_text("text")
    (skip,) = skipped(docs)
    assert skip.reason == "its name has characters that are no text: rename it"
    assert "\ufffd" in skip.key
    skip.key.encode()


def test_deep_nesting(docs: Path) -> None:
    folder = docs
    for _ in range(300):
        folder = folder / "deeper"
    folder.mkdir(parents=True)
    (folder / "b.md").write_text("beta")
    assert "deeper/" * 300 + "b.md" in listed(docs)


def deny(monkeypatch: pytest.MonkeyPatch, denied: Path) -> None:
    """The tests may run as root, whom no mode keeps out."""
    scandir = os.scandir

    def guarded(path: Path) -> object:
        if Path(path) == denied:
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)


def test_an_unreadable_subfolder_costs_only_itself(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (docs / "private").mkdir()
    deny(monkeypatch, docs / "private")
    assert listed(docs) == ["a.md"]
    assert skipped(docs) == [SkippedDocument("private/", "the folder cannot be read (Permission denied)")]


def test_an_unreadable_folder_says_what_to_do(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deny(monkeypatch, docs)
    with pytest.raises(SourceRefused, match="give the account of the worker the right to read it"):
        listed(docs)
