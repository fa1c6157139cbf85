"""DuckDB files, and folders of CSV, Parquet and Excel files that are copied into one; asked in a process of their own.

A process that answers too late, or is not wanted any more, is killed: nothing of DuckDB can be in this one's way.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from uuid import uuid4

from pydantic import ValidationError

from elcano.activities.databases.duckdb_asking import SUFFIXES, Answer, FileToLoad, Request, plain
from elcano.activities.databases.engine import Limits, Outcome, Stop, too_slow
from elcano.graphs.data.query import QueryFault
from elcano.graphs.data.schema import Dialect, TableSchema
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.graphs.extras import install_command

STRUCTURE_SECONDS: Final = 60.0
LOAD_SECONDS: Final = 900.0
GRACE_SECONDS: Final = 5.0
"""For the process to begin and to write its answer, on a machine that is busy."""
_CHILD: Final = (
    "import sys; sys.path[:] = sys.argv[1:]; from elcano.activities.databases.duckdb_process import main; main()"
)


class Duckdb:
    """One file.

    Args:
        name: as the operator called it.
        path: of the file, which has to be there: none is ever made.
    """

    dialect: Dialect = "duckdb"

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self._path = path
        _require_library(name)

    def structure(self, stop: Stop) -> tuple[TableSchema, ...]:
        """Tables and views; rows as DuckDB knows them without counting."""
        path = str(self._file(stop))
        return self._asked(Request(path=path, seconds=STRUCTURE_SECONDS), stop).tables

    def run(
        self, statements: Sequence[str], limits: Limits, stop: Stop, tables: frozenset[str] | None = None
    ) -> list[Outcome]:
        """What each statement gives; see `Engine`. Every table of the file may be read."""
        longest = min(limits.seconds * len(statements), limits.total_seconds)
        request = Request(
            path=str(self._file(stop)),
            seconds=longest + GRACE_SECONDS,
            statements=tuple(statements),
            limits=limits,
        )
        try:
            return list(self._asked(request, stop).outcomes)
        except _Ended as error:
            slow = error.signal == "ALRM" or stop.asked
            text = "it took more memory than it may have: ask for less at once"
            fault = too_slow(limits.seconds) if slow else QueryFault(stage="limits", message=text)
            return [fault] * len(statements)

    def _file(self, stop: Stop) -> Path:
        try:
            there = self._path.is_file()
        except OSError as error:
            raise SourceUnavailable(f"the database {self.name!r} cannot be opened: {error.strerror}") from None
        if not there:
            raise SourceUnavailable(f"the database {self.name!r} cannot be opened: there is no such file")
        return self._path

    def _asked(self, request: Request, stop: Stop) -> Answer:
        command = (sys.executable, "-c", _CHILD, *sys.path)
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            stop.by(process.kill)
            try:
                output, _ = process.communicate(
                    request.model_dump_json().encode(), timeout=request.seconds + GRACE_SECONDS
                )
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                raise _Ended(self.name, "ALRM") from None
            finally:
                stop.by(None)
        try:
            answer = Answer.model_validate_json(output)
        except ValidationError:
            raise _Ended(self.name, "ALRM" if process.returncode == -14 else str(process.returncode)) from None
        if answer.away:
            raise SourceUnavailable(f"the database {self.name!r} cannot be read: {answer.away}")
        return answer


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
            seen = [(file.name, (state := file.stat()).st_size, state.st_mtime_ns) for file in files]
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
        listed = tuple(FileToLoad(table=plain(file.stem), path=str(file.absolute())) for file in files)
        try:
            self._asked(Request(path=str(made), seconds=LOAD_SECONDS, files=listed), stop)
            os.replace(made, copy)
        except SourceUnavailable as error:
            raise SourceRefused(str(error)) from None  # the same files will not be read another time
        finally:
            _removed(made)
        for old in self._folder.glob(f"{self.name}-{'?' * 24}.duckdb"):
            if old != copy:
                old.unlink(missing_ok=True)  # who has it open reads it to the end

    def _tidy(self) -> None:
        """Removes what was left by a worker that was killed while it copied."""
        for left in self._folder.glob("*.making"):
            if time.time() - left.stat().st_mtime > 2 * LOAD_SECONDS:
                _removed(left)

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


def _removed(made: Path) -> None:
    """Removes a copy that was not finished, with what DuckDB keeps beside it."""
    made.unlink(missing_ok=True)
    made.with_name(f"{made.name}.wal").unlink(missing_ok=True)
    shutil.rmtree(made.with_name(f"{made.name}.tmp"), ignore_errors=True)


class _Ended(SourceUnavailable):
    """The process ended without an answer, by this signal."""

    def __init__(self, name: str, signal: str) -> None:
        self.signal = signal
        super().__init__(f"the database {name!r} gave no answer in time")


def _require_library(name: str) -> None:
    if find_spec("duckdb") is None:
        raise SourceRefused(f"the database {name!r} needs DuckDB: {install_command('databases')} where workers run")
