"""Reads tables, views, columns, keys and comments with SQLAlchemy's inspector, in this project's words.

It asks for all tables of a schema at once, so five hundred cost what one does.
"""

import logging
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import Connection, create_engine, inspect
from sqlalchemy import Dialect as SqlDialect
from sqlalchemy.dialects.postgresql import DOMAIN
from sqlalchemy.engine.reflection import Inspector, ObjectKind
from sqlalchemy.exc import CompileError, DBAPIError, SAWarning
from sqlalchemy.pool import StaticPool
from sqlalchemy.types import Enum, NullType

from elcano.subjects.data.databases.values import kind_of
from elcano.subjects.data.tables import NAME_CHARACTERS, ColumnSchema, ForeignKey, TableSchema

_DRIVERS: Final = {"sqlite": "sqlite://", "postgresql": "postgresql+psycopg://"}
_SYSTEM: Final = ("information_schema", "pg_")
_log = logging.getLogger("databases")
_Key: TypeAlias = tuple[str | None, str]


def inspect_tables(dialect: Literal["sqlite", "postgresql"], connection: Any) -> tuple[TableSchema, ...]:
    """The tables and views that an open connection of the dialect's driver can see; it stays open.

    Those of the default schema come first and have its name left out. What fails is raised as the driver's own error.
    """
    # Never disposed of: that would close a connection which is someone else's.
    engine = create_engine(_DRIVERS[dialect], creator=lambda: connection, poolclass=StaticPool)
    try:
        with warnings.catch_warnings(), engine.connect() as opened:
            warnings.simplefilter("ignore", SAWarning)  # of types of extensions, which are told as of no kind
            return tuple(_with_known_keys(_iter_table_schemas(opened, dialect)))
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
            foreign_keys=tuple(_build_foreign_keys(foreign.get(at) or (), default)),
        )


def _load_table_comments(inspector: Inspector, schema: str | None) -> Mapping[_Key, str | None]:
    if not inspector.dialect.supports_comments:
        return {}
    found = inspector.get_multi_table_comment(schema=schema, kind=ObjectKind.ANY)
    return {at: comment.get("text") for at, comment in found.items()}


def _build_column_schema(column: Mapping[str, Any], dialect: SqlDialect) -> ColumnSchema:
    kind = column["type"]
    if isinstance(kind, DOMAIN):  # its name is of somebody's choice
        kind = kind.data_type
    if isinstance(kind, Enum):
        written = kind.name or "ENUM"
    else:
        try:
            written = "" if isinstance(kind, NullType) else kind.compile(dialect=dialect)
        except CompileError:  # an array of a type that is called as a built-in one is
            written = ""
    return ColumnSchema(
        name=column["name"],
        type=written[:NAME_CHARACTERS],
        kind="text" if isinstance(kind, Enum) else kind_of(written),  # an enumeration has its own name
        nullable=bool(column.get("nullable", True)),
        comment=(column.get("comment") or "")[:1_000],
    )


def _build_foreign_keys(keys: Sequence[Any], default: str | None) -> Iterable[ForeignKey]:
    for one in keys:
        columns, referred = one["constrained_columns"], one["referred_columns"]
        # None: the table is found without a schema, even where the key is of a table in another one.
        target = one.get("referred_schema")
        if columns and len(columns) == len(referred):
            table = _qualify_table_name(None if target == default else target, one["referred_table"])
            yield ForeignKey(columns=tuple(columns), table=table, referred=tuple(referred))


def _with_known_keys(tables: Iterable[TableSchema]) -> Iterable[TableSchema]:
    """The tables with the keys whose tables are among them.

    PostgreSQL leaves the schema out if its search path leads to it, and that may be another one than the default.
    """
    listed = list(tables)
    names = {table.name for table in listed}
    bare: dict[str, list[str]] = {}
    for name in names:
        for form in {name.lower(), name.rpartition(".")[2].lower()}:
            bare.setdefault(form, []).append(name)
    for table in listed:
        kept = []
        for key in table.foreign_keys:
            found = [key.table] if key.table in names else bare.get(key.table.lower(), [])
            if len(found) == 1:
                kept.append(key.model_copy(update={"table": found[0]}))
        yield table.model_copy(update={"foreign_keys": tuple(kept)})


def _qualify_table_name(schema: str | None, table: str) -> str:
    return f"{schema}.{table}" if schema else table
