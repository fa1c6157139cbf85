"""How many hostile statements each layer stops: the policy alone, the guards alone, both; on three engines.

Answered is what gave rows; of both layers together it has to be 0. An effect is a changed row, table or file; it has to
be 0 for each layer.
"""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.server import postgresql
from elcano.activities.child_processes import Stop
from elcano.subjects.data.data_answer import QueryFault, SqlQuery
from elcano.subjects.data.databases.column_resolution import resolve_query_columns
from elcano.subjects.data.databases.database import Database
from elcano.subjects.data.databases.engine import Engine, FetchedRows, Limits
from elcano.subjects.data.databases.policy import Refused, parse_allowed_query
from elcano.subjects.data.databases.query_runner import run_query
from elcano.subjects.data.tables import DatabaseSchema
from tests.unit.subjects.data.databases import hostile
from tests.unit.subjects.data.databases.shop import content, duckdb_shop, postgresql_shop, sqlite_shop

TABLES = frozenset({"customers", "orders", "shipments", "spending"})


async def main(bench: Bench) -> None:
    """Three engines."""
    let_through = effects = 0
    with postgresql() as url:
        engines: tuple[Engine, ...] = (sqlite_shop(bench.folder), postgresql_shop(url), duckdb_shop(bench.folder))
        for engine in engines:
            answers, changes = await measure(bench, engine)
            let_through += answers
            effects += changes
    bench.tell("answered", let_through)
    bench.tell("effects", effects)


async def measure(bench: Bench, engine: Engine) -> tuple[int, int]:
    """How many statements one engine answered behind both layers, and how many effects there were."""
    folder = bench.folder
    statements = [one.sql.replace("{folder}", str(folder)) for one in hostile.of(engine.dialect)]
    statements = statements[: bench.choose(len(statements), 5)]
    before, files = content(engine), listing(folder)
    shop = Database(engine, seconds=1, trusted=600)
    schema = await shop.structure()
    policy = [sql for sql in statements if allowed(sql, schema)]
    guards = answered(engine, statements)
    both = [sql for sql in statements if not isinstance(await asked(shop, sql), QueryFault)]
    effects = int(content(engine) != before) + len(listing(folder) - files)
    count = len(statements)
    bench.say(
        f"{engine.dialect}: {count} statements; stopped by the policy alone {count - len(policy)}, "
        f"by the guards alone {count - len(guards)}, by both {count - len(both)}; effects {effects}"
    )
    for layer, passed in (("policy", policy), ("both", both)):
        for sql in passed:
            bench.say(f"  past the {layer}: {' '.join(sql.split())[:100]}")
    return len(both), effects


def listing(folder: Path) -> set[Path]:
    """The files that there are."""
    return set(folder.rglob("*"))


def allowed(sql: str, schema: DatabaseSchema) -> bool:
    """Whether the policy has nothing against it."""
    try:
        resolve_query_columns(parse_allowed_query(sql, schema, 50), schema)
    except Refused:
        return False
    return True


def answered(engine: Engine, statements: Sequence[str]) -> list[str]:
    """What the engine gave rows for, without any policy."""
    # One by one: a statement that takes DuckDB's process down would take the others of one call with it.
    limits = Limits(seconds=1, rows=5)
    return [sql for sql in statements if isinstance(engine.run([sql], limits, Stop(), TABLES)[0], FetchedRows)]


async def asked(shop: Database, sql: str) -> object:
    """What comes of it on the way that all queries go."""
    return await run_query(shop, SqlQuery.model_construct(database="shop", dialect=shop.engine.dialect, sql=sql), 50)
