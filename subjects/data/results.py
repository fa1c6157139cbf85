"""A result is kept as a table, whose cells numbers are computed from, and as evidence, whose lines are quoted.

Each row is one line of the text and begins with its number, so that a quoted line says which row it is. Text of cells
stays on its line. The text has as many rows as fit; the table has all that were read.

Of a result as it is shown, names and values show which columns name rows, and which are measures.
"""

import asyncio
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Context, Decimal
from hashlib import sha256
from typing import Any, Final

from pydantic import ValidationError

from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.rules import CHARACTERS_PER_TOKEN
from elcano.graphs.text import ensure_list, shorten_text
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.store import TenantStore
from elcano.subjects.data.databases.similar_names import words_of
from elcano.subjects.data.databases.values import parse_decimal
from elcano.subjects.data.tables import DIGEST_ROWS, NUMBERS, RESULT_EVIDENCE, Cell, ResultDigest, ResultTable

LINE_CHARACTERS: Final = 1_900
"""Maximum length of a row: less than a quote may have."""
_OVERRIDES: Final = re.compile("[\u202d\u202e]")
NULL: Final = "NULL"
NO_ROW: Final = "It has no row."


def row_line(number: int, row: Sequence[Cell]) -> str:
    """A row as its text has it; `number` counts from 1."""
    line = f"Row {number}: {' | '.join(cell_text(cell) for cell in row)}"
    return shorten_text(line, LINE_CHARACTERS)


def cell_text(cell: Cell) -> str:
    """A value as text, on one line. Of a float 15 digits count: sums are shown as 10390.26, not 10390.259999999995."""
    if cell is None:
        return NULL
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return on_one_line(str(float(f"{cell:.15g}") if isinstance(cell, float) else cell))


def on_one_line(text: str) -> str:
    """`text` with every white space a single space, and without signs that show what follows the other way round."""
    return " ".join(_OVERRIDES.sub("\N{REPLACEMENT CHARACTER}", text).split())


RESULT_TYPE: Final = "application/vnd.elcano.result+json"
"""The media type of a stored `ResultTable`."""
TEXT_CHARACTERS: Final = 100_000
TITLE_CHARACTERS: Final = 200
HEAD_CHARACTERS: Final = 200
"""Maximum length of a value in a digest, which the state of a run carries."""


async def store_result_table(store: TenantStore, run_id: str, table: ResultTable) -> ResultDigest:
    """Keeps a result for a run and answers what the state knows of it; twice is as once."""
    artifact = await store.artifacts.put(run_id, table.model_dump_json(), RESULT_TYPE)
    passage, text = as_evidence(table, artifact)
    await store.evidence.add(run_id, [passage], [text])
    return build_result_digest(table, artifact, passage.id)


async def load_result_tables(store: TenantStore, digests: Iterable[ResultDigest]) -> list[ResultTable]:
    """The whole results of these digests, in their order.

    Raises:
        InputInvalid: one of them is not in the store, or is no result.
    """
    return [await load_result_table(store, one.artifact, "results") for one in digests]


async def load_result_table(store: TenantStore, artifact: str, field: str) -> ResultTable:
    """The whole result that an input's `field` names.

    Raises:
        InputInvalid: it is not in the store, or is no result.
    """
    stored = await store.artifacts.get(artifact)
    if stored is None:
        raise InputInvalid(field, f"the store has no result {artifact!r}; do all workers share one data folder?")
    try:
        return await asyncio.to_thread(ResultTable.model_validate_json, stored)
    except ValidationError as error:
        raise InputInvalid(field, f"the artifact {artifact!r} is no result of a query") from error


def build_result_digest(table: ResultTable, artifact: str, evidence: str) -> ResultDigest:
    """Build the state's digest of a result."""
    return ResultDigest(
        artifact=artifact,
        evidence=evidence,
        database=table.database,
        sql=table.sql,
        columns=table.columns,
        row_count=len(table.rows),
        truncated=table.truncated,
        head=tuple(tuple(_shorten_cell(cell) for cell in row) for row in table.rows[:DIGEST_ROWS]),
    )


def as_evidence(table: ResultTable, artifact: str) -> tuple[Evidence, StoredText]:
    """A result as a passage that can be cited, and its text, which is the same."""
    text = result_text(table)
    stored = StoredText(
        content_hash=sha256(text.encode()).hexdigest(),
        document=f"{RESULT_EVIDENCE}{artifact}",
        title=format_result_title(table),
        text=text,
    )
    passage = Evidence(
        id=f"{RESULT_EVIDENCE}{artifact}",
        source=table.database[:100],
        document=stored.document,
        content_hash=stored.content_hash,
        title=stored.title,
        locator=format_result_locator(table),
        text=text,
        start=0,
        end=len(text),
        retrieved_at=_parse_epoch_seconds(table.at),
        metadata=_build_read_metadata(table),
    )
    return passage, stored


def _build_read_metadata(table: ResultTable) -> JsonObject:
    """Return the tables a result was read from, for the knowledge graph; empty for results that code put together."""
    if not table.tables:
        return {}
    return {"read": {"database": table.database, "tables": list(table.tables)}}


def format_result_title(table: ResultTable) -> str:
    """Return the title of a result as references show it."""
    if table.computed:
        return shorten_text(table.computed.partition(", from the result ")[0].rstrip("."), TITLE_CHARACTERS)
    if table.parents:
        return f"Results of {len(table.parents)} paths over {table.database}, merged by code"
    return f"Result of a query to the database {table.database}"


def format_result_locator(table: ResultTable) -> str:
    """Format the origin: the database, the beginning of the hash of its query, and when it was read."""
    if table.computed:
        return f"computed from {table.database}, query {query_hash(table.sql)[:12]}, {table.at}"
    if table.parents:
        return f"{table.database}, of results {', '.join(one[:12] for one in table.parents)}, {table.at}"
    return f"{table.database}, query {query_hash(table.sql)[:12]}, {table.at}"


def query_hash(sql: str) -> str:
    """SHA-256 of a query in UTF-8, hexadecimal."""
    return sha256(sql.encode()).hexdigest()


def result_text(table: ResultTable) -> str:
    """Return a result as text: a description, its columns, and a line for each row."""
    lines = [
        f"{format_result_title(table)} ({table.dialect}), read at {table.at}.",
        *([on_one_line(table.computed)] if table.computed else []),
        f"Query: {on_one_line(table.sql)}" if table.sql else "It was put together by code from results of queries.",
        f"Columns: {' | '.join(on_one_line(column.name) for column in table.columns)}",
    ]
    room = TEXT_CHARACTERS - sum(len(line) + 1 for line in lines)
    for number, row in enumerate(table.rows, start=1):
        line = row_line(number, row)
        room -= len(line) + 1
        if room < 0:
            lines.append(f"Rows from {number:,} on are in the table alone, which has {len(table.rows):,}.")
            break
        lines.append(line)
    if not table.rows:
        lines.append(NO_ROW)
    if table.truncated:
        lines.append("There are more rows, or longer values, than were read.")
    lines += map(on_one_line, table.notes)
    return "\n".join(lines)


def _shorten_cell(cell: Cell) -> Cell:
    return shorten_text(cell, HEAD_CHARACTERS) if isinstance(cell, str) else cell


def _parse_epoch_seconds(at: str) -> float:
    try:
        return datetime.fromisoformat(at).timestamp()
    except ValueError:
        return 0.0


CELL_CHARACTERS: Final = 300
"""Maximum characters of one cell shown to a model."""
LEAST_ROWS: Final = 3
"""Rows of a result that are shown in any case."""


def _fit_rows(tables: Sequence[ResultTable], tokens: int) -> list[Json]:
    """The rows to show of each result, whole ones, within `tokens` for all of them."""
    left = tokens * CHARACTERS_PER_TOKEN
    shown: list[Json] = []
    for place, table in enumerate(tables):
        room = left // (len(tables) - place)
        rows: list[tuple[Cell, ...]] = []
        taken = 0
        for row in table.rows:
            cells = tuple(shorten_text(cell, CELL_CHARACTERS) if isinstance(cell, str) else cell for cell in row)
            taken += len(json.dumps(cells, ensure_ascii=False)) + 2
            if taken > room and len(rows) >= LEAST_ROWS:
                break
            rows.append(cells)
        left = max(0, left - min(taken, room))
        shown.append([list(row) for row in rows])
    return shown


async def load_shown_rows(store: TenantStore, needs: JsonObject, tokens: int) -> JsonObject:
    """The rows of results that the data writer is shown, as many as fit: the `loader` of that agent.

    Raises:
        InputInvalid: a result is not in the store.
    """
    digests = [ResultDigest.model_validate(one) for one in ensure_list(needs.get("results"))]
    return {"rows": _fit_rows(await load_result_tables(store, digests), tokens)}


_YEARS: Final = "year yr fy fiscal jahr año ano année annee anno jaar rok år god год рік 年 年度 연도 سنة"
_YEAR_WORDS: Final = frozenset(_YEARS.split())
_PERIODS: Final = "month monat mois mes mese quarter qtr quartal trimestre week woche half day"
_PERIOD_WORDS: Final = frozenset(_PERIODS.split())
_RATE_WORDS: Final = frozenset({"per", "pro", "par", "by"})
_LATEST_YEAR: Final = 2999


def is_year_name(name: str) -> bool:
    """Whether the name of a column says that it holds years: `yr`, `fiscal_year`, `Geschäftsjahr`."""
    last = words_of(name)[-1]
    return last in _YEAR_WORDS or last.endswith(("year", "jahr"))


@dataclass(frozen=True)
class ShownRows:
    """A result, or as much of it as is shown."""

    number_of: int
    key: str
    names: Sequence[str]
    kinds: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    row_count: int
    truncated: bool

    @classmethod
    def of(cls, given: dict[str, Any]) -> "ShownRows":
        """From `given.results` of an envelope."""
        columns = given.get("columns", [])
        return cls(
            number_of=given["number"],
            key=given["key"],
            names=[column["name"] for column in columns],
            kinds=[column["kind"] for column in columns],
            rows=given.get("rows", []),
            row_count=given.get("row_count", 0),
            truncated=given.get("truncated", False),
        )

    @classmethod
    def of_table(cls, table: ResultTable) -> "ShownRows":
        """All of a result."""
        return cls(
            number_of=1,
            key="",
            names=[column.name for column in table.columns],
            kinds=[column.kind for column in table.columns],
            rows=table.rows,
            row_count=len(table.rows),
            truncated=table.truncated,
        )

    @property
    def measures(self) -> list[int]:
        """Return the numeric columns, except those that name rows; the only column counts in any case."""
        found = [at for at in range(len(self.names)) if self._is_number(at)]
        measuring = [at for at in found if not self.names_rows(at)]
        return measuring if measuring or len(self.names) > 1 else found

    @property
    def labels(self) -> list[int]:
        """Return the other columns; those that name rows by number come after those that name them in words."""
        measures = self.measures
        others = [at for at in range(len(self.names)) if at not in measures]
        return sorted(others, key=self._is_number)

    def number(self, row: int, at: int) -> Decimal | None:
        """The number in a cell; None: it has none."""
        value = self.rows[row][at]
        return None if isinstance(value, str) and self.kinds[at] not in NUMBERS else parse_decimal(value)

    def said(self, row: int, at: int) -> str:
        """A cell as text."""
        return cell_text(self.rows[row][at])

    def names_rows(self, at: int) -> bool:
        """Whether a column of whole numbers says which row it is: its name says that they are ids, years or periods."""
        said = [parse_decimal(row[at]) for row in self.rows if row[at] is not None and not isinstance(row[at], bool)]
        if not said or not all(one is not None and one == one.to_integral_value() for one in said):
            return False
        words = words_of(self.names[at])
        if _RATE_WORDS & {*words}:
            return False
        if is_year_name(self.names[at]):
            return all(one is not None and 0 <= one <= _LATEST_YEAR for one in said)
        return words[-1] == "id" or words[-1] in _PERIOD_WORDS

    def _is_number(self, at: int) -> bool:
        if self.kinds[at] in NUMBERS:
            return True
        said = [row[at] for row in self.rows if row[at] is not None]
        return bool(said) and all(isinstance(one, int | float) and not isinstance(one, bool) for one in said)


def format_number(value: Decimal, language: str) -> str:
    """A number as people of a language write it: whole ones whole, others to two places or three telling digits."""
    if not value or value == value.to_integral_value():
        places = 0
    elif abs(value) >= 1:
        places = 2
    else:
        places = min(30, 2 - value.adjusted())
    exact = Context(prec=100)
    rounded = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN, context=exact)
    written = f"{rounded:,f}"
    return written if language == "en" else written.translate(str.maketrans(",.", "\u202f,"))
