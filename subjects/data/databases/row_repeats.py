"""Which rows a join repeats, so that a sum over them counts some several times; found from keys, without running it.

A table's rows stay single where each other table of the query is reached from it by equal columns that are a key there:
`orders JOIN customers ON customers.id = orders.customer_id` keeps single orders and repeats customers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from elcano.subjects.data.data_answer import QueryFault
from elcano.subjects.data.databases.allowed import GATHERING, GATHERING_NAMES
from elcano.subjects.data.databases.policy import Refused
from elcano.subjects.data.tables import TableSchema

FindTable: TypeAlias = Callable[[exp.Table], TableSchema | None]
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
    """Rows that a column of a result may count several times, as clauses without a full stop; empty: nothing."""

    counted: tuple[str, ...] = ()
    """In each of its values."""
    added: tuple[str, ...] = ()
    """Repeats that matter where its values are added up."""


_Outputs: TypeAlias = list[tuple[str, ColumnRepeats]]
"""The columns of a query, with what each counts several times."""


def describe_repeats(scopes: list[Scope], find_table: FindTable) -> tuple[ColumnRepeats, ...]:
    """Describe what each column of a query's result may count several times, in their order.

    Args:
        scopes: of a qualified query, each behind those that it is made of.
        find_table: gives the schema of a table that is read.
    """
    found: dict[int, _Outputs] = {}
    for scope in scopes:
        own = scope.expression
        if isinstance(own, exp.SetOperation):
            sides = [found.get(id(side.unnest()), []) for side in (own.this, own.expression)]
            found[id(own)] = [
                (select.output_name, _merge_repeats(one for side in sides for _, one in side[at : at + 1]))
                for at, select in enumerate(own.selects)
            ]
        elif isinstance(own, exp.Select):
            single = find_single_sources(scope, find_table)
            found[id(own)] = [
                (select.output_name, _describe_column(select, scope, single, found)) for select in own.selects
            ]
    return tuple(one for _, one in found.get(id(scopes[-1].expression), [])) if scopes else ()


def _merge_repeats(listed: Iterable[ColumnRepeats]) -> ColumnRepeats:
    counted: dict[str, None] = {}
    added: dict[str, None] = {}
    for one in listed:
        counted |= dict.fromkeys(one.counted)
        added |= dict.fromkeys(one.added)
    return ColumnRepeats(tuple(counted), tuple(added))


def _describe_column(
    select: exp.Expr, scope: Scope, single: frozenset[str], found: Mapping[int, _Outputs]
) -> ColumnRepeats:
    """Describe what one column of a SELECT counts several times, itself or by the columns that it is made of."""
    inner = []
    for column in select.find_all(exp.Column):
        source = scope.sources.get(column.table)
        if isinstance(source, Scope):
            one = dict(found.get(id(source.expression), [])).get(column.name, ColumnRepeats())
            inner.append(one._replace(counted=one.counted + one.added) if column.find_ancestor(*_COUNTED) else one)
    inner += [one for query in select.find_all(exp.Subquery) for _, one in found.get(id(query.unnest()), [])]
    merged = _merge_repeats(inner)
    names = list(scope.selected_sources)
    if len(names) < 2:
        return merged
    counted = [*merged.counted, *_iter_repeated_counts(select, scope, names, single)]
    plain = select.unalias()
    merging = any(scope.expression.args.get(part) for part in ("group", "distinct"))
    if isinstance(plain, exp.Column) and plain.table in set(names) - single and not merging:
        text = f"its join may repeat rows of {plain.table}, and so values of {plain.name}"
        merged = merged._replace(added=(*merged.added, text))
    return merged._replace(counted=tuple(dict.fromkeys(counted)))


def _iter_repeated_counts(select: exp.Expr, scope: Scope, names: list[str], single: frozenset[str]) -> Iterator[str]:
    for node in select.find_all(*_COUNTED):
        inside = node.this
        if node.find_ancestor(exp.Select) is not scope.expression or isinstance(inside, exp.Distinct):
            continue
        used = {column.table for column in inside.find_all(exp.Column)} & set(names) if inside is not None else set()
        if not (used & single if used else single):
            what = " and ".join(sorted(used or names))
            yield f"its join may repeat rows of {what}, and {node.sql()[:60]} counts each of them"


def _gathers_without_bound(scopes: list[Scope], find_table: FindTable) -> bool:
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


def _iter_keys(source: object, find_table: FindTable) -> Iterator[frozenset[str]]:
    """Sets of columns that no two rows of a source have alike; an empty one: it has one row at most."""
    if isinstance(source, exp.Table) and (table := find_table(source)) is not None:
        if table.primary_key:
            yield frozenset(name.lower() for name in table.primary_key)
        counted = table.rows if not table.estimated else None
        yield from (frozenset({one.name.lower()}) for one in table.columns if counted and one.distinct == counted)
    elif isinstance(source, Scope):
        own = source.expression
        if isinstance(own, exp.SetOperation) and own.args.get("distinct"):
            yield frozenset(name.lower() for name in own.named_selects)
        elif isinstance(own, exp.Select):
            yield from _iter_select_keys(own, source, find_table)


def _iter_select_keys(own: exp.Select, scope: Scope, find_table: FindTable) -> Iterator[frozenset[str]]:
    limit, group = own.args.get("limit"), own.args.get("group")
    if isinstance(limit, exp.Limit) and limit.expression.name == "1":
        yield frozenset()
    outputs = {select.unalias().sql(): select.alias_or_name.lower() for select in own.selects}
    if group is not None:
        if group.expressions and all(one.sql() in outputs for one in group.expressions):
            yield frozenset(outputs[one.sql()] for one in group.expressions)
    elif any(_is_aggregate(select) for select in own.selects):
        yield frozenset()
    elif own.args.get("distinct"):
        yield frozenset(outputs.values())
    elif len(scope.selected_sources) == 1:
        ((name, (_, inner)),) = scope.selected_sources.items()
        columns = [select for select in own.selects if isinstance(select.unalias(), exp.Column)]
        kept = {
            select.unalias().name.lower(): select.alias_or_name.lower()
            for select in columns
            if select.unalias().text("table") == name
        }
        yield from (
            frozenset(kept[column] for column in key) for key in _iter_keys(inner, find_table) if key <= set(kept)
        )


def _is_aggregate(select: exp.Expr) -> bool:
    own = select.find_ancestor(exp.Select)
    return any(one.find_ancestor(exp.Window, exp.Select) is own for one in select.find_all(exp.AggFunc))


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
    _, source = scope.selected_sources[name]
    made = source.expression if isinstance(source, Scope) else source
    if isinstance(made, exp.Query) or (isinstance(made, exp.Table) and isinstance(made.this, exp.Identifier)):
        return set()
    return {column.table for column in made.find_all(exp.Column)} & names


def require_bounded_gathering(scopes: list[Scope], find_table: FindTable) -> None:
    """Check that a query makes one value only of rows whose number is bounded.

    Raises:
        Refused: it does not.
    """
    if _gathers_without_bound(scopes, find_table):
        text = (
            "it makes one value of any number of rows, which a server has to keep in memory: let the query give them "
            "as rows, or gather those of one table that others are joined to by their keys"
        )
        raise Refused(QueryFault(stage="policy", message=text))


def describe_inner_limits(tree: exp.Expr) -> list[str]:
    """Describe what limits inside a query leave out, as clauses; a limit of one row is a choice of it."""
    found = []
    for limit in tree.find_all(exp.Limit, exp.Fetch):
        number = limit.args.get("count") if isinstance(limit, exp.Fetch) else limit.expression
        if limit.parent is not tree and isinstance(number, exp.Literal) and number.name != "1":
            found.append(f"it is computed from at most {number.name} rows of a part of the query (LIMIT {number.name})")
    return list(dict.fromkeys(found))
