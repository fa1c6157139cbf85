"""Values of databases: as cells, exact and in one form for all engines, and as figures on them in a schema.

Exact decimals and moments are texts, because a float would change them. What is no number (NaN, Infinity) is a text as
well: JSON has no word for it. No cell is longer than it may be.

A schema gets the number of rows and of distinct values, lowest, highest, and some samples. Two statements a table, all
on one connection and within half a minute: what takes too long is left out and so said by None. A large table is
sampled where the engine can, else from its beginning. With `ELCANO_DATABASE_SAMPLES=false` no value leaves the
database.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Final

from elcano.graphs.text import clean_text, number_repeated
from elcano.subjects.data.databases.engine import FetchedRows, Limits, Outcome
from elcano.subjects.data.tables import MOMENTS, NUMBERS, Cell, ColumnSchema, Dialect, Kind, ResultColumn, TableSchema

_NAMES: Final[Mapping[Kind, str]] = {
    "timestamp": "timestamp timestamptz timestamp_s timestamp_ms timestamp_ns timestamp_us datetime smalldatetime",
    "boolean": "bool boolean logical",
    "json": "json jsonb",
    "integer": "int integer tinyint smallint mediumint bigint hugeint utinyint usmallint uinteger ubigint uhugeint "
    "int1 int2 int4 int8 int16 int32 int64 int128 long short signed unsigned bignum varint serial smallserial "
    "bigserial serial2 serial4 serial8 oid xid cid",
    "decimal": "decimal dec numeric number real double float float4 float8 fixed money",
    "text": "char character varchar nvarchar varchar2 longvarchar nchar bpchar native national text tinytext "
    "mediumtext longtext clob string uuid enum name inet cidr macaddr citext",
    "date": "date",
    "time": "time timetz",
}
_KINDS: Final[Mapping[str, Kind]] = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_TYPE_NAME: Final = re.compile(r"\s*([a-z_][a-z_0-9]*)\s*(.*)", re.DOTALL)
_ARGUMENTS: Final = re.compile(r"\([^()]*\)")


def kind_of(type_name: str) -> Kind:
    """Return the kind of values that a built-in type holds, in any engine; `other` if it is none that is known.

    The name itself counts, not its arguments in brackets: `ENUM('paid')` is text, `INTEGER[]` no number. A name in
    quotation marks or of a schema is a type that someone defined, whatever it is called.
    """
    found = _TYPE_NAME.fullmatch(type_name.lower())
    if found is None:
        return "other"
    kind, rest = _KINDS.get(found[1], "other"), found[2]
    if rest.startswith(".") or _ARGUMENTS.sub("", rest).rstrip().endswith("]"):
        return "other"
    return kind


def cell_of(value: object, longest: int) -> tuple[Cell, bool]:
    """A value as a cell of at most `longest` characters, and whether it was cut."""
    match value:
        case None | bool():
            return value, False
        case int():
            return _truncate_text(str(value), longest) if abs(value) >= 10**300 else (value, False)
        case float():
            return (value, False) if math.isfinite(value) else (str(value), False)
        case str():
            return _truncate_text(value, longest)
        case Decimal():
            return _truncate_text(format(value, "f"), longest)
        case datetime():
            return value.isoformat(sep=" "), False
        case date() | time():
            return value.isoformat(), False
        case timedelta():
            return str(value), False
        case bytes() | bytearray() | memoryview():
            return _truncate_text(f"0x{bytes(value[: longest // 2 + 1]).hex()}", longest)
        case list() | tuple() | dict():
            return _truncate_text(json.dumps(value, default=str, ensure_ascii=False), longest)
        case _:
            return _truncate_text(str(value), longest)


def kind_of_values(values: Iterable[Cell]) -> Kind:
    """Return the kind of an untyped column, by its values; `other` if they are of several kinds or there are none."""
    kinds: set[Kind] = {_kind_of_value(value) for value in values if value is not None}
    if kinds == {"integer", "decimal"}:
        return "decimal"
    return kinds.pop() if len(kinds) == 1 else "other"


def parse_decimal(cell: Cell) -> Decimal | None:
    """The number that a cell holds, exactly; None: it holds none. Of a float, the digits that it is written with."""
    if cell is None or isinstance(cell, bool):
        return None
    try:
        read = Decimal(cell.strip()) if isinstance(cell, str) else Decimal(repr(cell))
    except InvalidOperation:
        return None
    return read if read.is_finite() else None


def fetch_rows_as_cells(
    columns: Sequence[ResultColumn], rows: Iterable[Sequence[object]], limits: Limits
) -> FetchedRows:
    """The rows as cells, as many as may be read; `rows` is read no further than that."""
    kept: list[tuple[Cell, ...]] = []
    truncated, characters = False, 0
    for row in rows:
        if len(kept) == limits.rows or characters > limits.characters:
            truncated = True
            break
        cells = [cell_of(value, limits.cell) for value in row]
        truncated = truncated or any(cut for _, cut in cells)
        kept.append(tuple(value for value, _ in cells))
        characters += sum(len(value) if isinstance(value, str) else 8 for value, _ in cells)
    names = number_repeated(column.name for column in columns)
    known = tuple(column.model_copy(update={"name": name}) for column, name in zip(columns, names, strict=True))
    return FetchedRows(columns=known, rows=tuple(kept), truncated=truncated)


def _truncate_text(text: str, longest: int) -> tuple[str, bool]:
    clean = clean_text(text.replace("\0", "\N{REPLACEMENT CHARACTER}"))
    return (clean, False) if len(clean) <= longest else (clean[:longest] + "…", True)


def _kind_of_value(value: Cell) -> Kind:
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "decimal"
        case _:
            return "text"


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
