"""An engine whose database is a file: each call is answered by a process of its own, which is killed at its limit."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from elcano.graphs.errors import SourceUnavailable
from elcano.graphs.report.tables import Dialect, TableSchema
from elcano.plugins.data.databases.engine import Limits, Outcome, Stop, too_large, too_slow
from elcano.plugins.data.databases.engine_process import ProcessEnded, ask_engine
from elcano.plugins.data.databases.engine_requests import Answer, Request

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
    process: ClassVar[str]
    """Which engine's process is asked."""

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
        """What each statement gives; see `Engine`."""
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
        answer = ask_engine(self.process, request, stop)
        if answer.away:
            raise SourceUnavailable(f"the database {self.name!r} cannot be opened: {answer.away}")
        return answer
