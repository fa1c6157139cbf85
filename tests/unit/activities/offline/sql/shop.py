"""A shop: customers order products, in a database that SQLite keeps in memory. Its keys are not declared."""

import sqlite3
from datetime import date
from typing import Any

from elcano.graphs.data.schema import ColumnSchema, DatabaseSchema, Dialect, Kind, TableSchema

TODAY = date(2025, 6, 18)
TABLES: dict[str, tuple[tuple[tuple[str, Kind], ...], tuple[tuple[Any, ...], ...]]] = {
    "customers": (
        (("customer_id", "integer"), ("name", "text"), ("city", "text"), ("joined_date", "date"), ("email", "text")),
        (
            (1, "Ada Lark", "Oslo", "2023-02-01", "ada@example.org"),
            (2, "Bo Finch", "Oslo", "2024-05-09", None),
            (3, "Cy Wren", "Turin", "2025-06-01", "cy@example.com"),
        ),
    ),
    "products": (
        (("product_id", "integer"), ("title", "text"), ("price", "decimal"), ("is_active", "boolean")),
        ((1, "Lamp", 20.5, 1), (2, "Desk", 120.0, 1), (3, "Rug", 60.0, 0)),
    ),
    "orders": (
        (
            ("order_id", "integer"),
            ("customer_id", "integer"),
            ("product_id", "integer"),
            ("order_date", "date"),
            ("num_items", "integer"),
            ("status", "text"),
        ),
        (
            (10, 1, 1, "2024-01-05", 2, "shipped"),
            (11, 1, 2, "2024-03-07", 1, "open"),
            (12, 2, 1, "2025-06-10", 5, "shipped"),
        ),
    ),
    "suppliers": (
        (("supplier_id", "integer"), ("name", "text"), ("country", "text")),
        ((1, "Nord AS", "Norway"), (2, "Sud Srl", "Italy")),
    ),
    "payments": (
        (("payment_id", "integer"), ("amount", "decimal"), ("paid_date", "date")),
        ((1, 10.5, "2024-01-06"), (2, 4.5, "2025-02-07")),
    ),
    "seats": (
        (("hall", "text"), ("seats", "integer")),
        (("North", 40), ("South", 60)),
    ),
}


def schema(dialect: Dialect = "sqlite") -> DatabaseSchema:
    """What is known of the shop."""
    tables = []
    for name, (columns, rows) in TABLES.items():
        described = []
        for place, (column, kind) in enumerate(columns):
            values = list(dict.fromkeys(row[place] for row in rows if row[place] is not None))
            shown = tuple(str(value) for value in values)
            described.append(ColumnSchema(name=column, kind=kind, samples=shown, distinct=len(values)))
        tables.append(TableSchema(name=name, rows=len(rows), columns=tuple(described)))
    return DatabaseSchema(database="shop", dialect=dialect, tables=tuple(tables))


def rows_of(sql: str) -> list[tuple[Any, ...]]:
    """What a query finds in the shop."""
    connection = sqlite3.connect(":memory:")
    try:
        for name, (columns, rows) in TABLES.items():
            connection.execute(f"CREATE TABLE {name} ({', '.join(column for column, _ in columns)})")
            connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows)
        return connection.execute(sql).fetchall()
    finally:
        connection.close()
