"""The allow list for the parts of a query. Everything else is refused, harmful or not.

Expressions are recognised by the classes that sqlglot reads them as, functions that it has no class for by their names.
No function is listed that runs a text as SQL (`ts_stat`, `query`), reads a table by its name (`query_table`), a file, a
setting, the catalogue or a sequence, that waits, locks or logs. What makes long texts of short ones (`repeat`, `lpad`,
`format`) has to say how long in a literal: no guard inside a database stops one function.
"""

import re
from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from elcano.subjects.data.tables import Dialect

_FORMS: Final = (
    "Select From Join Where Group Having Order Ordered Limit Fetch LimitOptions Offset Distinct With CTE Subquery "
    "Table TableAlias Column ColumnDef Identifier Star Alias Aliases Literal Boolean Null Paren Tuple Union Except "
    "Intersect Values Exists Filter WithinGroup Window WindowSpec Cube Rollup GroupingSets Lateral Qualify And Or Not "
    "Xor EQ NEQ GT GTE LT LTE NullSafeEQ NullSafeNEQ Is In Between Like ILike Glob SimilarTo Escape All Any Add Sub "
    "Mul Div IntDiv Mod Neg DPipe BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitwiseLeftShift BitwiseRightShift Case "
    "If Cast TryCast DataType DataTypeParam Interval IntervalSpan Var AtTimeZone Collate Bracket Array List Struct "
    "PropertyEQ Slice Dot JSONPath JSONPathRoot JSONPathKey JSONPathSubscript JSONPathWildcard JSONPathSlice "
    "JSONPathUnion JSONKeyValue IgnoreNulls RespectNulls HavingMax HexString BitString Overlaps Adjacent Pivot "
    "UnpivotColumns PivotAlias TableSample Lambda Comprehension Kwarg PositionalColumn WithTableHint IndexTableHint"
)
_FUNCTIONS: Final = (
    "Abs Acos Acosh Asin Asinh Atan Atan2 Atanh Avg Cbrt Ceil Coalesce Concat ConcatWs Contains Corr Cos Cosh Cot "
    "Count CountIf CovarPop CovarSamp CumeDist CurrentDate CurrentDatetime CurrentTime CurrentTimestamp Date DateAdd "
    "DateBin DateDiff DateFromParts DateSub DateTrunc Datetime DatetimeAdd DatetimeDiff DatetimeSub DatetimeTrunc Day "
    "DayOfMonth DayOfWeek DayOfWeekIso DayOfYear Dayname Degrees DenseRank EndsWith Exp Extract Factorial First "
    "FirstValue Floor Greatest GroupConcat Grouping GroupingId Hour Initcap IsInf IsNan JustifyDays JustifyHours "
    "JustifyInterval Lag Last LastDay LastValue Lead Least Left Length Levenshtein Ln Localtime Localtimestamp Log "
    "LogicalAnd LogicalOr Lower MakeInterval Max Median Min Minute Mode Month Monthname NthValue Ntile Nullif Nvl2 "
    "PercentRank PercentileCont PercentileDisc Pi Pow Quantile ApproxDistinct ApproxQuantile Quarter Radians Rand Rank "
    "RegexpCount RegexpExtract RegexpExtractAll RegexpFullMatch RegexpILike RegexpInstr RegexpLike RegexpReplace "
    "RegexpSplit Replace Reverse Right Round RowNumber Second Sign Sin Sinh SplitPart Split Sqrt StartsWith Stddev "
    "StddevPop StddevSamp StrPosition StrToDate StrToTime Substring Sum Tan Tanh Time TimeAdd TimeDiff TimeFromParts "
    "TimeSub TimeToStr TimeToUnix TimeTrunc Timestamp TimestampAdd TimestampDiff TimestampFromParts TimestampSub "
    "TimestampTrunc ToChar ToDays ToNumber Translate Trim Trunc Typeof Unicode UnixMicros UnixMillis UnixSeconds "
    "UnixToTime Upper Uuid Variance VariancePop Week WeekOfYear WidthBucket Year YearOfWeek YearOfWeekIso AnyValue "
    "ArgMax ArgMin TsOrDsToDate TsOrDsToTimestamp TsOrDsToTime TsOrDsAdd TsOrDsDiff TsOrDsToDateStr RegrAvgx RegrAvgy "
    "RegrCount RegrIntercept RegrR2 RegrSlope RegrSxx RegrSxy RegrSyy RegrValx RegrValy Kurtosis Skewness Ascii Chr "
    "BitLength ByteLength BitwiseAndAgg BitwiseCount BitwiseOrAgg BitwiseXorAgg Hex LowerHex MD5 MD5Digest SHA SHA2 "
    "SHA1Digest SHA2Digest Encode Decode Unhex ToBase64 FromBase64 Normalize Soundex JarowinklerSimilarity Overlay Pad "
    "Repeat Format ToBoolean RegexpSubstr Getbit Host"
)
_LISTS_AND_JSON: Final = (
    "ArrayAgg ArrayAll ArrayAny ArrayAppend ArrayCompact ArrayConcat ArrayContainedBy ArrayContains ArrayContainsAll "
    "ArrayDistinct ArrayExcept ArrayFilter ArrayFirst ArrayInsert ArrayIntersect ArrayLast ArrayMax ArrayMin "
    "ArrayOverlaps ArrayPosition ArrayPrepend ArrayRemove ArrayReverse ArraySize ArraySlice ArraySort ArraySum "
    "ArrayToString ArrayUniqueAgg ArraysZip CosineDistance DotProduct EuclideanDistance Explode "
    "ExplodingGenerateSeries GenerateDateArray GenerateSeries GenerateTimestampArray Columns Flatten JSONArray "
    "JSONArrayAgg JSONArrayContains JSONBContains JSONBContainsAllTopKeys JSONBContainsAnyTopKeys JSONBContainsTopKey "
    "JSONBDeleteAtPath JSONBExists JSONBExtract JSONBExtractScalar JSONBObjectAgg JSONBPathExists JSONExists "
    "JSONExtract JSONExtractArray JSONExtractScalar JSONKeys JSONObject JSONObjectAgg JSONRemove JSONSet "
    "JSONStripNulls JSONType Map MapContainsKey MapFromEntries MapKeys MapSize MatchAgainst ParseJSON Reduce "
    "StringToArray StructExtract ToArray ToMap Transform Unnest VarMap FromJson ApproxTopK"
)

LISTED: Final = tuple(f"{_FORMS} {_FUNCTIONS} {_LISTS_AND_JSON}".split())
EXPRESSIONS: Final[frozenset[type[exp.Expr]]] = frozenset(getattr(exp, name) for name in LISTED if hasattr(exp, name))
"""By class, not by name. What a version of the parser calls otherwise is refused, and a test says so."""

_OF_SQLITE: Final = (
    "date datetime json json_array json_array_length json_each json_error_position json_insert json_patch "
    "json_pretty json_quote json_replace json_tree json_valid julianday likelihood likely octet_length percentile "
    "printf quote strftime time timediff total unixepoch unlikely"
)
_OF_POSTGRESQL: Final = (
    "abbrev acosd age all area array_dims array_lower array_ndims array_positions array_replace array_to_json "
    "array_upper asind atan2d atand bit_count box broadcast cardinality casefold center circle clock_timestamp cosd "
    "cotd date_subtract datemultirange daterange diameter erf erfc every family gamma gcd generate_subscripts "
    "get_byte height hostmask inet_merge inet_same_family int4multirange int4range int8multirange int8range isempty "
    "isfinite json_array_elements json_array_elements_text json_array_length json_build_array json_build_object "
    "json_each json_each_text json_object_keys json_to_record json_to_recordset json_typeof jsonb_agg "
    "jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object "
    "jsonb_each jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object "
    "jsonb_object_keys jsonb_path_exists jsonb_path_match jsonb_path_query jsonb_path_query_array "
    "jsonb_path_query_first jsonb_pretty jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_to_record "
    "jsonb_to_recordset jsonb_typeof lcm lgamma lower_inc lower_inf make_date make_timestamptz masklen min_scale "
    "money multirange netmask network num_nonnulls num_nulls nummultirange numnode numrange octet_length pg_typeof "
    "phraseto_tsquery plainto_tsquery point querytree quote_ident quote_literal quote_nullable radius range_agg "
    "range_intersect_agg range_merge regexp_match regexp_matches regexp_split_to_array regexp_split_to_table row "
    "row_to_json scale set_masklen setweight sha224 sind some statement_timestamp string_to_table strip tand text "
    "timezone to_bin to_json to_jsonb to_oct to_tsquery to_tsvector transaction_timestamp trim_array "
    "trim_scale ts_delete ts_filter ts_headline ts_rank ts_rank_cd tsmultirange tsquery_phrase tsrange "
    "tstzmultirange tstzrange tsvector_to_array unistr upper_inc upper_inf uuid_extract_timestamp "
    "websearch_to_tsquery width"
)
_OF_DUCKDB: Final = (
    "add age ago arbitrary arg_max_null arg_max_nulls_last arg_min_null arg_min_nulls_last array_aggr "
    "array_aggregate array_apply array_cosine_distance array_cosine_similarity array_cross_product array_distance "
    "array_dot_product array_extract array_grade_up array_has_any array_indexof array_inner_product array_pop_back "
    "array_pop_front array_push_back array_push_front array_reduce array_resize array_reverse_sort array_select "
    "array_sort array_to_json array_transform array_unique array_value array_where array_zip bar base64 bin binom "
    "bit_count bit_position bitstring_agg cardinality century damerau_levenshtein date_part date_sub datepart "
    "datesub days_in_month decade divide element_at entropy enum_code enum_first enum_last enum_range epoch_ns "
    "epoch_us equi_width_bins era even favg fdiv fmod format_bytes formatreadabledecimalsize formatreadablesize "
    "from_json_strict fsum gamma gcd generate_subscripts geomean geometric_mean greatest_common_divisor hamming hash "
    "histogram histogram_exact isfinite isoyear jaccard jaro_similarity json_array_length json_contains "
    "json_deep_merge json_each json_exists json_group_array json_group_object json_group_structure json_insert "
    "json_merge_patch json_normalize json_pretty json_quote json_replace json_structure json_transform "
    "json_transform_strict json_tree json_valid json_value julian kahan_sum kurtosis_pop lcm least_common_multiple "
    "left_grapheme length_grapheme lgamma list_aggr list_aggregate list_any_value list_apply "
    "list_approx_count_distinct list_avg list_bit_and list_bit_or list_bit_xor list_bool_and list_bool_or list_cat "
    "list_cosine_similarity list_count list_dot_product list_element list_entropy list_extract list_first "
    "list_grade_up list_has_all list_histogram list_indexof list_inner_product list_intersect list_kurtosis "
    "list_last list_mad list_median list_mode list_pack list_position list_product list_reduce list_resize "
    "list_reverse list_reverse_sort list_select list_sem list_skewness list_slice list_sort list_stddev_pop "
    "list_stddev_samp list_string_agg list_sum list_unique list_var_pop list_var_samp list_where list_zip lttb mad "
    "make_timestamp_ms make_timestamp_ns make_timestamptz map_concat map_contains map_contains_entry "
    "map_contains_value map_entries map_extract map_extract_value map_values md5_number mean microsecond millennium "
    "millisecond mismatches multiply nanosecond nextafter nfc_normalize now octet_length ord parse_dirname "
    "parse_dirpath parse_filename parse_path prefix printf product rank_dense regexp_escape regexp_split_to_array "
    "reservoir_quantile right_grapheme round_even roundbankers row row_to_json sem signbit strip_accents strlen "
    "struct_concat struct_contains struct_extract_at struct_has struct_indexof struct_insert struct_keys "
    "struct_position struct_update struct_values substring_grapheme subtract suffix sum_no_overflow sumkahan switch "
    "timezone timezone_hour timezone_minute to_base to_centuries to_decades to_hours to_json to_microseconds "
    "to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds to_weeks to_years "
    "transaction_timestamp try_strptime unbin union_extract union_tag union_value url_decode url_encode "
    "uuid_extract_timestamp uuidv4 uuidv7 wavg weekday weighted_avg yearweek"
)
NAMED: Final[dict[Dialect, frozenset[str]]] = {
    "sqlite": frozenset(_OF_SQLITE.split()),
    "postgresql": frozenset(_OF_POSTGRESQL.split()),
    "duckdb": frozenset(_OF_DUCKDB.split()),
}
"""Functions that sqlglot has no class for, in lower case."""
_OF_JSON: Final = "json_array_elements json_array_elements_text json_each json_each_text json_object_keys"
_TABLES_OF_POSTGRESQL: Final = (
    f"{_OF_JSON} {_OF_JSON.replace('json_', 'jsonb_')} json_to_record json_to_recordset jsonb_to_record "
    "jsonb_to_recordset jsonb_path_query regexp_matches regexp_split_to_table string_to_table generate_subscripts "
    "to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery"
)
TABLE_FUNCTIONS: Final[dict[Dialect, frozenset[str]]] = {
    "sqlite": frozenset({"json_each", "json_tree"}),
    "postgresql": frozenset(_TABLES_OF_POSTGRESQL.split()),
    "duckdb": frozenset({"json_each", "json_tree"}),
}
"""Functions in place of tables: they make rows of their arguments alone."""
SERIES: Final = (exp.GenerateSeries, exp.ExplodingGenerateSeries, exp.Unnest, exp.Explode)
"""Functions allowed in place of a table on engines that know them and have a class for them."""
IMPLICIT_COLUMNS: Final[dict[Dialect, frozenset[str]]] = {
    "sqlite": frozenset({"rowid", "_rowid_", "oid"}),
    "postgresql": frozenset(),
    "duckdb": frozenset({"rowid"}),
}
"""Columns that tables have and no schema lists. Those of PostgreSQL (`ctid`, `xmin`) show its inside."""
GATHERING: Final[tuple[type[exp.Expr], ...]] = (
    exp.ArrayAgg,
    exp.ArrayUniqueAgg,
    exp.GroupConcat,
    exp.JSONArrayAgg,
    exp.JSONObjectAgg,
    exp.JSONBObjectAgg,
)
GATHERING_NAMES: Final = frozenset({"jsonb_agg", "range_agg"})
"""Aggregates that make one value of all rows. Where an engine has a process of its own, they are ended with it; a
PostgreSQL server has to keep them in its memory, whose size its operator alone can bound."""
_TYPES: Final = (
    "BIGINT BOOLEAN CHAR DATE DATETIME DECIMAL DOUBLE FLOAT INT INT128 INTERVAL JSON JSONB MEDIUMINT NCHAR NVARCHAR "
    "SMALLINT TEXT TIME TIMESTAMP TIMESTAMPNTZ TIMESTAMPTZ TIMETZ TINYINT UBIGINT UINT UINT128 USMALLINT UTINYINT UUID "
    "VARCHAR BIGDECIMAL ARRAY LIST STRUCT MAP MONEY BINARY VARBINARY BIT INET INT4RANGE INT8RANGE NUMRANGE DATERANGE "
    "TSRANGE TSTZRANGE INT4MULTIRANGE INT8MULTIRANGE NUMMULTIRANGE DATEMULTIRANGE TSMULTIRANGE TSTZMULTIRANGE NAME"
)
TYPES: Final[frozenset[exp.DType]] = frozenset(getattr(exp.DType, name) for name in _TYPES.split())
"""The types allowed in casts. No `regclass` and its like, which reveal the catalogue; no user-defined types."""
NAMED_TYPES: Final = frozenset({"tsvector", "tsquery", "cidr", "jsonpath", "point"})
"""Types that sqlglot has no class for."""


MOST_CHARACTERS: Final = 1_000
"""Maximum length of one pattern, or of a text that is repeated or filled up to a length."""
MOST_NUMBERS: Final = 1_000_000
"""Maximum length of a series of numbers."""
_ARGUMENTS: Final = (
    "Like:expression ILike:expression Glob:expression SimilarTo:expression Escape:expression "
    "RegexpLike:expression,flag RegexpILike:expression,flag RegexpFullMatch:expression,options "
    "RegexpExtract:expression,parameters RegexpExtractAll:expression,parameters RegexpCount:expression,parameters "
    "RegexpInstr:expression,parameters RegexpSubstr:expression,parameters RegexpSplit:expression "
    "RegexpReplace:expression,replacement,modifiers Replace:expression,replacement StrPosition:substr "
    "SplitPart:delimiter Split:expression StringToArray:expression,null Contains:expression Levenshtein:expression "
    "JarowinklerSimilarity:expression Translate:from_,to Overlay:expression "
    "Trim:expression ArrayToString:expression,null GroupConcat:separator ToChar:format ToNumber:format "
    "TimeToStr:format StrToDate:format StrToTime:format UnixToTime:format TsOrDsToDate:format TsOrDsToTime:format "
    "Cast:format TryCast:format Format:this Pad:expression,fill_pattern Repeat:times Encode:charset Decode:charset "
    "JSONBPathExists:expression JSONBDeleteAtPath:expression"
)
PATTERNS: Final[dict[type[exp.Expr], tuple[str, ...]]] = {
    getattr(exp, name): tuple(arguments.split(","))
    for name, _, arguments in (one.partition(":") for one in _ARGUMENTS.split())
    if hasattr(exp, name)
}
"""Which arguments are patterns, by what sqlglot reads the function as."""
_UNKNOWN: Final = frozenset(kind for kind, names in PATTERNS.items() if not set(names) <= set(kind.arg_types))
"""Functions whose arguments a version of the parser names differently, so that they cannot be checked."""
_PATTERNED: Final = (
    "regexp_match regexp_matches regexp_split_to_array regexp_split_to_table string_to_table try_strptime "
    "hamming mismatches jaccard jaro_similarity damerau_levenshtein jsonb_path_exists jsonb_path_match "
    "jsonb_path_query jsonb_path_query_array jsonb_path_query_first list_aggregate list_aggr array_aggregate "
    "json_transform json_transform_strict from_json from_json_strict to_base list_resize array_replace json_each "
    "json_tree"
)
_OTHERS: Final = frozenset(_PATTERNED.split())
"""Functions that are known by their names, all of whose arguments but the first are patterns or say how long."""
_WIDE: Final = re.compile(r"\*|\d{4}|\{[^{}]*\{")
"""Formats that print a value as wide as an argument says, or a thousand characters and more."""
_MAY_BE_EMPTY: Final = re.compile(r"\(\?|\\[bBmMyYAZ<>]")
"""Assertions, which match between two characters."""
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
    return _describe_wide_value(node)


def _describe_wide_value(node: exp.Expr) -> str:
    """Describe the fault of a function that takes the length of its result; empty if it has none."""
    match node:
        case exp.Format() | exp.Anonymous() if isinstance(node, exp.Format) or str(node.this).lower() == "printf":
            written = node.this if isinstance(node, exp.Format) else next(iter(node.expressions), None)
            if isinstance(written, exp.Expr) and _WIDE.search(literal_text(written) or ""):
                return "a format says how wide a value is by an argument, or that it is very wide"
        case exp.Repeat() | exp.Pad():
            times = literal_text(node.args["times" if isinstance(node, exp.Repeat) else "expression"]) or ""
            if not times.isdigit() or int(times) > MOST_CHARACTERS:
                return f"a text is made longer by a literal number of at most {MOST_CHARACTERS:,}"
        case exp.GenerateSeries() | exp.ExplodingGenerateSeries():
            return _describe_long_series(node)
    return ""


def _describe_long_series(node: exp.Expr) -> str:
    """Describe the fault of a series between two numbers that has too many of them; empty if it has none."""
    start, end = (literal_number(node.args.get(name)) for name in ("start", "end"))
    step = literal_number(node.args.get("step")) or 1
    if end is not None and abs(end - (start or 0)) / max(abs(step), 1) > MOST_NUMBERS:
        return f"a series has at most {MOST_NUMBERS:,} numbers"
    return ""


def splits_characters(node: exp.Expr) -> bool:
    """Whether a function may take a text apart into single characters, each a value of its own."""
    pattern = node.expressions[1] if isinstance(node, exp.Anonymous) else node.args.get("expression")
    text = literal_text(pattern) if isinstance(pattern, exp.Expr) else None
    if not text or isinstance(pattern, exp.Null):
        return True
    if not isinstance(node, exp.RegexpSplit | exp.Anonymous):
        return False
    try:
        return bool(_MAY_BE_EMPTY.search(text)) or re.match(text, "") is not None
    except re.error:
        return True


def literal_number(node: object) -> int | None:
    """The whole number that a literal is, also behind a sign; None if it is anything else."""
    match node:
        case exp.Neg() if (value := literal_number(node.this)) is not None:
            return -value
        case exp.Paren() | exp.Cast():
            return literal_number(node.this)
        case exp.Literal() if not node.is_string and str(node.this).isdigit():
            return int(str(node.this))
    return None


def literal_text(node: exp.Expr) -> str | None:
    """The text of a literal, also of several put together; None if it is anything else."""
    match node:
        case exp.Literal():
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
    if isinstance(node, exp.TimeToStr) and isinstance(node.this, exp.Literal):
        return  # DuckDB takes the format also first
    for name in PATTERNS.get(type(node), ()):
        if isinstance(pattern := node.args.get(name), exp.Expr):
            yield from _expand_pattern_list(pattern)
    match node:
        case exp.Substring() if isinstance(start := node.args.get("start"), exp.Expr) and not _is_number(start):
            yield start  # PostgreSQL takes a text there for a regular expression
        case exp.Anonymous() if (name := str(node.this).lower()) in _OTHERS:
            yield from node.expressions[1:]
        case exp.Anonymous() if name == "printf":
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
