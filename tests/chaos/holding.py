"""A point in a run from which the store takes no more: whoever writes next is held there, and every writer after it.

It is a trigger whose statement never ends, so that the programs need no hook and do not know of it, and a worker that
is killed there dies while it writes. One point at a time, in a store with one run on its way.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from elcano.storage.store import DATABASE_FILE
from tests.unit.dev.test_dev import until

_SET = """
CREATE VIEW for_ever AS
    WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted) SELECT n FROM counted;
CREATE TRIGGER held BEFORE INSERT ON {table} WHEN {reached} BEGIN SELECT count(*) FROM for_ever; END;
"""
_TAKE_AWAY = "DROP TRIGGER held; DROP VIEW for_ever;"


class Point(NamedTuple):
    """Where a run is held: at the next row of `table` once `reached` holds for what the store has.

    Readers see only what is kept, so that from the moment that they see `reached` no more such rows are.
    """

    table: str
    reached: str
    """An SQL expression."""


SECTIONS_UNDER_WAY = Point("ledger", "(SELECT count(DISTINCT run_id) FROM ledger WHERE node = 'thinking') >= 2")
"""Two sections have thought of what was found first; nothing that any section does from then on is completed."""
SECTIONS_WRITTEN = 2
LONG_WRITING = Point(
    "artifacts",
    "EXISTS (SELECT 1 FROM ledger WHERE node = 'synthesizer' AND outcome = 'failed' "
    f"AND json_extract(usage, '$.requests') = {SECTIONS_WRITTEN})",
)
"""The long writer has finished `SECTIONS_WRITTEN` sections and is about to keep another."""


def hold(data_dir: Path, point: Point) -> None:
    """From now on a run is held at `point`."""
    with _store(data_dir) as connection:
        connection.executescript(_SET.format(table=point.table, reached=point.reached))


async def until_held(data_dir: Path, point: Point) -> None:
    """Returns when the run cannot get further."""
    await until(lambda: bool(_count(data_dir, point.reached)))


def release(data_dir: Path) -> None:
    """Runs are held no more; waits for the death of whoever is held."""
    with _store(data_dir) as connection:
        connection.executescript(_TAKE_AWAY)


def completed_calls(data_dir: Path) -> int:
    """Completed calls of agents and tools, as the ledger has them; to be read while the store is held."""
    return _count(data_dir, "(SELECT count(*) FROM ledger WHERE kind != 'publish' AND outcome = 'completed')")


def _count(data_dir: Path, expression: str) -> int:
    with _store(data_dir) as connection:
        (found,) = connection.execute(f"SELECT {expression}").fetchone()
        return int(found)


@contextmanager
def _store(data_dir: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(data_dir / DATABASE_FILE, timeout=30)) as connection:
        yield connection
