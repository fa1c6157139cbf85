"""A server that goes away in mid-query, locks a table, is slow, or hides tables from the role."""

import asyncio
import secrets

import psutil
import psycopg
import pytest

from elcano.activities.child_processes import Stop
from elcano.graphs.errors import SourceUnavailable
from elcano.subjects.data.data_answer import QueryFault, SqlQuery
from elcano.subjects.data.databases.database import Database
from elcano.subjects.data.databases.engine import Limits
from elcano.subjects.data.databases.postgresql import Postgresql
from elcano.subjects.data.databases.query_runner import run_query
from tests.unit.subjects.data.databases.shop import postgresql_shop

END = """SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE application_name = 'elcano' AND query LIKE 'FETCH%' AND state = 'active'"""
WORKING = """SELECT pid FROM pg_stat_activity
WHERE application_name = 'elcano' AND query LIKE 'FETCH%' AND state = 'active'"""


async def test_one_that_ends_the_connection_in_mid_query_is_away(postgres: str) -> None:
    shop = Database(postgresql_shop(postgres), seconds=600)
    asking = asyncio.create_task(shop.run("SELECT pg_sleep(600)", 5))
    async with await psycopg.AsyncConnection.connect(postgres, autocommit=True) as administrator:
        while True:
            (ended,) = await (await administrator.execute(END)).fetchone() or (0,)
            if ended:
                break
            await asyncio.sleep(0.05)
    with pytest.raises(SourceUnavailable, match="the database 'shop' cannot be read: its server is shutting down, or"):
        await asking


async def test_a_locked_table_may_be_free_later(postgres: str) -> None:
    shop = Database(postgresql_shop(postgres))
    async with await psycopg.AsyncConnection.connect(postgres) as administrator:
        await administrator.execute("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
        fault = await shop.run("SELECT * FROM orders", 5)
    assert isinstance(fault, QueryFault)
    assert (fault.stage, fault.lasting) == ("limits", False)


def test_a_slow_statement_is_stopped_and_the_next_one_is_run(postgres: str) -> None:
    shop = postgresql_shop(postgres)
    slow, nothing = shop.run(["SELECT pg_sleep(600)", "DELETE FROM orders"], Limits(seconds=0.2), Stop())
    assert isinstance(slow, QueryFault)
    assert "stopped after 0.2 s" in slow.message
    assert isinstance(nothing, QueryFault)


async def test_a_server_that_heeds_no_cancellation_is_hung_up_on(postgres: str) -> None:
    """As one does not that is within a function: the thread is free, and the next statement is asked."""
    shop = Database(postgresql_shop(postgres), seconds=0.2)
    asking = asyncio.create_task(shop.run("SELECT pg_sleep(600)", 5))
    async with await psycopg.AsyncConnection.connect(postgres, autocommit=True) as administrator:
        while True:
            if found := await (await administrator.execute(WORKING)).fetchone():
                break
            await asyncio.sleep(0.01)
        backend = psutil.Process(found[0])
        backend.suspend()
        try:
            fault = await asking
        finally:
            backend.resume()
    assert isinstance(fault, QueryFault)
    assert "stopped after 0.2 s" in fault.message
    assert not isinstance(await shop.run("SELECT 1", 5), QueryFault)


async def test_what_the_role_may_not_read_is_not_in_the_schema_and_partitions_are_their_table(postgres: str) -> None:
    engine = postgresql_shop(postgres)
    async with await psycopg.AsyncConnection.connect(postgres, autocommit=True) as administrator:
        await administrator.execute("CREATE TABLE years (y int, word text) PARTITION BY LIST (y)")
        await administrator.execute("CREATE TABLE years_1 PARTITION OF years FOR VALUES IN (1)")
        await administrator.execute("CREATE TYPE mood AS ENUM ('glad', 'sad')")
        await administrator.execute("CREATE TABLE moods (m mood, spot point, tags text[], doc jsonb, at timestamptz)")
        await administrator.execute("INSERT INTO moods VALUES ('glad', '(1,2)', '{a,b}', '{\"k\": 1}', 'infinity')")
        await administrator.execute("COMMENT ON TABLE moods IS 'how people feel'")
        await administrator.execute("GRANT SELECT ON years, years_1, moods TO PUBLIC")
    shop = Database(engine)
    tables = {table.name: table for table in (await shop.schema()).tables}
    assert set(tables) == {"customers", "moods", "orders", "shipments", "spending", "years"}
    assert tables["moods"].comment == "how people feel"
    found = await run_query(shop, SqlQuery(database="shop", dialect="postgresql", sql="SELECT * FROM moods"))
    assert not isinstance(found, QueryFault), found
    assert found.rows == (("glad", "(1,2)", "{a,b}", '{"k": 1}', "infinity"),)
    assert [column.kind for column in found.columns] == ["text", "other", "other", "json", "timestamp"]


async def test_kinds_come_from_types_and_keys_name_tables_that_exist(postgres: str) -> None:
    engine, name = postgresql_shop(postgres), f"other_{secrets.token_hex(6)}"
    async with await psycopg.AsyncConnection.connect(postgres, autocommit=True) as administrator:
        for statement in (
            f"CREATE SCHEMA {name}",
            f"CREATE TABLE {name}.towns (id int PRIMARY KEY)",
            f"CREATE TABLE {name}.visits (customer_id int REFERENCES customers, town int REFERENCES {name}.towns)",
            """CREATE TYPE "integer" AS ENUM ('void', 'paid')""",
            """CREATE DOMAIN "point_date" AS numeric(8, 2)""",
            'CREATE TABLE bills (state "integer", sum "point_date", many "integer"[])',
            """INSERT INTO bills VALUES ('void', 1.50, '{paid}')""",
            f"GRANT USAGE ON SCHEMA {name} TO PUBLIC",
            f"GRANT SELECT ON {name}.towns, {name}.visits, bills TO PUBLIC",
        ):
            await administrator.execute(statement.encode())
    try:
        shop = Database(engine)
        tables = {table.name: table for table in (await shop.structure()).tables}
        keys = {key.columns: key.table for key in tables[f"{name}.visits"].foreign_keys}
        assert keys == {("customer_id",): "customers", ("town",): f"{name}.towns"}
        assert [column.kind for column in tables["bills"].columns] == ["text", "decimal", "other"]
        sql = "SELECT state, sum AS amount FROM bills"
        found = await run_query(shop, SqlQuery(database="shop", dialect="postgresql", sql=sql))
        assert not isinstance(found, QueryFault), found
        assert [column.kind for column in found.columns] == ["text", "decimal"]
    finally:
        async with await psycopg.AsyncConnection.connect(postgres, autocommit=True) as administrator:
            await administrator.execute(f"DROP SCHEMA {name} CASCADE".encode())


def test_a_server_that_is_not_there_is_away_without_a_word_of_where(postgres: str) -> None:
    for url in ("postgresql://who:hunter22@127.0.0.1:1/nowhere", postgres.replace("postgres:", "nobody:", 1)):
        with pytest.raises(SourceUnavailable, match="the database 'far' cannot be opened") as raised:
            Postgresql("far", url).structure(Stop())
        for word in ("127.0.0.1", "hunter22", "who", "nobody", "/tmp"):
            assert word not in str(raised.value)


async def test_money_is_a_number_whatever_its_currency(postgres: str) -> None:
    engine = postgresql_shop(postgres)
    async with await psycopg.AsyncConnection.connect(postgres, autocommit=True) as administrator:
        await administrator.execute("CREATE TABLE prices (price money)")
        await administrator.execute("INSERT INTO prices VALUES (12.5), (NULL)")
        await administrator.execute("GRANT SELECT ON prices TO PUBLIC")
    sql = "SELECT price FROM prices ORDER BY price"
    found = await run_query(Database(engine), SqlQuery(database="shop", dialect="postgresql", sql=sql))
    assert not isinstance(found, QueryFault), found
    assert (found.rows, found.columns[0].kind) == ((("12.50",), (None,)), "decimal")
