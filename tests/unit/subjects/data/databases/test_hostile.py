"""No statement does anything but read tables of the schema, within bounds: by the policy, by the guards, by both."""

import asyncio
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from elcano.activities.child_processes import Stop
from elcano.subjects.data.data_answer import QueryFault, SqlQuery
from elcano.subjects.data.databases.database import Database
from elcano.subjects.data.databases.engine import RESULT_CHARACTERS, Engine, FetchedRows, Limits, Outcome
from elcano.subjects.data.databases.query_runner import run_query
from elcano.subjects.data.tables import Dialect, ResultTable
from tests.unit.subjects.data.databases import hostile
from tests.unit.subjects.data.databases.shop import content

ROWS = 50


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Where nothing may be read from or appear."""
    made = tmp_path / "canary"
    made.mkdir()
    (made / "canary.txt").write_text(hostile.WORD)
    yield made
    assert [file.name for file in made.iterdir()] == ["canary.txt"]


async def asked(shop: Database, sql: str) -> ResultTable | QueryFault:
    """As a model's SQL comes: empty or too long SQL does not get here."""
    query = SqlQuery.model_construct(database="shop", dialect=shop.engine.dialect, sql=sql)
    return await run_query(shop, query, ROWS)


async def test_none_is_answered_and_none_has_an_effect(engine: Engine, folder: Path) -> None:
    shop = Database(engine, seconds=2, trusted=600)
    before = content(shop.engine)
    structure = shop.engine.structure(Stop())
    answered = []
    for one in hostile.of(shop.engine.dialect):
        found = await asked(shop, one.sql.replace("{folder}", str(folder)))
        if not isinstance(found, QueryFault):
            answered.append((one.sql, found.rows[:3]))
    assert not answered
    assert content(shop.engine) == before
    assert shop.engine.structure(Stop()) == structure


async def test_heavy_ones_are_bounded(engine: Engine) -> None:
    shop = Database(engine, seconds=1)
    before = content(shop.engine)
    for one in hostile.of(engine.dialect, hostile.HEAVY):
        found = await asked(shop, one.sql)
        if isinstance(found, QueryFault):
            assert found.stage in ("limits", "policy", "database"), (one.sql, found)
        else:
            assert len(found.rows) <= ROWS
            assert len(found.model_dump_json()) < 2 * RESULT_CHARACTERS
    assert content(shop.engine) == before


async def test_none_is_endless(engine: Engine) -> None:
    shop = Database(engine, seconds=1)
    for one in hostile.of(engine.dialect, hostile.ENDLESS):
        fault = await asked(shop, one.sql)
        assert isinstance(fault, QueryFault), one.sql
        assert fault.stage in ("policy", "limits"), (one.sql, fault)


def test_guards_alone_let_nothing_be_changed_nor_read_from_files(engine: Engine, folder: Path) -> None:
    """The policy may have a hole; what stands behind it is tried without it."""
    before = content(engine)
    for kind, listed in groupby(hostile.of(engine.dialect), key=lambda one: one.kind):
        statements = [one.sql.replace("{folder}", str(folder)) for one in listed]
        for sql, outcome in zip(statements, run(engine, statements), strict=True):
            if isinstance(outcome, FetchedRows):
                assert len(outcome.rows) <= 5
                assert hostile.WORD not in outcome.model_dump_json(), sql
                assert kind not in ("write", "ddl", "file", "network"), (sql, outcome)
    assert content(engine) == before


def run(engine: Engine, statements: list[str]) -> list[Outcome]:
    tables = frozenset({"customers", "orders", "shipments", "spending"})
    return engine.run(statements, Limits(seconds=1, rows=5), Stop(), tables)


async def test_the_list_is_long_enough_to_mean_something() -> None:
    dialects: tuple[Dialect, ...] = ("sqlite", "postgresql", "duckdb")
    assert len(hostile.HOSTILE) >= 77
    assert all(len(hostile.of(dialect)) >= 60 for dialect in dialects)
    assert len({one.sql for one in hostile.HOSTILE}) == len(hostile.HOSTILE)


async def test_a_run_that_is_given_up_stops_its_statement(engine: Engine) -> None:
    slow = {
        "sqlite": "SELECT count(*) FROM " + ", ".join(f"orders o{at}" for at in range(40)),
        "postgresql": "SELECT pg_sleep(600)",
        "duckdb": "SELECT count(*) FROM range(1000000000) AS a, range(100000) AS b WHERE a.range % 7 = b.range % 5",
    }
    shop = Database(engine, seconds=600)
    asking = asyncio.create_task(shop.run(slow[engine.dialect], 5))
    await asyncio.sleep(0.5)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking  # the thread has ended by then; it would be waited for until the statement's own end
