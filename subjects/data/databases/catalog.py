"""Builds schemas from the rows that an engine's catalogue has of tables, columns and keys, the same for each engine."""

import logging
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from elcano.subjects.data.databases.values import kind_of
from elcano.subjects.data.tables import NAME_CHARACTERS, ColumnSchema, ForeignKey, TableSchema

TABLE_COMMENT_CHARACTERS: Final = 2_000
COLUMN_COMMENT_CHARACTERS: Final = 1_000
_log = logging.getLogger("databases")


class TableRow(NamedTuple):
    """A table or view."""

    id: Hashable
    """What columns and keys call it."""
    name: str
    """Outside of the default schema with its schema before it."""
    kind: Literal["table", "view"]
    comment: str | None = None
    rows: int | None = None
    """An estimate; None: there is none."""


class ColumnRow(NamedTuple):
    """A column, in the order of its table."""

    table: Hashable
    name: str
    type: str
    nullable: bool
    comment: str | None = None
    enumerated: bool = False
    """Whether its type is an enumeration, whatever that is called."""


class KeyRow(NamedTuple):
    """A primary key, or a foreign one if it refers to a table."""

    table: Hashable
    columns: Sequence[str]
    referred: Hashable = None
    referred_columns: Sequence[str] = ()
    """Empty: the primary key of that table."""


def build_table_schemas(
    tables: Iterable[TableRow], columns: Iterable[ColumnRow], keys: Iterable[KeyRow]
) -> Iterator[TableSchema]:
    """The tables in their order; keys that refer to none of them are left out."""
    listed = [table for table in tables if _is_short_name(table.name)]
    names = {table.id: table.name for table in listed}
    columns_of: defaultdict[Hashable, list[ColumnSchema]] = defaultdict(list)
    for column in columns:
        if 0 < len(column.name) <= NAME_CHARACTERS:
            columns_of[column.table].append(
                ColumnSchema(
                    name=column.name,
                    type=column.type[:NAME_CHARACTERS],
                    kind="text" if column.enumerated else kind_of(column.type),
                    nullable=column.nullable,
                    comment=(column.comment or "")[:COLUMN_COMMENT_CHARACTERS],
                )
            )
    every = list(keys)
    primary = {key.table: tuple(key.columns) for key in every if key.referred is None}
    foreign: defaultdict[Hashable, list[ForeignKey]] = defaultdict(list)
    for key in every:
        referred = tuple(key.referred_columns) or primary.get(key.referred, ())
        if key.referred in names and key.columns and len(key.columns) == len(referred):
            one = ForeignKey(columns=tuple(key.columns), table=names[key.referred], referred=referred)
            foreign[key.table].append(one)
    for table in listed:
        yield TableSchema(
            name=table.name,
            kind=table.kind,
            comment=(table.comment or "")[:TABLE_COMMENT_CHARACTERS],
            rows=table.rows,
            estimated=table.rows is not None,
            columns=tuple(columns_of[table.id]),
            primary_key=primary.get(table.id, ()),
            foreign_keys=tuple(foreign[table.id]),
        )


def _is_short_name(name: str) -> bool:
    if len(name) > NAME_CHARACTERS:
        _log.warning("a table is left out, whose name has more than %d characters: %.60s", NAME_CHARACTERS, name)
    return len(name) <= NAME_CHARACTERS
