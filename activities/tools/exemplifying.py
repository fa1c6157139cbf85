"""The tool `sql_examples`: questions that somebody answered before by SQL, the likest to this one first.

They are the operator's own, in one file for each database: a line of JSON for each example, with `question`, `sql` and
perhaps a `note`. A file is read anew when it changes. A bad one is refused as a whole, with every line that is wrong.
"""

import asyncio
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from elcano.activities.text.known import ENGLISH
from elcano.activities.text.stopwords import stop_words
from elcano.activities.text.words import asked_words, words
from elcano.graphs.catalogue.database_tools import SqlExamplesInput, SqlExamplesOutput
from elcano.graphs.data.writing import SqlExample
from elcano.graphs.errors import InputInvalid

MOST_BYTES: Final = 5_000_000
MOST_LINES: Final = 5_000
MOST_TOLD: Final = 20
"""Lines that an error names."""


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

        Raises:
            InputInvalid: the file of the database cannot be used; the text names its lines.
        """
        if given.database not in self._files:
            return SqlExamplesOutput()
        return SqlExamplesOutput(examples=await asyncio.to_thread(self._like, given))

    def _like(self, given: SqlExamplesInput) -> tuple[SqlExample, ...]:
        examples = self._of(given.database)
        wanted = expression(given.question)
        if not examples or not wanted:
            return ()
        connection = sqlite3.connect(":memory:")
        try:
            connection.execute("CREATE VIRTUAL TABLE t USING fts5 (question, note, tokenize = 'porter unicode61')")
            rows = ((number, one.question, one.note) for number, one in enumerate(examples))
            connection.executemany("INSERT INTO t (rowid, question, note) VALUES (?, ?, ?)", rows)
            found = connection.execute(
                "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t, 2.0, 1.0), rowid LIMIT ?", (wanted, given.limit)
            )
            return tuple(examples[number] for (number,) in found)
        finally:
            connection.close()

    def _of(self, database: str) -> tuple[SqlExample, ...]:
        file = self._files[database]
        try:
            about = file.stat()
            mark = (about.st_mtime_ns, about.st_size)
            known = self._read.get(database)
            if known is not None and known[0] == mark:
                return known[1]
            if about.st_size > MOST_BYTES:
                raise _refused(database, f"it has more than {MOST_BYTES:,} bytes")
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise _refused(database, "it is not UTF-8") from None
        except OSError as error:
            raise _refused(database, f"it cannot be read: {error.strerror}") from None
        examples = _parsed(database, text)
        self._read[database] = (mark, examples)
        return examples


def _parsed(database: str, text: str) -> tuple[SqlExample, ...]:
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) > MOST_LINES:
        raise _refused(database, f"it has more than {MOST_LINES:,} lines")
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
        raise _refused(database, "; ".join(wrong[:MOST_TOLD]) + more)
    return tuple(found)


def _refused(database: str, why: str) -> InputInvalid:
    said = (
        f"the examples of {database!r} cannot be used: {why}; write a line of JSON for each, with `question` and `sql`"
    )
    return InputInvalid("database", said)


def expression(question: str) -> str:
    """What FTS5 is asked: nothing of the question but its words reaches it. Empty if it has none."""
    telling = asked_words(question, stop_words(ENGLISH)) or words(question)
    return " OR ".join(f'"{one}"' for one in dict.fromkeys(telling[:60]) if '"' not in one and "\0" not in one)
