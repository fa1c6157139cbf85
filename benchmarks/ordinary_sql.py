"""How many SELECTs that people write are refused, and how many give other rows than the engine itself; three engines.

Statements that an engine does not know, such as functions of a later version, are not counted.
"""

import re
from collections.abc import Iterable
from typing import Final

from benchmarks.bench import Bench
from benchmarks.server import postgresql
from elcano.activities.child_processes import Stop
from elcano.subjects.data.data_answer import QueryFault, SqlQuery
from elcano.subjects.data.databases.database import Database
from elcano.subjects.data.databases.engine import Engine, FetchedRows, Limits
from elcano.subjects.data.databases.query_runner import run_query
from elcano.subjects.data.tables import Cell
from tests.unit.subjects.data.databases import ordinary

_CHANGING: Final = re.compile("random|now|current|uuid|local|sample|clock|today", re.IGNORECASE)
"""What gives other rows each time."""
ROWS: Final = 50


async def main(bench: Bench) -> None:
    """Three engines."""
    with postgresql() as url:
        server = ordinary.make_postgresql(url)
        for engine in (ordinary.make_sqlite(bench.folder), server, ordinary.make_duckdb(bench.folder)):
            refused, other = await measure(bench, engine)
            bench.tell(f"refused of 100, {engine.dialect}", refused)
            bench.tell(f"other rows, {engine.dialect}", other)


async def measure(bench: Bench, engine: Engine) -> tuple[float, int]:
    """The share of an engine's statements that is refused, in percent, and how many give other rows."""
    statements = ordinary.read_selects(engine.dialect)
    statements = statements[: bench.choose(len(statements), 12)]
    raw = [engine.run([sql], Limits(seconds=5, rows=ROWS), Stop())[0] for sql in statements]
    known = [(sql, rows) for sql, rows in zip(statements, raw, strict=True) if isinstance(rows, FetchedRows)]
    shop = Database(engine, seconds=5)
    refused = other = 0
    for sql, rows in known:
        query = SqlQuery(database="shop", dialect=engine.dialect, sql=sql)
        found = await run_query(shop, query, ROWS)
        if isinstance(found, QueryFault):
            refused += 1
            bench.say(f"refused: {ordinary.describe(sql)}: {found.message[:100]}")
        elif _CHANGING.search(sql) is None and _normalise(found.rows) != _normalise(rows.rows):
            other += 1
            bench.say(f"other rows: {ordinary.describe(sql)}")
    bench.say(f"{engine.dialect}: {len(known)} of {len(statements)} statements are known to it, {refused} refused")
    return 100 * refused / len(known), other


def _normalise(rows: Iterable[Iterable[Cell]]) -> list[str]:
    """Rows as texts, without an order and with each number in one form."""
    return sorted(" | ".join(map(_normalise_cell, row)) for row in rows)


def _normalise_cell(cell: Cell) -> str:
    try:
        return f"{float(cell):.9g}" if cell is not None else ""
    except ValueError:
        return str(cell)
