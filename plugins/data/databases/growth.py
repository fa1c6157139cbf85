"""How long the values of a query can become, reckoned before it runs: no database bounds that by itself.

A text is at most so many times as long as what is stored, and so many characters more. `replace(s, 'a', 'bbb')` is
three times `s`; what a WITH defines is as long as what it stands for. PostgreSQL has no limit but a gigabyte for each
value, and forty values fill a server. Its numbers have up to 131,072 figures, and one product of two such ones takes a
third of a second in which nothing interrupts it.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from elcano.graphs.report.data_answer import QueryFault
from elcano.plugins.data.databases.patterns import literal_text
from elcano.plugins.data.databases.policy import Refused
from elcano.plugins.data.databases.weight import parts_of

MOST_COPIES: Final = 30
"""Of stored values that may go into one text, and into the texts of one SELECT beyond one each."""
MOST_CHARACTERS: Final = 100_000
"""That the texts of one SELECT may have besides."""
LONGEST_NUMBER: Final = 100
"""Characters of a number, a moment or a truth."""
FORMATTED: Final = 20
"""Characters of what one character of a format may become."""
MOST_FIGURES: Final = 1_000
"""Of a number that is computed, as far as literals and columns of the usual length make it."""
STORED_FIGURES: Final = 20
MOST_POWERS: Final = 20
"""In one SELECT, with everything written out."""
SMALL_POWER: Final = 3
"""An exponent that makes no long numbers."""
LONGEST_TYPE: Final = 10_000
"""Of `CHAR(n)`, which is filled up with blanks, and of the figures of other types."""
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


_GROWING: Final = (exp.DPipe, exp.Concat, exp.ConcatWs, exp.Replace, exp.RegexpReplace, exp.ArrayToString, exp.Cast)


class _Size(NamedTuple):
    copies: int = 0
    characters: int = 0
    powers: int = 0
    """Numbers in it that may have any number of figures."""


_Outputs: TypeAlias = dict[int, Mapping[str, _Size]]
"""Of each query, by its identity, how long each of its columns can be."""
_STORED: Final = _Size(copies=1)


def require_bounded(scopes: list[Scope]) -> None:
    """Sees that the texts of a qualified query stay short.

    Args:
        scopes: all of them, each behind those that it is made of.

    Raises:
        Refused: they do not.
    """
    outputs: _Outputs = {}
    for scope in scopes:
        own = scope.expression
        if isinstance(own, exp.SetOperation):
            sides = [list(outputs.get(id(side.unnest()), {}).values()) for side in (own.this, own.expression)]
            names = [select.output_name for select in own.selects]
            outputs[id(own)] = {
                name: _take_longest_size(side[at] for side in sides if at < len(side)) for at, name in enumerate(names)
            }
        elif isinstance(own, exp.Select):
            sizes = {id(part): _estimate_size(part, scope, outputs) for part in parts_of(own)}
            outputs[id(own)] = {one.output_name: sizes[id(one)] for one in own.expressions}
            _require_within_limits([sizes[id(one)] for one in own.expressions])
            _require_within_limits([_Size(powers=sum(size.powers for size in sizes.values()))])


def _require_within_limits(sizes: list[_Size]) -> None:
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


def _estimate_size(node: exp.Expr, scope: Scope, outputs: _Outputs) -> _Size:
    if isinstance(node, exp.Column):
        return _of_column(node, scope, outputs)
    if isinstance(node, exp.Query):
        return _take_longest_size(outputs.get(id(node.unnest()), {}).values())
    if isinstance(node, exp.Literal | exp.ByteString):
        return _Size(characters=len(str(node.this)))
    each = [_estimate_size(one, scope, outputs) for one in _list_child_nodes(node)]
    found = _of_choice(node, each) or _of_text(node, each) or _of_number(node, each) or _sum_sizes(each)
    if isinstance(node, _GROWING):
        _require_within_limits([found])  # a text is made as well where it is only compared
    return found


def _of_choice(node: exp.Expr, each: list[_Size]) -> _Size | None:
    """Return the size of an expression that picks one of several values; None for any other."""
    if not isinstance(node, _CHOICES):
        return None
    asked = node.args.get("this") if isinstance(node, exp.Case | exp.If) else None
    given = [size for one, size in zip(_list_child_nodes(node), each, strict=True) if one is not asked]
    return _take_longest_size(given)._replace(powers=sum(size.powers for size in each))


def _of_text(node: exp.Expr, each: list[_Size]) -> _Size | None:
    """Return the size of a function that lengthens or shortens a text; None for any other."""
    match node:
        case exp.Replace():
            old, new = _count_literal_length(node.expression), _count_literal_length(node.args.get("replacement"))
            return _multiply_size(each[0], -(-new // max(1, old)))
        case exp.RegexpReplace():
            return _multiply_size(each[0], 1 + 2 * _count_literal_length(node.args.get("replacement")))
        case exp.ArrayToString():
            return _multiply_size(each[0], 1 + _count_literal_length(node.expression))
        case exp.ConcatWs():
            return _sum_sizes([*each[1:], *(each[:1] * len(each[1:]))])
        case exp.Left() | exp.Right() | exp.Substring():
            return _apply_length_cut(node, each[0])
        case exp.Cast():
            return _sum_sizes([each[0], _Size(characters=_of_type(node.to))])
        case exp.TimeToStr() | exp.ToChar():
            return _Size(characters=LONGEST_NUMBER + FORMATTED * _count_literal_length(node.args.get("format")))
    return None


def _of_number(node: exp.Expr, each: list[_Size]) -> _Size | None:
    """Return the size of an expression that computes a number; None for any other.

    Raises:
        Refused: the number may have too many figures.
    """
    powers = sum(size.powers for size in each)
    if isinstance(node, exp.Pow):
        small = node.expression.name in map(str, range(SMALL_POWER + 1))
        return _Size(characters=LONGEST_NUMBER, powers=powers if small and not powers else powers + 1)
    if isinstance(node, _SMALL):
        return _Size(characters=STORED_FIGURES, powers=powers)
    if not isinstance(node, (*_SUMS, *_PRODUCTS)):
        return None
    figures = [size.characters + STORED_FIGURES * size.copies for size in each]
    if isinstance(node, _SUMS):
        return _Size(characters=max(figures) + 1, powers=powers)
    longest = figures[0] + STORED_FIGURES if isinstance(node, exp.Div) else sum(figures)
    if max(*figures, longest) > MOST_FIGURES:
        text = f"a number in it may have more than {MOST_FIGURES:,} figures: multiply less"
        raise Refused(QueryFault(stage="policy", message=text))
    return _Size(characters=longest, powers=powers)


def _count_literal_length(pattern: exp.Expr | None) -> int:
    """Return the length of a literal in the query: anything else would have been refused before."""
    return len(literal_text(pattern) or "") if pattern is not None else 0


def _list_child_nodes(node: exp.Expr) -> list[exp.Expr]:
    return list(node.iter_expressions())


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


def _apply_length_cut(node: exp.Expr, size: _Size) -> _Size:
    """Return the size of a text after it is cut to a literal length."""
    length = node.args.get("length") if isinstance(node, exp.Substring) else node.expression
    if isinstance(length, exp.Literal) and str(length.this).isdigit():
        if size.copies == 0:
            return _Size(characters=min(size.characters, int(length.this)))
        if int(length.this) <= LONGEST_NUMBER:
            return _Size(characters=int(length.this))
    return size


def _multiply_size(size: _Size, factor: int) -> _Size:
    return size._replace(copies=size.copies * max(1, factor), characters=size.characters * max(1, factor))


def _sum_sizes(sizes: Iterable[_Size]) -> _Size:
    listed = list(sizes)
    return _Size(*(sum(parts) for parts in zip(*listed, strict=True))) if listed else _Size()


def _take_longest_size(sizes: Iterable[_Size]) -> _Size:
    listed = list(sizes)
    return _Size(*(max(parts) for parts in zip(*listed, strict=True))) if listed else _Size()


def _of_column(column: exp.Column, scope: Scope, outputs: _Outputs) -> _Size:
    around: Scope | None = scope
    while around is not None:
        source = around.sources.get(column.table)
        if source is not None:
            own = outputs.get(id(source.expression), {}) if isinstance(source, Scope) else {}
            return own.get(column.name, _STORED)
        around = around.parent
    return _STORED
