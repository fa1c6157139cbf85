"""What stores are kept in: SQLite files that are migrated once, PostgreSQL and S3 servers of the session's own.

The servers are real ones, on this machine, away when the session ends.
"""

import asyncio
import os
import secrets
import shutil
import signal
import tempfile
import urllib.request
import warnings
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.storage import store
from elcano.storage.sql.engine import prepare_tables
from elcano.storage.sql.schema_revision import migrate_tables, schema_floor
from elcano.storage.sql.tables import metadata

S3_VARIABLES = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_REGION": "us-east-1",
}


@pytest.fixture(scope="session", autouse=True)
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A store that begins with a new SQLite file begins with a copy of one whose tables are made.

    Making them takes five times as long as all else that opening a store does, and every second test opens one.
    """
    folder = tmp_path_factory.mktemp("migrated")

    async def make() -> None:
        async with store.open_store(folder):
            pass

    asyncio.run(make())
    made = folder / store.DATABASE_FILE

    def copy_to(file: str) -> None:
        if not os.path.exists(file):
            copy = f"{file}-{secrets.token_hex(4)}"
            shutil.copyfile(made, copy)
            with suppress(FileExistsError):  # others may open the same new store at once
                os.link(copy, file)
            os.unlink(copy)

    async def prepare(engine: AsyncEngine) -> None:
        if engine.dialect.name == "sqlite" and engine.url.database:
            copy_to(engine.url.database)
        await prepare_tables(engine)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "prepare_tables", prepare)
        yield


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a server, as its administrator; it listens on a socket alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the runtime folder of a user who has none
        from pgserver.postgres_server import get_server
    # Not in pytest's folder, which nobody else may enter: a server that root starts runs as a user of its own.
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = get_server(folder, cleanup_mode="delete")
    for unsafe in ("fsync", "full_page_writes", "synchronous_commit"):  # nobody pulls the plug of this machine
        server.psql(f"ALTER SYSTEM SET {unsafe} = off")
    server.psql("SELECT pg_reload_conf()")
    yield server.get_uri()
    # At once: a statement that multiplies huge numbers hears of nothing else for minutes.
    os.kill(int((folder / "postmaster.pid").read_text().split()[0]), signal.SIGQUIT)
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres(postgres_server: str) -> Iterator[str]:
    """The URL of an empty schema."""
    name = f"test_{secrets.token_hex(8)}"
    server = make_url(postgres_server).set(drivername="postgresql+psycopg")
    administrator = create_engine(server, isolation_level="AUTOCOMMIT")
    with administrator.connect() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    yield url_of_schema(postgres_server, name)
    # Nobody waits for a test that has left a transaction open, or a statement: the schema ends with its server.
    with suppress(OperationalError), administrator.connect() as connection:
        connection.execute(text("SET lock_timeout = '1s'"))
        connection.execute(text(f"DROP SCHEMA {name} CASCADE"))
    administrator.dispose()


class MadeTables:
    """Schemas in which all tables are made: making them takes ten times as long as what most tests do with them.

    They are in a database of their own, since some tests read all that there is in the other one. One that a test
    leaves as it was, but for rows, is given to another test without them.
    """

    def __init__(self, server: str) -> None:
        url = make_url(server).set(drivername="postgresql+psycopg")
        creator = create_engine(url, isolation_level="AUTOCOMMIT")
        with creator.connect() as connection:
            connection.execute(text("CREATE DATABASE made_tables"))
        creator.dispose()
        self.server = make_url(server).set(database="made_tables").render_as_string(hide_password=False)
        options = {"prepare_threshold": None}  # several statements at once cannot be prepared
        url = url.set(database="made_tables")
        self._administrator = create_engine(url, isolation_level="AUTOCOMMIT", connect_args=options).connect()
        # Nobody waits for a test that has left a transaction open; rows go whatever refers to them.
        self._administrator.exec_driver_sql("SET lock_timeout = '1s'; SET session_replication_role = replica")
        self._spare = [self._make()]
        self._shape = self._describe(self._spare[0])

    def take(self) -> str:
        """Return the name of a schema whose tables have no rows."""
        return self._spare.pop() if self._spare else self._make()

    def give_back(self, name: str) -> None:
        """Empty the tables of a schema for another test, unless it was changed or is still in use."""
        with suppress(DBAPIError):
            if self._describe(name) == self._shape:
                tables = metadata.tables.keys() - {schema_floor.name}
                self._administrator.exec_driver_sql("; ".join(f'DELETE FROM {name}."{table}"' for table in tables))
                self._spare.append(name)

    def close(self) -> None:
        """Close the connection of the administrator."""
        self._administrator.close()
        self._administrator.engine.dispose()

    def _make(self) -> str:
        name = f"test_{secrets.token_hex(8)}"
        self._administrator.exec_driver_sql(f"CREATE SCHEMA {name}")
        engine = create_engine(make_url(url_of_schema(self.server, name)).set(drivername="postgresql+psycopg"))
        with engine.begin() as connection:
            migrate_tables(connection)
        engine.dispose()
        return name

    def _describe(self, name: str) -> object:
        """The release of the tables, then the columns of all of them and of their indexes."""
        return [
            self._administrator.exec_driver_sql(question.format(schema=name)).all()
            for question in (
                "SELECT version_num, revision FROM {schema}.alembic_version, {schema}.schema_floor",
                "SELECT relname, attname, atttypid, attnotnull, attcollation FROM pg_attribute "
                "JOIN pg_class ON attrelid = pg_class.oid WHERE relnamespace = '{schema}'::regnamespace "
                "AND attnum > 0 AND NOT attisdropped ORDER BY relname, attname",
            )
        ]


def url_of_schema(server: str, name: str) -> str:
    """The URL of a schema of the server."""
    return f"{server}&options=-csearch_path%3D{name}"


@pytest.fixture(scope="session")
def made_tables(postgres_server: str) -> Iterator[MadeTables]:
    with closing(MadeTables(postgres_server)) as made:
        yield made


@pytest.fixture
def postgres_tables(made_tables: MadeTables) -> Iterator[str]:
    """The URL of a schema in which all tables are made; none has a row."""
    name = made_tables.take()
    yield url_of_schema(made_tables.server, name)
    made_tables.give_back(name)


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """The address of a server of S3."""
    from moto.server import ThreadedMotoServer  # takes a second, which most tests have no use for

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a place in an empty bucket; the variables that lead to it are set."""
    return make_bucket(s3_server, monkeypatch)


def make_bucket(server: str, changed: pytest.MonkeyPatch) -> str:
    """Make an empty bucket, set the variables that lead to it, and return the URL of a place in it."""
    for name, value in {**S3_VARIABLES, "AWS_ENDPOINT_URL": server}.items():
        changed.setenv(name, value)
    bucket = f"bucket-{secrets.token_hex(8)}"
    with urllib.request.urlopen(urllib.request.Request(f"{server}/{bucket}", method="PUT")):
        return f"s3://{bucket}/some/where"


@pytest.fixture(scope="session")
def age(postgres_server: str) -> Iterator[str]:
    """The URL of a database of the session's own, of a server that has Apache AGE."""
    name = f"test_{secrets.token_hex(8)}"
    server = make_url(postgres_server).set(drivername="postgresql+psycopg")
    administrator = create_engine(server, isolation_level="AUTOCOMMIT")
    with administrator.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield make_url(postgres_server).set(database=name).render_as_string(hide_password=False)
    with administrator.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    administrator.dispose()
