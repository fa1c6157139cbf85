"""What stores are kept in: SQLite files that are migrated once, PostgreSQL and S3 servers of the session's own.

The servers are real ones, on this machine, away when the session ends.
"""

import asyncio
import os
import secrets
import shutil
import tempfile
import urllib.request
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.storage import store
from elcano.storage.sql.engine import prepare_tables

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
    yield f"{postgres_server}&options=-csearch_path%3D{name}"
    with administrator.connect() as connection:
        connection.execute(text(f"DROP SCHEMA {name} CASCADE"))
    administrator.dispose()


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
