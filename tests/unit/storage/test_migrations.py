"""The tables that migrations make are those that the code works with, and a version that is unknown is left alone."""

import asyncio
from functools import partial
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text

from elcano.graphs.errors import StoreIncompatible
from elcano.storage.sql import schema_revision
from elcano.storage.sql.engine import database_url, open_engine, prepare_tables
from elcano.storage.sql.schema_revision import list_revisions, move_tables, read_floor_of, read_revision
from elcano.storage.sql.tables import metadata
from elcano.storage.store import DATABASE_FILE, Store
from tests.chaos.releases.release import CURRENT, EXPANDED
from tests.unit.storage.conftest import Opened


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/{DATABASE_FILE}"
    url: str = request.getfixturevalue("postgres")
    return url


def differences(connection: Connection) -> object:
    return compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata)


async def test_migrations_make_the_tables_of_the_code(whole: Store) -> None:
    async with whole._engine.connect() as connection:
        assert await connection.run_sync(differences) == []


async def test_a_difference_would_be_found(whole: Store) -> None:
    async with whole._engine.begin() as connection:
        await connection.execute(text("DROP INDEX keys_of_run"))
        await connection.execute(text("ALTER TABLE ledger DROP COLUMN node"))
        assert "keys_of_run" in str(await connection.run_sync(differences))
        assert "node" in str(await connection.run_sync(differences))


async def test_ids_are_compared_by_their_code_points(whole: Store) -> None:
    """PostgreSQL says which collation a column has; SQLite has no other."""
    async with whole._engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            assert await connection.scalar(text("SELECT 'run.' < 'run/' AND 'B' < 'a'"))
            return
        keys = [column.name for table in metadata.sorted_tables for column in table.primary_key]
        wanted = text(
            "SELECT DISTINCT collation_name FROM information_schema.columns WHERE table_schema = current_schema() "
            "AND table_name <> 'alembic_version' AND data_type = 'character varying'"
        )
        assert "run_id" in keys
        assert list(await connection.scalars(wanted)) == ["C"]


async def test_many_processes_may_open_an_empty_database_at_once(database: str, tmp_path: Path) -> None:
    engines = [open_engine(database_url(database, tmp_path / "unused")) for _ in range(5)]
    await asyncio.gather(*(prepare_tables(engine) for engine in engines))
    async with engines[0].connect() as connection:
        names = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
    assert set(names) == {*metadata.tables, "alembic_version"}
    for engine in engines:
        await engine.dispose()


async def test_another_releases_tables_are_refused_and_left_alone(opened: Opened) -> None:
    async with opened() as store, store._engine.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        await connection.execute(text("UPDATE schema_floor SET revision = '9999'"))
        await connection.execute(text("DROP TABLE artifacts"))
    with pytest.raises(StoreIncompatible, match="version '9999' of the tables, which this program does not know"):
        async with opened():
            pass


async def test_tables_without_a_version_are_refused_and_left_alone(database: str, tmp_path: Path) -> None:
    engine = open_engine(database_url(database, tmp_path / "unused"))
    async with engine.begin() as connection:
        await connection.execute(text("CREATE TABLE runs (number INTEGER)"))
    with pytest.raises(StoreIncompatible, match="tables of these names without a version"):
        await prepare_tables(engine)
    async with engine.connect() as connection:
        assert await connection.run_sync(lambda sync: inspect(sync).get_table_names()) == ["runs"]
    await engine.dispose()


async def test_the_tables_go_up_by_a_version_and_down_again(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_engine(database_url(database, tmp_path / "unused"))
    await prepare_tables(engine)
    monkeypatch.setattr(schema_revision, "VERSIONS", [*schema_revision.VERSIONS, "tests.chaos.releases:expanding"])
    schema_revision._load_scripts.cache_clear()
    try:
        first, *_ = every = list_revisions()
        assert every[-2:] == [CURRENT, EXPANDED]
        for revision in (EXPANDED, first, CURRENT):
            await prepare_tables(engine, partial(move_tables, revision=revision))
            async with engine.connect() as connection:
                assert await connection.run_sync(read_revision) == (revision, EXPANDED)
    finally:
        schema_revision._load_scripts.cache_clear()
    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []
    await engine.dispose()


async def test_a_version_that_there_is_not_is_refused(database: str, tmp_path: Path) -> None:
    engine = open_engine(database_url(database, tmp_path / "unused"))
    with pytest.raises(StoreIncompatible, match="has no tables yet"):
        await prepare_tables(engine, partial(move_tables, revision=CURRENT))
    await prepare_tables(engine)
    with pytest.raises(StoreIncompatible, match="there is no version '8888' of the tables; there are 0016"):
        await prepare_tables(engine, partial(move_tables, revision="8888"))
    await engine.dispose()


async def test_tables_of_a_newer_release_are_used_if_that_says_so(database: str, tmp_path: Path) -> None:
    engine = open_engine(database_url(database, tmp_path / "unused"))
    await prepare_tables(engine)
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        await connection.execute(text(f"UPDATE schema_floor SET revision = '{list_revisions()[-1]}'"))
    await prepare_tables(engine)
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE schema_floor SET revision = '9998'"))
    with pytest.raises(StoreIncompatible, match="version '9999' of the tables, which this program does not know"):
        await prepare_tables(engine)
    await engine.dispose()


def test_every_migration_says_which_programs_work_with_it() -> None:
    """A release works with the tables of the one before and never asks for an older program than that did."""
    revisions = list_revisions()
    floors = [read_floor_of(revision) for revision in revisions]
    assert floors == sorted(floors)
    assert all(floor in revisions and floor <= revision for floor, revision in zip(floors, revisions, strict=True))
