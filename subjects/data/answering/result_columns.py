"""Finds, by the query, which columns of its result name groups, and which are plain sums or counts.

Names and values do not distinguish a ratio from a count, or the year 2024 from 2,024 pieces; the expression behind a
column can. What cannot be followed is said to be neither.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from elcano.subjects.data.databases.policy import SQLGLOT
from elcano.subjects.data.tables import ResultTable

_MOST_SOURCES: Final = 20
"""Queries within queries that are followed."""
_WRAPPERS: Final = (exp.Paren, exp.Cast, exp.Round, exp.Coalesce, exp.Filter)
"""Functions that leave a sum a sum, except for its last digits."""
_TOTALLING: Final = (exp.Rollup, exp.Cube, exp.GroupingSets)


class ColumnOrigin(NamedTuple):
    """The expression behind a column, and the query that computes it."""

    name: str
    expression: exp.Expr
    select: exp.Select


def find_group_columns(table: ResultTable) -> frozenset[int]:
    """The places of columns that name the groups of a query which counts, adds up or averages something."""
    return frozenset(
        at
        for at, origin in enumerate(_find_origins(table))
        if origin is not None
        and origin.name.lower() == table.columns[at].name.lower()
        and _is_grouped(origin.select)
        and not _has_aggregate(origin.expression)
    )


def is_additive(table: ResultTable, at: int) -> bool:
    """Whether values of a column add up to the value of all their groups together.

    True of a plain sum or count. False of ratios, means, running totals and distinct counts, of queries that have
    totals among their rows, and of whatever cannot be followed.
    """
    origins = _find_origins(table)
    if at >= len(origins) or (origin := origins[at]) is None:
        return False
    group = origin.select.args.get("group")
    if group is not None and any(group.find(kind) for kind in _TOTALLING):
        return False
    return _is_plain_sum(origin.expression)


def _find_origins(table: ResultTable) -> tuple[ColumnOrigin | None, ...]:
    return _trace_columns(table.sql, SQLGLOT[table.dialect], len(table.columns)) if table.sql else ()


@lru_cache(100)
def _trace_columns(sql: str, dialect: str, width: int) -> tuple[ColumnOrigin | None, ...]:
    """The origins of the columns of a query; empty if the query cannot be read or has other columns."""
    try:
        tree = sqlglot.parse_one(sql, read=dialect)
        for _ in range(_MOST_SOURCES):  # through the limit that the policy puts around a query
            if not isinstance(tree, exp.Select) or not tree.is_star:
                break
            inner = (
                _find_only_source(tree) if len(tree.selects) == 1 and not any(tree.selects[0].args.values()) else None
            )
            if inner is None:
                return ()
            tree = inner
        if not isinstance(tree, exp.Select) or len(tree.selects) != width:
            return ()
        return tuple(_trace_column(tree, one, one.alias_or_name, _MOST_SOURCES) for one in tree.selects)
    except (SqlglotError, RecursionError):
        return ()


def _trace_column(select: exp.Select, selected: exp.Expr, name: str, depth: int) -> ColumnOrigin | None:
    """Follow a column through the queries that only pass it on."""
    expression = selected.unalias()
    if not isinstance(expression, exp.Column) or _is_grouped(select):
        return ColumnOrigin(name, expression, select)
    inner = _find_only_source(select)
    if inner is None:
        return ColumnOrigin(name, expression, select)
    named = [one for one in inner.selects if one.alias_or_name.lower() == expression.name.lower()]
    return _trace_column(inner, named[0], name, depth - 1) if len(named) == 1 and depth else None


def _find_only_source(select: exp.Select) -> exp.Select | None:
    """The query that a query reads all its rows from; None: it reads tables, joins them, or reads a union."""
    source = select.args.get("from_") or select.args.get("from")
    if source is None or select.args.get("joins"):
        return None
    this = source.this
    if isinstance(this, exp.Subquery):
        return this.this if isinstance(this.this, exp.Select) else None
    if not isinstance(this, exp.Table) or this.db:
        return None
    for one in _iter_common_tables(select):
        if one.alias.lower() == this.name.lower():
            return one.this if isinstance(one.this, exp.Select) else None
    return None


def _iter_common_tables(select: exp.Select) -> Iterator[exp.CTE]:
    around: exp.Expr | None = select
    while around is not None:
        within = around.args.get("with_") or around.args.get("with")
        if within is not None:
            yield from within.expressions
        around = around.parent


def _is_grouped(select: exp.Select) -> bool:
    return select.args.get("group") is not None or any(_has_aggregate(one) for one in select.selects)


def _has_aggregate(expression: exp.Expr) -> bool:
    """Whether it aggregates rows; a window computes over them and leaves them what they are."""
    return any(
        (isinstance(one, exp.AggFunc) and not isinstance(one.parent, exp.Window | exp.Filter | exp.IgnoreNulls))
        or (isinstance(one, exp.Filter) and not isinstance(one.parent, exp.Window))
        or (isinstance(one, exp.Anonymous) and one.name.lower() == "total")
        for one in expression.walk(prune=lambda node: isinstance(node, exp.Query | exp.Subquery))
    )


def _is_plain_sum(expression: exp.Expr) -> bool:
    while isinstance(expression, _WRAPPERS):
        expression = expression.this
    if isinstance(expression, exp.Anonymous):
        return expression.name.lower() == "total"
    return isinstance(expression, exp.Sum | exp.Count) and not isinstance(expression.this, exp.Distinct)
