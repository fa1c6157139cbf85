"""Databases as SQLite files: dumps for PostgreSQL are parsed, and their values computed at one frozen moment.

Rows that speak of today are the same in every run then, and so is what a gold query finds: `frozen` puts the same
moment into queries.
"""

import re
import sqlite3
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import sqlglot
from sqlglot import exp

MOMENT: Final = datetime(2025, 6, 18, 12, 0, 0)
"""A Wednesday in the middle of a month, so that weeks and months before it are whole."""
_NOW: Final = re.compile(r"'now'", re.IGNORECASE)
_TODAY: Final = re.compile(r"\bCURRENT_(DATE|TIMESTAMP)\b(?!\()", re.IGNORECASE)
_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}
_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}


def frozen(sql: str, moment: datetime) -> str:
    """A query for SQLite in which the present is `moment`."""
    sql = _NOW.sub(f"'{moment:%Y-%m-%d %H:%M:%S}'", sql)
    return _TODAY.sub(
        lambda found: f"'{moment:{'%Y-%m-%d' if found[1].upper() == 'DATE' else '%Y-%m-%d %H:%M:%S'}}'", sql
    )


def loaded(folder: Path, database: str, moment: datetime, work: Path) -> Path:
    """The file of one database: Spider's own, or one made below `work` from `NAME.sql`."""
    own = folder / "database" / database / f"{database}.sqlite"
    if own.is_file():
        return own
    file = work / f"{database}.sqlite"
    connection = sqlite3.connect(file)
    try:
        with connection:
            for statement in _statements((folder / f"{database}.sql").read_text(encoding="utf-8")):
                _run(connection, statement, moment)
    finally:
        connection.close()
    return file


def _statements(text: str) -> Iterator[exp.Expr]:
    yield from (one for one in sqlglot.parse(text, read="postgres") if one is not None)


def _run(connection: sqlite3.Connection, statement: exp.Expr, moment: datetime) -> None:
    for table in statement.find_all(exp.Table):
        table.set("db", None)
    if isinstance(statement, exp.Create):
        for constraint in list(statement.find_all(exp.ColumnConstraint)):
            if isinstance(constraint.kind, exp.DefaultColumnConstraint):
                constraint.kind.set("this", exp.convert(_value(constraint.kind.this, moment)))
        for column in statement.find_all(exp.ColumnDef):
            if column.kind is not None and column.kind.is_type(exp.DataType.Type.BOOLEAN):
                column.set("kind", exp.DataType(this=exp.DataType.Type.USERDEFINED, kind="BOOLEAN"))
        connection.execute(statement.sql(dialect="sqlite"))
    elif isinstance(statement, exp.Insert):
        rows = [[_value(cell, moment) for cell in row.expressions] for row in statement.expression.expressions]
        target = statement.this.sql(dialect="sqlite")
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {target} VALUES ({marks})", rows)


def _value(cell: exp.Expr, moment: datetime) -> Any:
    """What a cell of a dump is at `moment`, as SQLite keeps it."""
    value = _computed(cell, moment)
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, date):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else value


def _computed(cell: Any, moment: datetime) -> Any:
    match cell:
        case exp.Null():
            return None
        case exp.Boolean():
            return int(cell.this)
        case exp.Literal():
            return cell.this if cell.is_string else _number(cell.this)
        case exp.CurrentDate():
            return moment.date()
        case exp.CurrentTimestamp():
            return moment
        case exp.Paren() | exp.Cast():
            return _computed(cell.this, moment)
        case _:
            return _calculated(cell, moment)


def _calculated(cell: Any, moment: datetime) -> Any:
    match cell:
        case exp.Neg():
            return -_computed(cell.this, moment)
        case exp.Sub() | exp.Add() if isinstance(cell.expression, exp.Interval):
            return _moved(_computed(cell.this, moment), cell.expression, 1 if isinstance(cell, exp.Add) else -1)
        case exp.Mul():
            return _computed(cell.this, moment) * _computed(cell.expression, moment)
        case exp.TimestampTrunc() | exp.DateTrunc():
            return _computed(cell.this, moment).replace(day=1)
        case exp.Extract():
            return int((_computed(cell.expression, moment) - datetime(1970, 1, 1)).total_seconds())
        case exp.ToChar() | exp.TimeToStr():
            return _computed(cell.this, moment).strftime("%Y%m%d %H:%M:%S")
    raise ValueError(f"the dump has a value that this harness cannot compute: {cell.sql()}")


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def _moved(start: Any, interval: exp.Interval, sign: int) -> Any:
    """A date or a moment, moved by an interval."""
    count, unit = interval.this.name, interval.text("unit").lower()
    if not unit:
        count, unit = count.split()
    unit, moved = unit.rstrip("s"), sign * int(count)
    if unit in _SECONDS:
        return start + timedelta(seconds=moved * _SECONDS[unit])
    years, month = divmod(start.year * 12 + start.month - 1 + moved * _MONTHS[unit], 12)
    last = (date(years + month // 11, (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
    return start.replace(year=years, month=month + 1, day=min(start.day, last))
