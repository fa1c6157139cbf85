"""The allow list for the parts of a query. Everything else is refused, harmful or not.

Expressions are told by the classes that sqlglot reads them as, functions that it does not know by their names. What
makes long texts of short ones (`repeat`, `lpad`, `format`) is left out: no guard inside a database stops one function.
"""

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from elcano.plugins.data.tables import Dialect

_FORMS: Final = (
    "Select From Join Where Group Having Order Ordered Limit Fetch LimitOptions Offset Distinct With CTE Subquery "
    "Table TableAlias Column Identifier Star Alias Aliases Literal Boolean Null Paren Tuple Union Except Intersect "
    "Values Exists Filter WithinGroup Window WindowSpec Cube Rollup GroupingSets Lateral Qualify And Or Not Xor EQ "
    "NEQ GT GTE LT LTE NullSafeEQ NullSafeNEQ Is In Between Like ILike Glob SimilarTo Escape All Any Add Sub Mul Div "
    "IntDiv Mod Neg DPipe BitwiseAnd BitwiseOr BitwiseXor BitwiseNot Case If Cast TryCast DataType DataTypeParam "
    "Interval Var AtTimeZone Collate Bracket Array List Struct PropertyEQ Slice Dot JSONPath JSONPathRoot JSONPathKey "
    "JSONPathSubscript JSONPathWildcard IgnoreNulls RespectNulls HavingMax"
)
_FUNCTIONS: Final = (
    "Abs Acos Asin Atan Atan2 Avg Cbrt Ceil Coalesce Concat ConcatWs Contains Corr Cos Count CountIf CovarPop "
    "CovarSamp CumeDist CurrentDate CurrentDatetime CurrentTime CurrentTimestamp Date DateAdd DateBin DateDiff "
    "DateFromParts DateSub DateTrunc Datetime DatetimeAdd DatetimeDiff DatetimeSub DatetimeTrunc Day DayOfMonth "
    "DayOfWeek DayOfWeekIso DayOfYear Dayname Degrees DenseRank EndsWith Exp Extract First FirstValue Floor Greatest "
    "GroupConcat Grouping GroupingId Hour Initcap IsInf IsNan Lag Last LastDay LastValue Lead Least Left Length "
    "Levenshtein Ln Log LogicalAnd LogicalOr Lower Max Median Min Minute Mode Month Monthname NthValue Ntile Nullif "
    "Nvl2 PercentRank PercentileCont PercentileDisc Pi Pow Quantile ApproxDistinct ApproxQuantile Quarter Radians "
    "Rank RegexpLike RegexpExtract RegexpFullMatch RegexpReplace RegexpSplit Replace Reverse Right Round RowNumber "
    "Second Sign Sin SplitPart Split Sqrt StartsWith Stddev StddevPop StddevSamp StrPosition StrToDate StrToTime "
    "Substring Sum Tan Time TimeAdd TimeDiff TimeSub TimeToStr TimeToUnix TimeTrunc Timestamp TimestampAdd "
    "TimestampDiff TimestampSub TimestampTrunc ToChar ToNumber Translate Trim Trunc Typeof Unicode UnixToTime Upper "
    "Variance VariancePop Week WeekOfYear WidthBucket Year AnyValue ArgMax ArgMin ArrayAgg ArraySize ArrayContains "
    "ArrayToString JSONExtract JSONExtractScalar JSONBExtract JSONBExtractScalar TsOrDsToDate TsOrDsToTimestamp "
    "TsOrDsToTime TsOrDsAdd TsOrDsDiff TsOrDsToDateStr RegrSlope RegrIntercept RegrR2 RegrCount Kurtosis Skewness"
)

LISTED: Final = tuple(f"{_FORMS} {_FUNCTIONS}".split())
EXPRESSIONS: Final[frozenset[type[exp.Expr]]] = frozenset(getattr(exp, name) for name in LISTED if hasattr(exp, name))
"""By class, not by name. What a version of the parser calls otherwise is refused, and a test says so."""

_OF_SQLITE: Final = (
    "julianday unixepoch total date datetime time strftime instr typeof iif likely unlikely timediff json_type "
    "json_valid json_array_length percentile median"
)
_OF_POSTGRESQL: Final = (
    "age date_part make_date make_timestamp make_interval to_date to_timestamp div mod row every char_length isfinite "
    "justify_days justify_hours num_nonnulls num_nulls array_length cardinality json_array_length jsonb_array_length "
    "jsonb_typeof json_typeof overlay btrim ltrim rtrim bool_and bool_or"
)
_OF_DUCKDB: Final = (
    "date_part datepart epoch epoch_ms make_date make_timestamp era isoyear yearweek weekday century decade "
    "millennium strftime strptime try_strptime date_sub datesub fsum sumkahan favg product mad entropy geomean "
    "list_count len isfinite age to_days to_months to_years even trunc list_sum list_avg list_min list_max bool_and "
    "bool_or"
)
NAMED: Final[dict[Dialect, frozenset[str]]] = {
    "sqlite": frozenset(_OF_SQLITE.split()),
    "postgresql": frozenset(_OF_POSTGRESQL.split()),
    "duckdb": frozenset(_OF_DUCKDB.split()),
}
"""Functions that sqlglot has no class for, in lower case."""
UNBOUNDED: Final[dict[Dialect, frozenset[type[exp.Expr]]]] = {
    "postgresql": frozenset({exp.ArrayAgg, exp.GroupConcat, exp.RegexpSplit, exp.Split}),
}
"""Functions that make one value of many, in a server whose memory its operator alone can bound. Where an engine has a
process of its own, they are ended with it."""
_TYPES: Final = (
    "BIGINT BOOLEAN CHAR DATE DATETIME DECIMAL DOUBLE FLOAT INT INT128 INTERVAL JSON JSONB MEDIUMINT NCHAR NVARCHAR "
    "SMALLINT TEXT TIME TIMESTAMP TIMESTAMPNTZ TIMESTAMPTZ TIMETZ TINYINT UBIGINT UINT USMALLINT UTINYINT UUID "
    "VARCHAR BIGDECIMAL ARRAY LIST"
)
TYPES: Final[frozenset[exp.DType]] = frozenset(getattr(exp.DType, name) for name in _TYPES.split())
"""The types allowed in casts. No `regclass` and its like, which reveal the catalogue; no user-defined types."""


MOST_CHARACTERS: Final = 1_000
"""Maximum length of one pattern."""
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
"""Functions whose arguments a version of the parser names differently, so that they cannot be checked."""
_OTHERS: Final = frozenset(["instr", "btrim", "ltrim", "rtrim", "to_date", "to_timestamp", "strptime", "try_strptime"])
"""Functions that are known by their names, all of whose arguments but the first are patterns."""
_LISTS: Final = exp.Any | exp.All | exp.Array | exp.Tuple


def faulty_pattern(node: exp.Expr) -> str:
    """Describe the fault of the patterns of one function; empty if there is none."""
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
