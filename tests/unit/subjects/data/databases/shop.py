"""A small shop in three databases, the same rows in each; in PostgreSQL read by a role that may only read."""

import json
import secrets
import sqlite3
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import psycopg
from sqlalchemy import make_url

from elcano.activities.child_processes import Stop
from elcano.subjects.data.data_answer import QueryFault
from elcano.subjects.data.databases.engine import Duckdb, Engine, Limits, Sqlite
from elcano.subjects.data.databases.postgresql import Postgresql
from elcano.subjects.data.tables import Cell

TABLES: Final = (
    'CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(80), "größe" REAL, born DATE)',
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), "
    "total NUMERIC(10, 2), placed TIMESTAMP, note VARCHAR)",
    "CREATE TABLE shipments (id INTEGER PRIMARY KEY, order_id INTEGER, days INTEGER)",
    "CREATE VIEW spending AS SELECT c.name, sum(o.total) AS spent FROM orders o JOIN customers c "
    "ON c.id = o.customer_id GROUP BY c.name",
)
ROWS: Final = (
    "INSERT INTO customers VALUES (1, 'Zoë', 1.5, '2001-02-03'), (2, NULL, 2.5, NULL), (3, 'O''Hara', NULL, NULL)",
    "INSERT INTO orders VALUES (1, 1, 10.50, '2024-01-02 10:00:00', 'a,b'), (2, 1, 1.25, '2024-03-04 00:00:00', ''), "
    "(3, 3, 2.25, NULL, NULL)",
    "INSERT INTO shipments VALUES (1, 1, 3), (2, 2, 5)",
)
CHECKED: Final = (
    "SELECT count(*), sum(id) FROM customers",
    "SELECT count(*), sum(total) FROM orders",
    "SELECT count(*), sum(days) FROM shipments",
)
"""Whether anything was changed, as far as a changed row or a table that is gone would show."""


def sqlite_shop(folder: Path) -> Sqlite:
    path = folder / "shop.db"
    connection = sqlite3.connect(path)
    for statement in (*TABLES, *ROWS):
        connection.execute(statement)
    connection.commit()
    connection.close()
    return Sqlite("shop", path)


def duckdb_shop(folder: Path) -> Duckdb:
    path = folder / "shop.duckdb"
    path.write_bytes(_make_duckdb_shop())
    return Duckdb("shop", path)


@cache
def _make_duckdb_shop() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "shop.duckdb"
        run_duckdb(path, *TABLES, *ROWS)
        return path.read_bytes()


def run_duckdb(path: Path, *statements: str) -> None:
    """In a process of its own: DuckDB prints what it did not tidy up when a process ends."""
    code = (
        "import sys, json, duckdb; connection = duckdb.connect(sys.argv[1]); "
        "[connection.execute(one) for one in json.loads(sys.argv[2])]; connection.close()"
    )
    subprocess.run([sys.executable, "-c", code, str(path), json.dumps(statements)], check=True, capture_output=True)


def postgresql_shop(url: str) -> Postgresql:
    """In the schema that `url` leads to, as its administrator."""
    role = f"reader_{secrets.token_hex(6)}"
    with psycopg.connect(url, autocommit=True) as administrator:
        for statement in (*TABLES, *ROWS, "CREATE TABLE hidden (word TEXT)", "CREATE SEQUENCE numbers"):
            administrator.execute(statement.encode())
        (schema,) = administrator.execute("SELECT current_schema()").fetchone() or ("",)
        administrator.execute(f"CREATE ROLE {role} LOGIN".encode())
        administrator.execute(f"GRANT USAGE ON SCHEMA {schema} TO {role}".encode())
        administrator.execute(f"GRANT SELECT ON customers, orders, shipments, spending, numbers TO {role}".encode())
    return Postgresql("shop", make_url(url).set(username=role).render_as_string(hide_password=False))


def content(engine: Engine) -> list[tuple[Cell, ...]]:
    """What `CHECKED` gives now."""
    found = engine.run(CHECKED, Limits(), Stop())
    rows: list[tuple[Cell, ...]] = []
    for outcome in found:
        assert not isinstance(outcome, QueryFault), outcome
        rows += outcome.rows
    return rows
