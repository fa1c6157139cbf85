"""Adds figures on values to a schema: the number of rows and of distinct values, lowest, highest, and some samples.

Two statements a table, all on one connection and within half a minute: what takes too long is left out and so said by
None. A large table is sampled where the engine can, else from its beginning. With `ELCANO_DATABASE_SAMPLES=false` no
value leaves the database.
"""

from collections.abc import Sequence
from typing import Final

from elcano.plugins.data.databases.engine import FetchedRows, Limits, Outcome
from elcano.plugins.data.tables import MOMENTS, NUMBERS, ColumnSchema, Dialect, Kind, TableSchema

SAMPLES: Final = 8
"""Values of a column that are shown."""
SAMPLE_CHARACTERS: Final = 80
COUNTED_ROWS: Final = 200_000
"""In a larger table no different values are counted, and its rows are as many as the database estimates."""
SAMPLED_ROWS: Final = 20_000
SPREAD_ROWS: Final = 2_000
"""Rows sampled from a large SQLite table, evenly over all of it."""
MOST_COLUMNS: Final = 100
"""Maximum number of columns of one table whose values are sampled."""
LIMITS = Limits(seconds=3.0, rows=MOST_COLUMNS * SAMPLES, total_seconds=30.0)
_COUNTED: Final[frozenset[Kind]] = frozenset({"integer", "text", "date", "timestamp", "boolean", "decimal"})
_SHOWN: Final[frozenset[Kind]] = frozenset({"integer", "text", "date", "boolean", "timestamp"})


def build_value_queries(tables: Sequence[TableSchema], dialect: Dialect, *, samples: bool) -> list[str]:
    """Return the statements to run: the figures of every table, then its samples if they may be shown."""
    asked = [_build_figures_query(table, dialect, samples) for table in tables]
    return [*asked, *(_build_samples_query(table, dialect) for table in tables)] if samples else asked


def with_values(tables: Sequence[TableSchema], outcomes: Sequence[Outcome], dialect: Dialect) -> list[TableSchema]:
    """Return the tables with their results, in the order of `statements`; statements without an answer add nothing."""
    figures, samples = outcomes[: len(tables)], outcomes[len(tables) :]
    found = [_with_figures(table, one, dialect) for table, one in zip(tables, figures, strict=True)]
    if not samples:
        return found
    return [_with_samples(table, one, dialect) for table, one in zip(found, samples, strict=True)]


def _build_figures_query(table: TableSchema, dialect: Dialect, values: bool) -> str:
    large = _is_large(table)
    parts = ["count(*)" if not large else "NULL"]
    for column in _list_columns_of_kinds(table, _COUNTED, dialect):
        name = quote_identifier(column.name)
        parts.append(f"count(DISTINCT {name})" if not large else "NULL")
        ranged = values and column.kind in NUMBERS | MOMENTS
        parts += [f"CAST(min({name}) AS TEXT)", f"CAST(max({name}) AS TEXT)"] if ranged else []
    return f"SELECT {', '.join(parts)} FROM {_quote_table_name(table, dialect)}"


def _with_figures(table: TableSchema, outcome: Outcome, dialect: Dialect) -> TableSchema:
    if not isinstance(outcome, FetchedRows) or len(outcome.rows) != 1:
        return table
    cells = iter(outcome.rows[0])
    rows = next(cells)
    ranged = len(outcome.columns) > 1 + len(_list_columns_of_kinds(table, _COUNTED, dialect))
    known: dict[str, ColumnSchema] = {}
    for column in _list_columns_of_kinds(table, _COUNTED, dialect):
        distinct = next(cells)
        ends = (next(cells), next(cells)) if ranged and column.kind in NUMBERS | MOMENTS else (None, None)
        lowest, highest = (None if one is None else str(one)[:SAMPLE_CHARACTERS] for one in ends)
        update = {"distinct": distinct if isinstance(distinct, int) else None, "lowest": lowest, "highest": highest}
        known[column.name] = column.model_copy(update=update)
    columns = tuple(known.get(column.name, column) for column in table.columns)
    counted = {"rows": rows, "estimated": False} if isinstance(rows, int) else {}
    return table.model_copy(update={"columns": columns, **counted})


def _build_samples_query(table: TableSchema, dialect: Dialect) -> str:
    shown = _list_columns_of_kinds(table, _SHOWN, dialect)
    if not shown:
        return "SELECT 0 AS place, NULL AS value, 0 AS times"
    each = [
        f"SELECT * FROM (SELECT {at} AS place, substr(CAST({quote_identifier(column.name)} AS TEXT), 1, "
        f"{SAMPLE_CHARACTERS}) AS value, count(*) AS times FROM sampled WHERE "
        f"{quote_identifier(column.name)} IS NOT NULL "
        f"GROUP BY 2 ORDER BY 3 DESC, 2 LIMIT {SAMPLES}) AS answer_{at}"
        for at, column in enumerate(shown)
    ]
    names = ", ".join(quote_identifier(column.name) for column in shown)
    source = (
        f"SELECT {names} FROM "
        f"{_quote_table_name(table, dialect)}{_build_sampling_clause(table, dialect)} LIMIT {SAMPLED_ROWS}"
    )
    return f"WITH sampled AS ({source}) {' UNION ALL '.join(each)}"


def _with_samples(table: TableSchema, outcome: Outcome, dialect: Dialect) -> TableSchema:
    if not isinstance(outcome, FetchedRows):
        return table
    shown = _list_columns_of_kinds(table, _SHOWN, dialect)
    values: dict[str, list[str]] = {}
    for place, value, _ in outcome.rows:
        if isinstance(place, int) and value is not None and shown:
            values.setdefault(shown[place].name, []).append(str(value))
    columns = tuple(
        column.model_copy(update={"samples": tuple(values[column.name])}) if column.name in values else column
        for column in table.columns
    )
    return table.model_copy(update={"columns": columns})


def _build_sampling_clause(table: TableSchema, dialect: Dialect) -> str:
    """Return the clause to put after a table's name so that not only its beginning is sampled."""
    if not _is_large(table) or not table.rows or table.kind == "view":
        return ""
    if dialect == "sqlite":  # of numbers that lie evenly between the first rowid and the last the next that there is
        name = _quote_table_name(table, dialect)
        numbers = ", ".join(f"({at})" for at in range(SPREAD_ROWS))
        spread = f"(SELECT max(_rowid_) FROM {name}) - (SELECT min(_rowid_) FROM {name})"
        place = f"(SELECT min(_rowid_) FROM {name}) + CAST(p.column1 * (({spread}) / {SPREAD_ROWS - 1.0}) AS INTEGER)"
        found = f"SELECT (SELECT min(_rowid_) FROM {name} WHERE _rowid_ >= {place}) FROM (VALUES {numbers}) AS p"
        return f" WHERE _rowid_ IN ({found})"
    share = min(100.0, 200.0 * SAMPLED_ROWS / table.rows)
    return f" TABLESAMPLE SYSTEM ({share:.4f}{' PERCENT' if dialect == 'duckdb' else ''})"


def _is_large(table: TableSchema) -> bool:
    return table.rows is not None and table.rows > COUNTED_ROWS


def _list_columns_of_kinds(table: TableSchema, kinds: frozenset[Kind], dialect: Dialect) -> list[ColumnSchema]:
    """Columns of these kinds; SQLite's without a type as well, which may hold anything."""
    loose = dialect == "sqlite"
    return [one for one in table.columns if one.kind in kinds or (loose and one.kind == "other")][:MOST_COLUMNS]


def _quote_table_name(table: TableSchema, dialect: Dialect) -> str:
    return (
        quote_identifier(table.name)
        if dialect == "sqlite"
        else ".".join(map(quote_identifier, table.name.split(".", 1)))
    )


def quote_identifier(name: str) -> str:
    """A name in quotation marks."""
    return '"' + name.replace('"', '""') + '"'
