"""What the worker and DuckDB's process say to each other: one request, one answer."""

from typing import Final

from elcano.activities.databases.engine import Limits, Outcome
from elcano.graphs.data.schema import TableSchema
from elcano.graphs.frozen import Frozen

SHEETS: Final = frozenset({".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"})
"""Suffixes of files with sheets."""
SUFFIXES: Final = SHEETS | {".csv", ".tsv", ".txt", ".parquet"}
"""Of files that can be loaded."""


def plain(name: str) -> str:
    """A name of letters, digits and underscores, which needs no quotation marks but for its case."""
    return "_".join("".join(sign if sign.isalnum() else " " for sign in name).split()) or "table"


class FileToLoad(Frozen):
    """A file that becomes a table, or one for each of its sheets."""

    table: str
    path: str


class Request(Frozen):
    """With files: load them into a new database at `path`. With statements: run them. Else: what does it hold?"""

    path: str
    seconds: float
    """After which the process ends, whatever it does."""
    files: tuple[FileToLoad, ...] = ()
    statements: tuple[str, ...] = ()
    limits: Limits = Limits()


class Answer(Frozen):
    """What came of it; `away` says why nothing did."""

    away: str = ""
    tables: tuple[TableSchema, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
