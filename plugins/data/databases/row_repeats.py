"""Which rows a join repeats, so that a sum over them counts some several times; found from keys, without running it.

A table's rows stay single where each other table of the query is reached from it by equal columns that are a key there:
`orders JOIN customers ON customers.id = orders.customer_id` keeps single orders and repeats customers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from elcano.plugins.data.databases.allowed import GATHERING, GATHERING_NAMES
from elcano.plugins.data.tables import TableSchema

FindTable = Callable[[exp.Table], TableSchema | None]
_COUNTED: Final = (
    exp.Sum,
    exp.Avg,
    exp.Count,
    exp.Median,
    exp.PercentileCont,
    exp.PercentileDisc,
    exp.Quantile,
    exp.Stddev,
    exp.StddevPop,
    exp.StddevSamp,
    exp.Variance,
    exp.VariancePop,
    exp.CountIf,
)
"""Aggregates that change where a row is there twice."""
MOST_GATHERED: Final = 1_000_000
"""Rows of a table, as far as they are known, whose values a server may put into one."""


def find_single_sources(scope: Scope, find_table: FindTable) -> frozenset[str]:
    """The tables of a SELECT, by the names it gives them, none of whose rows its result repeats."""
    equal = list(_iter_equalities(scope))
    keys = {name: list(_iter_keys(source, find_table)) for name, (_, source) in scope.selected_sources.items()}
    return frozenset(name for name in keys if _reach(name, keys, equal, scope) == set(keys))


class ColumnRepeats(NamedTuple):
    """What a column of a result may count several times, as clauses without a full stop; empty: nothing."""

    counted: tuple[str, ...] = ()
    """In each of its values."""
    added: tuple[str, ...] = ()
    """Where its values are added up."""


def describe_repeats(scopes: list[Scope], find_table: FindTable) -> tuple[ColumnRepeats, ...]:
    """What each column of a query's result may count several times, in their order.

    Args:
        scopes: of a qualified query, each behind those that it is made of.
        find_table: gives the schema of a table that is read.
    """
    found: dict[int, dict[str, tuple[str, ...]]] = {}
    for scope in scopes:
        own = scope.expression
        if isinstance(own, exp.SetOperation):
            sides = [list(found.get(id(side.unnest()), {}).values()) for side in (own.this, own.expression)]
            found[id(own)] = {
                select.output_name: tuple(dict.fromkeys(one for side in sides if at < len(side) for one in side[at]))
                for at, select in enumerate(own.selects)
            }
        elif isinstance(own, exp.Select):
            single = find_single_sources(scope, find_table)
            found[id(own)] = {
                select.output_name: tuple(dict.fromkeys(_iter_column_repeats(select, scope, single, found)))
                for select in own.selects
            }
    last = scopes[-1] if scopes else None
    counted = list(found.get(id(last.expression), {}).values()) if last is not None else []
    if last is None or not isinstance(last.expression, exp.Select):
        return tuple(ColumnRepeats(clauses) for clauses in counted)
    single, names = find_single_sources(last, find_table), list(last.selected_sources)
    found_rows = [_describe_repeated_column(select, names, single) for select in last.expression.selects]
    return tuple(ColumnRepeats(clauses, added) for clauses, added in zip(counted, found_rows, strict=True))


def _describe_repeated_column(select: exp.Expr, names: Sequence[str], single: frozenset[str]) -> tuple[str, ...]:
    column = select.unalias()
    if len(names) < 2 or not isinstance(column, exp.Column) or column.table in single or column.table not in names:
        return ()
    return (f"its join may repeat rows of {column.table}, and so values of {column.name}",)


def gathers_without_bound(scopes: list[Scope], find_table: FindTable) -> bool:
    """Whether a query makes one value of rows whose number is not bounded by the rows of one table of a known size."""
    selects = [scope for scope in scopes if isinstance(scope.expression, exp.Select)]
    if not any(_gathers(scope.expression) for scope in selects):
        return False
    for scope in selects:
        if scope.selected_sources and not find_single_sources(scope, find_table):
            return True
        for source in scope.sources.values():
            table = find_table(source) if isinstance(source, exp.Table) else None
            if isinstance(source, exp.Table) and isinstance(source.this, exp.GenerateSeries):
                return True
            if table is not None and (table.rows or 0) > MOST_GATHERED:
                return True
    return False


def _gathers(select: exp.Expr) -> bool:
    return any(
        isinstance(node, GATHERING) or (isinstance(node, exp.Anonymous) and str(node.this).lower() in GATHERING_NAMES)
        for node in select.walk()
    )


def _iter_column_repeats(
    select: exp.Expr, scope: Scope, single: frozenset[str], found: Mapping[int, Mapping[str, tuple[str, ...]]]
) -> Iterator[str]:
    """What one column of a SELECT counts several times, itself or by the columns that it is made of."""
    for column in select.find_all(exp.Column):
        source = scope.sources.get(column.table)
        if isinstance(source, Scope):
            yield from found.get(id(source.expression), {}).get(column.name, ())
    for query in select.find_all(exp.Subquery):
        for clauses in found.get(id(query.unnest()), {}).values():
            yield from clauses
    names = list(scope.selected_sources)
    if len(names) < 2:
        return
    for node in select.find_all(*_COUNTED):
        inside = node.this
        if node.find_ancestor(exp.Select) is not scope.expression or isinstance(inside, exp.Distinct):
            continue
        used = {column.table for column in inside.find_all(exp.Column)} & set(names) if inside is not None else set()
        if not (used & single if used else single):
            what = " and ".join(sorted(used or names))
            yield f"its join may repeat rows of {what}, and {node.sql()[:60]} counts each of them"


def _iter_keys(source: object, find_table: FindTable) -> Iterator[frozenset[str]]:
    """Sets of columns that no two rows of a source have alike; an empty one: it has one row at most."""
    if isinstance(source, exp.Table):
        table = find_table(source)
        if table is not None and table.primary_key:
            yield frozenset(name.lower() for name in table.primary_key)
        if table is not None and table.rows and not table.estimated:
            for column in table.columns:
                if column.distinct == table.rows:
                    yield frozenset({column.name.lower()})
        return
    own = source.expression if isinstance(source, Scope) else None
    if isinstance(own, exp.SetOperation) and own.args.get("distinct"):
        yield frozenset(name.lower() for name in own.named_selects)
    if not isinstance(own, exp.Select) or not isinstance(source, Scope):
        return
    limit, group = own.args.get("limit"), own.args.get("group")
    if isinstance(limit, exp.Limit) and limit.expression.name == "1":
        yield frozenset()
    outputs = {select.unalias().sql(): select.alias_or_name.lower() for select in own.selects}
    if group is not None:
        grouped = [outputs.get(one.sql()) for one in group.expressions]
        if grouped and None not in grouped:
            yield frozenset(name for name in grouped if name is not None)
    elif any(_is_aggregate(select) for select in own.selects):
        yield frozenset()
    elif own.args.get("distinct"):
        yield frozenset(outputs.values())
    elif len(source.selected_sources) == 1:
        ((name, (_, inner)),) = source.selected_sources.items()
        for key in _iter_keys(inner, find_table):
            kept = {
                select.unalias().name.lower(): select.alias_or_name.lower()
                for select in own.selects
                if isinstance(select.unalias(), exp.Column) and select.unalias().text("table") == name
            }
            if key <= set(kept):
                yield frozenset(kept[column] for column in key)


def _is_aggregate(select: exp.Expr) -> bool:
    return any(one.find_ancestor(exp.Window, exp.Subquery) is None for one in select.find_all(exp.AggFunc))


def _iter_equalities(scope: Scope) -> Iterator[tuple[exp.Column, exp.Expr]]:
    """Columns with what they are equal to in each row, from the conditions of joins and of WHERE."""
    select = scope.expression
    conditions = [join.args.get("on") for join in select.args.get("joins") or ()]
    conditions += [where.this for where in [select.args.get("where")] if where is not None]
    for condition in conditions:
        for one in condition.flatten() if isinstance(condition, exp.And) else [condition]:
            one = one.unnest() if isinstance(one, exp.Paren) else one
            if isinstance(one, exp.EQ):
                for column, other in ((one.this, one.expression), (one.expression, one.this)):
                    if isinstance(column, exp.Column):
                        yield column, other


def _reach(
    start: str, keys: Mapping[str, list[frozenset[str]]], equal: list[tuple[exp.Column, exp.Expr]], scope: Scope
) -> set[str]:
    """The sources that have one row at most for each row of `start`."""
    reached = {start} | _list_argument_sources(scope, start, set(keys))
    while True:
        more = set()
        for name in keys.keys() - reached:
            given = {
                column.name.lower()
                for column, other in equal
                if column.table == name
                and all(used.table in reached or used.table not in keys for used in other.find_all(exp.Column))
            }
            if any(key <= given for key in keys[name]):
                more.add(name)
        if not more:
            return reached
        reached |= more


def _list_argument_sources(scope: Scope, name: str, names: set[str]) -> set[str]:
    """The sources that a function in place of a table takes its rows from: each of these is of one row there."""
    node, source = scope.selected_sources[name]
    made = source.expression if isinstance(source, Scope) else source
    if isinstance(made, exp.Query) or (isinstance(made, exp.Table) and isinstance(made.this, exp.Identifier)):
        return set()
    return {column.table for column in made.find_all(exp.Column)} & names
