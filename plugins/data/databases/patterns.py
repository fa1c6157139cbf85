"""Requires literal, short patterns wherever a query compares, searches or cuts text.

Such functions take the product of both lengths, and no database stops one in the middle: `strpos(a, b)` over two
columns of long texts is a thousand seconds that no timeout ends. By a pattern of a known length it is one pass.
"""

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

MOST_CHARACTERS: Final = 1_000
"""Of one pattern."""
_ARGUMENTS: Final = (
    "Like:expression ILike:expression Glob:expression SimilarTo:expression Escape:expression "
    "RegexpLike:expression,flag RegexpFullMatch:expression,options RegexpExtract:expression,parameters "
    "RegexpSplit:expression "
    "RegexpReplace:expression,replacement,modifiers Replace:expression,replacement StrPosition:substr "
    "SplitPart:delimiter Split:expression Contains:expression Levenshtein:expression Translate:from_,to "
    "Trim:expression ArrayToString:expression,null GroupConcat:separator ToChar:format ToNumber:format "
    "TimeToStr:format StrToDate:format StrToTime:format UnixToTime:format TsOrDsToDate:format TsOrDsToTime:format "
    "Cast:format TryCast:format"
)
PATTERNS: Final[dict[type[exp.Expr], tuple[str, ...]]] = {
    getattr(exp, name): tuple(arguments.split(","))
    for name, _, arguments in (one.partition(":") for one in _ARGUMENTS.split())
    if hasattr(exp, name)
}
"""Which arguments are patterns, by what sqlglot reads the function as."""
_UNKNOWN: Final = frozenset(kind for kind, names in PATTERNS.items() if not set(names) <= set(kind.arg_types))
"""Those whose arguments a version of the parser calls otherwise, so that nobody can look at them."""
_OTHERS: Final = frozenset(["instr", "btrim", "ltrim", "rtrim", "to_date", "to_timestamp", "strptime", "try_strptime"])
"""Functions that are known by their names, all of whose arguments but the first are patterns."""
_LISTS: Final = exp.Any | exp.All | exp.Array | exp.Tuple


def faulty_pattern(node: exp.Expr) -> str:
    """Describe what is wrong with the patterns of one function; empty if nothing is."""
    if type(node) in _UNKNOWN:
        return f"{node.key.upper()} is not known in the form that this version of the SQL parser gives it"
    for pattern in _iter_pattern_arguments(node):
        text = literal_text(pattern)
        if text is None:
            return (
                "what a text is compared with, searched for, replaced or formatted by has to be a literal: "
                f"{pattern.sql()[:60]!r} is none"
            )
        if len(text) > MOST_CHARACTERS:
            return f"a pattern has more than {MOST_CHARACTERS:,} characters"
    return ""


def literal_text(node: exp.Expr) -> str | None:
    """The text of a literal, also of several put together; None if it is anything else."""
    match node:
        case exp.Literal() | exp.ByteString():
            return str(node.this)
        case exp.Null():
            return ""
        case exp.Paren() | exp.Cast() | exp.Collate() | exp.Lower() | exp.Upper():
            return literal_text(node.this)
        case exp.DPipe():
            return _join_literal_texts([node.this, node.expression])
        case exp.Concat():
            return _join_literal_texts(node.expressions)
    return None


def _join_literal_texts(parts: list[exp.Expr]) -> str | None:
    texts = [text for part in parts if (text := literal_text(part)) is not None]
    return "".join(texts) if len(texts) == len(parts) else None


def _iter_pattern_arguments(node: exp.Expr) -> Iterator[exp.Expr]:
    for name in PATTERNS.get(type(node), ()):
        if isinstance(pattern := node.args.get(name), exp.Expr):
            yield from _expand_pattern_list(pattern)
    match node:
        case exp.Substring() if isinstance(start := node.args.get("start"), exp.Expr) and not _is_number(start):
            yield start  # PostgreSQL takes a text there for a regular expression
        case exp.Anonymous() if (name := str(node.this).lower()) in _OTHERS:
            yield from node.expressions[1:]
        case exp.Anonymous() if name == "strftime":
            yield from node.expressions[:1]


def _expand_pattern_list(pattern: exp.Expr) -> Iterator[exp.Expr]:
    """The patterns of `LIKE ANY (ARRAY['a', 'b'])`, or the one that there is."""
    if isinstance(pattern, _LISTS) or (isinstance(pattern, exp.Paren) and isinstance(pattern.this, _LISTS)):
        for one in pattern.expressions or [pattern.this]:
            yield from _expand_pattern_list(one)
    else:
        yield pattern


def _is_number(node: object) -> bool:
    """Whether an expression cannot be a text."""
    match node:
        case None:
            return True
        case exp.Paren() | exp.Neg():
            return _is_number(node.this)
        case exp.Cast():
            return node.to.this in exp.DataType.NUMERIC_TYPES
        case exp.Coalesce() | exp.Greatest() | exp.Least():
            return all(_is_number(one) for one in (node.this, *node.expressions))
        case exp.Nullif():
            return _is_number(node.this)
        case exp.Case():
            given = [one.args["true"] for one in node.args["ifs"]]
            return all(_is_number(one) for one in (*given, node.args.get("default")))
        case exp.Literal():
            return not node.is_string
    return isinstance(node, exp.StrPosition | exp.Length | exp.Add | exp.Sub | exp.Mul | exp.Div | exp.Mod)
