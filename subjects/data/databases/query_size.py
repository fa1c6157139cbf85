"""Counts how large a query becomes with everything written out, before it runs: no timeout ends that.

`WITH b AS (SELECT s || s AS s FROM a), c AS (SELECT s || s AS s FROM b) ...` doubles with every line. SQLite and
PostgreSQL put such expressions into each other while they plan, and look at no clock meanwhile. How long the values
become is not reckoned: limits of time, memory and the length of a value end a query that makes gigabytes.
"""

from collections.abc import Mapping
from typing import Final

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from elcano.subjects.data.data_answer import QueryFault
from elcano.subjects.data.databases.policy import Refused

MOST_WRITTEN_OUT: Final = 100_000
"""Parts of a query. An honest chain of ten definitions, each with columns of the one before, has a few thousand."""


class _Weights:
    """The parts of each query, and of each of its columns, with everything written out; by the query's identity."""

    def __init__(self) -> None:
        self.wholes: dict[int, int] = {}
        self._columns: dict[int, dict[str, int]] = {}

    def add_select(self, query: exp.Select, scope: Scope) -> None:
        """Adds a SELECT."""
        weighed = {id(part): self._weigh_expression(part, scope) for part in _list_own_parts(query)}
        self._columns[id(query)] = {one.output_name: weighed[id(one)] for one in query.expressions}
        self.wholes[id(query)] = sum(weighed.values())

    def add_union(self, query: exp.SetOperation) -> None:
        """Adds a UNION: the columns of both sides added by position, under the names of the first."""
        sides = [query.this.unnest(), query.expression.unnest()]
        columns = [list(self._columns.get(id(side), {}).values()) for side in sides]
        self._columns[id(query)] = {
            select.output_name: sum(side[at] for side in columns if at < len(side)) or 1
            for at, select in enumerate(query.selects)
        }
        self.wholes[id(query)] = sum(self.wholes.get(id(side), 1) for side in sides)

    def _weigh_expression(self, part: exp.Expr, scope: Scope) -> int:
        """Count the nodes of an expression; columns and nested queries weigh as much as what they stand for."""
        return sum(
            self._weigh_column(node, scope) if isinstance(node, exp.Column) else self.wholes.get(id(node), 1)
            for node in part.walk(prune=lambda one: isinstance(one, exp.Query))
        )

    def _weigh_column(self, column: exp.Column, scope: Scope) -> int:
        around: Scope | None = scope
        while around is not None:
            if (source := around.sources.get(column.table)) is not None:
                columns: Mapping[str, int] = (
                    self._columns.get(id(source.expression), {}) if isinstance(source, Scope) else {}
                )
                return columns.get(column.name, 1)
            around = around.parent
        return 1


def require_small_query(scopes: list[Scope]) -> None:
    """Check that a qualified query stays small with everything written out.

    Args:
        scopes: all of them, each behind those that it is made of.

    Raises:
        Refused: it does not.
    """
    weights = _Weights()
    for scope in scopes:
        own = scope.expression
        if isinstance(own, exp.SetOperation):
            weights.add_union(own)
        elif isinstance(own, exp.Select):
            weights.add_select(own, scope)
        if weights.wholes.get(id(own), 0) > MOST_WRITTEN_OUT:
            text = f"written out it has more than {MOST_WRITTEN_OUT:,} parts: repeat less of what is defined before"
            raise Refused(QueryFault(stage="policy", message=text))


def _list_own_parts(select: exp.Select) -> list[exp.Expr]:
    """Return the parts of a query, without the queries defined in it."""
    values = (value for name, value in select.args.items() if name != "with_")
    listed = (value if isinstance(value, list) else [value] for value in values)
    return [one for value in listed for one in value if isinstance(one, exp.Expr)]
