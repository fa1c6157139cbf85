"""Checks of versions, time limits, the store, the disk and the Temporal server.

Nothing is changed: a store is neither made nor migrated.
"""

import asyncio
import platform
import shutil
import sqlite3
import time
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Final

from sqlalchemy.exc import DBAPIError
from temporalio.api.workflowservice.v1 import GetSystemInfoRequest
from temporalio.client import Client
from temporalio.service import RPCError

from elcano import __version__
from elcano.activities.services import missing_extras
from elcano.graphs.errors import ElcanoError
from elcano.graphs.extras import EXTRAS
from elcano.operations.telemetry.queues import CALL_TIMEOUT, list_queues, read_backlog
from elcano.redaction import without_secrets
from elcano.settings import Settings, get_variable_name
from elcano.settings.plugins import Finding
from elcano.storage.health import describe_store_error
from elcano.storage.payloads import connect_config
from elcano.storage.sql.engine import database_url, open_engine, read_tables
from elcano.storage.sql.schema_revision import list_revisions
from elcano.storage.store import DATABASE_FILE

OLDEST_TASK: Final = 60.0
"""Seconds that a task may wait for a worker."""
_MEGABYTE: Final = 1_000_000
LIBRARIES: Final = ("temporalio", "pydantic-ai-slim", "fastapi", "sqlalchemy", "httpx")


def check_store_revision(settings: Settings) -> Iterable[Finding]:
    """Report the version of the tables in the store, and the one that this program needs."""
    file = settings.data_dir / DATABASE_FILE
    if not settings.store_url and not file.exists():
        yield Finding("good", f"store: none yet; {file} is made by the first program that starts")
        return
    try:
        server, found, needed = asyncio.run(_read_store(settings))
    except (ElcanoError, DBAPIError, OSError) as error:
        yield Finding("fault", f"store: {without_secrets(describe_store_error(error))}")
        return
    if found == needed:
        yield Finding("good", f"store: {server}, tables of version {needed}, as this program needs them")
    elif found is None:
        yield Finding("note", f"store: {server}, without tables yet", "the first program that starts makes them")
    elif found not in list_revisions():
        text = f"store: {server}, tables of version {found}, of a newer release; this program works with them"
        yield Finding("good", text)
    else:
        text = f"store: {server}, tables of version {found}; this program needs {needed}"
        yield Finding("note", text, "the next program of this release that starts migrates them")


async def _read_store(settings: Settings) -> tuple[str, str | None, str]:
    engine = open_engine(database_url(settings.store_url, settings.data_dir / DATABASE_FILE))
    try:
        found, needed = await read_tables(engine)
        numbers = engine.dialect.server_version_info or ()
        return f"{engine.dialect.name} {'.'.join(map(str, numbers))}", found, needed
    finally:
        await engine.dispose()


def check_disk(settings: Settings) -> Iterable[Finding]:
    """Report the size of the data folder, by its parts, and how much is free."""
    folder = settings.data_dir.absolute()
    if not folder.is_dir():
        return
    sizes = {one.name: measure_size(one) for one in sorted(folder.iterdir())}
    largest = sorted(sizes.items(), key=lambda item: -item[1])[:6]
    parts = ", ".join(f"{name} {size / _MEGABYTE:,.1f}" for name, size in largest)
    free = shutil.disk_usage(folder).free
    yield Finding(
        "good", f"disk: {sum(sizes.values()) / _MEGABYTE:,.1f} MB in {folder} ({parts}); {free / _MEGABYTE:,.0f} free"
    )


def measure_size(place: Path) -> int:
    """Measure how many bytes a file or folder takes; files that vanish meanwhile count as none."""
    files = place.rglob("*") if place.is_dir() else (place,)
    total = 0
    for file in files:
        try:
            total += file.lstat().st_size
        except FileNotFoundError:
            continue
    return total


def check_temporal_server(settings: Settings) -> Iterable[Finding]:
    """Report the version and latency of the Temporal server, and what waits in its task queues."""
    target = settings.temporal_target
    try:
        version, seconds, waiting, oldest = asyncio.run(_look_at_server(settings))
    except (RuntimeError, RPCError) as error:
        yield Finding("note", f"Temporal at {target} does not answer: {without_secrets(str(error))}")
        return
    yield Finding("good", f"Temporal at {target}: server {version}, answered in {1_000 * seconds:.0f} ms")
    queued = ", ".join(f"{count:g} in {queue} ({kind})" for (queue, kind), count in waiting.items() if count)
    text = f"backlog: {queued or 'no task waits for a worker'}"
    if oldest > OLDEST_TASK:
        yield Finding("note", f"{text}; the oldest for {oldest:.0f} s", "start workers, or more of them")
        return
    yield Finding("good", text)


async def _look_at_server(settings: Settings) -> tuple[str, float, dict[tuple[str, ...], float], float]:
    client = await Client.connect(**connect_config(settings), connect_timeout=CALL_TIMEOUT)
    began = time.monotonic()
    info = await client.workflow_service.get_system_info(GetSystemInfoRequest(), timeout=CALL_TIMEOUT)
    seconds = time.monotonic() - began
    waiting, ages = await read_backlog(client, list_queues(settings))
    return info.server_version, seconds, dict(waiting), max(ages.values(), default=0.0)


def check_versions(_: Settings) -> Iterable[Finding]:
    """Report the versions of Elcano, of Python and of the libraries that matter most, and the installed extras."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    python = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    yield Finding("good", f"versions: elcano {__version__}, {python}, {libraries}")
    installed = ", ".join(sorted(EXTRAS.keys() - missing_extras())) or "none"
    yield Finding("good", f"extras that are installed here: {installed}")


def check_time_limits(settings: Settings) -> Iterable[Finding]:
    """Report the time limits of calls of models, by the settings that change them."""
    whole, first, call = settings.model_timeout_seconds, settings.first_token_seconds, settings.call_seconds
    limits = {
        "model_timeout_seconds": f"a request to a model {whole:g} s",
        "first_token_seconds": f"its first token {first:g} s" if first else "its first token no limit of its own",
        "call_seconds": f"an attempt of a call {call:g} s",
    }
    said = "; ".join(f"{text} ({get_variable_name(name)})" for name, text in limits.items())
    if whole > call:
        remedy = f"raise {get_variable_name('call_seconds')} above {get_variable_name('model_timeout_seconds')}"
        yield Finding("fault", f"time limits: {said}; a request may take longer than the call that makes it", remedy)
        return
    yield Finding("good", f"time limits: {said}")
