"""What people write is let through, runs, and gives what the engine itself gives; `hostile.py` has what does not."""

import re
import sqlite3
from pathlib import Path

import pytest

from elcano.activities.child_processes import Stop
from elcano.subjects.data.data_answer import QueryFault, SqlQuery
from elcano.subjects.data.databases.column_resolution import resolve_query_columns
from elcano.subjects.data.databases.database import Database
from elcano.subjects.data.databases.engine import Engine
from elcano.subjects.data.databases.policy import Refused, parse_allowed_query
from elcano.subjects.data.databases.query_runner import run_query
from elcano.subjects.data.tables import DatabaseSchema, ResultTable
from tests.unit.subjects.data.databases import ordinary

SAMPLED = 9
"""Every ninth statement runs here; all of them in the benchmark `ordinary-sql`."""
SHARE = 0.95


@pytest.fixture(params=["sqlite", "postgresql", "duckdb"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    if request.param == "postgresql":
        return ordinary.make_postgresql(request.getfixturevalue("postgres"))
    return ordinary.make_sqlite(tmp_path) if request.param == "sqlite" else ordinary.make_duckdb(tmp_path)


async def ask(shop: Database, sql: str) -> ResultTable | QueryFault:
    return await run_query(shop, SqlQuery(database="shop", dialect=shop.engine.dialect, sql=sql), 50)


def refuse(sql: str, schema: DatabaseSchema) -> str:
    try:
        resolve_query_columns(parse_allowed_query(sql, schema, 50), schema)
    except Refused as refused:
        return f"{ordinary.describe(sql)}: {refused.fault.message[:80]}"
    return ""


def test_nearly_all_is_let_through(engine: Engine) -> None:
    schema = DatabaseSchema(database="shop", dialect=engine.dialect, hash="0", tables=engine.structure(Stop()))
    statements = ordinary.read_selects(engine.dialect)
    refused = [why for sql in statements if (why := refuse(sql, schema))]
    assert len(statements) >= 300
    assert len(refused) <= (1 - SHARE) * len(statements), refused


async def test_what_is_let_through_runs(engine: Engine) -> None:
    shop = Database(engine, seconds=10)
    sample = ordinary.read_selects(engine.dialect)[::SAMPLED]
    found = [(sql, await ask(shop, sql)) for sql in sample]
    failed = [(sql, one.message) for sql, one in found if isinstance(one, QueryFault)]
    unknown = [one for one in failed if not re.search("no such function|syntax error|malformed|Deprecated", one[1])]
    assert len(unknown) <= (1 - SHARE) * len(sample) + 1, unknown


@pytest.mark.parametrize(
    "expression",
    [
        "CAST('3.0' AS NUMERIC)",
        "CAST('2024-01-31' AS DATE)",
        "CAST(1.5 AS BOOLEAN)",
        "CAST('12.50' AS DECIMAL(10, 2))",
        "CAST('7' AS TEXT)",
        "CAST(7.9 AS INTEGER)",
    ],
)
async def test_sqlite_converts_as_it_does_itself(tmp_path: Path, expression: str) -> None:
    """https://sqlite.org/datatype3.html#determination_of_column_affinity."""
    shop = Database(ordinary.make_sqlite(tmp_path), seconds=10)
    ((expected,),) = sqlite3.connect(":memory:").execute(f"SELECT typeof({expression}) || {expression}").fetchall()
    found = await ask(shop, f"SELECT typeof({expression}) || {expression}")
    assert isinstance(found, ResultTable)
    assert found.rows == ((expected,),)


async def test_postgresql_reads_grouped_and_hexadecimal_numbers(postgres: str) -> None:
    shop = Database(ordinary.make_postgresql(postgres), seconds=10)
    found = await ask(shop, "SELECT 1_000_000, 0xFF, 0b101, '1_000', '0xFF', to_hex(255)")
    assert isinstance(found, ResultTable)
    assert found.rows == ((1_000_000, 255, 5, "1_000", "0xFF", "ff"),)


async def test_a_field_of_json_in_a_function_is_no_lambda(tmp_path: Path) -> None:
    shop = Database(ordinary.make_duckdb(tmp_path), seconds=10)
    found = await ask(shop, "SELECT json_array_length(profile -> 'tags') FROM customers WHERE id = 1")
    assert isinstance(found, ResultTable)
    assert found.rows == ((2,),)
    pivoted = await ask(shop, "PIVOT orders ON status USING sum(total)")
    assert isinstance(pivoted, ResultTable)
    assert {"paid", "open", "void"} <= {column.name for column in pivoted.columns}


async def test_limits_of_all_forms_are_limits(engine: Engine) -> None:
    shop = Database(engine, seconds=10)
    for sql, limit in (
        ("SELECT id FROM orders ORDER BY id LIMIT 2", 2),
        ("SELECT id FROM orders ORDER BY id", None),
        ("SELECT id FROM orders LIMIT 40", None),
    ):
        found = await ask(shop, sql)
        assert isinstance(found, ResultTable)
        assert (found.limit, found.truncated) == (limit, False)
    if engine.dialect == "postgresql":
        for sql, count in (("SELECT id FROM orders FETCH FIRST ROW ONLY", 1), ("SELECT id FROM orders LIMIT ALL", 4)):
            found = await ask(shop, sql)
            assert isinstance(found, ResultTable)
            assert len(found.rows) == count
