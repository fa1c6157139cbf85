"""A join that repeats rows is found from keys, and what counts them says so."""

import pytest

from elcano.subjects.data.databases.column_resolution import ResolvedColumn, resolve_query_columns
from elcano.subjects.data.databases.policy import Refused, parse_allowed_query
from elcano.subjects.data.tables import ColumnSchema, DatabaseSchema, Dialect, TableSchema

KEYED = {"customers": "id name city", "orders": "id customer_id total", "items": "id order_id quantity price"}


def resolve(sql: str, dialect: Dialect = "duckdb") -> tuple[ResolvedColumn, ...]:
    tables = tuple(
        TableSchema(
            name=name,
            columns=tuple(ColumnSchema(name=column, type="INTEGER", kind="integer") for column in columns.split()),
            primary_key=("id",),
        )
        for name, columns in KEYED.items()
    )
    schema = DatabaseSchema(database="shop", dialect=dialect, hash="0", tables=tables)
    return resolve_query_columns(parse_allowed_query(sql, schema, 50), schema)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(o.total) FROM orders o JOIN items i ON i.order_id = o.id",
        "SELECT count(o.id) FROM orders o LEFT JOIN items i ON o.id = i.order_id",
        "SELECT avg(o.total) FROM orders o, items i WHERE i.order_id = o.id AND i.quantity > 1",
        "SELECT sum(o.total) OVER () FROM orders o JOIN items i ON i.order_id = o.id",
        "SELECT count(*) FROM customers a JOIN customers b ON a.city = b.city",
        "WITH j AS (SELECT o.total FROM orders o JOIN items i ON i.order_id = o.id) SELECT sum(total) FROM j",
        "SELECT (SELECT sum(o.total) FROM orders o JOIN items i ON i.order_id = o.id) AS s",
        "SELECT sum(c.id) FROM customers c CROSS JOIN orders",
        "SELECT sum(o.total) / sum(i.quantity) FROM orders o JOIN items i ON i.order_id = o.id",
        "SELECT sum(o.total) FROM orders o JOIN items i ON i.order_id = o.id UNION ALL SELECT 1",
    ],
)
def test_a_repeated_row_is_said_to_be_counted(sql: str) -> None:
    assert "may repeat rows" in resolve(sql)[0].caution


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(o.total) FROM orders o JOIN customers c ON c.id = o.customer_id",
        "SELECT count(*), sum(i.quantity * i.price) FROM orders o JOIN items i ON i.order_id = o.id",
        "SELECT count(DISTINCT o.id) FROM orders o JOIN items i ON i.order_id = o.id",
        "SELECT max(o.total) FROM orders o JOIN items i ON i.order_id = o.id",
        "SELECT sum(x.t) FROM customers c JOIN (SELECT customer_id, sum(total) AS t FROM orders GROUP BY customer_id) "
        "x ON x.customer_id = c.id",
        "SELECT sum(o.total) FROM orders o CROSS JOIN (SELECT max(price) AS m FROM items) WHERE o.total > m",
        "SELECT sum(o.total) FROM orders o SEMI JOIN items i ON i.order_id = o.id",
        "SELECT sum(total) FROM orders WHERE id IN (SELECT order_id FROM items)",
        "SELECT sum(i.price) FROM items i JOIN orders o ON o.id = i.order_id JOIN customers c ON c.id = o.customer_id",
        "SELECT sum(total) FROM orders JOIN customers USING (id)",
        "SELECT c.name, sum(o.total) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name",
    ],
)
def test_rows_that_are_there_once_are_counted_without_a_word(sql: str) -> None:
    assert [one.caution for one in resolve(sql)] == [""] * len(resolve(sql))


def test_values_of_repeated_rows_may_not_be_added_up() -> None:
    total, quantity = resolve("SELECT o.total, i.quantity FROM orders o JOIN items i ON i.order_id = o.id")
    assert (total.caution, quantity.repeated) == ("", "")
    assert "may repeat rows of o" in total.repeated


def test_a_limit_inside_is_said() -> None:
    (counted,) = resolve("SELECT count(*) FROM (SELECT * FROM orders LIMIT 20) AS x")
    assert "at most 20 rows" in counted.caution
    assert resolve("SELECT (SELECT total FROM orders ORDER BY total DESC LIMIT 1) AS most")[0].caution == ""


def test_a_server_gathers_the_rows_of_one_table_and_no_product() -> None:
    resolve("SELECT string_agg(name, ', ') FROM customers", "postgresql")
    resolve("SELECT c.name, array_agg(o.total) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.id, 1")
    with pytest.raises(Refused):
        resolve("SELECT array_agg(a.name) FROM customers a JOIN customers b ON a.city = b.city", "postgresql")
