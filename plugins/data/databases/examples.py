"""The operator's saved questions: each with the SQL that answers it, for a model to learn from or to be run as it is.

They stand in one file for each database: a line of JSON for each example, with `question`, `sql` and
perhaps a `note`. A file is read anew when it changes. A bad one is refused as a whole, with every line that is wrong.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from elcano.activities.text.same_question import is_same_question
from elcano.graphs.errors import InputInvalid
from elcano.plugins.data.databases.similar_names import rank_by_words
from elcano.plugins.data.query_models import SqlExample, SqlExamplesInput, SqlExamplesOutput
from elcano.settings.settings import Settings

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
