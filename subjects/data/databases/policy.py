"""Checks a query before a database sees it: it must be one query, of allowed parts, over tables of the schema.

What is run is written anew from what was read here, never the text that came: no two parsers can disagree about it.
The limit is part of it. The database's own guards stand behind this and trust none of it.
"""

import logging
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Final, NamedTuple

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError, TokenError
from sqlglot.tokenizer_core import TokenType

from elcano.graphs.text import shorten_text
from elcano.subjects.data.data_answer import QueryFault
from elcano.subjects.data.databases.allowed import (
    EXPRESSIONS,
    NAMED,
    NAMED_TYPES,
    SERIES,
    TABLE_FUNCTIONS,
    TYPES,
    faulty_pattern,
    literal_number,
    splits_characters,
)
from elcano.subjects.data.databases.similar_names import find_similar_names
from elcano.subjects.data.databases.sql_meaning import keep_meaning, write_plain_literals
from elcano.subjects.data.tables import DatabaseSchema, Dialect

MOST_PARTS: Final = 5_000
"""Nodes of the tree of one query: 20,000 characters of honest SQL have fewer."""
MOST_NESTED: Final = 16
"""Brackets within each other, of which a square one counts as three: the parser takes twice the time for some forms
with each, and PostgreSQL hears of no cancellation while functions that quote each other write a gigabyte of escapes."""
_NESTING: Final = {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1, TokenType.L_BRACKET: 3, TokenType.R_BRACKET: -3}
SQLGLOT: Final[dict[Dialect, str]] = {
    "sqlite": "sqlite",
    "postgresql": "postgres",
    "duckdb": "duckdb",
}
_DEFAULT: Final[dict[Dialect, str]] = {"sqlite": "main", "postgresql": "public", "duckdb": "main"}
_WRITES: Final = (exp.DDL, exp.DML, exp.Command, exp.Into, exp.Lock)
_ROW_FIELDS: Final = frozenset({"key", "value", "f1", "f2", "f3"})
"""Fields of rows that functions make: `(jsonb_each(profile)).key`, `(ROW(1, 2)).f1`."""
logging.getLogger("sqlglot").setLevel(logging.ERROR)  # it warns of what is refused here anyway


class Parsed(NamedTuple):
    """A query that may be run."""

    tree: exp.Expr
    sql: str
    """With its limit."""
    tables: frozenset[str]
    """Tables of the schema, as it calls them."""
    limit: int | None = None
    """Its own limit, if it is lower than the one that it is run with."""


class Refused(Exception):
    """A query may not be run. Its fault says why."""

    def __init__(self, fault: QueryFault) -> None:
        self.fault = fault
        super().__init__(fault.message)


def parse_allowed_query(sql: str, schema: DatabaseSchema, rows: int) -> Parsed:
    """`sql` as it may be run, reading one row more than `rows`.

    Raises:
        Refused: it is no query, or has parts that are not allowed.
    """
    tree = _parse_single_select(sql, schema.dialect)
    if sum(1 for _ in tree.walk()) > MOST_PARTS:
        raise _build_query_refusal(f"it has more than {MOST_PARTS} parts: ask for less at once")
    _require_allowed(tree, schema.dialect)
    _without_default(tree, schema)
    _with_dots(tree, schema)
    tables = frozenset(_list_read_tables(tree, schema))
    if schema.dialect == "postgresql":
        _require_field_names(tree, schema)
    keep_meaning(tree, schema.dialect)
    tree = _limit_row_count(tree, rows + 1)
    try:
        return Parsed(tree, tree.sql(SQLGLOT[schema.dialect], comments=False), tables, _find_own_limit(tree, rows))
    except (SqlglotError, ValueError, RecursionError) as error:
        raise _build_query_refusal(
            f"it cannot be written for {schema.dialect}: {_format_parser_error(error)}", "syntax"
        ) from None


def fold_identifier(name: str, dialect: Dialect, *, quoted: bool = False) -> str:
    """Return a name as the database compares it: PostgreSQL folds unquoted names, SQLite and DuckDB all, in ASCII."""
    if dialect == "postgresql" and quoted:
        return name
    return "".join(chr(ord(sign) + 32) if "A" <= sign <= "Z" else sign for sign in name)


def _parse_single_select(sql: str, dialect: Dialect) -> exp.Expr:
    try:
        plain = write_plain_literals(sql, dialect)
        nesting = accumulate(
            _NESTING.get(token.token_type, 0) for token in sqlglot.tokenize(plain, read=SQLGLOT[dialect])
        )
        if max(nesting, default=0) > MOST_NESTED:
            raise _build_query_refusal("it is nested too deeply: define parts of it in a WITH")
        statements = sqlglot.parse(plain, read=SQLGLOT[dialect])
    except (ParseError, TokenError) as error:
        raise _build_query_refusal(f"it cannot be read as {dialect}: {_format_parser_error(error)}", "syntax") from None
    except RecursionError:
        raise _build_query_refusal("it is nested too deeply", "syntax") from None
    # A comment behind the last semicolon is read as a statement of its own, which is none.
    selects = [one for one in statements if one is not None and not isinstance(one, exp.Semicolon)]
    if len(selects) != 1:
        raise _build_query_refusal(f"it has {len(selects)} statements: write exactly one query")
    (tree,) = selects
    if isinstance(tree, exp.Pivot):
        return exp.select("*").from_(exp.Subquery(this=tree))
    if not isinstance(tree, exp.Select | exp.SetOperation):
        raise _build_query_refusal(
            f"it is no query ({_name_query_part(tree)}): only SELECT is allowed, WITH before it if need be"
        )
    return tree


def _require_allowed(tree: exp.Expr, dialect: Dialect) -> None:
    for node in tree.walk():
        if isinstance(node, _WRITES):
            raise _build_query_refusal(f"{_name_query_part(node)} is not allowed: databases are only read")
        if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
            if str(node.this).lower() not in NAMED[dialect]:
                raise _build_query_refusal(f"the function {node.this} is not among those that are allowed")
        elif type(node) not in EXPRESSIONS:
            raise _build_query_refusal(f"{_name_query_part(node)} is not allowed in a query")
        if fault := faulty_pattern(node):
            raise _build_query_refusal(fault)
        _require_harmless(node, dialect)


def _require_harmless(node: exp.Expr, dialect: Dialect) -> None:
    """Refuse a part of a query that is allowed only in some forms and has another."""
    match node:
        case exp.Select() if not node.expressions:
            raise _build_query_refusal("SELECT without columns gives nothing", "syntax")
        case exp.DataType() if node.this not in TYPES and not _is_named_type(node):
            raise _build_query_refusal(f"a cast to {shorten_text(node.sql(), 60)} is not allowed")
        case exp.Cast() if not isinstance(node.to, exp.DataType):
            raise _build_query_refusal(f"a cast to {shorten_text(node.to.sql(), 60)} is not allowed")
        case exp.Table() if node.args.get("rows_from"):
            raise _build_query_refusal("ROWS FROM is not allowed: join the functions")
        case exp.Table() if not isinstance(node.this, exp.Identifier | exp.GenerateSeries):
            _require_table_function(node.this, dialect)
        case exp.Lateral() if not isinstance(node.this, exp.Subquery | exp.Unnest | exp.Explode | exp.GenerateSeries):
            _require_table_function(node.this, dialect)
        case exp.Dot() if not isinstance(node.expression, exp.Identifier | exp.Star):
            raise _build_query_refusal("functions of schemas are not allowed: write the function's own name")
        case exp.Split() | exp.RegexpSplit() | exp.StringToArray() | exp.Anonymous() if dialect == "postgresql":
            named = isinstance(node, exp.Anonymous)
            if (not named or str(node.this).lower() == "regexp_split_to_array") and splits_characters(node):
                raise _build_query_refusal("a text is taken apart at a literal separator, not into single characters")


def _is_named_type(kind: exp.DataType) -> bool:
    return kind.this == exp.DType.USERDEFINED and str(kind.args.get("kind")).lower() in NAMED_TYPES


def _require_table_function(node: exp.Expr, dialect: Dialect) -> None:
    """Refuse anything in place of a table but the functions that make rows of their arguments alone."""
    if isinstance(node, exp.Anonymous) and str(node.this).lower() in TABLE_FUNCTIONS[dialect]:
        return
    if isinstance(node, SERIES) and dialect != "sqlite":
        return
    raise _build_query_refusal(
        f"{shorten_text(node.sql(), 60)} is no table, and not among the functions that may be one"
    )


def _list_read_tables(tree: exp.Expr, schema: DatabaseSchema) -> Iterator[str]:
    """The tables that are read, as the schema calls them.

    Raises:
        Refused: one is neither in the schema nor defined by a WITH in scope.
    """
    known = names_of(schema)
    unknown: dict[str, None] = {}
    for table in tree.find_all(exp.Table):
        if not isinstance(table.this, exp.Identifier) or _is_defined(table, schema.dialect):
            continue
        name = table_key(table, schema.dialect)
        if name in known:
            yield known[name]
        else:
            unknown[f"{table.db}.{table.name}" if table.db else table.name] = None
    if unknown:
        names = [table.name for table in schema.tables]
        close = tuple(dict.fromkeys(one for name in unknown for one in find_similar_names(name, names)))
        fault = QueryFault(
            stage="names",
            message=shorten_text(
                f"{schema.database} has no table {', '.join(map(repr, unknown))}"
                + (f"; names like it: {', '.join(close)}" if close else ""),
                1_000,
            ),
            unknown=tuple(unknown)[:50],
            near=close[:50],
        )
        raise Refused(fault)


def _require_field_names(tree: exp.Expr, schema: DatabaseSchema) -> None:
    """Refuse fields that no table has: PostgreSQL reads `(row).name` as `name(row)` where there is no such field."""
    known = {column.name for table in schema.tables for column in table.columns} | _ROW_FIELDS
    for dot in tree.find_all(exp.Dot):
        if isinstance(dot.expression, exp.Identifier) and dot.expression.name not in known:
            raise _build_query_refusal(f"no table has a column {dot.expression.name!r} whose field it could be")


def names_of(schema: DatabaseSchema) -> Mapping[str, str]:
    """The tables of a schema by their names as the database compares them, quoted or not."""
    return {fold_identifier(table.name, schema.dialect, quoted=True): table.name for table in schema.tables}


def table_key(table: exp.Table, dialect: Dialect) -> str:
    """The name of a table as the schema has it; a name with a catalogue is none of them."""
    parts = [part for part in (table.args.get("catalog"), table.args.get("db"), table.this) if part is not None]
    if not isinstance(table.this, exp.Identifier):
        return ""  # a function
    folded = [fold_identifier(part.name, dialect, quoted=bool(part.args.get("quoted"))) for part in parts]
    return ".".join(folded)


def _without_default(tree: exp.Expr, schema: DatabaseSchema) -> None:
    """`public.orders` and `main.orders` become `orders` where the schema calls it so."""
    known = names_of(schema)
    for table in tree.find_all(exp.Table):
        name = table_key(table, schema.dialect)
        first, _, bare = name.partition(".")
        if name not in known and bare in known and first == _DEFAULT[schema.dialect]:
            table.set("db", None)


def _with_dots(tree: exp.Expr, schema: DatabaseSchema) -> None:
    """`sales.2024` becomes the one name that it is where a SQLite file has such a table: it has no schemas."""
    known = names_of(schema) if schema.dialect == "sqlite" else {}
    for table in tree.find_all(exp.Table):
        name = table_key(table, schema.dialect)
        if table.args.get("db") is not None and name in known:
            if not table.alias:
                table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)))
            table.set("this", exp.to_identifier(known[name], quoted=True))
            table.set("db", None)


def _is_defined(table: exp.Table, dialect: Dialect) -> bool:
    """Whether a WITH around the table defines its name.

    It belongs to its own query, or comes earlier in the same WITH; a recursive one may read itself.
    """
    if table.args.get("db") is not None:
        return False
    wanted = fold_identifier(table.name, dialect, quoted=bool(table.this.args.get("quoted")))
    inside: exp.Expr = table
    above = table.parent
    while above is not None:
        if isinstance(above, exp.With):
            own = next(at for at, one in enumerate(above.expressions) if one is inside)
            defined = above.expressions[: own + bool(above.args.get("recursive"))]
        else:
            definitions = above.args.get("with_")
            defined = definitions.expressions if definitions is not None and definitions is not inside else []
        if any(_fold_alias_name(one, dialect) == wanted for one in defined):
            return True
        inside, above = above, above.parent
    return False


def _fold_alias_name(definition: exp.Expr, dialect: Dialect) -> str:
    alias = definition.args["alias"].this
    return fold_identifier(alias.name, dialect, quoted=bool(alias.args.get("quoted")))


def _limit_row_count(tree: exp.Expr, rows: int) -> exp.Expr:
    """The query with a limit, or with its own if that is lower."""
    limit = tree.args.get("limit")
    own = exp.Limit(expression=exp.Literal.number(rows))
    options = None if limit is None else limit.args.get("limit_options")
    if isinstance(limit, exp.Fetch):
        if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
            raise _build_query_refusal("FETCH with PERCENT or WITH TIES is not allowed: write LIMIT and a number")
        count = limit.args.get("count") or exp.Literal.number(1)
    else:
        count = None if limit is None else limit.expression
    if options is not None and options.args.get("percent") and isinstance(count, exp.Literal):
        return exp.select("*").from_(exp.Subquery(this=tree)).limit(rows)
    if count is None or _is_no_limit(count):
        tree.set("limit", own)
    elif not isinstance(count, exp.Literal) or count.is_string or not str(count.this).isdigit():
        raise _build_query_refusal("LIMIT has to be a whole number")
    elif int(count.this) > rows:
        tree.set("limit", own)
    return tree


def _find_own_limit(tree: exp.Expr, rows: int) -> int | None:
    limit = tree.args.get("limit")
    count = limit.args.get("count") if isinstance(limit, exp.Fetch) else limit.expression if limit else None
    number = 1 if isinstance(limit, exp.Fetch) and count is None else literal_number(count)
    return number if number is not None and number <= rows else None


def _is_no_limit(count: exp.Expr) -> bool:
    """Whether LIMIT says that there is none: `LIMIT ALL`, `LIMIT NULL`, and of SQLite `LIMIT -1`."""
    if isinstance(count, exp.Neg):
        return isinstance(count.this, exp.Literal) and str(count.this.this).isdigit()
    return isinstance(count, exp.Null) or (isinstance(count, exp.Var) and count.name.upper() == "ALL")


def _build_query_refusal(message: str, stage: str = "policy") -> Refused:
    return Refused(QueryFault(stage="syntax" if stage == "syntax" else "policy", message=shorten_text(message, 1_500)))


def _name_query_part(node: exp.Expr) -> str:
    """Return the name of a query part as people know it."""
    if isinstance(node, exp.Command):
        return str(node.this).upper()
    return shorten_text(node.key.upper(), 60)


def _format_parser_error(error: BaseException) -> str:
    """Format the parser's message, without its colours."""
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        return f"{first['description']} at line {first['line']}, column {first['col']}"
    return shorten_text(str(error).split("\n")[0], 300)
