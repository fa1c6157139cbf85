"""Whether a query's columns are in the schema, found out before the database is asked, all faults at once.

The database would report one at a time, and SQLite of none: it takes an unknown name in quotation marks for a text.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, traverse_scope
from sqlglot.schema import MappingSchema

from elcano.graphs.text import shorten_text
from elcano.subjects.data.data_answer import QueryFault
from elcano.subjects.data.databases.allowed import IMPLICIT_COLUMNS
from elcano.subjects.data.databases.policy import SQLGLOT, Parsed, Refused, names_of, table_key
from elcano.subjects.data.databases.query_size import require_small_query
from elcano.subjects.data.databases.row_repeats import (
    describe_inner_limits,
    describe_repeats,
    require_bounded_gathering,
)
from elcano.subjects.data.databases.similar_names import find_similar_names
from elcano.subjects.data.tables import (
    ColumnSchema,
    DatabaseSchema,
    Dialect,
    TableSchema,
)

_FOLDING: Final[frozenset[Dialect]] = frozenset({"sqlite", "duckdb"})
MOST_CLAUSES: Final = 3
"""Clauses that say what one column may count several times."""
_ROW_COLUMNS: Final = ("key", "value", "type", "atom", "id", "parent", "fullkey", "path", "json", "root")
"""Columns of SQLite's `json_each` and `json_tree`."""


class _Fault(NamedTuple):
    name: str
    why: str
    near: tuple[str, ...]


class ResolvedColumn(NamedTuple):
    """Facts about one column of a query's result before it runs."""

    origin: ColumnSchema | None
    """The column of the schema that it is; None: it is computed."""
    caution: str = ""
    repeated: str = ""


def resolve_query_columns(query: Parsed, schema: DatabaseSchema) -> tuple[ResolvedColumn, ...]:
    """Resolve each column of the query's result; nothing is known of those of PIVOT.

    Raises:
        Refused: it names columns that its tables do not have, or that several of them have.
    """
    if next(query.tree.find_all(exp.Pivot), None) is not None:
        return ()  # its columns are values of the rows, and DuckDB itself says which names it does not know
    tables = {table.name: table for table in schema.tables if table.name in query.tables}
    try:
        tree = qualify(
            query.tree.copy(),
            schema=MappingSchema(
                _build_sqlglot_schema(tables, schema.dialect), dialect=SQLGLOT[schema.dialect], normalize=False
            ),
            dialect=SQLGLOT[schema.dialect],
            allow_partial_qualification=True,
            validate_qualify_columns=False,
        )
        every = traverse_scope(tree)
        require_small_query(every)

        def find_table(table: exp.Table) -> TableSchema | None:
            return _find_table_schema(table, tables, schema)

        scopes = [scope for scope in every if isinstance(scope.expression, exp.Select)]
        if schema.dialect == "postgresql":
            require_bounded_gathering(scopes, find_table)
        faults = list(dict.fromkeys(fault for scope in scopes for fault in _find_name_faults(scope, tables, schema)))
    except (SqlglotError, RecursionError) as error:
        text = f"its names cannot be followed: {shorten_text(str(error), 300)}"
        raise Refused(QueryFault(stage="names", message=text)) from None
    if faults:
        raise Refused(_build_names_fault(faults))
    origins = [_find_origin_column(select, scopes, tables, schema) for select in _list_select_columns(tree)]
    repeats = describe_repeats(every, find_table)
    if len(repeats) != len(origins):
        return tuple(map(ResolvedColumn, origins))
    inner = describe_inner_limits(tree)
    return tuple(
        ResolvedColumn(origin, "; ".join((*one.counted[:MOST_CLAUSES], *inner)), "; ".join(one.added))
        for origin, one in zip(origins, repeats, strict=True)
    )


def _build_names_fault(faults: list[_Fault]) -> QueryFault:
    close = tuple(dict.fromkeys(name for fault in faults for name in fault.near))
    return QueryFault(
        stage="names",
        message=shorten_text("; ".join(fault.why for fault in faults), 1_500),
        unknown=tuple(dict.fromkeys(fault.name for fault in faults))[:50],
        near=close[:50],
    )


def _find_name_faults(scope: Scope, tables: Mapping[str, TableSchema], schema: DatabaseSchema) -> Iterator[_Fault]:
    for column in scope.columns:
        if _is_implicit(column, schema.dialect):
            continue
        if not column.table:
            if column in scope.unqualified_columns and not _may_be_unlisted(column, scope, tables, schema):
                yield _build_unqualified_fault(column, scope, tables, schema)
            continue
        columns = _columns_of(column.table, scope, tables, schema)
        if columns is None and _has_column(column.table, scope, tables, schema):
            continue  # a field of a column: `address.city`
        if columns is None:
            every = [name for one in _iter_enclosing_scopes(scope) for name in one.sources]
            text = f"there is no table {column.table!r} in this part of the query"
            yield _Fault(f"{column.table}.{column.name}", text, tuple(find_similar_names(column.table, every)))
        elif columns and _fold_name_case(column.name, schema.dialect) not in columns:
            close = find_similar_names(column.name, columns.values()) or _find_similar_columns(column.name, tables)
            yield _build_unknown_fault(column.name, f"{column.table!r} has no column {column.name!r}", close)


def _is_implicit(column: exp.Column, dialect: Dialect) -> bool:
    """Whether a name is one that every table has, or that a lambda or a comprehension around it introduces."""
    name = _fold_name_case(column.name, dialect)
    above = column.parent
    while above is not None and not isinstance(above, exp.Query):
        if isinstance(above, exp.Lambda) and name in {one.name for one in above.expressions}:
            return True
        if isinstance(above, exp.Comprehension) and name == above.expression.name:
            return True
        above = above.parent
    return name in IMPLICIT_COLUMNS[dialect]


def _may_be_unlisted(
    column: exp.Column, scope: Scope, tables: Mapping[str, TableSchema], schema: DatabaseSchema
) -> bool:
    """Whether a source in sight has columns that no one can list, and none that can be listed has the column."""
    name = _fold_name_case(column.name, schema.dialect)
    known = [
        _columns_of(source, around, tables, schema)
        for around in _iter_enclosing_scopes(scope)
        for source in around.sources
    ]
    return {} in known and not any(name in (columns or ()) for columns in known)


def _has_column(name: str, scope: Scope, tables: Mapping[str, TableSchema], schema: DatabaseSchema) -> bool:
    """Whether a source in sight has a column called `name`, whose fields may be read."""
    own = _fold_name_case(name, schema.dialect)
    return schema.dialect == "duckdb" and any(
        own in (_columns_of(source, around, tables, schema) or ())
        for around in _iter_enclosing_scopes(scope)
        for source in around.sources
    )


def _build_unqualified_fault(
    column: exp.Column, scope: Scope, tables: Mapping[str, TableSchema], schema: DatabaseSchema
) -> _Fault:
    """Return the fault of a column that no table was found for: either none has it, or several do."""
    name = _fold_name_case(column.name, schema.dialect)
    known = {source: _columns_of(source, scope, tables, schema) or {} for source in scope.sources}
    having = [source for source, columns in known.items() if name in columns]
    if len(having) > 1:
        options = tuple(f"{source}.{column.name}" for source in having)
        return _Fault(column.name, f"{column.name!r} may be any of {', '.join(options)}: say which", options)
    columns = [one for source in scope.sources for one in (_columns_of(source, scope, tables, schema) or {}).values()]
    close = find_similar_names(column.name, columns) or _find_similar_columns(column.name, tables)
    return _build_unknown_fault(column.name, f"no table of the query has a column {column.name!r}", close)


def _build_unknown_fault(name: str, why: str, close: list[str]) -> _Fault:
    like = f"; names like it: {', '.join(close)}" if close else ""
    return _Fault(name, why + like, tuple(close))


def _find_similar_columns(name: str, tables: Mapping[str, TableSchema]) -> list[str]:
    return find_similar_names(
        name, [f"{table.name}.{column.name}" for table in tables.values() for column in table.columns]
    )


def _columns_of(
    source: str, scope: Scope, tables: Mapping[str, TableSchema], schema: DatabaseSchema
) -> dict[str, str] | None:
    """Return the columns of the source called `source`, as seen from `scope`, by their folded names.

    Empty: no one can say. None: nothing is called so.
    """
    for around in _iter_enclosing_scopes(scope):
        found = around.sources.get(source)
        if isinstance(found, exp.Table):
            if schema.dialect == "sqlite" and isinstance(found.this, exp.Anonymous):
                return {name: name for name in _ROW_COLUMNS}
            if (table := _find_table_schema(found, tables, schema)) is None:
                return {}
            return {_fold_name_case(column.name, schema.dialect): column.name for column in table.columns}
        if isinstance(found, Scope):
            if not isinstance(found.expression, exp.Query):
                return {}  # `unnest`, `VALUES`
            outer = (
                found.outer_columns
                or [select.output_name for select in _list_select_columns(found.expression)]
                or ["*"]
            )
            return {} if "*" in outer else {_fold_name_case(name, schema.dialect): name for name in outer}
    return None


def _iter_enclosing_scopes(scope: Scope) -> Iterator[Scope]:
    one: Scope | None = scope
    while one is not None:
        yield one
        one = one.parent


def _list_select_columns(tree: exp.Expr) -> list[exp.Expr]:
    """Return the columns that a query selects; none for anything else, such as VALUES."""
    return tree.selects if isinstance(tree, exp.Query) else []


def _find_origin_column(
    select: exp.Expr, scopes: list[Scope], tables: Mapping[str, TableSchema], schema: DatabaseSchema
) -> ColumnSchema | None:
    column = select.unalias()
    if not isinstance(column, exp.Column):
        return None
    for scope in scopes:
        if scope.expression is select.parent:
            found = scope.sources.get(column.table)
            table = _find_table_schema(found, tables, schema) if isinstance(found, exp.Table) else None
            own = _fold_name_case(column.name, schema.dialect)
            return (
                next((one for one in table.columns if _fold_name_case(one.name, schema.dialect) == own), None)
                if table
                else None
            )
    return None


def _find_table_schema(
    found: exp.Table, tables: Mapping[str, TableSchema], schema: DatabaseSchema
) -> TableSchema | None:
    name = names_of(schema).get(table_key(found, schema.dialect))
    return tables.get(name) if name is not None else None


def _build_sqlglot_schema(tables: Mapping[str, TableSchema], dialect: Dialect) -> dict[str, object]:
    """The tables as sqlglot wants them: all with a schema above them if one has, since it knows one depth alone."""
    deep = dialect != "sqlite" and any("." in name for name in tables)  # where a dot is a part of a name
    found: dict[str, dict[str, object]] = {}
    for name, table in tables.items():
        columns: dict[str, object] = {
            _fold_name_case(column.name, dialect): column.type or "text" for column in table.columns
        }
        above, _, bare = name.rpartition(".") if deep else ("", "", name)
        found.setdefault(_fold_name_case(above, dialect), {})[_fold_name_case(bare, dialect)] = columns
    return dict(found) if deep else dict(found.get("", {}))


def _fold_name_case(name: str, dialect: Dialect) -> str:
    return name.lower() if dialect in _FOLDING else name
