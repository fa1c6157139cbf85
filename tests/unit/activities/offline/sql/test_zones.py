"""Moments with a time zone: of one day in a filter and in a group, and the answer says whose day that is."""

import sqlite3
from contextlib import closing

import pytest

from elcano.activities.databases.names import checked
from elcano.activities.databases.policy import parsed
from elcano.activities.offline.sql.writing import Refused, query_for
from elcano.graphs.data.query import SqlQuery
from elcano.graphs.data.schema import ColumnSchema, DatabaseSchema, Dialect, TableSchema

MOMENTS = ("2024-01-01T23:30:00-05:00", "2023-12-31T23:30:00-05:00", "2023-12-31T12:00:00Z")
"""The second one is of 2023 as it is written, and of 2024 in UTC."""


def events(dialect: Dialect, kind: str, *samples: str) -> DatabaseSchema:
    at = ColumnSchema(name="happened", type=kind, kind="timestamp", samples=samples)
    columns = (ColumnSchema(name="id", type="INTEGER", kind="integer"), at)
    return DatabaseSchema(
        database="log", dialect=dialect, tables=(TableSchema(name="events", columns=columns, primary_key=("id",)),)
    )


def written(question: str, schema: DatabaseSchema) -> SqlQuery:
    found = query_for(question, schema)
    assert not isinstance(found, Refused), found
    checked(parsed(found.sql, schema, 100), schema)
    return found


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many events in 2024?", {(2,)}),
        ("How many events by year?", {("2023", 1), ("2024", 2)}),
    ],
)
def test_offsets_of_texts_count_in_filters_as_in_groups(question: str, rows: set[tuple[object, ...]]) -> None:
    query = written(question, events("sqlite", "TIMESTAMP", *MOMENTS))
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, happened TIMESTAMP)")
        connection.executemany("INSERT INTO events (happened) VALUES (?)", [(moment,) for moment in MOMENTS])
        assert set(connection.execute(query.sql)) == rows
    assert [one for one in query.choices if "UTC" in one]


@pytest.mark.parametrize(
    ("dialect", "kind", "sample", "told"),
    [
        ("postgresql", "TIMESTAMP WITH TIME ZONE", "2024-01-01 00:00:00+00", True),
        ("duckdb", "TIMESTAMP WITH TIME ZONE", "", True),
        ("postgresql", "TIMESTAMP WITHOUT TIME ZONE", "2024-01-01 00:00:00", False),
        ("sqlite", "TIMESTAMP", "2024-01-01 10:00:00", False),
        ("sqlite", "DATE", "2024-01-01", False),
    ],
)
def test_a_day_of_utc_is_said_where_there_are_others(dialect: Dialect, kind: str, sample: str, told: bool) -> None:
    query = written("How many events in 2024?", events(dialect, kind, sample))
    assert any("UTC" in one for one in query.choices) == told
