"""What honest queries give, alike in three engines, and what is said where they cannot be answered."""

from pathlib import Path

import pytest

from elcano.activities.child_processes import Stop
from elcano.graphs.errors import SourceUnavailable
from elcano.subjects.data.data_answer import QueryFault, SqlQuery
from elcano.subjects.data.databases.database import Database
from elcano.subjects.data.databases.engine import CELL_CHARACTERS, Engine, Limits
from elcano.subjects.data.databases.query_runner import run_query
from elcano.subjects.data.tables import Dialect, ResultTable
from tests.unit.subjects.data.databases.shop import duckdb_shop, run_duckdb, sqlite_shop


async def asked(shop: Database, sql: str, rows: int = 100) -> ResultTable | QueryFault:
    return await run_query(shop, SqlQuery(database="shop", dialect=shop.engine.dialect, sql=sql), rows)


async def answered(shop: Database, sql: str, rows: int = 100) -> ResultTable:
    found = await asked(shop, sql, rows)
    assert isinstance(found, ResultTable), found
    return found


async def refused(shop: Database, sql: str) -> QueryFault:
    found = await asked(shop, sql)
    assert isinstance(found, QueryFault), found
    return found


async def test_rows_nulls_and_names_that_are_not_ascii(shop: Database) -> None:
    found = await answered(shop, 'SELECT name, "größe" AS höhe FROM customers ORDER BY id')
    assert [column.name for column in found.columns] == ["name", "höhe"]
    assert found.rows == (("Zoë", 1.5), (None, 2.5), ("O'Hara", None))
    assert not found.truncated
    assert found.sql.endswith("LIMIT 101")
    assert found.schema_hash == (await shop.structure()).hash


async def test_groups_joins_definitions_and_windows(shop: Database) -> None:
    found = await answered(
        shop,
        "WITH sums AS (SELECT customer_id, SUM(total) AS spent FROM orders GROUP BY customer_id) "
        "SELECT c.name, s.spent, RANK() OVER (ORDER BY s.spent DESC) AS place, COUNT(*) OVER () AS every "
        "FROM sums AS s JOIN customers AS c ON c.id = s.customer_id WHERE s.spent > 1 ORDER BY s.spent DESC",
    )
    assert [(row[0], float(row[1] or 0), *row[2:]) for row in found.rows] == [
        ("Zoë", 11.75, 1, 2),
        ("O'Hara", 2.25, 2, 2),
    ]
    assert found.columns[1].kind == "decimal"


async def test_two_columns_of_one_name_and_an_empty_answer(shop: Database) -> None:
    found = await answered(shop, "SELECT id, id, 1 AS id_2 FROM customers WHERE id > 99")
    assert [column.name for column in found.columns] == ["id", "id_3", "id_2"]
    assert found.rows == ()
    assert not found.truncated


async def test_more_rows_than_may_be_read_are_said_to_be_more(shop: Database) -> None:
    found = await answered(shop, "SELECT id FROM customers ORDER BY id LIMIT 900", rows=2)
    assert (found.rows, found.truncated) == (((1,), (2,)), True)
    exactly = await answered(shop, "SELECT id FROM customers ORDER BY id", rows=3)
    assert (len(exactly.rows), exactly.truncated) == (3, False)


async def test_a_value_that_is_too_long_is_cut_and_said_to_be(engine: Engine) -> None:
    long = {
        "sqlite": "SELECT replace('xxxxxxxxxxxxxxxxxxxxx', 'x', '{}')".format("y" * 1_000),
        "postgresql": "SELECT repeat('y', 50000000)",
        "duckdb": "SELECT repeat('y', 50000000)",
    }
    (found,) = engine.run([long[engine.dialect]], Limits(), Stop())
    assert not isinstance(found, QueryFault), found
    (value,) = found.rows[0]
    assert value == "y" * CELL_CHARACTERS + "…"
    assert found.truncated


async def test_a_moment_is_told_in_utc(engine: Engine) -> None:
    if engine.dialect == "sqlite":
        return  # it has no time zones
    sql = "SELECT CAST('2024-06-01 12:00:00+02:00' AS TIMESTAMP WITH TIME ZONE) AS moment"
    (found,) = engine.run([sql], Limits(), Stop())
    assert not isinstance(found, QueryFault), found
    assert str(found.rows[0][0]).startswith("2024-06-01 10:00:00+00")
    assert found.columns[0].kind == "timestamp"


async def test_unknown_names_are_told_all_at_once_with_those_like_them(shop: Database) -> None:
    fault = await refused(shop, "SELECT c.nam, totl FROM customers c JOIN orders o ON o.customer_id = c.id")
    assert fault.stage == "names"
    assert fault.unknown == ("nam", "totl")
    assert {"name", "total"} <= set(fault.near)
    table = await refused(shop, "SELECT * FROM customer")
    assert (table.unknown, table.near[0]) == (("customer",), "customers")


async def test_a_column_of_two_tables_is_ambiguous(shop: Database) -> None:
    fault = await refused(shop, "SELECT id FROM customers JOIN orders ON customer_id = customers.id")
    assert fault.stage == "names"
    assert set(fault.near) == {"customers.id", "orders.id"}


async def test_what_the_database_says_is_told_without_its_address(shop: Database, tmp_path: Path) -> None:
    sql = "SELECT CAST(name AS DATE) FROM customers"
    fault = await refused(shop, "SELECT name ->> '$.a' FROM customers" if shop.engine.dialect == "sqlite" else sql)
    assert fault.stage == "database"
    assert str(tmp_path) not in fault.message


async def test_a_wrong_dialect_is_said(shop: Database) -> None:
    other: Dialect = "duckdb" if shop.engine.dialect == "sqlite" else "sqlite"
    fault = await run_query(shop, SqlQuery(database="shop", dialect=other, sql="SELECT 1"))
    assert isinstance(fault, QueryFault)
    assert shop.engine.dialect in fault.message


async def test_a_schema_that_changed_a_moment_ago_is_read_anew(tmp_path: Path) -> None:
    shop = Database(duckdb_shop(tmp_path), trusted=0)
    before = await answered(shop, "SELECT COUNT(*) FROM shipments")
    run_duckdb(tmp_path / "shop.duckdb", "ALTER TABLE shipments ADD COLUMN carrier VARCHAR DEFAULT 'mule'")
    after = await answered(shop, "SELECT carrier FROM shipments")
    assert set(after.rows) == {("mule",)}
    assert after.schema_hash != before.schema_hash
    run_duckdb(tmp_path / "shop.duckdb", "DROP TABLE shipments")
    fault = await refused(shop, "SELECT carrier FROM shipments")
    assert (fault.stage, fault.unknown) == ("names", ("shipments",))


def test_a_file_that_is_gone_or_no_database_is_away(tmp_path: Path) -> None:
    for shop in (sqlite_shop(tmp_path), duckdb_shop(tmp_path)):
        for path in tmp_path.iterdir():
            if path.suffix in (".db", ".duckdb"):
                path.write_bytes(b"\0 no database, but something else " * 500)
        with pytest.raises(SourceUnavailable, match="shop") as raised:
            shop.structure(Stop())
        assert str(tmp_path) not in str(raised.value)
        for path in tmp_path.iterdir():
            path.unlink()
        with pytest.raises(SourceUnavailable, match="no such file") as raised:
            shop.structure(Stop())
        assert str(tmp_path) not in str(raised.value)
