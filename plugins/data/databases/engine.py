"""The interface of database engines: their operations and their limits.

An engine gets SQL that the policy has read already, and still trusts none of it: it opens read-only, gives back every
transaction, stops what takes too long, and reads no more than it is told to.
"""

from collections.abc import Sequence
from typing import Final, Protocol, TypeAlias

from elcano.activities.child_processes import Stop, TimedRequest
from elcano.graphs.frozen import Frozen
from elcano.plugins.data.data_answer import QueryFault
from elcano.plugins.data.tables import Cell, Dialect, ResultColumn, TableSchema

CELL_CHARACTERS: Final = 10_000
"""Maximum length of one value; a longer one is cut, and its result is marked as truncated."""
RESULT_CHARACTERS: Final = 2_000_000
"""Maximum length of all values of one result; reading ends with the row that exceeds it."""


class Limits(Frozen):
    """How far one statement may go."""

    seconds: float = 10.0
    """Time limit of one statement."""
    rows: int = 1_000
    cell: int = CELL_CHARACTERS
    characters: int = RESULT_CHARACTERS
    total_seconds: float = 3_600.0
    """Time limit of all statements that are given together; the rest is not started."""


class FetchedRows(Frozen):
    """The rows that a statement returned, within its limits."""

    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    truncated: bool = False
    """There are more rows than were read, or wider values."""


Outcome: TypeAlias = FetchedRows | QueryFault


class Engine(Protocol):
    """One database. Its methods block, and may be called from any thread, side by side."""

    @property
    def name(self) -> str:
        """The operator's name for it."""

    @property
    def dialect(self) -> Dialect:
        """The engine's SQL dialect."""

    def structure(self, stop: Stop) -> tuple[TableSchema, ...]:
        """Its tables and views with columns and declared keys, without values; row counts as far as they are free.

        Raises:
            SourceUnavailable: it is away, busy or damaged; the text names no address.
        """

    def run(
        self, statements: Sequence[str], limits: Limits, stop: Stop, tables: frozenset[str] | None = None
    ) -> list[Outcome]:
        """What each statement gives, one after the other on one connection; nothing of them lasts.

        Args:
            statements: one query each.
            limits: of each.
            stop: how they are stopped.
            tables: what may be read, where the engine can see to that itself; None: whatever the role may read.

        Raises:
            SourceUnavailable: it is away; the text names no address.
        """


def too_slow(seconds: float) -> QueryFault:
    """The fault of a statement that was stopped."""
    text = f"it was stopped after {seconds:g} s: ask for less, or filter before joining (ELCANO_DATABASE_SECONDS)"
    return QueryFault(stage="limits", message=text)


def too_large() -> QueryFault:
    """The fault of a statement that had no memory left."""
    return QueryFault(stage="limits", message="it needs more memory than it may have: ask for less at once")


def not_begun() -> QueryFault:
    """The fault of a statement for which there was no time left."""
    return QueryFault(stage="limits", message="there was no time left for it", lasting=False)


SHEETS: Final = frozenset({".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"})
"""Suffixes of files with sheets."""
SUFFIXES: Final = SHEETS | {".csv", ".tsv", ".txt", ".parquet"}
"""Suffixes of files that can be loaded."""


def make_plain_name(name: str) -> str:
    """A name of letters, digits and underscores, which needs no quotation marks but for its case."""
    return "_".join("".join(sign if sign.isalnum() else " " for sign in name).split()) or "table"


class FileToLoad(Frozen):
    """A file that becomes a table, or one for each of its sheets."""

    table: str
    path: str


class Request(TimedRequest):
    """With files: load them into a new database at `path`. With statements: run them. Else: what does it hold?"""

    path: str
    files: tuple[FileToLoad, ...] = ()
    statements: tuple[str, ...] = ()
    limits: Limits = Limits()
    tables: frozenset[str] | None = None
    """The tables that may be read, if the engine can enforce it; None: all."""


class Answer(Frozen):
    """The result of a request; `away` says why there is none."""

    away: str = ""
    tables: tuple[TableSchema, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
