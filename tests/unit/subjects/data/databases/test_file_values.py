"""What becomes of the values of files: nothing is changed that is not said, and what no value decides stays as it is.

Each case is a file of its own. Expected values are those that the writer of the file meant, or its very texts.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from elcano.activities.child_processes import Stop
from elcano.graphs.errors import SourceRefused
from elcano.subjects.data.data_answer import QueryFault, SqlQuery
from elcano.subjects.data.databases import typed_tables
from elcano.subjects.data.databases.database import Database
from elcano.subjects.data.databases.duckdb_loading import load_files_into_duckdb
from elcano.subjects.data.databases.engine import Files, FileToLoad
from elcano.subjects.data.databases.query_runner import run_query
from elcano.subjects.data.results import result_text
from elcano.subjects.data.tables import TableSchema
from tests.unit.subjects.data.databases.workbook import (
    DAY,
    HOURS,
    MOMENT,
    ZIP,
    Styled,
    write_open_sheet,
    write_workbook,
)

Loaded = dict[str, tuple[str, list[object], str]]


def load(folder: Path, name: str, content: str | bytes, options: object = None, table: str = "t") -> Loaded:
    """Type, values and comment of each column of a file."""
    file = folder / name
    if content:
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    if options is not None:
        (folder / f"{name}.reading.json").write_text(json.dumps(options))
    load_files_into_duckdb(str(folder / "copy.duckdb"), [FileToLoad(table="t", path=str(file))])
    with duckdb.connect(str(folder / "copy.duckdb"), read_only=True) as copy:
        asked = (
            "SELECT column_name, data_type, comment FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index"
        )
        rows = copy.execute(f'SELECT * FROM "{table}" ORDER BY rowid').fetchall()
        return {
            column: (kind, [row[at] for row in rows], comment or "")
            for at, (column, kind, comment) in enumerate(copy.execute(asked, [table]).fetchall())
        }


def load_column(folder: Path, cells: Sequence[str], choice: str = "") -> tuple[str, list[object], str]:
    content = "v;other\n" + "".join(f"{cell};x{at}\n" for at, cell in enumerate(cells))
    return load(folder, "f.csv", content, {"columns": {"v": choice}} if choice else None)["v"]


KEPT = [
    ["00501", "10001"],
    ["007", "8"],
    ["-01", "-12"],
    ["01.50", "12.25"],
    ["+49", "50"],
    ["3.9", "3.10", "3.11"],
    ["1.0.0", "1.0.1"],
    ["10.0.0.1", "192.168.1.10"],
    ["192.168.100.200", "192.168.100.201"],
    ["yes", "no"],
    ["y", "n"],
    ["t", "f"],
    ["12e4", "34e5"],
    ["1e5", "2e5"],
    ["2024-02-30", "2024-02-28"],
    ["31/02/2024", "13/01/2024"],
    ["13/02/2024", "02/13/2024"],
    ["01/02/24", "02/03/24"],
    ["2024-01-01", "2024-01-02 10:00:00"],
    ["2024-01-01 10:00:00", "2024-01-01T10:00:00Z"],
    ["10:30", "11:45"],
    ["25:00:00", "10:00:00"],
    ["9" * 400, "1"],
    ["9" * 39, "1"],
    ["0." + "1" * 39 + "2", "1.5"],
    ["12345678901234567.25", "1.5"],
    ["1,5", "1.5"],
    ["n/a", "1"],
    ["1", "2", "#N/A"],
    ["5 %", "6 %"],
    ["$5", "$6"],
    ["1 234", "5 678"],
    ["1/2", "3/4"],
    ["(5)", "6"],
    ["NaN", "1.5"],
    ["inf", "1.5"],
    ["0x1F", "0x2F"],
    ["1_000", "2_000"],
    ["٣", "٤"],
    ["2024.01.31", "2024.02.01"],
    ["1.2345.678", "1.234.567"],
]
"""Columns that stay text, letter by letter."""
READ: list[tuple[list[str], str, list[object]]] = [
    (["1", "-20", "0"], "BIGINT", [1, -20, 0]),
    (["12345678901234567890", "1"], "HUGEINT", [12345678901234567890, 1]),
    (["1.50", "12.25"], "DECIMAL(4,2)", [Decimal("1.50"), Decimal("12.25")]),
    (["3.10", "3.11"], "DECIMAL(3,2)", [Decimal("3.10"), Decimal("3.11")]),
    (["-0.0", "2.5"], "DECIMAL(2,1)", [Decimal("0.0"), Decimal("2.5")]),
    ([".5", "-.25"], "DOUBLE", [0.5, -0.25]),
    (["0.30000000000000004", "1.5"], "DOUBLE", [0.30000000000000004, 1.5]),
    (["1e-05", "2.5e+10"], "DOUBLE", [1e-05, 2.5e10]),
    (["12,5", "1.234,5"], "DECIMAL(5,1)", [Decimal("12.5"), Decimal("1234.5")]),
    (["1.234.567", "950"], "BIGINT", [1234567, 950]),
    (["1,234,567", "950"], "BIGINT", [1234567, 950]),
    (["1,234.50", "9.25"], "DECIMAL(6,2)", [Decimal("1234.50"), Decimal("9.25")]),
    (["0.125", "1.250"], "DECIMAL(4,3)", [Decimal("0.125"), Decimal("1.250")]),
    (["1.234", "1234"], "DECIMAL(7,3)", [Decimal("1.234"), Decimal("1234.000")]),
    (["true", "FALSE"], "BOOLEAN", [True, False]),
    (["2024-02-29", "1066-10-14"], "DATE", [date(2024, 2, 29), date(1066, 10, 14)]),
    (["13/01/2024", "02/01/2024"], "DATE", [date(2024, 1, 13), date(2024, 1, 2)]),
    (["1/13/2024", "12/1/2024"], "DATE", [date(2024, 1, 13), date(2024, 12, 1)]),
    (["31.01.2024 08:05", "01.02.2024 09:00"], "TIMESTAMP", [datetime(2024, 1, 31, 8, 5), datetime(2024, 2, 1, 9)]),
    (["2024-01-01T10:00:00", "2024-01-01T11:30:00.5"], "TIMESTAMP", [
        datetime(2024, 1, 1, 10), datetime(2024, 1, 1, 11, 30, 0, 500_000),
    ]),
    (["10:30:00", "23:59:59"], "TIME", [time(10, 30), time(23, 59, 59)]),
    ([" 7", "8 "], "BIGINT", [7, 8]),
]  # fmt: skip


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A database of all these files, a table each."""
    folder = tmp_path_factory.mktemp("files")
    files = []
    for at, cells in enumerate([*KEPT, *(cells for cells, _, _ in READ)]):
        file = folder / f"f{at}.csv"
        file.write_text("v;other\n" + "".join(f"{cell};x{number}\n" for number, cell in enumerate(cells)))
        files.append(FileToLoad(table=f"t{at}", path=str(file)))
    load_files_into_duckdb(str(folder / "copy.duckdb"), files)
    with duckdb.connect(str(folder / "copy.duckdb"), read_only=True) as copy:
        yield copy


def read_copy(copied: Any, at: int) -> tuple[str, list[object]]:
    found = copied.execute(f"SELECT v FROM t{at} ORDER BY rowid")
    return str(found.description[0][1]), [row[0] for row in found.fetchall()]


@pytest.mark.parametrize("at", range(len(KEPT)), ids=lambda at: KEPT[at][0][:20])
def test_what_a_type_would_change_stays_as_it_is(copied: Any, at: int) -> None:
    assert read_copy(copied, at) == ("VARCHAR", KEPT[at])


@pytest.mark.parametrize("at", range(len(READ)), ids=lambda at: READ[at][0][0][:20])
def test_what_loses_nothing_gets_a_type(copied: Any, at: int) -> None:
    _, kind, values = READ[at]
    assert read_copy(copied, len(KEPT) + at) == (kind, values)


@pytest.mark.parametrize(
    ("cells", "asked", "choice", "values"),
    [
        (["01/01/2024", "12/01/2024"], "'day first'", "month first", [date(2024, 1, 1), date(2024, 12, 1)]),
        (["01/01/2024", "12/01/2024"], "'month first'", "day first", [date(2024, 1, 1), date(2024, 1, 12)]),
        (["1.234", "5.678"], "'decimal comma'", "decimal comma", [1234, 5678]),
        (["1.234", "5.678"], "'decimal point'", "decimal point", [Decimal("1.234"), Decimal("5.678")]),
        (["1,234", "5,678"], "'decimal comma'", "decimal comma", [Decimal("1.234"), Decimal("5.678")]),
        (["3.9", "3.10"], "'number'", "number", [3.9, 3.1]),
    ],
)
def test_what_no_value_decides_is_asked_about_and_can_be_answered(
    tmp_path: Path, cells: list[str], asked: str, choice: str, values: list[object]
) -> None:
    kind, found, comment = load_column(tmp_path, cells)
    assert (kind, found) == ("VARCHAR", cells)
    assert asked in comment
    assert "f.csv.reading.json" in comment
    (tmp_path / "copy.duckdb").unlink()
    assert load_column(tmp_path, cells, choice)[1] == values


def test_a_value_decides_for_the_other_columns_of_its_file(tmp_path: Path) -> None:
    found = load(tmp_path, "f.csv", "a;b;c;d\n1.234;12,5;01/02/2024;13/02/2024\n5.678;7,5;03/04/2024;01/01/2024\n")
    assert found["a"][:2] == ("BIGINT", [1234, 5678])
    assert "as in other columns" in found["a"][2]
    assert found["c"][:2] == ("DATE", [date(2024, 2, 1), date(2024, 4, 3)])


@pytest.mark.parametrize(
    ("first", "last", "values"),
    [
        ("10001", "00501", ["10001", "00501"]),
        ("1", "1.5", [Decimal("1.0"), Decimal("1.5")]),
        ("1", "n/a", ["1", "n/a"]),
        ("3.9", "3.10", ["3.9", "3.10"]),
        ("3.9|3.11", "3.10", ["3.9", "3.10"]),
        ("3.9|3.11", "03.5", ["3.9", "03.5"]),
        ("3.9|3.11", "1,234.5", [3.9, 1234.5]),
        ("3.9|3.11", "12345678901234567.25", ["3.9", "12345678901234567.25"]),
        ("2024-01-01", "2024-02-31", ["2024-01-01", "2024-02-31"]),
        ("1.234", "12,5", [Decimal("1234.0"), Decimal("12.5")]),
        ("0,125", "1.234", [Decimal("0.125"), Decimal("1234.000")]),
        ("01/02/2024", "13/02/2024", [date(2024, 2, 1), date(2024, 2, 13)]),
        ("1", "9" * 30, [1, int("9" * 30)]),
        ("true", "yes", ["true", "yes"]),
    ],
)
def test_a_beginning_that_lies_changes_no_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, last: str, values: list[object]
) -> None:
    monkeypatch.setattr(typed_tables, "SAMPLED_ROWS", 50)
    monkeypatch.setattr(typed_tables, "_LEAST_ROWS", 50)
    found = load_column(tmp_path, [*first.split("|")] * 500 + [last])[1]
    assert [found[0], found[-1]] == values
    assert len(found) == 500 * len(first.split("|")) + 1


@pytest.mark.parametrize(
    ("content", "columns", "said"),
    [
        ("2023,,2024,\nQ1,Q2,Q1,Q2\n1,2,3,4\n5,6,7,8\n", ["2023 Q1", "2023 Q2", "2024 Q1", "2024 Q2"], "first 2 rows"),
        ("area,Sales,Sales\n,men,women\nNord,1,2\nWest,3,4\n", ["area", "Sales men", "Sales women"], "first 2 rows"),
        ("time,temp\nseconds,celsius\n1,20.5\n2,21.5\n", ["time", "temp"], '"header_rows": 2'),
        ("Report, in EUR\n\na,b\nx,1\ny,2\n", ["a", "b"], ""),
        ("Report of 2024\n\na,b\nx,1\ny,2\n", ["a", "b"], "stands: Report of 2024."),
        ("Sales of 2024,,\n,,\nregion,q1,q2\nN,1,2\nS,3,4\n", ["region", "q1", "q2"], "stands: Sales of 2024."),
        ("a,b\nx,1\ny,2\nz,3\nTotal,6\n", ["a", "b"], "last row is the sum"),
        ("city,2022,2023\nx,1,2\n", ["city", "2022", "2023"], ""),
        ("hour,0,1,2\nx,1,2,3\n", ["hour", "0", "1", "2"], ""),
        ("a,,b\n1,2,3\n", ["a", "column1", "b"], ""),
        ("n,m\n,3\nn/a,4\n", ["n", "m"], ""),
    ],
)
def test_rows_of_names_titles_and_totals_are_found_or_named(
    tmp_path: Path, content: str, columns: list[str], said: str
) -> None:
    if content.startswith("Report, in"):  # a line above the names with as many values as they have
        with pytest.raises(ValueError, match="line"):
            load(tmp_path, "f.csv", content + "1,2,3\n")
        return
    assert list(load(tmp_path, "f.csv", content)) == columns
    with duckdb.connect(str(tmp_path / "copy.duckdb"), read_only=True) as copy:
        ((comment,),) = copy.execute("SELECT comment FROM duckdb_tables() WHERE table_name = 't'").fetchall()
    assert said in (comment or "") if said else comment is None


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        ("Berlin,3.6\nHamburg,1.8\n", None, '"header_rows": 0'),
        ("2024-01-01,5\n2024-01-02,6\n", None, '"header_rows": 0'),
        ("a,b\n1,2\n", {"columns": {"c": "text"}}, "names columns that are not there: c; there are: a, b"),
        ("a,b\n1,2\n", {"columns": {"a": "wrong"}}, "f.csv.reading.json is wrong at /columns/a"),
        ("a,b\n1,2\n", {"heads": 1}, "f.csv.reading.json is wrong at /heads"),
        ("a,b\n13/01/2024,2\n", {"columns": {"a": "month first"}}, "cannot be read as 'month first'"),
        ("a,b\nx,2\n", {"columns": {"a": "number"}}, "cannot be read as 'number'"),
    ],
)
def test_a_refusal_says_what_to_do(tmp_path: Path, content: str, options: object, said: str) -> None:
    with pytest.raises(ValueError, match=r"f\.csv cannot be read") as raised:
        load(tmp_path, "f.csv", content, options)
    assert said in str(raised.value)


def test_a_file_without_names_is_read_when_the_operator_says_so(tmp_path: Path) -> None:
    found = load(tmp_path, "f.csv", "Berlin,3.6\nHamburg,1.8\n", {"header_rows": 0})
    assert found["column_1"][1] == ["Berlin", "Hamburg"]
    assert found["column_2"][1] == [Decimal("3.6"), Decimal("1.8")]


def test_the_only_column_of_a_table_of_r_keeps_its_name(tmp_path: Path) -> None:
    found = load(tmp_path, "f.csv", '"","x"\n"1","10.1000/a"\n"2","10.1000/b"\n')
    assert [values for _, values, _ in found.values()] == [[1, 2], ["10.1000/a", "10.1000/b"]]
    assert list(found)[1] == "x"


def test_rows_without_a_value_are_none(tmp_path: Path) -> None:
    found = load(tmp_path, "f.csv", "a,b\n1,x\n,\n2,\n,,\n".replace(",,\n", ",\n"))  # as spreadsheets end a table
    assert [values for _, values, _ in found.values()] == [[1, 2], ["x", None]]


def test_names_that_another_delimiter_separates_are_no_title(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="line 2 has 5 values and line 1 has 4"):
        load(tmp_path, "f.csv", "id;title;year;note\n1;A; B, C;2020;x, y\n")  # one value has the delimiter in it


def test_a_declared_delimiter_is_no_row(tmp_path: Path) -> None:
    found = load(tmp_path, "f.csv", "sep=;\na;b\n1;2,5\n3;4,5\n")
    assert {name: values for name, (_, values, _) in found.items()} == {
        "a": [1, 3],
        "b": [Decimal("2.5"), Decimal("4.5")],
    }


def test_a_file_may_be_called_as_the_sample_is(tmp_path: Path) -> None:
    (tmp_path / "sampled_rows.csv").write_text("a,b\n01,1\n02,2\n")
    load_files_into_duckdb(
        str(tmp_path / "copy.duckdb"), [FileToLoad(table="sampled_rows", path=str(tmp_path / "sampled_rows.csv"))]
    )
    with duckdb.connect(str(tmp_path / "copy.duckdb"), read_only=True) as copy:
        assert copy.execute("SELECT * FROM sampled_rows").fetchall() == [("01", 1), ("02", 2)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_marks_and_line_ends_change_nothing(tmp_path: Path, encoding: str, ending: str) -> None:
    text = ending.join(["größe,n,d", '"a, ""b""",007,2024-01-31', "ü,008,2024-02-01", ""])
    found = load(tmp_path, "f.csv", text.encode(encoding))
    assert found["größe"][1] == ['a, "b"', "ü"]
    assert found["n"][1] == ["007", "008"]
    assert found["d"][1] == [date(2024, 1, 31), date(2024, 2, 1)]


def test_ten_thousand_columns_are_read(tmp_path: Path) -> None:
    rows = (",".join(cells) for cells in ([f"c{at}" for at in range(10_000)], ["1"] * 10_000, ["02"] * 10_000))
    (tmp_path / "f.csv").write_text("\n".join(rows))
    load_files_into_duckdb(str(tmp_path / "copy.duckdb"), [FileToLoad(table="t", path=str(tmp_path / "f.csv"))])
    with duckdb.connect(str(tmp_path / "copy.duckdb"), read_only=True) as copy:
        assert copy.execute("SELECT c9999, typeof(c9999) FROM t").fetchall() == [("1", "VARCHAR"), ("02", "VARCHAR")]


def dated(code: int, day: int, moment: float, hours: float) -> tuple[Styled, ...]:
    return Styled(code, ZIP), Styled(day, DAY), Styled(moment, MOMENT), Styled(hours, HOURS)


def test_cells_of_workbooks_are_what_their_types_say(tmp_path: Path) -> None:
    write_workbook(
        tmp_path / "f.xlsx",
        {
            "S": [
                ["Report, in thousands"],
                [None],
                ["k", "Sales", None, "zip", "day", "at", "long", "mixed", "sum", "part"],
                [None, "Q1", "Q2", None, None, None, None, None, None, None],
                ["007", 1, 0.1, *dated(501, 45292, 45292.5, 1.5), 1, "=B5", 2.0],
                ["3.10", 2, 2, *dated(10001, 45322, 45322.25, 0.5), "x", "=B6", 3.0],
                [None],
                ["Source: own counts"],
            ]
        },
        {"S": "B3:C3"},
    )
    found = load(tmp_path, "f.xlsx", b"")
    assert {name: (kind, values) for name, (kind, values, _) in found.items()} == {
        "k": ("VARCHAR", ["007", "3.10"]),
        "Sales Q1": ("BIGINT", [1, 2]),
        "Sales Q2": ("DOUBLE", [0.1, 2.0]),
        "zip": ("VARCHAR", ["00501", "10001"]),
        "day": ("DATE", [date(2024, 1, 1), date(2024, 1, 31)]),
        "at": ("TIMESTAMP", [datetime(2024, 1, 1, 12), datetime(2024, 1, 31, 6)]),
        "long": ("INTERVAL", [timedelta(days=1.5), timedelta(hours=12)]),
        "mixed": ("VARCHAR", ["1", "x"]),
        "sum": ("VARCHAR", [None, None]),
        "part": ("BIGINT", [2, 3]),
    }
    with duckdb.connect(str(tmp_path / "copy.duckdb"), read_only=True) as copy:
        ((comment,),) = copy.execute("SELECT comment FROM duckdb_tables()").fetchall()
    for said in (
        "stands: Report, in thousands.",
        "first 2 rows",
        "Below the last row stands: Source: own counts.",
        "2 cells with a formula that was never computed are NULL (I5, I6)",
    ):
        assert said in comment


def test_durations_of_open_sheets_can_be_added_up(tmp_path: Path) -> None:
    """Their values are XML Schema durations, as LibreOffice writes them; a text of the same form is none elsewhere."""
    lasting = ("PT00H01M30S", "PT26H00M00.500000000S", "-PT00H30M00S")
    write_open_sheet(tmp_path / "f.ods", [["name", "lasted", "at"], *(["a", one, lasting[0]] for one in lasting)])
    found = load(tmp_path, "f.ods", b"")
    expected = [timedelta(seconds=90), timedelta(hours=26, seconds=0.5), timedelta(minutes=-30)]
    assert found["lasted"][:2] == ("INTERVAL", expected)
    assert found["at"][:2] == ("TIME", [time(0, 1, 30)] * 3)
    assert "epoch()" in found["lasted"][2]
    with duckdb.connect(str(tmp_path / "copy.duckdb"), read_only=True) as copy:
        assert copy.execute("SELECT sum(epoch(lasted)) FROM t").fetchall() == [(91890.5,)]
    (other := tmp_path / "other").mkdir()
    write_workbook(other / "g.xlsx", {"S": [["name", "lasted"], ["a", lasting[1]]]})
    assert load(other, "g.xlsx", b"")["lasted"][0] == "VARCHAR"


def test_a_sheet_without_names_is_refused_until_it_is_said(tmp_path: Path) -> None:
    write_workbook(tmp_path / "f.xlsx", {"S": [["x", 5], ["y", 6], ["z", 9]]})
    with pytest.raises(ValueError, match='"header_rows": 0'):
        load(tmp_path, "f.xlsx", b"")
    (tmp_path / "copy.duckdb").unlink()
    assert load(tmp_path, "f.xlsx", b"", {"header_rows": 0})["column_2"][1] == [5, 6, 9]


async def test_a_result_says_how_its_file_was_read_and_new_options_are_seen(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "t.csv").write_text("placed,code,n\n01/02/2024,007,1\n03/04/2024,008,2\n")
    files = Files("files", folder, tmp_path / "copies")

    async def ask(sql: str) -> tuple[TableSchema, list[str], str]:
        shop = Database(files, trusted=0)
        found = await run_query(shop, SqlQuery(database="files", dialect="duckdb", sql=sql))
        assert not isinstance(found, QueryFault), found
        return (await shop.structure()).tables[0], list(found.notes), result_text(found)

    schema, notes, text = await ask("SELECT placed, n FROM t")
    assert len(notes) == 1
    assert notes[0].startswith("t.placed was read as text, because day and month cannot be told apart")
    assert notes[0] in text
    assert schema.columns[0].comment.endswith("in t.csv.reading.json.")
    assert (await ask("SELECT sum(n) FROM t"))[1] == []
    (folder / "t.csv.reading.json").write_text('{"columns": {"placed": "day first"}}')
    schema, notes, _ = await ask("SELECT placed FROM t")
    assert schema.columns[0].kind == "date"
    assert notes == ["t.placed was read as dates with the day first, because the options say so."]
    (folder / "t.csv.reading.json").write_text("{")
    with pytest.raises(SourceRefused, match="json is wrong"):
        files.structure(Stop())
