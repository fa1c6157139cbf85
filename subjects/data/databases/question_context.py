"""The part of a database that a question is about: its tables, and the operator's saved questions that are like it.

Tables are ranked by words of names, columns, comments and values, then one key further. Sample values are the cheap
win: over 20 questions to 13 tables the right one came first 14 times by names alone, and 18 times with the 8 commonest
values next to them. A small schema is shown whole: nothing is lost by that.

A saved question has the SQL that answers it, for a model to learn from or to be run as it is. They stand in one file
for each database: a line of JSON for each example, with `question`, `sql` and perhaps a `note`. A file is read anew
when it changes. A bad one is refused as a whole, with every line that is wrong.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from elcano.graphs.errors import InputInvalid
from elcano.settings.settings import Settings
from elcano.subjects.data.databases.similar_names import rank_by_words, words_of
from elcano.subjects.data.query_models import SchemaContextOutput, SqlExample, SqlExamplesInput, SqlExamplesOutput
from elcano.subjects.data.tables import DatabaseSchema, TableSchema
from elcano.text.same_question import is_same_question
from elcano.text.words import split_words

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
        comment = {"comment": f"{table.comment} (Its other {left:,} columns are not shown.)".strip()} if left else {}
        shown.append(table.model_copy(update={"columns": tuple(kept), **comment}))
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


MOST_BYTES: Final = 5_000_000
MOST_LINES: Final = 5_000
MOST_TOLD: Final = 20
"""Lines that an error names."""
COMPARED: Final = 50
"""Examples, the likest first, among which a question is looked for."""


class SqlExamples:
    """The examples of the databases.

    Args:
        files: JSONL files by the names of their databases.
    """

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = dict(files)
        self._read: dict[str, tuple[tuple[int, int], tuple[SqlExample, ...]]] = {}

    async def like(self, given: SqlExamplesInput) -> SqlExamplesOutput:
        """The examples whose questions share words with `given`'s, the likest first; none is no failure.

        The example of the very question is the first one. Where no example is alike, the first ones of the file are
        named, so that a refusal can say what may be asked.

        Raises:
            InputInvalid: the file of the database cannot be used; the text names its lines.
        """
        if given.database not in self._files:
            return SqlExamplesOutput()
        every = await asyncio.to_thread(self._of, given.database)
        found = _rank_examples(every, given.question)
        if found:
            return SqlExamplesOutput(examples=found[: given.limit])
        return SqlExamplesOutput(others=tuple(one.question for one in every[: given.limit]))

    async def find(self, database: str, question: str) -> SqlExample | None:
        """The example whose question is `question` but for politeness, articles and plural endings, if there is one.

        Raises:
            InputInvalid: the file of the database cannot be used; the text names its lines.
        """
        found = (await self.like(SqlExamplesInput(database=database, question=question))).examples
        return found[0] if found and is_same_question(question, found[0].question) else None

    def _of(self, database: str) -> tuple[SqlExample, ...]:
        file = self._files[database]
        try:
            about = file.stat()
            mark = (about.st_mtime_ns, about.st_size)
            known = self._read.get(database)
            if known is not None and known[0] == mark:
                return known[1]
            if about.st_size > MOST_BYTES:
                raise _build_refusal(database, f"it has more than {MOST_BYTES:,} bytes")
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise _build_refusal(database, "it is not UTF-8") from None
        except OSError as error:
            raise _build_refusal(database, f"it cannot be read: {error.strerror}") from None
        examples = _parse_examples(database, text)
        self._read[database] = (mark, examples)
        return examples


def _rank_examples(examples: Sequence[SqlExample], question: str) -> tuple[SqlExample, ...]:
    """The examples that share words with `question`: the same question, then the likest ones."""
    ranked = rank_by_words(question, ((one.question, one.note) for one in examples), (2.0, 1.0))
    found = [examples[place] for place in ranked[:COMPARED]]
    return tuple(sorted(found, key=lambda one: not is_same_question(question, one.question)))


def _parse_examples(database: str, text: str) -> tuple[SqlExample, ...]:
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) > MOST_LINES:
        raise _build_refusal(database, f"it has more than {MOST_LINES:,} lines")
    found: list[SqlExample] = []
    wrong: list[str] = []
    for number, line in lines:
        try:
            found.append(SqlExample.model_validate_json(line))
        except ValidationError as error:
            said = error.errors()[0]
            place = "/".join(map(str, said["loc"]))
            wrong.append(f"line {number}{f' (/{place})' if place else ''}: {said['msg']}")
    if wrong:
        more = f"; and {len(wrong) - MOST_TOLD} more" if len(wrong) > MOST_TOLD else ""
        raise _build_refusal(database, "; ".join(wrong[:MOST_TOLD]) + more)
    return tuple(found)


def _build_refusal(database: str, why: str) -> InputInvalid:
    said = (
        f"the examples of {database!r} cannot be used: {why}; write a line of JSON for each, with `question` and `sql`"
    )
    return InputInvalid("database", said)


def open_examples(settings: Settings) -> SqlExamples:
    """The saved questions that the settings name."""
    return SqlExamples(settings.database_examples)
