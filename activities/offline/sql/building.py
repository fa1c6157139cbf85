"""From a form to SQL, as an expression tree: no text of a question becomes SQL but as a literal of it."""

import re
from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from elcano.activities.offline.sql.form import Bucket, Condition, Form, Metric, Output, Ratio, Unread
from elcano.activities.offline.sql.joining import Tree, stops_in, way_in
from elcano.activities.offline.sql.links import Links, multiplies
from elcano.activities.offline.sql.names import Column, Names
from elcano.activities.offline.sql.zones import says_its_offset
from elcano.graphs.data.schema import Dialect

DIALECTS: Final[dict[Dialect, str]] = {
    "sqlite": "sqlite",
    "postgresql": "postgres",
    "duckdb": "duckdb",
    "mysql": "mysql",
}
_PLAIN: Final = re.compile(r"[a-z_][a-z0-9_]*")
_COMPARED: Final[dict[str, type[exp.Binary]]] = {
    "=": exp.EQ, "<>": exp.NEQ, ">": exp.GT, ">=": exp.GTE, "<": exp.LT, "<=": exp.LTE,
}  # fmt: skip
_BUCKETS: Final = {"month": ("%Y-%m", "YYYY-MM"), "year": ("%Y", "YYYY"), "day": ("%Y-%m-%d", "YYYY-MM-DD")}


def built(form: Form, names: Names, links: Links, dialect: Dialect) -> exp.Select:
    """The query of a form.

    Raises:
        Unread: tables do not hang together in one way, or rows would be counted several times.
    """
    tree = Tree(names, links, form)
    _mixed(form)
    _explain(tree, form)
    for output in (*form.select, *(one for one, _ in form.order)):
        _checked(output, form, tree)
    outputs = [_output(one, form, tree, names, dialect) for one in form.select]
    query = exp.select(*outputs).from_(_table(tree.base))
    for _, there, link in tree.joined:
        on = exp.EQ(this=_column(link.column), expression=_column(link.referred))
        query = query.join(_table(there), on=on, join_type="LEFT" if form.outer else "")
    conditions = [_condition(one) for one in form.conditions]
    conditions += [_absent(table, tree, links) for table in form.absent]
    if conditions:
        query = query.where(exp.and_(*conditions))
    for group in _groups(form, names):
        query = query.group_by(_plain_output(group, dialect))
    for metric, operator, number in form.having:
        query = query.having(_COMPARED[operator](this=_metric(metric, tree, names), expression=exp.convert(number)))
    for key, descending in form.order:
        ordered = exp.Ordered(
            this=_output(key, form, tree, names, dialect, named=False), desc=descending, nulls_first=False
        )
        query = query.order_by(ordered)
    if form.limit is not None:
        query = query.limit(form.limit)
    aggregated = any(isinstance(one, Metric) for one in form.select)
    if form.distinct or (tree.multiplied and not aggregated and not form.groups and not form.order):
        query = query.distinct()
    return query


def _mixed(form: Form) -> None:
    """Refuses columns of single rows beside what is computed of several."""
    parts = [*form.select, *(one for one, _ in form.order)]
    flat = [half for one in parts for half in ((one.first, one.second) if isinstance(one, Ratio) else (one,))]
    if not form.groups and not any(isinstance(one, Metric) for one in flat):
        return
    for one in flat:
        if isinstance(one, Column | Bucket) and one not in form.groups:
            raise Unread(f"{one} is of single rows, and something else is computed of several")


def _explain(tree: Tree, form: Form) -> None:
    for here, there, link in tree.joined:
        how = "" if link.declared else ", which the names say and no key of the database"
        form.reasons.append(f"{there} is joined to {here} by {link.column} = {link.referred}{how}.")
        if not link.declared:
            form.choices.append(f"{link.column} was taken to name rows of {link.referred.table}.")
    for one in form.conditions:
        if one.text:
            form.reasons.append(f"{one.column} is compared because the question says: {one.text}.")
    for table in form.absent:
        form.reasons.append(f"Only rows without a row of {table} count, as the question says.")


def _checked(output: Output, form: Form, tree: Tree) -> None:
    """Refuses a sum or an average over rows that stand there several times, unless once for each group."""
    if isinstance(output, Ratio):
        for part in (output.first, output.second):
            _checked(part, form, tree)
    if not isinstance(output, Metric) or output.aggregate in ("max", "min"):
        return
    table = output.table
    if output.aggregate == "count" and output.column is not None and output.distinct:
        return
    if output.aggregate == "count" and output.column is None:
        return
    groups = {one.table if isinstance(one, Column) else one.column.table for one in form.groups}
    for other in tree.ways:
        way = way_in(tree, table, other)
        times = multiplies(table, way)
        if not times:
            continue
        towards = [
            multiplies(table, way_in(tree, table, group)) for group in groups if other in stops_in(tree, table, group)
        ]
        if times > 1 or not towards or max(towards) > 1 or any(one.column.table == other for one in form.conditions):
            raise Unread(f"rows of {table} would be counted once for each row of {other}")


def _groups(form: Form, names: Names) -> Sequence[Column | Bucket]:
    return tuple(dict.fromkeys(form.groups))


def _identifier(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=not _PLAIN.fullmatch(name) or name in _RESERVED)


_RESERVED: Final = frozenset(
    [
        "order",
        "group",
        "select",
        "from",
        "where",
        "table",
        "user",
        "desc",
        "asc",
        "limit",
        "offset",
        "end",
        "case",
        "when",
        "then",
        "else",
        "and",
        "or",
        "not",
        "in",
        "is",
        "null",
        "join",
        "on",
        "using",
        "union",
        "all",
        "distinct",
        "as",
        "by",
        "having",
        "to",
        "with",
        "check",
        "default",
        "primary",
        "references",
        "column",
        "values",
    ]
)


def _table(name: str) -> exp.Table:
    schema, _, table = name.rpartition(".")
    return exp.Table(this=_identifier(table), db=_identifier(schema) if schema else None)


def _column(column: Column) -> exp.Column:
    return exp.Column(this=_identifier(column.name), table=_identifier(column.table.rpartition(".")[2]))


def _output(output: Output, form: Form, tree: Tree, names: Names, dialect: Dialect, named: bool = True) -> exp.Expr:
    if isinstance(output, Metric):
        made = _metric(output, tree, names)
        said = output.column.name if output.column else output.table.rpartition(".")[2]
        return exp.alias_(made, _label(f"{output.aggregate}_{said}"), quoted=True) if named else made
    if isinstance(output, Ratio):
        first, second = (_half(one, form, tree, names) for one in (output.first, output.second))
        made = exp.Div(
            this=exp.cast(first, exp.DataType.Type.DOUBLE),
            expression=exp.func("NULLIF", second, exp.Literal.number(0)),
            typed=False, safe=False,
        )  # fmt: skip
        if output.percent:
            made = exp.Mul(this=exp.Literal.number("100.0"), expression=made)
        return exp.alias_(made, "ratio", quoted=True) if named else made
    made = _plain_output(output, dialect)
    return exp.alias_(made, output.unit, quoted=True) if named and isinstance(output, Bucket) else made


def _half(part: Metric | Column, form: Form, tree: Tree, names: Names) -> exp.Expr:
    """One side of a ratio: of a table that the query does not join, a query by itself."""
    if isinstance(part, Metric) and part.table not in tree.ways:
        return exp.select(exp.Count(this=exp.Star())).from_(_table(part.table)).subquery()
    return _metric(part, tree, names) if isinstance(part, Metric) else _column(part)


def _plain_output(output: Column | Bucket, dialect: Dialect) -> exp.Expr:
    if isinstance(output, Column):
        return _column(output)
    form, other = _BUCKETS[output.unit]
    column = _column(output.column)
    if dialect == "postgresql":
        return exp.Anonymous(this="TO_CHAR", expressions=[column, exp.Literal.string(other)])
    if dialect == "mysql":
        return exp.Anonymous(this="DATE_FORMAT", expressions=[column, exp.Literal.string(form)])
    arguments: list[exp.Expr] = [exp.Literal.string(form), column]
    return exp.Anonymous(this="STRFTIME", expressions=arguments if dialect == "sqlite" else arguments[::-1])


def _label(text: str) -> str:
    return re.sub(r"\W+", "_", text)


def _metric(metric: Metric, tree: Tree, names: Names) -> exp.Expr:
    if metric.aggregate == "count" and metric.column is None:
        multiplied = any(multiplies(metric.table, way_in(tree, metric.table, other)) for other in tree.ways)
        if not multiplied and not metric.distinct and (metric.table == tree.base or not tree.outer):
            return exp.Count(this=_when(exp.Literal.number(1), metric) if metric.conditions else exp.Star())
        key = names.key(metric.table)
        if key is None:
            raise Unread(f"nothing tells the rows of {metric.table} apart, so they cannot be counted once each")
        return exp.Count(this=exp.Distinct(expressions=[_when(_column(key), metric)]))
    assert metric.column is not None
    column: exp.Expr = _when(_column(metric.column), metric)
    if metric.distinct:
        column = exp.Distinct(expressions=[column])
    kinds = {"count": exp.Count, "sum": exp.Sum, "avg": exp.Avg, "max": exp.Max, "min": exp.Min}
    return kinds[metric.aggregate](this=column)


def _when(value: exp.Expr, metric: Metric) -> exp.Expr:
    """A value where the conditions of a metric hold, and nothing elsewhere."""
    if not metric.conditions:
        return value
    return exp.Case().when(exp.and_(*(_condition(one) for one in metric.conditions)), value)


def _condition(condition: Condition) -> exp.Expr:
    column: exp.Expr = _column(condition.column)
    if says_its_offset(condition.column):
        column = exp.Anonymous(this="DATETIME", expressions=[column])  # in UTC, as STRFTIME groups it
    operator, values = condition.operator, [_literal(one) for one in condition.values]
    if operator in _COMPARED:
        return _COMPARED[operator](this=column, expression=values[0])
    if operator == "in":
        return exp.In(this=column, expressions=values)
    if operator in ("null", "filled"):
        empty = exp.Is(this=column, expression=exp.Null())
        return empty if operator == "null" else exp.Not(this=empty)
    if operator in ("yes", "no"):
        return column if operator == "yes" else exp.Not(this=column)
    text = str(condition.values[0]).lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    pattern = {"start": f"{text}%", "end": f"%{text}", "in text": f"%{text}%"}[operator]
    like = exp.Like(this=exp.Lower(this=column), expression=exp.Literal.string(pattern))
    return exp.Escape(this=like, expression=exp.Literal.string("\\")) if "\\" in pattern else like


def _literal(value: str | int | float) -> exp.Expr:
    return exp.Literal.string(value) if isinstance(value, str) else exp.convert(value)


def _absent(table: str, tree: Tree, links: Links) -> exp.Expr:
    """No row of a table names the row of the base."""
    found = [*links.referring(table, tree.base)]
    if found:
        if len(found) > 1:
            raise Unread(f"{table} names {tree.base} by several columns")
        inner = exp.select(exp.Literal.number(1)).from_(_table(table))
        inner = inner.where(exp.EQ(this=_column(found[0].column), expression=_column(found[0].referred)))
        return exp.Not(this=exp.Exists(this=inner))
    own = links.referring(tree.base, table)
    if len(own) != 1:
        raise Unread(f"the schema does not say how {tree.base} and {table} hang together")
    return exp.Is(this=_column(own[0].column), expression=exp.Null())
