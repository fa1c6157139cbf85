"""The tables of an index of documents, and which versions of them can be used."""

import sqlite3
from contextlib import closing
from importlib.metadata import version
from typing import Final

from elcano.activities.passages.search import TOKENIZER

VERSION: Final = 11
"""Raise it when the tables change: an index of another version is built anew, as is one of another `READER`."""
OLDEST_VERSION: Final = 9
"""An index from this version on is searched until the new one is built: its tables only lack columns."""

MADE_WITH: Final = f"snowballstemmer {version('snowballstemmer')}, regex {version('regex')}"
"""Versions of the rules that decide the words of a text: a row is forgotten by telling the index the words it was made
of, so with other rules the index would be damaged. It is built anew instead."""

_STATEMENTS: Final = (
    "CREATE TABLE made_with (libraries TEXT NOT NULL)",
    """CREATE TABLE document (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        fingerprint TEXT NOT NULL,
        data_hash TEXT NOT NULL,
        file_hash TEXT NOT NULL,
        reason TEXT NOT NULL,
        text_hash TEXT NOT NULL,
        title TEXT NOT NULL,
        authors TEXT NOT NULL,
        year INTEGER NOT NULL,
        work TEXT NOT NULL,
        media_type TEXT NOT NULL,
        language TEXT NOT NULL,
        text TEXT NOT NULL,
        indexed_at REAL NOT NULL,
        places BLOB NOT NULL,
        gaps TEXT NOT NULL,
        doi TEXT NOT NULL
    )""",
    """CREATE TABLE passage (
        id INTEGER PRIMARY KEY,
        document INTEGER NOT NULL,
        digest BLOB NOT NULL,
        start INTEGER NOT NULL,
        stop INTEGER NOT NULL,
        heading TEXT NOT NULL,
        page INTEGER NOT NULL,
        anchor TEXT NOT NULL,
        paragraph INTEGER NOT NULL,
        last_page INTEGER NOT NULL,
        head TEXT NOT NULL
    )""",
    "CREATE INDEX passage_document ON passage (document)",
    "CREATE INDEX document_language ON document (language)",
    # Every search asks for these few documents; without an index it would read the texts of all.
    "CREATE INDEX document_skipped ON document (key, reason) WHERE reason != ''",
    "CREATE INDEX document_gaps ON document (key, gaps) WHERE gaps != ''",
    f"CREATE VIRTUAL TABLE words USING fts5 (title, heading, body, content='', tokenize=\"{TOKENIZER}\")",
)


def is_current(database: sqlite3.Connection, reader: int = 0) -> bool:
    """Return whether the tables have this version, and were made by this reader with the installed libraries."""
    (found,) = database.execute("PRAGMA user_version").fetchone()
    made_with = _name_makers(reader)
    return found == VERSION and database.execute("SELECT libraries FROM made_with").fetchall() == [(made_with,)]


def _name_makers(reader: int) -> str:
    return f"reader {reader}, {MADE_WITH}"


def is_older_index(database: sqlite3.Connection, reader: int) -> bool:
    """Whether the tables are not current, and hold documents that can be searched nevertheless."""
    (found,) = database.execute("PRAGMA user_version").fetchone()
    if not OLDEST_VERSION <= found <= VERSION or is_current(database, reader):
        return False
    return database.execute("SELECT 1 FROM document LIMIT 1").fetchone() is not None


def add_missing_columns(database: sqlite3.Connection) -> None:
    """Give tables of an older version the columns that searches read; SQLite does so without touching a row."""
    with closing(sqlite3.connect(":memory:")) as wanted:
        create_tables(wanted)
        for table in ("document", "passage"):
            known = {name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")}
            for _, name, kind, *_ in wanted.execute(f"PRAGMA table_info({table})"):
                if name not in known:
                    empty = {"TEXT": "''", "BLOB": "x''"}.get(kind, "0")
                    database.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind} NOT NULL DEFAULT {empty}")


def create_tables(database: sqlite3.Connection, reader: int = 0) -> None:
    """Replace all tables with empty ones, within the caller's transaction."""
    for table in ("words", "passage", "document", "made_with"):
        database.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in _STATEMENTS:
        database.execute(statement)
    database.execute("INSERT INTO made_with VALUES (?)", (_name_makers(reader),))
    database.execute(f"PRAGMA user_version = {VERSION}")
