"""Files of strangers as tables: whole, or refused with what is wrong with them; never with rows that are missing."""

import os
from pathlib import Path

import pytest

from elcano.activities.child_processes import Stop
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.subjects.data.data_answer import QueryFault
from elcano.subjects.data.databases.engine import LOAD_SECONDS, Files, Limits
from elcano.subjects.data.tables import Cell
from tests.unit.subjects.data.databases.workbook import write_workbook


def folder_of(tmp_path: Path, **files: str | bytes) -> Files:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_bytes(content.encode() if isinstance(content, str) else content)
    return Files("files", folder, tmp_path / "copies")


def rows_of(files: Files, table: str) -> tuple[tuple[Cell, ...], ...]:
    (found,) = files.run([f'SELECT * FROM "{table}"'], Limits(), Stop())
    assert not isinstance(found, QueryFault), found
    return found.rows


RAGGED = "a,b\n" + "1,2\n" * 300


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (RAGGED + "1,2,3\n", "line 302 has 3 values and line 1 has 2"),
        ("a,b,c\n1,2,3\n4,5\n6,7,8,9\n", "line 4 has 4 values and line 1 has 3"),
        ("a,b,c\n1,2,3\nTotal,5\n", "its first line has 3 values"),
        ("a;b\n1;2\n3;4;5\n", "values"),
        ("name,n\nMüller,3\nJosé,4\n".encode("latin-1"), "save it as UTF-8"),
        (bytes(range(256)) * 20, "cannot be read"),
        ("a\n" + "secret" * 500_000, "Maximum line size"),
    ],
)
def test_lines_that_do_not_fit_cost_the_file_and_not_its_rows(tmp_path: Path, content: str | bytes, said: str) -> None:
    with pytest.raises(SourceRefused, match=r"t\.csv cannot be read") as raised:
        folder_of(tmp_path, t__csv=content).structure(Stop())
    assert said in str(raised.value)
    for word in (str(tmp_path), "secret", "José"):
        assert word not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("a,b\n1,x\n", ((1, "x"),)),
        (b"\xef\xbb\xbfa,b\n1,x\n", ((1, "x"),)),
        ("a,b\n1,ü\n".encode("utf-16"), ((1, "ü"),)),
        ("Report of 2024\n\na,b\n1,x\n2,y\n", ((1, "x"), (2, "y"))),
        ("# one, two, three\na,b\n1,x\n", ((1, "x"),)),
        ('"Name, first"\nx\ny\n', (("x",), ("y",))),
        ("a;b\n1,5;x\n2,5;y\n", (("1.5", "x"), ("2.5", "y"))),
        ('a,b\n1,"x\ny"\n2,"=cmd|\'!A0"\n', ((1, "x\ny"), (2, "=cmd|'!A0"))),
        ("a,A,a\n1,2,3\n", ((1, 2, 3),)),
        ("a\n", ()),
    ],
)
def test_what_can_be_read_is_read_whole(
    tmp_path: Path, content: str | bytes, rows: tuple[tuple[Cell, ...], ...]
) -> None:
    assert rows_of(folder_of(tmp_path, t__csv=content), "t") == rows


def test_all_files_with_faults_are_named_and_empty_ones_are_no_tables(tmp_path: Path) -> None:
    bad = {f"bad{number:02}__csv": "a,b,c\n1,2\n3,4,5,6\n" for number in range(12)}
    with pytest.raises(SourceRefused) as raised:
        folder_of(tmp_path, good__csv="a\n1\n", **bad).structure(Stop())
    said = str(raised.value)
    assert "bad00.csv cannot be read" in said
    assert "bad05.csv cannot be read" in said
    assert "and 6 more" in said
    for path in (tmp_path / "files").glob("bad*"):
        path.write_text("\n \n")
    files = Files("files", tmp_path / "files", tmp_path / "copies")
    assert [table.name for table in files.structure(Stop())] == ["good"]
    (tmp_path / "files" / "good.csv").write_text("")
    with pytest.raises(SourceRefused, match="there is nothing in its files"):
        files.structure(Stop())


def test_sheets_are_tables_without_titles_and_with_merged_names_in_each_row(tmp_path: Path) -> None:
    files = folder_of(tmp_path)
    write_workbook(
        tmp_path / "files" / "book.xlsx",
        {
            "Sales 1": [
                ["Report of 2024"],
                [None],
                ["region", "n", "twice", "of both"],
                ["Nord", 1, "=B4*2", 9],
                [None, 2, None, None],
            ],
            "Leer": [],
            "a;b": [["x;y"], ["1,5"], ["# no comment"]],
        },
        {"Sales 1": "A4:A5"},
    )
    tables = {table.name: [column.name for column in table.columns] for table in files.structure(Stop())}
    assert tables == {"book_Sales_1": ["region", "n", "twice", "of both"], "book_a_b": ["x;y"]}
    assert rows_of(files, "book_Sales_1") == (("Nord", 1, None, 9), ("Nord", 2, None, None))
    assert rows_of(files, "book_a_b") == (("1,5",), ("# no comment",))


def test_a_number_that_is_merged_over_rows_is_counted_once(tmp_path: Path) -> None:
    files = folder_of(tmp_path)
    write_workbook(tmp_path / "files" / "b.xlsx", {"S": [["k", "n"], ["x", 7], ["y", None]]}, {"S": "B2:B3"})
    assert rows_of(files, "b") == (("x", 7), ("y", None))


def test_a_copy_that_a_dead_worker_left_is_removed_and_one_in_the_making_is_not(tmp_path: Path) -> None:
    files = folder_of(tmp_path, t__csv="a\n1\n")
    copies = tmp_path / "copies"
    copies.mkdir()
    for name in ("old.making", "old.making.wal", "new.making"):
        (copies / name).write_text("x")
    (copies / "old.making.tmp").mkdir()
    os.utime(copies / "old.making", (1, LOAD_SECONDS))
    files.structure(Stop())
    assert {path.suffix for path in copies.iterdir()} == {".duckdb", ".making"}
    assert (copies / "new.making").exists()


def test_a_folder_for_copies_that_cannot_be_made_is_said_without_its_place(tmp_path: Path) -> None:
    files = folder_of(tmp_path, t__csv="a\n1\n")
    (tmp_path / "copies").write_text("a file")
    with pytest.raises(SourceUnavailable, match="cannot be copied to ELCANO_DATA_DIR") as raised:
        files.structure(Stop())
    assert str(tmp_path) not in str(raised.value)
