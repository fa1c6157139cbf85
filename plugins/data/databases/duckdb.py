"""DuckDB files, and folders of CSV, Parquet and Excel files that are copied into one."""

import hashlib
import os
import shutil
import threading
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from uuid import uuid4

from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.graphs.extras import install_command
from elcano.graphs.report.tables import Dialect
from elcano.plugins.data.databases.engine import Stop
from elcano.plugins.data.databases.engine_process import ProcessEnded
from elcano.plugins.data.databases.engine_requests import SUFFIXES, FileToLoad, Request, make_plain_name
from elcano.plugins.data.databases.file_engine import FileEngine

LOAD_SECONDS: Final = 900.0


class Duckdb(FileEngine):
    """One file.

    Args:
        name: as the operator called it.
        path: of the file, which has to be there: none is ever made.
    """

    dialect: Dialect = "duckdb"
    process = "duckdb"

    def __init__(self, name: str, path: Path) -> None:
        super().__init__(name, path)
        _require_library(name)


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
    """Removes a copy that was not finished, with what DuckDB keeps beside it."""
    made.unlink(missing_ok=True)
    made.with_name(f"{made.name}.wal").unlink(missing_ok=True)
    shutil.rmtree(made.with_name(f"{made.name}.tmp"), ignore_errors=True)


def _require_library(name: str) -> None:
    if find_spec("duckdb") is None:
        raise SourceRefused(f"the database {name!r} needs DuckDB: {install_command('databases')} where workers run")
