"""A plugin that counts what a program asks of its database: statements by verb and table, transactions, checkouts.

A listener of SQLAlchemy counts; twice a second the counts are written to a file in the data folder. PostgreSQL's own
extension for it does not come with the server that tests use.
"""

import asyncio
import json
import os
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import lru_cache
from pathlib import Path
from typing import Final

from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.pool import Pool

from elcano.graphs.plugin import Plugin, Surroundings
from elcano.settings import Settings

FOLDER: Final = "statement-counts"
WRITE_SECONDS: Final = 0.5
SLOW: Final = "over a second"
"""The name under which statements that took so long are counted once more."""
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
