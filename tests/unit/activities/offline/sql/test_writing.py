"""Questions that rules read, by what their queries find, and those that they refuse, with the words not read."""

from typing import Any

import pytest
import sqlglot

from elcano.activities.offline.sql.writing import LONGEST, Refused, query_for
from elcano.graphs.data.query import SqlQuery
from elcano.graphs.data.schema import DatabaseSchema, Dialect
from tests.unit.activities.offline.sql.shop import TODAY, rows_of, schema


def found(question: str) -> list[tuple[Any, ...]]:
    query = query_for(question, schema(), TODAY)
    assert isinstance(query, SqlQuery), f"{question}: {query}"
    return rows_of(query.sql)


def refusal(question: str) -> Refused:
    refused = query_for(question, schema(), TODAY)
    assert isinstance(refused, Refused), f"{question}: {refused}"
    return refused


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many customers are there?", [(3,)]),
        ("How many customers live in Oslo?", [(2,)]),
        ("What is the average price of products?", [(pytest.approx(66.8333, rel=1e-4),)]),
        ("What is the highest price?", [(120.0,)]),
        ("What was the total amount of payments in 2024?", [(10.5,)]),
        ("Total amount of payments", [(15.0,)]),
        ("Total seats by hall", [("North", 40), ("South", 60)]),
        ("Which product has the lowest price?", [("Lamp",)]),
        ("What are the top 2 products by price?", [("Desk",), ("Rug",)]),
        ("How many orders were there in 2024?", [(2,)]),
        ("How many orders were there in the past 10 days?", [(1,)]),
        ("How many customers joined before 2024-01-01?", [(1,)]),
        ("Which products have a price over 50?", [("Desk",), ("Rug",)]),
        ("Which products have a price between 20 and 60?", [("Lamp",), ("Rug",)]),
        ("Which customers have an email containing 'example.com'?", [("Cy Wren",)]),
        ("Which customers have no email?", [("Bo Finch",)]),
        ("Which customers do not have any orders?", [("Cy Wren",)]),
        ("How many active products are there?", [(2,)]),
        ("How many orders have the status shipped?", [(2,)]),
        ("How many different cities are there?", [(2,)]),
    ],
)
def test_one_table(question: str, rows: list[tuple[Any, ...]] | None) -> None:
    if rows is None:
        refusal(question)
    else:
        assert sorted(found(question)) == sorted(rows)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many customers are there in each city?", [("Oslo", 2), ("Turin", 1)]),
        ("What is the number of orders per customer?", [("Ada Lark", 2), ("Bo Finch", 1)]),
        ("Which customer has the most orders?", [("Ada Lark", 2)]),
        ("Which customer has the fewest orders?", [("Cy Wren", 0)]),
        ("How many orders were made by customers from Oslo?", [(3,)]),
        ("Which products were ordered by customers from Oslo?", None),
        ("What is the total number of items for each customer?", [("Ada Lark", 3), ("Bo Finch", 5)]),
        ("Which customers have more than 1 order?", [("Ada Lark",)]),
        ("What is the ratio of orders to customers?", [(1.0,)]),
        ("How many orders are there per month?", [("2024-01", 1), ("2024-03", 1), ("2025-06", 1)]),
    ],
)
def test_along_keys(question: str, rows: list[tuple[Any, ...]] | None) -> None:
    if rows is None:
        refusal(question)
    else:
        assert sorted(found(question)) == sorted(rows)


@pytest.mark.parametrize(
    ("question", "unread"),
    [
        ("What is the capital of Norway?", "capital"),
        ("How many customers bought a sofa?", "sofa"),
        ("Why do customers leave?", "Why"),
        ("What is the average shipping weight of orders?", "weight"),
        ("Wie viele Kunden gibt es?", "Kunden"),
        ("¿Cuántos clientes hay?", "clientes"),
        ("Combien de clients y a-t-il ?", "Combien"),
        ("有多少客户?", "有多少客户"),
        ("How many customers; DROP TABLE customers?", "DROP"),
    ],
)
def test_a_word_that_is_not_read_is_named(question: str, unread: str) -> None:
    assert unread in refusal(question).unread


@pytest.mark.parametrize(
    "question",
    [
        "",
        "   ",
        "?" * 10,
        "How many customers have the most orders and the fewest items?",
        "What is the name?",
        "Which customers ordered?",
        "How many customers were there in 2023?" * 100,
        "What is the total of customers?",
        "How many customers are active?",
        "How many customers on 2024-02-31?",
        "How many orders are not open?",
        'Which customers are called "Dee"',
    ],
)
def test_what_is_not_clear_is_refused_with_a_reason(question: str) -> None:
    assert refusal(question).reason.endswith(".")


def test_a_question_about_today_needs_a_day() -> None:
    refused = query_for("How many orders were there in the past 10 days?", schema())
    assert isinstance(refused, Refused)
    assert "past 10 days" in refused.reason


def test_too_long_and_too_little_are_refused() -> None:
    assert isinstance(query_for("How many customers? " * LONGEST, schema()), Refused)
    assert isinstance(query_for("How many customers?", DatabaseSchema(database="none", dialect="sqlite")), Refused)


@pytest.mark.parametrize(
    ("dialect", "parsed"), [("sqlite", "sqlite"), ("postgresql", "postgres"), ("duckdb", "duckdb")]
)
def test_every_dialect_reads_what_is_written_in_it(dialect: Dialect, parsed: str) -> None:
    for question in (
        "How many orders are there per month?",
        "What is the ratio of orders to customers?",
        "Which customers have an email containing '50%_\\'?",
    ):
        query = query_for(question, schema(dialect), TODAY)
        assert isinstance(query, SqlQuery)
        assert query.dialect == dialect
        tree = sqlglot.parse_one(query.sql, read=parsed)
        assert tree.sql(dialect=parsed) == query.sql


def test_a_value_is_never_part_of_the_sql() -> None:
    query = query_for('Which customers have an email containing "x\' OR 1=1 --"?', schema())
    assert isinstance(query, SqlQuery)
    assert rows_of(query.sql) == []


def test_reasons_and_choices_stand_beside_the_query() -> None:
    query = query_for("How many orders were made by customers from Oslo?", schema())
    assert isinstance(query, SqlQuery)
    assert any("orders.customer_id = customers.customer_id" in one for one in query.reasons)
    assert any("was taken to name rows of customers" in one for one in query.choices)


def test_two_columns_of_one_name_are_not_guessed_between() -> None:
    assert "name" in refusal("What is the longest name?").reason


@pytest.mark.parametrize("question", ["How many seats are there?", "Number of seats by hall"])
def test_a_table_called_as_its_numbers_is_not_counted_unasked(question: str) -> None:
    assert refusal(question).reason == "`seats` may be the rows of seats or seats.seats."
