"""Whether a result is the one that a gold query gives.

Rows count once each, as sets of rows do; columns may stand in any order, and there may be more of them than the gold
has. Numbers are the same within a millionth. Rows are compared in order only where the question asks for one and the
gold orders; rows that the gold's sort key does not tell apart may change places.
"""

import math
import sqlite3
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, Final, TypeAlias

import sqlglot
from sqlglot import exp

Rows: TypeAlias = list[tuple[Any, ...]]
TOLERANCE: Final = 1e-6
MOST_ROWS: Final = 100_000
MOST_ARRANGEMENTS: Final = 20_000
STEPS: Final = 20_000_000
"""Of SQLite's machine, after which a query is stopped."""


def result_of(file: Path, sql: str) -> Rows:
    """The rows of one query, at most 100,000.

    Raises:
        sqlite3.Error: the database refuses the query, or it takes too long.
    """
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.set_progress_handler(lambda: 1, STEPS)
    try:
        return connection.execute(sql).fetchmany(MOST_ROWS)
    finally:
        connection.close()


def same(gold: Rows, found: Rows, ordered: bool, keys: int = 0) -> bool:
    """Whether `found` has the rows of `gold`, in its order if that counts.

    The last `keys` columns of `gold` are what it is ordered by; without any all its columns are.
    """
    sorting = [_cells(row[len(row) - keys :]) for row in gold] if keys else []
    gold = [row[: len(row) - keys] for row in gold] if keys else gold
    if not gold:
        return not found
    if not found or len(found[0]) < len(gold[0]):
        return False
    wanted = [_cells(row) for row in gold]
    given = [_cells(row) for row in found]
    for places in _arrangements(wanted, given):
        rows = [tuple(row[place] for place in places) for row in given]
        if set(rows) == set(wanted) and (not ordered or _in_order(wanted, rows, sorting)):
            return True
    return False


def _in_order(wanted: Rows, rows: Rows, sorting: Rows) -> bool:
    """Whether rows stand as wanted, apart from places of those that are sorted alike."""
    if not sorting:
        return list(dict.fromkeys(rows)) == list(dict.fromkeys(wanted))
    rank: dict[tuple[Any, ...], int] = {}
    for row, key in zip(wanted, sorting, strict=True):
        rank.setdefault(row, list(dict.fromkeys(sorting)).index(key))
    ranks = [rank[row] for row in rows]
    return ranks == sorted(ranks)


def with_keys(sql: str) -> tuple[str, int]:
    """A gold query that also shows what it is ordered by, and how many columns that adds; as it is if it cannot."""
    try:
        tree = sqlglot.parse_one(sql, read="sqlite")
    except sqlglot.errors.SqlglotError:
        return sql, 0
    if not isinstance(tree, exp.Select) or tree.args.get("distinct"):
        return sql, 0
    order = tree.args.get("order")
    if order is None:
        return sql, 0
    named = {one.alias: one.this for one in tree.expressions if isinstance(one, exp.Alias)}
    keys = [one.this.copy() for one in order.expressions]
    keys = [named[one.name].copy() if isinstance(one, exp.Column) and one.name in named else one for one in keys]
    return tree.select(*keys).sql(dialect="sqlite"), len(keys)


def orders(sql: str) -> bool:
    """Whether a gold query orders its rows itself."""
    try:
        tree = sqlglot.parse_one(sql, read="sqlite")
    except sqlglot.errors.SqlglotError:
        return "order by" in sql.lower()
    return isinstance(tree, exp.Query) and tree.args.get("order") is not None


def _arrangements(wanted: Rows, given: Rows) -> Sequence[tuple[int, ...]]:
    """Which columns of `given` may be those of `wanted`: each has the same values as a set."""
    width = len(given[0])
    columns = [{row[place] for row in given} for place in range(width)]
    fitting = [
        [place for place in range(width) if columns[place] == {row[n] for row in wanted}] for n in range(len(wanted[0]))
    ]
    if math.prod(map(len, fitting)) > MOST_ARRANGEMENTS:
        return [one for one, _ in zip(permutations(range(width), len(fitting)), range(MOST_ARRANGEMENTS), strict=False)]
    found: list[tuple[int, ...]] = [()]
    for choices in fitting:
        found = [(*one, place) for one in found for place in choices if place not in one]
    return found


def _cells(row: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(_cell(cell) for cell in row)


def _cell(cell: Any) -> Any:
    """A cell so that equal ones are equal: numbers to six digits, texts as they are."""
    if isinstance(cell, bool):
        return float(cell)
    if isinstance(cell, int | float):
        return float(f"{cell:.6g}") if abs(cell) < 1e15 else cell
    return cell


def refused(error: sqlite3.Error) -> str:
    """What the database said, for the report."""
    return f"{type(error).__name__}: {error}"
