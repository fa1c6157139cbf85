"""SELECTs as people write them, by engine, and a database on which each of them runs.

The statements are in `selects/`, one on each line: `common.sql` for all engines, and what the chapters of each engine's
manual have in a file of its own. A line of `common.sql` that an engine does not know is no statement of that engine.
"""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import psycopg
from sqlalchemy import make_url

from elcano.subjects.data.databases.engine import Duckdb, Engine, Sqlite
from elcano.subjects.data.databases.postgresql import Postgresql
from elcano.subjects.data.tables import Dialect
from tests.unit.subjects.data.databases.shop import run_duckdb

_FOLDER: Final = Path(__file__).parent / "selects"
_TABLES: Final = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT, city TEXT, country TEXT, born DATE,
active BOOLEAN, profile {json});
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, category TEXT, price NUMERIC(10, 2), tags {texts});
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), placed TIMESTAMP,
status TEXT, total NUMERIC(10, 2));
CREATE TABLE items (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders (id),
product_id INTEGER REFERENCES products (id), quantity INTEGER, price NUMERIC(10, 2));
CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT, manager_id INTEGER, department TEXT, salary NUMERIC(10, 2),
hired DATE);
CREATE TABLE articles (id INTEGER PRIMARY KEY, title TEXT, body TEXT);
INSERT INTO customers VALUES (1, 'Anna Berg', 'anna@example.com', 'Berlin', 'DE', '1990-02-03', TRUE,
'{{"plan": "gold", "tags": ["new", "eu"], "visits": 4, "address": {{"city": "Berlin"}}}}'),
(2, 'Bo Larsson', 'bo@example.org', NULL, 'SE', NULL, FALSE, '{{"plan": "free", "tags": [], "visits": 1}}'),
(3, 'Cleo', NULL, 'Paris', 'FR', '1985-12-01', TRUE, NULL);
INSERT INTO products VALUES (1, 'Saw', 'tools', 12.50, {new}), (2, 'Kite', 'toys', 8.00, {sale}),
(3, 'Atlas', 'books', NULL, NULL);
INSERT INTO orders VALUES (1, 1, '2024-01-05 10:00:00', 'paid', 33.00), (2, 1, '2024-02-07 00:00:00', 'open', 8.00),
(3, 2, NULL, 'void', 0.00), (4, 3, '2024-02-09 18:30:00', 'paid', 125.50);
INSERT INTO items VALUES (1, 1, 1, 2, 12.50), (2, 1, 2, 1, 8.00), (3, 2, 2, 1, 8.00), (4, 4, 1, 10, 12.55);
INSERT INTO employees VALUES (1, 'Ines', NULL, 'sales', 90000, '2015-01-01'), 
(2, 'Jan', 1, 'sales', 50000, '2019-06-01'),
(3, 'Kim', 2, 'ops', 40000, '2022-03-01');
INSERT INTO articles VALUES (1, 'Steam', 'A steam engine is an engine.'), (2, 'Sail', 'A boat with a sail.');
"""
_VALUES: Final[dict[Dialect, dict[str, str]]] = {
    "sqlite": {"json": "TEXT", "texts": "TEXT", "new": '\'["new", "sale"]\'', "sale": "'[\"sale\"]'"},
    "postgresql": {"json": "JSONB", "texts": "TEXT[]", "new": "'{new,sale}'", "sale": "'{sale}'"},
    "duckdb": {"json": "JSON", "texts": "VARCHAR[]", "new": "['new', 'sale']", "sale": "['sale']"},
}
_OWN: Final[dict[Dialect, str]] = {
    "sqlite": "",
    "postgresql": "CREATE TABLE bookings (id INTEGER PRIMARY KEY, during TSRANGE); "
    "INSERT INTO bookings VALUES (1, '[2024-01-05 08:00, 2024-01-06)'), (2, '[2024-01-05 20:00, 2024-01-08)')",
    "duckdb": "CREATE TYPE mood AS ENUM ('low', 'high'); "
    "CREATE TABLE bookings (id INTEGER, starts TIMESTAMP, address STRUCT(street VARCHAR, city VARCHAR)); "
    "INSERT INTO bookings VALUES (1, '2024-01-05 08:00:00', {'street': 'Am Kai', 'city': 'Berlin'})",
}


def read_selects(dialect: Dialect) -> list[str]:
    """The statements that are tried on an engine."""
    lines = [line for name in ("common", dialect) for line in (_FOLDER / f"{name}.sql").read_text().splitlines()]
    return [line for line in lines if line and not line.startswith("-- ")]


def _list_statements(dialect: Dialect) -> Sequence[str]:
    script = _TABLES.format(**_VALUES[dialect]) + _OWN[dialect]
    return [statement for one in script.split(";") if (statement := one.strip())]


def make_sqlite(folder: Path) -> Engine:
    """The database as a file of SQLite."""
    path = folder / "ordinary.db"
    connection = sqlite3.connect(path)
    for statement in _list_statements("sqlite"):
        connection.execute(statement)
    connection.commit()
    connection.close()
    return Sqlite("shop", path)


def make_duckdb(folder: Path) -> Engine:
    """The database as a file of DuckDB."""
    path = folder / "ordinary.duckdb"
    run_duckdb(path, *_list_statements("duckdb"))
    return Duckdb("shop", path)


def make_postgresql(url: str) -> Engine:
    """The database in the schema that `url` leads to."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in _list_statements("postgresql"):
            connection.execute(statement.encode())
    return Postgresql("shop", make_url(url).render_as_string(hide_password=False))


def describe(statement: str) -> str:
    """A statement in one short line, for messages."""
    return json.dumps(" ".join(statement.split())[:110])
