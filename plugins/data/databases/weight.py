"""How large a query would be with everything written out that it refers to, since databases write it out.

`WITH b AS (SELECT s || s AS s FROM a), c AS (SELECT s || s AS s FROM b) ...` doubles with every line. SQLite and
PostgreSQL put such expressions into each other before they run anything, and no timeout of theirs ends that in time.
"""

from collections.abc import Mapping
from typing import Final, TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from elcano.graphs.report.data_answer import QueryFault
from elcano.plugins.data.databases.policy import Refused

_Outputs: TypeAlias = dict[int, Mapping[str, int]]
"""Of each query, by its identity, how heavy each of its columns is."""
MOST_WRITTEN_OUT: Final = 100_000
"""Parts. An honest chain of ten definitions, each with some columns of the one before, has a few thousand."""


def require_light(scopes: list[Scope]) -> None:
    """Sees that a qualified query stays small.

    Args:
        scopes: all of them, each behind those that it is made of.

    Raises:
        Refused: it does not.
    """
    outputs: _Outputs = {}
    wholes: dict[int, int] = {}
    for scope in scopes:
        own = scope.expression
        if isinstance(own, exp.SetOperation):
            outputs[id(own)] = _of_sides(own, outputs)
            wholes[id(own)] = sum(wholes.get(id(side.unnest()), 1) for side in (own.this, own.expression))
        elif isinstance(own, exp.Select):
            outputs[id(own)] = {
                one.output_name: _weigh_expression(one, scope, outputs, wholes) for one in own.expressions
            }
            wholes[id(own)] = sum(_weigh_expression(part, scope, outputs, wholes) for part in parts_of(own))
        if wholes.get(id(own), 0) > MOST_WRITTEN_OUT:
            text = f"written out it has more than {MOST_WRITTEN_OUT:,} parts: repeat less of what is defined before"
            raise Refused(QueryFault(stage="policy", message=text))


def parts_of(select: exp.Select) -> list[exp.Expr]:
    """Return the parts of a query, without the queries defined or nested in it."""
    return [part for name, value in select.args.items() if name != "with_" for part in _list_expressions(value)]


def _list_expressions(value: object) -> list[exp.Expr]:
    if isinstance(value, list):
        return [one for one in value if isinstance(one, exp.Expr)]
    return [value] if isinstance(value, exp.Expr) else []


def _weigh_expression(part: exp.Expr, scope: Scope, outputs: _Outputs, wholes: Mapping[int, int]) -> int:
    """Count the nodes of an expression; columns and nested queries weigh as much as what they stand for."""
    total = 0
    for node in part.walk(prune=lambda one: isinstance(one, exp.Query)):
        if isinstance(node, exp.Column):
            total += _of_column(node, scope, outputs)
        else:
            total += wholes.get(id(node), 1)
    return total


def _of_column(column: exp.Column, scope: Scope, outputs: _Outputs) -> int:
    around: Scope | None = scope
    while around is not None:
        source = around.sources.get(column.table)
        if source is not None:
            own = outputs.get(id(source.expression), {}) if isinstance(source, Scope) else {}
            return own.get(column.name, 1)
        around = around.parent
    return 1


def _of_sides(own: exp.SetOperation, outputs: _Outputs) -> Mapping[str, int]:
    """Return the weights of a UNION's columns: those of both sides added by position, under the names of the first."""
    sides = [list(outputs.get(id(side.unnest()), {}).values()) for side in (own.this, own.expression)]
    names = [select.output_name for select in own.selects]
    return {name: sum(side[at] for side in sides if at < len(side)) or 1 for at, name in enumerate(names)}
