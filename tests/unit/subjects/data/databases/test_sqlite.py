"""SQLite files as they lie about: locked, replaced, with texts in other encodings, numbered from anywhere."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from elcano.activities.child_processes import Stop
from elcano.graphs.errors import SourceUnavailable
from elcano.subjects.data.data_answer import QueryFault, SqlQuery
from elcano.subjects.data.databases.database import Database
from elcano.subjects.data.databases.engine import Limits, Sqlite
from elcano.subjects.data.databases.query_runner import run_query
from elcano.subjects.data.databases.values import COUNTED_ROWS
from tests.unit.subjects.data.databases.shop import sqlite_shop


def asked(sql: str) -> SqlQuery:
    return SqlQuery(database="shop", dialect="sqlite", sql=sql)


def test_one_that_somebody_has_locked_is_said_to_be(tmp_path: Path) -> None:
    shop = sqlite_shop(tmp_path)
    with closing(sqlite3.connect(tmp_path / "shop.db", isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(SourceUnavailable, match="a writer has locked it"):
            shop.structure(Stop())
    assert shop.structure(Stop())


def test_what_is_no_database_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database" * 500)
    with pytest.raises(SourceUnavailable, match="is no SQLite database"):
        Sqlite("shop", tmp_path / "text.db").structure(Stop())
    with pytest.raises(SourceUnavailable, match="it is a folder"):
        Sqlite("shop", tmp_path).structure(Stop())


async def test_one_that_was_replaced_is_read_by_what_it_has_now(tmp_path: Path) -> None:
    shop = Database(sqlite_shop(tmp_path))
    await shop.structure()
    (tmp_path / "shop.db").unlink()
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        connection.execute("CREATE TABLE orders (id INTEGER, amount NUMERIC)")
        connection.commit()
    fault = await run_query(shop, asked("SELECT sum(total) FROM orders"))
    assert isinstance(fault, QueryFault)
    assert fault.stage == "names"
    assert "the schema has changed since it was read; orders has id, amount" in fault.message


def test_a_text_in_another_encoding_is_shown_as_far_as_it_can_be(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "odd.db")) as connection:
        connection.execute("CREATE TABLE t (word TEXT)")
        connection.execute("INSERT INTO t VALUES (CAST(x'4DFC6C6C6572' AS TEXT)), ('Zoë')")
        connection.commit()
    (found,) = Sqlite("odd", tmp_path / "odd.db").run(["SELECT word FROM t"], Limits(), Stop())
    assert not isinstance(found, QueryFault)
    assert found.rows == (("M\ufffdller",), ("Zoë",))


@pytest.mark.parametrize(("first", "apart", "rows"), [(10**17, 10**9, 10), (10**17, 10**6, COUNTED_ROWS + 50_000)])
async def test_rows_are_told_however_they_are_numbered(tmp_path: Path, first: int, apart: int, rows: int) -> None:
    with closing(sqlite3.connect(tmp_path / "far.db")) as connection:
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT)")
        made = ((first + apart * number, f"w{number % 3}") for number in range(rows))
        connection.executemany("INSERT INTO t VALUES (?, ?)", made)
        connection.commit()
    (table,) = (await Database(Sqlite("far", tmp_path / "far.db")).schema()).tables
    assert table.rows is not None
    assert abs(table.rows - rows) <= rows / 100
    assert set(table.columns[1].samples) == {"w0", "w1", "w2"}
