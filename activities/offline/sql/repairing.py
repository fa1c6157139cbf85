"""Broken SQL, mended by rules: another dialect, near names, columns without their table, a missing GROUP BY.

Every change is told. One that may make another question of the query is marked: a name that only looks like the one
that was written is a guess.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from elcano.activities.offline.sql.building import DIALECTS
from elcano.activities.offline.sql.near import nearest
from elcano.graphs.data.query import QueryFault, SqlQuery
from elcano.graphs.data.schema import DatabaseSchema, TableSchema
from elcano.graphs.data.writing import SqlRepair

OTHERS: Final = ("postgres", "mysql", "tsql", "bigquery", "snowflake", "oracle", "duckdb", "sqlite")
"""Dialects that a query is read in, in this order, where its own does not do."""


_CUT: Final = {"day": "%Y-%m-%d", "month": "%Y-%m-01", "year": "%Y-01-01"}


@dataclass
class _Work:
    tree: exp.Query
    schema: dict[str, TableSchema]
    near: tuple[str, ...]
    changed: list[str] = field(default_factory=list)
    meaning: bool = False


def repaired(query: SqlQuery, fault: QueryFault, schema: DatabaseSchema, earlier: Sequence[str] = ()) -> SqlRepair:
    """A new query for one that was refused or failed; without SQL where the rules know none.

    Args:
        query: the one that failed.
        fault: what was said of it.
        schema: what there is.
        earlier: queries that were tried before, so that none is tried twice.
    """
    if not fault.lasting:
        return SqlRepair(explanation="The database was busy or away: the same query may do later.")
    own = DIALECTS[query.dialect]
    parsed = _parsed(query.sql, own, fault)
    if isinstance(parsed, str):
        return SqlRepair(explanation=parsed)
    tree, changed = parsed
    work = _Work(tree, {one.name.lower(): one for one in schema.tables}, fault.near, changed)
    try:
        _mend(work)
        sql = work.tree.sql(dialect=own)
    except (SqlglotError, RecursionError) as error:
        return SqlRepair(explanation=f"The query is too tangled for rules: {type(error).__name__}.")
    if not work.changed and "syntax" in f"{fault.stage} {fault.message}".lower() and sql != query.sql:
        work.changed.append(f"It was written anew as {own} has it.")
    if not work.changed or sql in (query.sql, *earlier):
        return SqlRepair(explanation=f"Rules know no other query for this: {fault.message[:500]}")
    return SqlRepair(sql=sql, changed=tuple(dict.fromkeys(work.changed)), changes_meaning=work.meaning)


def _parsed(sql: str, own: str, fault: QueryFault) -> tuple[exp.Query, list[str]] | str:
    """The query as a tree, read in its own dialect or in the first other one that reads it; or why there is none."""
    dialects = [own, *(one for one in OTHERS if one != own)]
    if "function" in fault.message.lower():
        dialects = [*dialects[1:], own]
    several = False
    for dialect in dialects:
        try:
            found = [
                one
                for one in sqlglot.parse(sql, read=dialect)
                if one is not None and not isinstance(one, exp.Semicolon)
            ]
        except (SqlglotError, RecursionError):
            continue
        if len(found) != 1:
            several = True
            continue
        tree = found[0]
        if not isinstance(tree, exp.Query):
            return "Only queries are mended, and this is none."
        told = [] if dialect == own else _moved(tree, sql, dialect, own)
        if dialect != own and not told:
            continue
        _calendar(tree, own, told)
        return tree, told
    return "There is more than one statement." if several else "No dialect that the rules know can read it."


def _moved(tree: exp.Expr, sql: str, dialect: str, own: str) -> list[str]:
    """What reading in another dialect changes; nothing if it makes no difference."""
    try:
        before = sqlglot.parse_one(sql, read=own).sql(dialect=own)
    except (SqlglotError, RecursionError):
        before = ""
    return [f"It was read as {dialect} and written as {own}."] if tree.sql(dialect=own) != before else []


def _calendar(tree: exp.Expr, own: str, told: list[str]) -> None:
    """Year, month and day of a column in SQLite, which has no functions of these names."""
    if own != "sqlite":
        return
    for kind, form in ((exp.Year, "%Y"), (exp.Month, "%m"), (exp.Day, "%d")):
        for call in list(tree.find_all(kind)):
            argument = call.this.this if isinstance(call.this, exp.TsOrDsToDate) else call.this
            made = exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(form), argument.copy()])
            call.replace(exp.cast(made, exp.DataType.Type.INT))
            told.append(f"{kind.__name__.upper()} is taken from the date by STRFTIME, as SQLite does it.")

    for cut in list(tree.find_all(exp.TimestampTrunc, exp.DateTrunc)):
        first = _CUT.get(cut.text("unit").lower())
        if first is not None:
            made = exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(first), cut.this.copy()])
            cut.replace(made)
            told.append("A date is cut to its first day by STRFTIME, as SQLite does it.")


def _mend(work: _Work) -> None:
    named = {one.alias_or_name.lower() for one in work.tree.find_all(exp.CTE)}
    for table in list(work.tree.find_all(exp.Table)):
        if table.name.lower() not in named:
            _table(work, table, named)
    for scope in traverse_scope(work.tree):
        sources = {alias: _columns(source, work) for alias, source in scope.sources.items()}
        for column in [one for one in scope.columns if not isinstance(one.this, exp.Star)]:
            _column(work, column, sources, scope)
        if isinstance(scope.expression, exp.Select):
            _grouped(work, scope.expression)


def _table(work: _Work, table: exp.Table, named: set[str]) -> None:
    written = f"{table.db}.{table.name}" if table.db else table.name
    if written.lower() in work.schema:
        return
    if table.db and table.name.lower() in work.schema:
        work.changed.append(f"{written} is {table.name}.")
        table.set("db", None)
        return
    found = nearest(table.name, [*(one.name for one in work.schema.values()), *named], work.near)
    if found is None:
        return
    name, likeness = found
    work.changed.append(f"There is no table {written}; {name} is the nearest.")
    work.meaning = work.meaning or likeness < 1
    for column in work.tree.find_all(exp.Column):
        if column.table.lower() == table.name.lower() and not table.alias:
            column.set("table", exp.to_identifier(name.rpartition(".")[2]))
    schema, _, bare = name.rpartition(".")
    table.set("this", _spelled(bare))
    table.set("db", _spelled(schema) if schema else None)


def _columns(source: exp.Expr | Scope, work: _Work) -> tuple[str, ...] | None:
    """The names that a source has; None: nobody knows."""
    if isinstance(source, Scope):
        inner = source.expression
        names = tuple(inner.named_selects) if isinstance(inner, exp.Query) else ("*",)
        return None if "*" in names else names
    if isinstance(source, exp.Table):
        schema = f"{source.db}.{source.name}" if source.db else source.name
        table = work.schema.get(schema.lower())
        return tuple(one.name for one in table.columns) if table is not None else None
    return None


def _column(work: _Work, column: exp.Column, sources: dict[str, tuple[str, ...] | None], scope: Scope) -> None:
    name, alias = column.name, column.table
    if not alias and name.lower() in {one.lower() for one in _aliases(scope)}:
        return
    hidden = any(known is None for known in sources.values())
    if (hidden or (alias and alias not in sources)) and (not alias or alias in sources or scope.is_correlated_subquery):
        return
    owners = [one for one, known in sources.items() if known and name.lower() in {each.lower() for each in known}]
    if alias in owners or (not alias and len(owners) == 1):
        return
    if owners and (alias or len(owners) > 1) and not (not alias and scope.is_correlated_subquery):
        column.set("table", _spelled(owners[0]))
        if alias:
            work.changed.append(f"{name} is a column of {owners[0]}, not of {alias}.")
        else:
            work.changed.append(f"{name} may be of {' or '.join(owners)}; {owners[0]} was taken.")
            work.meaning = work.meaning or not _equal(scope, name, owners)
        return
    if scope.is_correlated_subquery and not alias:
        return
    candidates = {
        each: one
        for one, known in sources.items()
        if not alias or one == alias or alias not in sources
        for each in known or ()
    }
    found = nearest(name, candidates, work.near)
    if found is None:
        return
    work.changed.append(f"There is no column {column.sql()}; {candidates[found[0]]}.{found[0]} is the nearest.")
    work.meaning = work.meaning or found[1] < 1
    column.set("this", _spelled(found[0]))
    column.set("table", _spelled(candidates[found[0]]))


def _aliases(scope: Scope) -> tuple[str, ...]:
    """The names that a query gives to what it shows."""
    shown = scope.expression.selects if isinstance(scope.expression, exp.Select) else []
    return tuple(one.alias for one in shown if one.alias)


def _equal(scope: Scope, name: str, owners: Sequence[str]) -> bool:
    """Whether the query joins the owners of a column by that column, so that it does not matter whose it is."""
    for join in scope.expression.args.get("joins") or ():
        if name.lower() in {one.name.lower() for one in join.args.get("using") or ()}:
            return True
        for equal in join.find_all(exp.EQ):
            sides = [one for one in (equal.this, equal.expression) if isinstance(one, exp.Column)]
            if {one.table for one in sides} == set(owners) and {one.name.lower() for one in sides} == {name.lower()}:
                return not join.side
    return False


def _grouped(work: _Work, select: exp.Select) -> None:
    """Groups by every column that is shown beside an aggregate."""
    aggregated = [one for one in select.selects if _aggregates(one)]
    plain = [one.unalias() for one in select.selects if not _aggregates(one) and one.find(exp.Column)]
    if not aggregated or not plain or any(one.find(exp.Star) and isinstance(one, exp.Star) for one in select.selects):
        return
    group = select.args.get("group")
    known = {one.sql() for one in group.expressions} if group else set()
    places = {one.name for one in group.expressions if isinstance(one, exp.Literal)} if group else set()
    names = {one.alias: one.unalias().sql() for one in select.selects if one.alias}
    known |= {names[one] for one in list(known) if one in names}
    bare = {one.rpartition(".")[2] for one in known}
    number = {one.unalias().sql(): str(place) for place, one in enumerate(select.selects, 1)}
    missing = [
        one for one in plain
        if one.sql() not in known and number.get(one.sql()) not in places and one.sql().rpartition(".")[2] not in bare
    ]  # fmt: skip
    if not missing or (group and not group.expressions):
        return
    select.group_by(*(one.copy() for one in missing), copy=False)
    told = ", ".join(one.sql() for one in missing)
    work.changed.append(f"Rows are put together by {told}, which stood beside something computed.")
    work.meaning = work.meaning or group is not None


def _aggregates(one: exp.Expr) -> bool:
    """Whether an output is computed of several rows, and not over a window."""
    return any(found.find_ancestor(exp.Window, exp.Subquery) is None for found in one.find_all(exp.AggFunc))


def _spelled(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=not name.isidentifier() or name != name.lower())
