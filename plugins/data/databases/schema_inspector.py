"""What SQLAlchemy's inspector tells of tables, views, columns, keys and comments, in this project's words.

It asks for all tables of a schema at once, so five hundred cost what one does.
"""

import logging
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import Connection, create_engine, inspect
from sqlalchemy import Dialect as SqlDialect
from sqlalchemy.engine.reflection import Inspector, ObjectKind
from sqlalchemy.exc import DBAPIError, SAWarning
from sqlalchemy.pool import StaticPool
from sqlalchemy.types import Enum, NullType

from elcano.plugins.data.databases.values import kind_of
from elcano.plugins.data.tables import NAME_CHARACTERS, ColumnSchema, ForeignKey, TableSchema

_DRIVERS: Final = {"sqlite": "sqlite://", "postgresql": "postgresql+psycopg://"}
_SYSTEM: Final = ("information_schema", "pg_")
_log = logging.getLogger("databases")
_Key: TypeAlias = tuple[str | None, str]


def inspect_tables(dialect: Literal["sqlite", "postgresql"], connection: Any) -> tuple[TableSchema, ...]:
    """The tables and views that an open connection of the dialect's driver can see; it stays open.

    Those of the default schema come first and have its name left out. What fails is raised as the driver's own error.
    """
    # Never disposed of: that would close a connection which is somebody else's.
    engine = create_engine(_DRIVERS[dialect], creator=lambda: connection, poolclass=StaticPool)
    try:
        with warnings.catch_warnings(), engine.connect() as opened:
            warnings.simplefilter("ignore", SAWarning)  # of types of extensions, which are told as of no kind
            return tuple(_iter_table_schemas(opened, dialect))
    except DBAPIError as error:
        if error.orig is not None:
            raise error.orig from None
        raise


def _iter_table_schemas(connection: Connection, dialect: str) -> Iterable[TableSchema]:
    inspector = inspect(connection)
    default = inspector.default_schema_name
    if dialect == "sqlite":
        yield from _one_by_one(inspector)
        return
    others = [name for name in inspector.get_schema_names() if not name.startswith(_SYSTEM)]
    for schema in (None, *(name for name in others if name != default)):
        yield from _tables_of(inspector, schema, default)


def _one_by_one(inspector: Inspector) -> Iterable[TableSchema]:
    """Inspect tables one by one, as SQLite requires anyway; a view of a missing table then fails alone."""
    for name in sorted({*inspector.get_table_names(), *inspector.get_view_names()}):
        try:
            yield from _tables_of(inspector, None, None, [name])
        except DBAPIError as error:
            _log.warning("%r cannot be described and is left out: %s", name, error.orig)


def _tables_of(
    inspector: Inspector, schema: str | None, default: str | None, names: Sequence[str] | None = None
) -> Iterable[TableSchema]:
    every = ObjectKind.ANY
    columns = inspector.get_multi_columns(schema=schema, kind=every, filter_names=names)
    primary = inspector.get_multi_pk_constraint(schema=schema, kind=ObjectKind.TABLE, filter_names=names)
    foreign = inspector.get_multi_foreign_keys(schema=schema, kind=ObjectKind.TABLE, filter_names=names)
    comments = _load_table_comments(inspector, schema)
    views = {*inspector.get_view_names(schema=schema)}
    if inspector.dialect.name == "postgresql":
        views |= {*inspector.get_materialized_view_names(schema=schema)}
    for at, found in sorted(columns.items(), key=lambda one: one[0][1]):
        name = at[1]
        if len(_qualify_table_name(schema, name)) > NAME_CHARACTERS:
            _log.warning("a table is left out, whose name has more than %d characters: %.60s", NAME_CHARACTERS, name)
            continue
        keys: Mapping[str, Any] = primary.get(at) or {}
        known = [
            _build_column_schema(column, inspector.dialect)
            for column in found
            if 0 < len(column["name"]) <= NAME_CHARACTERS
        ]
        yield TableSchema(
            name=_qualify_table_name(schema, name),
            kind="view" if name in views else "table",
            comment=(comments.get(at) or "")[:2_000],
            columns=tuple(known),
            primary_key=tuple(keys.get("constrained_columns") or ()),
            foreign_keys=tuple(_build_foreign_keys(foreign.get(at) or (), schema, default)),
        )


def _load_table_comments(inspector: Inspector, schema: str | None) -> Mapping[_Key, str | None]:
    if not inspector.dialect.supports_comments:
        return {}
    found = inspector.get_multi_table_comment(schema=schema, kind=ObjectKind.ANY)
    return {at: comment.get("text") for at, comment in found.items()}


def _build_column_schema(column: Mapping[str, Any], dialect: SqlDialect) -> ColumnSchema:
    kind = column["type"]
    written = "" if isinstance(kind, NullType) else kind.compile(dialect=dialect)
    return ColumnSchema(
        name=column["name"],
        type=written[:NAME_CHARACTERS],
        kind="text" if isinstance(kind, Enum) else kind_of(written),  # an enumeration has its own name
        nullable=bool(column.get("nullable", True)),
        comment=(column.get("comment") or "")[:1_000],
    )


def _build_foreign_keys(keys: Sequence[Any], schema: str | None, default: str | None) -> Iterable[ForeignKey]:
    for one in keys:
        columns, referred = one["constrained_columns"], one["referred_columns"]
        target = one.get("referred_schema")
        target = schema if target is None else None if target == default else target
        if columns and len(columns) == len(referred):
            table = _qualify_table_name(target, one["referred_table"])
            yield ForeignKey(columns=tuple(columns), table=table, referred=tuple(referred))


def _qualify_table_name(schema: str | None, table: str) -> str:
    return f"{schema}.{table}" if schema else table
