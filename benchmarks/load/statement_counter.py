"""A plugin that counts a program's database statements, transactions and checkouts, and its requests to Temporal.

Listeners of SQLAlchemy and the SDK's client count, checkouts and requests also by the functions that caused them; twice
a second the counts are written to a file in the data folder. PostgreSQL's own extension for it does not come with the
server that tests use. Requests of the SDK's core, such as polls and completions of tasks, are not seen here.
"""

import asyncio
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any, Final

import greenlet  # type: ignore[import-untyped]
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.pool import Pool
from temporalio.service import ServiceClient

from elcano.graphs.plugin import Plugin, Surroundings
from elcano.settings import Settings

FOLDER: Final = "statement-counts"
WRITE_SECONDS: Final = 0.5
SLOW: Final = "over a second"
"""The name under which statements that took so long are counted once more."""
BY: Final = " by "
"""Before the functions that caused something, in the name of a count."""
CALLERS: Final = 3
_VERB: Final = re.compile(r"[\s(]*(\w+)")
_TABLE: Final = re.compile(r"\b(?:FROM|INTO|UPDATE)\s+\"?(\w+)", re.IGNORECASE)
_counts: Final[Counter[str]] = Counter()

plugin: Final = Plugin(
    name="statement_counter",
    description="Counts the statements of each program.",
    package="benchmarks.load",
    starters=(".statement_counter:count_statements",),
    companions=(".statement_counter:write_counts",),
)


def count_statements(program: str, settings: Settings) -> None:
    """Count from now on what all engines of this process do."""

    @event.listens_for(Engine, "before_cursor_execute")
    def execute(connection: Connection, cursor: object, statement: str, *_: object) -> None:
        _counts[name_statement(statement)] += 1
        connection.info["began"] = time.perf_counter()

    @event.listens_for(Engine, "after_cursor_execute")
    def look(connection: Connection, *_: object) -> None:
        _counts[SLOW] += time.perf_counter() - connection.info["began"] > 1

    @event.listens_for(Engine, "commit")
    def commit(connection: object) -> None:
        _counts["commit"] += 1

    @event.listens_for(Engine, "rollback")
    def roll_back(connection: object) -> None:
        _counts["rollback"] += 1

    @event.listens_for(Pool, "checkout")
    def check_out(*_: object) -> None:
        _counts["checkout"] += 1
        _counts[f"checkout{BY}{_name_callers()}"] += 1

    client: Any = ServiceClient
    for kind in client.__subclasses__():
        kind._rpc_call = _count_calls(kind._rpc_call)


def _count_calls(call: Any) -> Any:
    """`call`, a method of the SDK that sends a request, counted."""

    def counted(client: object, rpc: str, **named: object) -> object:
        _counts[f"{rpc}{BY}{_name_callers()}"] += 1
        return call(client, rpc=rpc, **named)

    return counted


def _name_callers() -> str:
    """The innermost functions of Elcano that are being executed, the last called first."""
    names = (f"{frame.f_globals['__name__'].rpartition('.')[2]}.{frame.f_code.co_name}" for frame in _list_frames())
    return " < ".join(dict.fromkeys(islice(names, CALLERS)))


def _list_frames() -> Iterator[FrameType]:
    """The frames of this package; SQLAlchemy runs statements in a greenlet whose parent waits for it."""
    frame: FrameType | None = sys._getframe(1)
    running: greenlet.greenlet | None = greenlet.getcurrent()
    while running is not None:
        while frame is not None:
            if str(frame.f_globals.get("__name__")).startswith("elcano."):
                yield frame
            frame = frame.f_back
        running = running.parent
        frame = running.gr_frame if running is not None else None


@lru_cache(maxsize=10_000)
def name_statement(statement: str) -> str:
    """The verb and the first table of a statement, as `select runs`."""
    verb, table = _VERB.match(statement), _TABLE.search(statement)
    return f"{verb[1].lower() if verb else '?'} {table[1].lower() if table else ''}".strip()


@asynccontextmanager
async def write_counts(around: Surroundings) -> AsyncIterator[None]:
    """Write the counts regularly while the program works."""
    folder = around.settings.data_dir / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    writing = asyncio.create_task(_write_regularly(folder / f"{around.program}-{os.getpid()}.json"))
    try:
        yield
    finally:
        writing.cancel()


async def _write_regularly(file: Path) -> None:
    while True:
        beside = file.with_suffix(".tmp")
        beside.write_text(json.dumps(_counts), encoding="utf-8")
        beside.replace(file)
        await asyncio.sleep(WRITE_SECONDS)


def read_counts(data_dir: Path) -> Mapping[str, int]:
    """The counts of all programs together; names begin with the program's, as `worker: select runs`."""
    found: Counter[str] = Counter()
    for file in (data_dir / FOLDER).glob("*.json"):
        program = file.name.partition("-")[0]
        for name, count in json.loads(file.read_text(encoding="utf-8")).items():
            found[f"{program}: {name}"] += count
    return found
