"""What ordinary analysis needs is let through by the bounds on texts and numbers; `hostile.py` has what is not."""

import contextlib

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError

from elcano.subjects.data.databases.allowed import EXPRESSIONS, LISTED, NAMED, PATTERNS
from elcano.subjects.data.databases.column_resolution import resolve_query_columns
from elcano.subjects.data.databases.policy import SQLGLOT, parse_allowed_query
from elcano.subjects.data.tables import ColumnSchema, DatabaseSchema, Dialect, TableSchema

COLUMNS = (
    ColumnSchema(name="id", type="INTEGER", kind="integer"),
    ColumnSchema(name="customer", type="INTEGER", kind="integer"),
    ColumnSchema(name="total", type="NUMERIC(10, 2)", kind="decimal"),
    ColumnSchema(name="placed", type="TIMESTAMP", kind="timestamp"),
    ColumnSchema(name="note", type="VARCHAR", kind="text"),
)
MANY = " + ".join(["CASE WHEN note = 'x' THEN 1 ELSE 0 END"] * 60)
EVERYWHERE = (
    "SELECT * FROM orders WHERE note LIKE '%x%' AND lower(note) LIKE lower('%X%')",
    "SELECT replace(replace(replace(note, '$', ''), ',', ''), ' ', '') FROM orders",
    "SELECT CAST(replace(note, '$', '') AS DECIMAL(10, 2)) FROM orders",
    "SELECT note || ' (' || id || ')' FROM orders",
    "SELECT upper(substr(note, 1, 1)) || lower(substr(note, 2)) FROM orders",
    "SELECT CASE WHEN note LIKE 'a%' THEN 'first' ELSE note END AS k, count(*) FROM orders GROUP BY 1",
    "SELECT sum(total * id * (1 - 0.1) * (1 + 0.2)), coalesce(max(note), 'none') FROM orders",
    f"SELECT {MANY} FROM orders",
    "WITH a AS (SELECT customer, sum(total) AS t, count(*) AS n FROM orders GROUP BY customer), "
    "b AS (SELECT t / n AS m, t * 1.0 / (t + n) AS s, t, n FROM a), "
    "c AS (SELECT (m - s) / m * 100 AS g, round(m * s * t / n, 2) AS h FROM b) SELECT avg(g * h), max(h) FROM c",
)
BY_DIALECT: dict[Dialect, tuple[str, ...]] = {
    "sqlite": (
        "SELECT group_concat(note, ', ') FROM orders",
        "SELECT strftime('%Y-%m', placed), strftime('%Y', placed, '-1 month') FROM orders",
        "SELECT substr(note, instr(note, ':') + 1), substr(note, -4), trim(note) FROM orders",
    ),
    "postgresql": (
        "SELECT power(1.05, id) * total FROM orders",
        "SELECT sqrt(sum(power(total - 3, 2)) / count(*)) FROM orders",
        "SELECT power(max(total) / min(total), 1.0 / nullif(count(*) - 1, 0)) - 1 FROM orders",
        "SELECT substring(note FROM strpos(note, ':') + 1), split_part(note, '@', 2) FROM orders",
        "SELECT to_char(placed, 'YYYY-MM'), note ~ '^[a-z]+$', trim(BOTH ' ' FROM note) FROM orders",
        "SELECT regexp_replace(note, '[^0-9]', '', 'g'), note ILIKE ANY (ARRAY['a%', 'b%']) FROM orders",
        "SELECT note::varchar(50), total::numeric(12, 2), concat_ws(', ', note, note, id) FROM orders",
    ),
    "duckdb": (
        "SELECT string_agg(note, ', '), list(note) FROM orders",
        "SELECT strftime(placed, '%Y'), regexp_matches(note, 'x'), split_part(note, '@', 2) FROM orders",
    ),
}


@pytest.mark.parametrize(
    ("dialect", "sql"), [(dialect, sql) for dialect, own in BY_DIALECT.items() for sql in (*EVERYWHERE, *own)]
)
def test_ordinary_queries_are_let_through(dialect: Dialect, sql: str) -> None:
    table = TableSchema(name="orders", columns=COLUMNS)
    schema = DatabaseSchema(database="shop", dialect=dialect, hash="0", tables=(table,))
    query = parse_allowed_query(sql, schema, 10)
    resolve_query_columns(query, schema)
    assert query.tables == {"orders"}


def test_what_is_allowed_is_called_so_by_the_parser() -> None:
    assert [name for name in LISTED if not hasattr(exp, name)] == []


def test_patterns_are_arguments_that_the_parser_has() -> None:
    """Another version of the parser may call them otherwise: they would then be looked at no more."""
    for kind, arguments in PATTERNS.items():
        assert set(arguments) <= set(kind.arg_types), kind


def test_no_function_over_texts_has_an_argument_that_nobody_looked_at() -> None:
    """Of a new version of the parser too: an argument that is called like a pattern is one, or is said to be none."""
    called = {"delimiter", "flag", "format", "from_", "modifiers", "options", "parameters", "pattern", "regexp"}
    called |= {"replacement", "separator", "substr", "substring", "to"}
    unseen = {
        (kind.__name__, name)
        for kind in EXPRESSIONS
        if issubclass(kind, exp.Func)
        for name in called & set(kind.arg_types)
        if name not in PATTERNS.get(kind, ())
    }
    units_and_places = {(name, "to") for name in ("Cast", "TryCast", "Ceil", "Floor")} | {("Overlay", "from_")}
    assert unseen == units_and_places | {("FromJson", "options")}


def is_read_by_name(name: str, dialect: Dialect) -> bool:
    """Whether sqlglot has no class for a function, at least with some number of arguments."""
    for arguments in ("x", "", "x, y", "x, 'a'", "'a', x", "x, y, z", "'{1}'"):
        with contextlib.suppress(ParseError):
            read = sqlglot.parse_one(f"SELECT 1 = {name}({arguments})", read=SQLGLOT[dialect])
            if read.find(exp.Anonymous, exp.AnonymousAggFunc) is not None:
                return True
    return False


@pytest.mark.parametrize("dialect", NAMED)
def test_a_function_is_known_by_its_name_where_the_parser_has_no_class_for_it(dialect: Dialect) -> None:
    """A name that a version of the parser has a class for would allow nothing: the class has to be listed instead."""
    assert [name for name in sorted(NAMED[dialect]) if not is_read_by_name(name, dialect)] == []
