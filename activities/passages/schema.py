"""The tables of an index. A table is never altered: an index of another version is a cache that is built anew."""

import sqlite3
from importlib.metadata import version
from typing import Final

from elcano.activities.passages.word_forms import TOKENIZER

VERSION: Final = 6
"""Raise it when a reader, the packing or the tables change: an index of another version is built anew."""

MADE_WITH: Final = f"snowballstemmer {version('snowballstemmer')}, regex {version('regex')}"
"""What decides the words of a text: a row is forgotten by telling the index the words it was made of, so with other
rules the index would be damaged. It is built anew instead."""

_STATEMENTS: Final = (
    "CREATE TABLE made_with (libraries TEXT NOT NULL)",
    """CREATE TABLE document (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        fingerprint TEXT NOT NULL,
        data_hash TEXT NOT NULL,
        reason TEXT NOT NULL,
        text_hash TEXT NOT NULL,
        title TEXT NOT NULL,
        media_type TEXT NOT NULL,
        language TEXT NOT NULL,
        text TEXT NOT NULL
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
        paragraph INTEGER NOT NULL
    )""",
    "CREATE INDEX passage_document ON passage (document)",
    "CREATE INDEX document_language ON document (language)",
    f"CREATE VIRTUAL TABLE words USING fts5 (title, heading, body, content='', tokenize=\"{TOKENIZER}\")",
)


def is_current(database: sqlite3.Connection) -> bool:
    """Return whether the tables have this version, and were made with the installed versions of the libraries."""
    (found,) = database.execute("PRAGMA user_version").fetchone()
    return found == VERSION and database.execute("SELECT libraries FROM made_with").fetchall() == [(MADE_WITH,)]


def create_tables(database: sqlite3.Connection) -> None:
    """Replace all tables with empty ones, within the caller's transaction."""
    for table in ("words", "passage", "document", "made_with"):
        database.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in _STATEMENTS:
        database.execute(statement)
    database.execute("INSERT INTO made_with VALUES (?)", (MADE_WITH,))
    database.execute(f"PRAGMA user_version = {VERSION}")
