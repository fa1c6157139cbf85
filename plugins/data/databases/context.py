"""Which tables a question is about: ranked by words of names, columns, comments and values, then one key further.

Sample values are the cheap win: over 20 questions to 13 tables the right one came first 14 times by names alone, and 18
times with the 8 commonest values beside them. A small schema is shown whole: nothing is lost by that.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from elcano.activities.text.words import split_words
from elcano.plugins.data.databases.similar_names import rank_by_words, words_of
from elcano.plugins.data.query_models import SchemaContextOutput
from elcano.plugins.data.tables import DatabaseSchema, TableSchema

SMALL_TABLES: Final = 12
SMALL_COLUMNS: Final = 150
"""A schema with no more of both is shown whole."""
MOST_TABLES: Final = 40
"""With those that are a key away."""
MOST_OTHERS: Final = 200
MOST_COLUMNS: Final = 2_000
"""Maximum number of columns of all tables that are shown together."""
SAMPLE_CHARACTERS: Final = 100_000
"""Maximum length of all their values."""
_WEIGHTS: Final = (5.0, 3.0, 1.0, 2.0)
"""Weights of a word in the name of a table, of a column, in a comment, in a value."""


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
    """Return as many of the tables, the likeliest first, as a state can carry; values are dropped before tables."""
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
    return [tables[place] for place in rank_by_words(question, map(_list_index_texts, tables), _WEIGHTS)]


def _list_index_texts(table: TableSchema) -> tuple[str, str, str, str]:
    columns = table.columns
    return (
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


def _with_neighbours(chosen: Sequence[TableSchema], tables: Sequence[TableSchema]) -> list[TableSchema]:
    """Return the chosen tables, those that they refer to, and those that link two of them."""
    by_name = {table.name: table for table in tables}
    names = {table.name for table in chosen}
    referred = [by_name[key.table] for table in chosen for key in table.foreign_keys if key.table in by_name]
    between = [table for table in tables if len({key.table for key in table.foreign_keys} & names) > 1]
    every = {table.name: table for table in (*chosen, *referred, *between)}
    return list(every.values())[:MOST_TABLES]
