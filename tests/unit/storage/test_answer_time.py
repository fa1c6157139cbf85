"""A PostgreSQL server that does not answer is given up after a while, and what comes next has another connection."""

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import OperationalError

from elcano.storage.health import store_trouble
from elcano.storage.sql import answer_time
from elcano.storage.sql.answer_time import wait_for_any_answer
from elcano.storage.sql.engine import open_engine

SLOW = text("SELECT pg_sleep(2)")


async def test_a_statement_without_an_answer_ends_and_its_connection_with_it(
    postgres_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_engine(make_url(postgres_server).set(drivername="postgresql+psycopg"))
    own = text("SELECT pg_backend_pid()")
    async with engine.connect() as connection:
        first = await connection.scalar(own)
    monkeypatch.setattr(answer_time, "_limits", [0.2])
    with pytest.raises(OperationalError) as given_up:
        async with engine.connect() as connection:
            await connection.execute(SLOW)
    monkeypatch.undo()
    assert "its server does not answer" in (store_trouble(given_up.value) or "")
    async with engine.connect() as connection:
        assert await connection.scalar(own) != first
        assert await connection.scalar(text("SELECT 7")) == 7
    await engine.dispose()


async def test_a_migration_may_take_its_time(postgres_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = open_engine(make_url(postgres_server).set(drivername="postgresql+psycopg"))
    monkeypatch.setattr(answer_time, "_limits", [0.2])
    with wait_for_any_answer():
        async with engine.connect() as connection:
            await connection.execute(SLOW)
    await engine.dispose()


async def test_a_faulty_statement_leaves_its_connection_open(postgres_server: str) -> None:
    engine = open_engine(make_url(postgres_server).set(drivername="postgresql+psycopg"))
    async with engine.connect() as connection:
        first = await connection.scalar(text("SELECT pg_backend_pid()"))
        with pytest.raises(Exception, match="division by zero"):
            await connection.scalar(text("SELECT 1 / 0"))
        await connection.rollback()
        assert await connection.scalar(text("SELECT pg_backend_pid()")) == first
    await engine.dispose()


def test_only_programs_that_ask_for_it_give_up() -> None:
    """A worker keeps an answer that was paid for until the store takes it."""
    assert answer_time.get_longest_answer() is None
