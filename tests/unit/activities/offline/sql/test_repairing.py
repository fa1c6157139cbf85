"""Broken queries that rules mend, whether that may change what they mean, and those that they leave alone."""

import sqlite3

import pytest

from elcano.activities.offline.sql.near import nearest
from elcano.activities.offline.sql.repairing import repaired
from elcano.graphs.data.query import QueryFault, SqlQuery
from tests.unit.activities.offline.sql.shop import rows_of, schema


def fault_of(sql: str) -> QueryFault:
    try:
        rows_of(sql)
    except sqlite3.Error as error:
        return QueryFault(stage="database", message=str(error))
    return QueryFault(stage="policy", message="it is refused")


@pytest.mark.parametrize(
    ("sql", "meaning"),
    [
        ("SELECT TOP 2 title FROM products ORDER BY price DESC", False),
        ("SELECT title FROM product", False),
        ("SELECT Title FROM public.products", False),
        ("SELECT customerid FROM customers", False),
        ("SELECT title FROM products WHERE cost > 20", True),
        ("SELECT c.title FROM customers c JOIN orders o USING (customer_id) JOIN products p USING (product_id)", False),
        ("SELECT customer_id FROM customers c JOIN orders o ON c.customer_id = o.customer_id", False),
        ("SELECT customer_id FROM customers c JOIN orders o ON o.order_id > 1", True),
        ("SELECT YEAR(order_date), COUNT(*) FROM orders GROUP BY YEAR(order_date)", False),
        ("SELECT title FROM products WHERE title ILIKE 'l%'", False),
        ("SELECT DATE_TRUNC('month', order_date), COUNT(*) FROM orders GROUP BY 1", False),
        ("WITH x AS (SELECT titel FROM products) SELECT titel FROM x", True),
    ],
)
def test_a_mended_query_runs(sql: str, meaning: bool) -> None:
    with pytest.raises(sqlite3.Error):
        rows_of(sql)
    mended = repaired(SqlQuery(database="shop", dialect="sqlite", sql=sql), fault_of(sql), schema())
    assert mended.sql, mended.explanation
    assert rows_of(mended.sql)
    assert mended.changed
    assert mended.changes_meaning is meaning


def test_a_missing_group_is_added() -> None:
    sql = "SELECT city, COUNT(*) FROM customers"
    mended = repaired(SqlQuery(database="shop", dialect="postgresql", sql=sql), fault_of(sql), schema("postgresql"))
    assert mended.sql == "SELECT city, COUNT(*) FROM customers GROUP BY city"


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE customers",
        "DELETE FROM customers",
        "SELECT 1; SELECT 2",
        "SELECT zzzz FROM customers",
        "SELECT FROM WHERE",
        "((((",
        "\x00",
        "SELECT " + "(" * 400 + "1" + ")" * 400,
    ],
)
def test_what_rules_do_not_know_is_left_alone(sql: str) -> None:
    mended = repaired(SqlQuery(database="shop", dialect="sqlite", sql=sql), fault_of(sql), schema())
    assert mended.sql == ""
    assert mended.explanation


def test_nothing_is_tried_twice_and_nothing_is_mended_that_is_only_away() -> None:
    query = SqlQuery(database="shop", dialect="sqlite", sql="SELECT title FROM product")
    fault = QueryFault(stage="database", message="no such table: product")
    new = repaired(query, fault, schema()).sql
    assert repaired(query, fault, schema(), [new]).sql == ""
    assert repaired(query, fault.model_copy(update={"lasting": False}), schema()).sql == ""


def test_of_two_names_that_are_alike_none_is_taken() -> None:
    assert nearest("abcd", ["abcx", "abcy"]) is None
    assert nearest("abcd", ["abcx", "abcy"], ["abcy"]) is not None
