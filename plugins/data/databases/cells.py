"""Values of databases as cells: exact, in one form for all engines, and never longer than they may be.

Exact decimals and moments are texts, because a float would change them. What is no number (NaN, Infinity) is a text as
well: JSON has no word for it.
"""

import json
import math
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Final

from elcano.graphs.text import number_repeated
from elcano.plugins.data.databases.engine import FetchedRows, Limits
from elcano.plugins.data.tables import Cell, Kind, ResultColumn

_KINDS: Final[tuple[tuple[Kind, tuple[str, ...]], ...]] = (
    ("timestamp", ("timestamp", "datetime")),
    ("boolean", ("bool",)),
    ("other", ("[", "range", "array", "interval", "struct", "map(", "bytea", "blob", "binary", "point", "bit")),
    ("json", ("json",)),
    ("integer", ("int", "serial", "oid")),
    ("decimal", ("decimal", "numeric", "number", "real", "double", "float", "money")),
    ("text", ("char", "text", "clob", "string", "uuid", "enum", "name", "inet", "cidr", "citext")),
    ("date", ("date",)),
    ("time", ("time",)),
)
"""Parts of type names; the first match counts. `point` and `interval` contain `int`."""


def kind_of(type_name: str) -> Kind:
    """Return the kind of values that a type of this name holds, in any engine; `other` if it is unknown."""
    low = type_name.lower()
    return next((kind for kind, parts in _KINDS if any(part in low for part in parts)), "other")


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
    clean = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    clean = clean.encode("utf-8", "replace").decode()  # half of a surrogate pair, which no JSON takes
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
