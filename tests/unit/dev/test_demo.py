"""The demo refuses a folder that it cannot search before it starts anything."""

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from elcano.dev import demo
from elcano.dev.demo import DATABASE, QUESTION_OF_DATA, require_documents
from elcano.dev.program import CannotStart

LIMIT = 1_000_000


def folder(at: Path, **files: bytes) -> Path:
    at.mkdir()
    for name, content in files.items():
        (at / name.replace("_", ".")).write_bytes(content)
    return at


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the demo would keep what it starts: there as soon as a stack was."""
    found = tmp_path / "data"
    monkeypatch.setattr(demo, "DATA_DIR", found)
    return found


def exit_code(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["demo", *arguments])
    with pytest.raises(SystemExit) as ended:
        demo.main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (None, "No such file or directory"),
        ({}, "has no document to search: add files such as"),
        ({"a_xyz": b"text"}, "only .xyz"),
        ({"a_md": b"", "b_md": b"  \n"}, "a.md: it is empty; b.md: there is no text in it"),
        ({f"{number}_md": b"" for number in range(5)}, "2.md: it is empty; and 2 more"),
    ],
)
def test_a_folder_with_nothing_to_search_is_refused_before_anything_starts(
    tmp_path: Path,
    data_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    files: dict[str, bytes] | None,
    said: str,
) -> None:
    docs = tmp_path / "docs" if files is None else folder(tmp_path / "docs", **files)
    assert exit_code(monkeypatch, "--docs", str(docs)) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("The demo cannot start: ")
    for part in (repr(str(docs)), said, "by DOCS"):
        assert part in shown.err
    assert not data_dir.exists()


def test_a_file_is_no_folder(
    tmp_path: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n")
    assert exit_code(monkeypatch, "--docs", str(tmp_path / "a.md")) == 2
    assert "is a file: name by DOCS the folder" in capsys.readouterr().err
    assert not data_dir.exists()


def test_one_document_that_can_be_read_is_enough(tmp_path: Path) -> None:
    docs = folder(tmp_path / "docs", a_md=b"", b_md=b"# B\n\nText.\n")
    require_documents(docs, option="DOCS", limit_bytes=LIMIT)


def test_a_document_over_the_limit_does_not_count(tmp_path: Path) -> None:
    docs = folder(tmp_path / "docs", a_md=b"# A\n\nText.\n")
    with pytest.raises(CannotStart, match=r"a\.md.*the limit is"):
        require_documents(docs, option="DOCS", limit_bytes=3)


def test_what_cannot_start_for_another_reason_ends_the_same_way(
    tmp_path: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data_dir.write_text("a file where the data folder should be")
    docs = folder(tmp_path / "docs", a_md=b"# A\n\nText.\n")
    assert exit_code(monkeypatch, "--docs", str(docs)) == 2
    assert "ELCANO_DATA_DIR" in capsys.readouterr().err


def test_the_saved_questions_of_the_demo_are_answered_by_its_database(data_dir: Path) -> None:
    settings = demo.demo_settings(None, "data")
    address = settings.databases[DATABASE].removeprefix("sqlite:///")
    lines = settings.database_examples[DATABASE].read_text(encoding="utf-8").splitlines()
    saved = {one["question"]: one["sql"] for one in map(json.loads, lines)}
    assert QUESTION_OF_DATA in saved
    with closing(sqlite3.connect(address)) as connection:
        assert all(connection.execute(sql).fetchall() for sql in saved.values())


def test_the_demo_of_another_mode_has_no_database(data_dir: Path) -> None:
    settings = demo.demo_settings(None, "simple")
    assert (settings.databases, settings.database_examples) == ({}, {})


def test_a_mode_that_cannot_run_is_refused_before_anything_starts(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(monkeypatch, "--mode", "nonsense") == 2
    assert "there is no mode 'nonsense': set MODE to one of" in capsys.readouterr().err
    monkeypatch.setattr(demo, "missing_extras", lambda: frozenset({"analysis"}))
    assert exit_code(monkeypatch, "--mode", "Analysis") == 2
    assert (
        "the mode 'analysis' needs the extra 'analysis', which is not installed: `make setup`"
        in capsys.readouterr().err
    )
    assert not data_dir.exists()
    assert demo.require_mode("auto") == "auto", "what a light environment has is enough for it"
