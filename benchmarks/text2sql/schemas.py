"""The schema of a SQLite file, with sample values, in the product's own words."""

import sqlite3
from pathlib import Path
from typing import Any, Final

from elcano.graphs.data.schema import ColumnSchema, DatabaseSchema, ForeignKey, Kind, TableSchema

SAMPLES: Final = 50
"""Values of one column."""
LONGEST: Final = 80
"""Characters of one sample: longer ones are texts, which no question names."""


def described(file: Path, name: str, meanings: dict[tuple[str, str], str]) -> DatabaseSchema:
    """All tables of one file, read without writing."""
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        ).fetchall()
        tables = tuple(_table(connection, table, meanings) for (table,) in names)
    finally:
        connection.close()
    return DatabaseSchema(database=name, dialect="sqlite", tables=tables)


def _table(connection: sqlite3.Connection, table: str, meanings: dict[tuple[str, str], str]) -> TableSchema:
    quoted = _quoted(table)
    info = connection.execute(f"PRAGMA table_info({quoted})").fetchall()
    rows = connection.execute(f"SELECT COUNT(*) FROM {quoted}").fetchone()[0]
    keys: dict[int, list[tuple[str, str, str]]] = {}
    for number, _, other, column, referred, *_ in connection.execute(f"PRAGMA foreign_key_list({quoted})"):
        keys.setdefault(number, []).append((other, column, referred))
    return TableSchema(
        name=table,
        rows=rows,
        columns=tuple(_column(connection, table, row, meanings) for row in info),
        primary_key=tuple(row[1] for row in sorted(info, key=lambda row: row[5]) if row[5]),
        foreign_keys=tuple(
            ForeignKey(columns=tuple(p[1] for p in parts), table=parts[0][0], referred=tuple(p[2] for p in parts))
            for parts in keys.values()
            if all(part[2] for part in parts)
        ),
    )


def _column(connection: sqlite3.Connection, table: str, row: Any, meanings: dict[tuple[str, str], str]) -> ColumnSchema:
    _, name, declared, filled, *_ = row
    quoted, kind = _quoted(name), _kind(declared or "")
    of = f"FROM {_quoted(table)} WHERE {quoted} IS NOT NULL"
    distinct, lowest, highest = connection.execute(
        f"SELECT COUNT(DISTINCT {quoted}), MIN({quoted}), MAX({quoted}) {of}"
    ).fetchone()
    values = connection.execute(
        f"SELECT {quoted} {of} GROUP BY 1 ORDER BY COUNT(*) DESC, 1 LIMIT ?", (SAMPLES,)
    ).fetchall()
    return ColumnSchema(
        name=name,
        type=declared or "",
        kind=kind,
        nullable=not filled,
        comment=meanings.get((table.lower(), name.lower()), "")[:1_000],
        samples=tuple(str(value) for (value,) in values if len(str(value)) <= LONGEST),
        distinct=distinct,
        lowest=None if lowest is None else str(lowest)[:LONGEST],
        highest=None if highest is None else str(highest)[:LONGEST],
    )


def _kind(declared: str) -> Kind:
    """What a declared type of SQLite holds."""
    text = declared.lower()
    words: tuple[tuple[str, Kind], ...] = (
        ("bool", "boolean"), ("int", "integer"), ("serial", "integer"), ("timestamp", "timestamp"),
        ("datetime", "timestamp"), ("date", "date"), ("time", "time"), ("real", "decimal"), ("floa", "decimal"),
        ("doub", "decimal"), ("num", "decimal"), ("dec", "decimal"), ("char", "text"), ("text", "text"),
        ("json", "json"),
    )  # fmt: skip
    return next((kind for word, kind in words if word in text), "other")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
