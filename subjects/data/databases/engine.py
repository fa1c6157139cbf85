"""The interface of database engines, and those whose database is a file, each call in a process of its own.

An engine gets SQL that the policy has read already, and still trusts none of it: it opens read-only, gives back every
transaction, stops what takes too long, and reads no more than its limits. A process is killed at its limit.
"""

import hashlib
import os
import shutil
import threading
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar, Final, Protocol, TypeAlias
from uuid import uuid4

from elcano.activities.child_processes import ChildProcesses, ProcessEnded, Stop, TimedRequest
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.graphs.extras import install_command
from elcano.graphs.frozen import Frozen
from elcano.subjects.data.data_answer import QueryFault
from elcano.subjects.data.databases.reading_options import locate_options
from elcano.subjects.data.tables import Cell, Dialect, ResultColumn, TableSchema

CELL_CHARACTERS: Final = 10_000
"""Maximum length of one value; a longer one is cut, and its result is marked as truncated."""
RESULT_CHARACTERS: Final = 2_000_000
"""Maximum length of all values of one result; reading ends with the row that exceeds it."""


class Limits(Frozen):
    """Limits of one statement."""

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
        """Run each statement, one after the other on one connection; nothing of them lasts.

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


STRUCTURE_SECONDS: Final = 60.0
GRACE_SECONDS: Final = 3.0
"""For the file to be opened, and for a statement to notice that its time is over, before its process is killed."""


class FileEngine:
    """One file.

    Args:
        name: as the operator called it.
        path: of the file, which has to be there: none is ever made.
    """

    dialect: Dialect
    processes: ClassVar[ChildProcesses[Request, Answer]]
    """Child processes that open its file."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self._path = path

    def structure(self, stop: Stop) -> tuple[TableSchema, ...]:
        """Tables and views; rows as far as they are known without counting many."""
        try:
            return self._asked(Request(path=str(self._file(stop).absolute()), seconds=STRUCTURE_SECONDS), stop).tables
        except ProcessEnded:
            raise SourceUnavailable(f"the database {self.name!r} gave no answer in time") from None

    def run(
        self, statements: Sequence[str], limits: Limits, stop: Stop, tables: frozenset[str] | None = None
    ) -> list[Outcome]:
        """Run each statement; see `Engine`."""
        longest = min(limits.seconds * len(statements), limits.total_seconds)
        request = Request(
            path=str(self._file(stop).absolute()),
            seconds=longest + GRACE_SECONDS,
            statements=tuple(statements),
            limits=limits,
            tables=tables,
        )
        try:
            return list(self._asked(request, stop).outcomes)
        except ProcessEnded as ended:
            return [too_slow(limits.seconds) if ended.late else too_large()] * len(statements)

    def _file(self, stop: Stop) -> Path:
        try:
            there = self._path.is_file()
        except OSError as error:
            raise SourceUnavailable(f"the database {self.name!r} cannot be opened: {error.strerror}") from None
        if not there:
            what = "it is a folder, and not a file" if self._path.is_dir() else "there is no such file"
            raise SourceUnavailable(f"the database {self.name!r} cannot be opened: {what}")
        return self._path

    def _asked(self, request: Request, stop: Stop) -> Answer:
        answer = self.processes.ask(request, stop)
        if answer.away:
            raise SourceUnavailable(f"the database {self.name!r} cannot be opened: {answer.away}")
        return answer


class Sqlite(FileEngine):
    """A file of SQLite."""

    dialect: Dialect = "sqlite"
    processes = ChildProcesses("elcano.subjects.data.databases.sqlite_process:answer_request", Answer)


LOAD_SECONDS: Final = 900.0
READING: Final = 2
"""Counts the ways in which files were read: copies made in an earlier one are made anew."""


class Duckdb(FileEngine):
    """A file of DuckDB.

    Raises:
        SourceRefused: this worker lacks its library.
    """

    dialect: Dialect = "duckdb"
    processes = ChildProcesses("elcano.subjects.data.databases.duckdb_process:answer_request", Answer)

    def __init__(self, name: str, path: Path) -> None:
        super().__init__(name, path)
        if find_spec("duckdb") is None:
            raise SourceRefused(f"the database {name!r} needs DuckDB: {install_command('databases')} where workers run")


class Files(Duckdb):
    """A file or a folder of them, copied into a DuckDB file whenever they have changed.

    Args:
        name: as the operator called it.
        path: of the file or the folder.
        folder: where the copies are kept.
    """

    def __init__(self, name: str, path: Path, folder: Path) -> None:
        super().__init__(name, path)
        self._folder = folder
        self._loading = threading.Lock()

    def _file(self, stop: Stop) -> Path:
        files = self._files()
        try:
            read = [*files, *(options for file in files if (options := locate_options(file)).exists())]
            seen = [READING, *((file.name, (state := file.stat()).st_size, state.st_mtime_ns) for file in read)]
            mark = hashlib.sha256(repr(seen).encode()).hexdigest()[:24]
            copy = self._folder / f"{self.name}-{mark}.duckdb"
            with self._loading:
                if not copy.exists():
                    self._load(files, copy, stop)
        except OSError as error:
            text = f"its files cannot be copied to ELCANO_DATA_DIR: {error.strerror}"
            raise SourceUnavailable(f"the database {self.name!r} cannot be read: {text}") from None
        return copy

    def _load(self, files: Sequence[Path], copy: Path, stop: Stop) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._tidy()
        made = self._folder / f"{uuid4()}.making"
        listed = tuple(FileToLoad(table=make_plain_name(file.stem), path=str(file.absolute())) for file in files)
        try:
            self._asked(Request(path=str(made), seconds=LOAD_SECONDS, files=listed), stop)
            os.replace(made, copy)
        except ProcessEnded as ended:
            why = (
                f"they took more than {LOAD_SECONDS:g} s" if ended.late else "they took more memory than they may have"
            )
            raise SourceUnavailable(f"the files of {self.name!r} cannot be copied: {why}") from None
        except SourceUnavailable as error:
            raise SourceRefused(str(error)) from None  # the same files will not be read another time
        finally:
            _remove_unfinished_copy(made)
        for old in self._folder.glob(f"{self.name}-{'?' * 24}.duckdb"):
            if old != copy:
                old.unlink(missing_ok=True)  # who has it open reads it to the end

    def _tidy(self) -> None:
        """Removes files left by a worker that was killed while it copied."""
        for left in self._folder.glob("*.making"):
            if time.time() - left.stat().st_mtime > 2 * LOAD_SECONDS:
                _remove_unfinished_copy(left)

    def _files(self) -> list[Path]:
        """The files, in the order of their names.

        Raises:
            SourceUnavailable: there is nothing at that place.
            SourceRefused: there is nothing there that could be read.
        """
        try:
            found = sorted(self._path.iterdir()) if self._path.is_dir() else [self._path]
            files = [file for file in found if file.is_file() and file.suffix.lower() in SUFFIXES]
        except OSError as error:
            raise SourceUnavailable(f"the database {self.name!r} cannot be read ({error.strerror})") from None
        if not self._path.exists():
            raise SourceUnavailable(f"the database {self.name!r} cannot be opened: there is no such file or folder")
        if not files:
            kinds = ", ".join(sorted(SUFFIXES))
            raise SourceRefused(f"the database {self.name!r} has no file of these kinds: {kinds}")
        return files


def _remove_unfinished_copy(made: Path) -> None:
    """Removes a copy that was not finished, with what DuckDB keeps next to it."""
    made.unlink(missing_ok=True)
    made.with_name(f"{made.name}.wal").unlink(missing_ok=True)
    shutil.rmtree(made.with_name(f"{made.name}.tmp"), ignore_errors=True)
