"""How large a query and its values can become, reckoned before it runs: no database bounds that by itself.

`WITH b AS (SELECT s || s AS s FROM a), c AS (SELECT s || s AS s FROM b) ...` doubles with every line. SQLite and
PostgreSQL put such expressions into each other before they run anything, and no timeout of theirs ends that in time.

A text is at most so many times as long as what is stored, and so many characters more. `replace(s, 'a', 'bbb')` is
three times `s`; what a WITH defines is as long as what it stands for. PostgreSQL has no limit but a gigabyte for each
value, and forty values fill a server. Its numbers have up to 131,072 figures, and one product of two such ones takes a
third of a second in which nothing interrupts it.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Generic, TypeVar

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from elcano.subjects.data.data_answer import QueryFault
from elcano.subjects.data.databases.allowed import literal_number, literal_text
from elcano.subjects.data.databases.policy import Refused
from elcano.subjects.data.databases.value_size import (
    FACTORS,
    HASHES,
    Size,
    estimate_written_value,
    multiply_size,
    sum_sizes,
    take_longest_size,
)

MOST_WRITTEN_OUT: Final = 100_000
"""Parts of a query. An honest chain of ten definitions, each with columns of the one before, has a few thousand."""
MOST_COPIES: Final = 30
"""Maximum number of stored values in one text, and in the texts of one SELECT beyond one each."""
MOST_CHARACTERS: Final = 100_000
"""Maximum number of further characters in the texts of one SELECT."""
LONGEST_NUMBER: Final = 100
"""Characters of a number, a moment or a truth."""
FORMATTED: Final = 20
"""Characters of what one character of a format may become."""
MOST_FIGURES: Final = 1_000
"""Maximum number of digits of a computed number, assuming literals and columns of the usual length."""
STORED_FIGURES: Final = 20
MOST_POWERS: Final = 20
"""In one SELECT, with everything written out."""
SMALL_POWER: Final = 3
"""An exponent that makes no long numbers."""
LONGEST_TYPE: Final = 10_000
"""Maximum length of `CHAR(n)`, which is padded with blanks, and maximum number of digits of other types."""
_SMALL_NAMES: Final = (
    "Predicate Connector Not Count CountIf Sum Avg Stddev StddevPop StddevSamp Variance VariancePop Corr CovarPop "
    "CovarSamp ApproxDistinct Length StrPosition Levenshtein RowNumber Rank DenseRank Ntile PercentRank CumeDist "
    "Extract Year Quarter Month Week Day Hour Minute Second DayOfWeek DayOfMonth DayOfYear DateDiff DateTrunc "
    "TimestampTrunc DateAdd DateSub Date Sign Unicode ArraySize TimeToUnix UnixToTime LogicalAnd LogicalOr"
)
_SMALL: Final = tuple(getattr(exp, name) for name in _SMALL_NAMES.split())


_CHOICES: Final = (exp.Case, exp.If, exp.Coalesce, exp.Greatest, exp.Least, exp.Nullif)
_SUMS: Final = (exp.Add, exp.Sub)
_PRODUCTS: Final = (exp.Mul, exp.Div, exp.IntDiv, exp.Mod)


_Found = TypeVar("_Found")
_STORED: Final = Size(copies=1)


class _Outputs(Generic[_Found]):
    """The known sizes of each column of the queries that a query is made of, by the identity of these queries."""

    def __init__(self, stored: _Found) -> None:
        self._stored = stored
        """What holds of a column of a table."""
        self._columns: dict[int, dict[str, _Found]] = {}
        self._wholes: dict[int, _Found] = {}

    def add_whole(self, query: exp.Expr, found: _Found) -> None:
        """Adds a query all of whose columns are alike."""
        self._wholes[id(query)] = found

    def add_select(self, query: exp.Select, columns: Mapping[str, _Found]) -> None:
        """Adds the columns of a SELECT."""
        self._columns[id(query)] = dict(columns)

    def add_union(self, query: exp.SetOperation, join: Callable[[list[_Found]], _Found]) -> None:
        """Adds the columns of a UNION: those of both sides joined by position, under the names of the first."""
        sides = [self.of_query(side) for side in (query.this, query.expression)]
        names = [select.output_name for select in query.selects]
        self._columns[id(query)] = {
            name: join([side[at] for side in sides if at < len(side)]) for at, name in enumerate(names)
        }

    def of_query(self, query: exp.Expr) -> list[_Found]:
        """Return the known sizes of the columns of a query, in order."""
        return list(self._columns.get(id(query.unnest()), {}).values())

    def of_column(self, column: exp.Column, scope: Scope) -> _Found:
        """Return the known size of a column, as seen from `scope`."""
        around: Scope | None = scope
        while around is not None:
            source = around.sources.get(column.table)
            if source is not None:
                if not isinstance(source, Scope):
                    return self._stored
                whole = self._wholes.get(id(source.expression), self._stored)
                return self._columns.get(id(source.expression), {}).get(column.name, whole)
            around = around.parent
        return self._stored


def require_small_query(scopes: list[Scope]) -> None:
    """Check that a qualified query stays small with everything written out, and its texts and numbers short.

    Args:
        scopes: all of them, each behind those that it is made of.

    Raises:
        Refused: it does not.
    """
    weights, sizes = _Outputs(1), _Outputs(_STORED)
    wholes: dict[int, int] = {}
    _require_slow_recursion(scopes)
    for scope in scopes:
        own = scope.expression
        if isinstance(own, exp.SetOperation):
            weights.add_union(own, lambda sides: sum(sides) or 1)
            sizes.add_union(own, take_longest_size)
            wholes[id(own)] = sum(wholes.get(id(side.unnest()), 1) for side in (own.this, own.expression))
        elif isinstance(own, exp.Select):
            parts = _list_own_parts(own)
            weighed = {id(part): _weigh_expression(part, scope, weights, wholes) for part in parts}
            weights.add_select(own, {one.output_name: weighed[id(one)] for one in own.expressions})
            wholes[id(own)] = sum(weighed.values())
        if wholes.get(id(own), 0) > MOST_WRITTEN_OUT:
            text = f"written out it has more than {MOST_WRITTEN_OUT:,} parts: repeat less of what is defined before"
            raise Refused(QueryFault(stage="policy", message=text))
        if isinstance(own, exp.Select):
            each = {id(part): _estimate_size(part, scope, sizes) for part in parts}
            sizes.add_select(own, {one.output_name: each[id(one)] for one in own.expressions})
            _require_within_limits([each[id(one)] for one in own.expressions])
            _require_within_limits([Size(powers=sum(size.powers for size in each.values()))])


def _require_slow_recursion(scopes: list[Scope]) -> None:
    """Check that each round of a recursion adds to a text and does not multiply it, as `s || s` does.

    Raises:
        Refused: it may.
    """
    growth = _Outputs(Size())
    anchors = {id(one) for scope in scopes for one in _iter_anchors(scope)}
    for scope in scopes:
        own = scope.expression
        if id(own) in anchors:
            growth.add_whole(own, _STORED)
        elif isinstance(own, exp.SetOperation):
            growth.add_union(own, take_longest_size)
        elif isinstance(own, exp.Select):
            found = {one.output_name: _estimate_size(one, scope, growth) for one in own.expressions}
            growth.add_select(own, found)
            if any(size.copies > 1 for size in found.values()):
                text = "a text in WITH RECURSIVE grows with each round by more than what is added to it once"
                raise Refused(QueryFault(stage="policy", message=text))


def _iter_anchors(scope: Scope) -> Iterator[exp.Expr]:
    """The queries that recursions seen from a scope begin with: first sides of a UNION that the scope is a part of."""
    for source in scope.sources.values():
        begun = source.expression if isinstance(source, Scope) else None
        union = begun.parent if begun is not None else None
        if isinstance(union, exp.SetOperation) and begun is union.this and begun is not scope.expression:
            yield begun


def _list_own_parts(select: exp.Select) -> list[exp.Expr]:
    """Return the parts of a query, without the queries defined in it."""
    values = (value for name, value in select.args.items() if name != "with_")
    listed = (value if isinstance(value, list) else [value] for value in values)
    return [one for value in listed for one in value if isinstance(one, exp.Expr)]


def _weigh_expression(part: exp.Expr, scope: Scope, weights: _Outputs[int], wholes: Mapping[int, int]) -> int:
    """Count the nodes of an expression; columns and nested queries weigh as much as what they stand for."""
    return sum(
        weights.of_column(node, scope) if isinstance(node, exp.Column) else wholes.get(id(node), 1)
        for node in part.walk(prune=lambda one: isinstance(one, exp.Query))
    )


def _require_within_limits(sizes: list[Size]) -> None:
    if sum(size.powers for size in sizes) > MOST_POWERS:
        text = f"it computes with more than {MOST_POWERS} powers, with what is defined before written out: use fewer"
        raise Refused(QueryFault(stage="policy", message=text))
    copies = sum(max(0, size.copies - 1) for size in sizes)
    characters = sum(size.characters for size in sizes)
    if copies >= MOST_COPIES or characters > MOST_CHARACTERS:
        text = (
            f"its texts could become longer than {MOST_COPIES} stored values and {MOST_CHARACTERS:,} characters "
            "together: put fewer together, or repeat less of what is defined before"
        )
        raise Refused(QueryFault(stage="policy", message=text))


def _estimate_size(node: exp.Expr, scope: Scope, outputs: _Outputs[Size]) -> Size:
    if isinstance(node, exp.Column):
        return outputs.of_column(node, scope)
    if isinstance(node, exp.Query):
        return take_longest_size(outputs.of_query(node))
    if isinstance(node, exp.Literal):
        return Size(characters=len(str(node.this)))
    each = [_estimate_size(one, scope, outputs) for one in list(node.iter_expressions())]
    text = _of_text(node, each)
    found = _of_choice(node, each) or text or _of_number(node, each) or sum_sizes(each)
    if text is not None or isinstance(node, exp.DPipe | exp.Concat):
        _require_within_limits([found])  # a text is made as well where it is only compared or measured
    return found


def _of_choice(node: exp.Expr, each: list[Size]) -> Size | None:
    """Return the size of an expression that picks one of several values; None for any other."""
    if not isinstance(node, _CHOICES):
        return None
    asked = node.args.get("this") if isinstance(node, exp.Case | exp.If) else None
    given = [size for one, size in zip(list(node.iter_expressions()), each, strict=True) if one is not asked]
    return take_longest_size(given)._replace(powers=sum(size.powers for size in each))


def _of_text(node: exp.Expr, each: list[Size]) -> Size | None:
    """Return the size of a function that lengthens or shortens a text; None for any other."""
    match node:
        case exp.Replace():
            old, new = _count_literal_length(node.expression), _count_literal_length(node.args.get("replacement"))
            return multiply_size(each[0], -(-new // max(1, old)))
        case exp.RegexpReplace():
            return multiply_size(each[0], 1 + 2 * _count_literal_length(node.args.get("replacement")))
        case exp.ArrayToString():
            return multiply_size(each[0], 1 + _count_literal_length(node.expression))
        case exp.ConcatWs():
            return sum_sizes([*each[1:], *(each[:1] * len(each[1:]))])
        case exp.Left() | exp.Right() | exp.Substring():
            return _apply_length_cut(node, each[0])
        case exp.Cast():
            return sum_sizes([each[0], Size(characters=_of_type(node.to))])
        case exp.TimeToStr() | exp.ToChar():
            return Size(characters=LONGEST_NUMBER + FORMATTED * _count_literal_length(node.args.get("format")))
        case exp.Repeat():
            return multiply_size(each[0], literal_number(node.args["times"]) or 1)
        case exp.Pad():
            return sum_sizes([each[0], Size(characters=literal_number(node.expression) or 0)])
    if isinstance(node, HASHES):
        return Size(characters=2 * LONGEST_NUMBER)
    if (factor := FACTORS.get(type(node))) is not None:
        return multiply_size(each[0], factor)
    return estimate_written_value(node, each)


def _of_number(node: exp.Expr, each: list[Size]) -> Size | None:
    """Return the size of an expression that computes a number; None for any other.

    Raises:
        Refused: the number may have too many figures.
    """
    powers = sum(size.powers for size in each)
    if isinstance(node, exp.Factorial):
        return Size(characters=LONGEST_NUMBER, powers=powers + 1)
    if isinstance(node, exp.Pow):
        small = node.expression.name in map(str, range(SMALL_POWER + 1))
        return Size(characters=LONGEST_NUMBER, powers=powers if small and not powers else powers + 1)
    if isinstance(node, _SMALL):
        return Size(characters=STORED_FIGURES, powers=powers)
    if not isinstance(node, (*_SUMS, *_PRODUCTS)):
        return None
    figures = [size.characters + STORED_FIGURES * size.copies for size in each]
    if isinstance(node, _SUMS):
        return Size(characters=max(figures) + 1, powers=powers)
    longest = figures[0] + STORED_FIGURES if isinstance(node, exp.Div) else sum(figures)
    if max(*figures, longest) > MOST_FIGURES:
        text = f"a number in it may have more than {MOST_FIGURES:,} figures: multiply less"
        raise Refused(QueryFault(stage="policy", message=text))
    return Size(characters=longest, powers=powers)


def _count_literal_length(pattern: exp.Expr | None) -> int:
    """Return the length of a literal in the query: anything else would have been refused before."""
    return len(literal_text(pattern) or "") if pattern is not None else 0


def _of_type(kind: exp.Expr) -> int:
    """Return how many characters a cast may add, as `CHAR(n)` does.

    Raises:
        Refused: it is too much.
    """
    lengths = [int(str(one.this)) for one in kind.find_all(exp.Literal) if str(one.this).isdigit()]
    if any(length > LONGEST_TYPE for length in lengths):
        text = f"{kind.sql()} is longer than {LONGEST_TYPE:,}: cast to a shorter type"
        raise Refused(QueryFault(stage="policy", message=text))
    fills = kind.args.get("this") in (exp.DType.CHAR, exp.DType.NCHAR, exp.DType.DECIMAL, exp.DType.BIGDECIMAL)
    return max(lengths, default=0) if fills else 0


def _apply_length_cut(node: exp.Expr, size: Size) -> Size:
    """Return the size of a text after it is cut to a literal length."""
    length = node.args.get("length") if isinstance(node, exp.Substring) else node.expression
    if isinstance(length, exp.Literal) and str(length.this).isdigit():
        if size.copies == 0:
            return Size(characters=min(size.characters, int(length.this)))
        if int(length.this) <= LONGEST_NUMBER:
            return Size(characters=int(length.this))
    return size
