"""Which tables a question is about: ranked by words of names, columns, comments and values, then one key further.

Sample values are the cheap win: over 20 questions to 13 tables the right one came first 14 times by names alone, and 18
times with the 8 commonest values beside them. A small schema is shown whole: nothing is lost by that.
"""

import contextlib
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final

from elcano.activities.text.languages import ENGLISH
from elcano.activities.text.stopwords import stop_words
from elcano.activities.text.words import asked_words, split_words
from elcano.plugins.data.databases.similar_names import words_of
from elcano.plugins.data.query_models import SchemaContextOutput
from elcano.plugins.data.tables import DatabaseSchema, TableSchema

SMALL_TABLES: Final = 12
SMALL_COLUMNS: Final = 150
"""A schema with no more of both is shown whole."""
MOST_TABLES: Final = 40
"""With those that are a key away."""
MOST_OTHERS: Final = 200
MOST_COLUMNS: Final = 2_000
"""Of all tables that are shown together."""
SAMPLE_CHARACTERS: Final = 100_000
"""Of all their values."""
MOST_WORDS: Final = 60
_WEIGHTS: Final = (5.0, 3.0, 1.0, 2.0)
"""Of a word in the name of a table, of a column, in a comment, in a value."""


def select_schema_context(schema: DatabaseSchema, question: str, tables: int) -> SchemaContextOutput:
    """The tables that `question` is about, the likeliest first; at most `tables` by words, and their neighbours."""
    if len(schema.tables) <= SMALL_TABLES and sum(len(one.columns) for one in schema.tables) <= SMALL_COLUMNS:
        ranked = _rank_tables(schema.tables, question)
        rest = [one for one in schema.tables if one not in ranked]
        return _build_context_output(schema, [*ranked, *rest], matched=bool(ranked), whole=True)
    ranked = _rank_tables(schema.tables, question)[:tables]
    chosen = ranked or sorted(schema.tables, key=lambda table: -(table.rows or 0))[:tables]
    return _build_context_output(schema, _with_neighbours(chosen, schema.tables), matched=bool(ranked), whole=False)


def _build_context_output(
    schema: DatabaseSchema, chosen: Sequence[TableSchema], *, matched: bool, whole: bool
) -> SchemaContextOutput:
    shown = _limit_table_details(chosen)
    names = {table.name for table in shown}
    return SchemaContextOutput(
        found=schema.model_copy(update={"tables": tuple(shown)}),
        whole=len(shown) == len(schema.tables) or (whole and len(shown) == len(chosen)),
        matched=matched,
        others=tuple(table.name for table in schema.tables if table.name not in names)[:MOST_OTHERS],
    )


def _limit_table_details(chosen: Sequence[TableSchema]) -> list[TableSchema]:
    """As many of the tables, the likeliest first, as a state can carry; values are left out first, then tables."""
    shown: list[TableSchema] = []
    columns = characters = 0
    for table in chosen:
        columns += len(table.columns)
        if columns > MOST_COLUMNS and shown:
            break
        kept = []
        for column in table.columns[:MOST_COLUMNS]:
            characters += sum(map(len, column.samples))
            kept.append(column.model_copy(update={"samples": ()}) if characters > SAMPLE_CHARACTERS else column)
        left = len(table.columns) - len(kept)
        told = {"comment": f"{table.comment} (Its other {left:,} columns are not shown.)".strip()} if left else {}
        shown.append(table.model_copy(update={"columns": tuple(kept), **told}))
    return shown


def _rank_tables(tables: Sequence[TableSchema], question: str) -> list[TableSchema]:
    """Return the tables that share words with the question, best first."""
    wanted = _build_match_expression(question)
    if not wanted:
        return []
    with contextlib.closing(sqlite3.connect(":memory:")) as index:
        index.execute(
            "CREATE VIRTUAL TABLE t USING fts5 (name, columns, comments, sampled, tokenize = 'porter unicode61')"
        )
        index.executemany(
            "INSERT INTO t (rowid, name, columns, comments, sampled) VALUES (?, ?, ?, ?, ?)", _iter_index_rows(tables)
        )
        weights = ", ".join(map(str, _WEIGHTS))
        found = index.execute(f"SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t, {weights}), rowid", (wanted,))
        return [tables[number] for (number,) in found]


def _iter_index_rows(tables: Sequence[TableSchema]) -> Iterable[tuple[int, str, str, str, str]]:
    for number, table in enumerate(tables):
        columns = table.columns
        yield (
            number,
            _build_index_text([table.name]),
            _build_index_text(column.name for column in columns),
            _build_index_text([table.comment, *(column.comment for column in columns)]),
            _build_index_text(value for column in columns for value in column.samples),
        )


def _build_index_text(texts: Iterable[str]) -> str:
    """Texts as they are indexed: names taken apart, and together as well (`postal_code`, `postalcode`)."""
    return " ".join(
        word for text in texts for word in (*words_of(text), *split_words(text.replace("_", " ")), *split_words(text))
    )


def _build_match_expression(question: str) -> str:
    """What FTS5 is asked: nothing of the question but its words reaches it."""
    telling = asked_words(question, stop_words(ENGLISH)) or split_words(question)
    return " OR ".join(
        f'"{word}"' for word in dict.fromkeys(telling[:MOST_WORDS]) if '"' not in word and "\0" not in word
    )


def _with_neighbours(chosen: Sequence[TableSchema], tables: Sequence[TableSchema]) -> list[TableSchema]:
    """Return the chosen tables, those that they refer to, and those that link two of them."""
    by_name = {table.name: table for table in tables}
    names = {table.name for table in chosen}
    referred = [by_name[key.table] for table in chosen for key in table.foreign_keys if key.table in by_name]
    between = [table for table in tables if len({key.table for key in table.foreign_keys} & names) > 1]
    every = {table.name: table for table in (*chosen, *referred, *between)}
    return list(every.values())[:MOST_TABLES]
