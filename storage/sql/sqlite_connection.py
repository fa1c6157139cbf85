"""Connections to an SQLite file, whose writers take turns.

SQLite lets one transaction write at a time. All others sleep between their attempts, up to 100 ms, while one that has
just come tries at once. So under steady writes a writer may wait until the busy timeout: of fifteen with transactions
of 6 ms, one waited for all of the 8 s in which the others wrote. Here the writers of a process take turns in the order
in which they came, and only the first of them competes with other processes, for which it tries often.
"""

import asyncio
import sqlite3
import threading
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from weakref import WeakValueDictionary

import aiosqlite

BUSY_SECONDS: Final = 30
"""Seconds that a statement waits for another process's write before it fails."""
ATTEMPT_SECONDS: Final = 0.002
"""Seconds between two attempts to write while another process does."""
TURNS_SECONDS: Final = 0.1
"""Seconds for which a process lets one turn follow the other at once; then it lets other processes in."""
PAUSE_SECONDS: Final = 0.005
"""Seconds for which it does: long enough for an attempt of each."""
_WRITES: Final = ("INSERT", "UPDATE", "DELETE", "REPLACE", "BEGIN IMMEDIATE")
"""How statements start before which a transaction begins: Python's own module begins it without the right to write."""


class WriteTurns:
    """The turns of the writers of one file in this process, first come, first served."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._taken = False
        self._written = 0
        """How many turns have ended in which somebody could write."""
        self._busy_since = 0.0
        """Since when one turn follows the other, without time for other processes."""

    def take(self) -> None:
        """Wait for a turn.

        Raises:
            sqlite3.OperationalError: nobody wrote in `BUSY_SECONDS`.
        """
        mine = threading.Event()
        with self._mutex:
            if not self._taken:
                self._taken = True
                self._busy_since = time.monotonic()
                return
            self._waiting.append(mine)
            written = self._written
        while not mine.wait(BUSY_SECONDS):
            with self._mutex:
                if not mine.is_set() and self._written == written:
                    self._waiting.remove(mine)
                    raise _build_busy_error()
                written = self._written
        if time.monotonic() - self._busy_since > TURNS_SECONDS:
            time.sleep(PAUSE_SECONDS)
            self._busy_since = time.monotonic()

    def end(self, *, wrote: bool = True) -> None:
        """End a turn; the next one begins. One that another process kept from writing is no progress."""
        with self._mutex:
            self._written += wrote
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._taken = False


_turns: Final[WeakValueDictionary[str, WriteTurns]] = WeakValueDictionary()
"""By file."""
_turns_mutex: Final = threading.Lock()


def _share_turns(file: str) -> WriteTurns:
    name = str(Path(file).resolve())
    with _turns_mutex:
        turns = _turns.get(name)
        if turns is None:
            turns = _turns[name] = WriteTurns()
        return turns


def _build_busy_error() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_BUSY, "SQLITE_BUSY"
    return error


class _Cursor(sqlite3.Cursor):
    """A cursor whose first write begins a transaction in its connection's turn."""

    connection: "Connection"

    def execute(self, sql: str, parameters: Any = (), /) -> "_Cursor":
        if self._begins(sql):
            return self
        super().execute(sql, parameters)
        return self

    def executemany(self, sql: str, parameters: Any, /) -> "_Cursor":
        self._begins(sql)
        super().executemany(sql, parameters)
        return self

    def _begins(self, sql: str) -> bool:
        """Begin a transaction if the statement needs one; returns whether that is all that it is."""
        if self.connection.in_transaction or not sql.startswith(_WRITES):
            return False
        self.connection.begin_write()
        return sql.startswith("BEGIN")


class Connection(sqlite3.Connection):
    """A connection that writes in its turn, and leaves no transaction behind when it is closed.

    Python's own connection, closed while a cursor still has rows (`INSERT ... RETURNING`), lives on with its locks
    until the cursor is collected. The same happens after a cancellation: the traceback keeps the cursor for minutes, in
    which no other connection could write.
    """

    _turns: WriteTurns | None = None
    _has_turn = False

    def __init__(self, database: str, *args: Any, **options: Any) -> None:
        super().__init__(database, *args, **options)
        self._turns = _share_turns(str(database))

    def cursor(self, factory: Any = _Cursor) -> Any:
        """A cursor that begins transactions as `begin_write` does."""
        return super().cursor(factory)

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Execute a statement with a cursor of this class, which Python's own method does not use."""
        cursor: _Cursor = self.cursor()
        return cursor.execute(sql, parameters)

    def executemany(self, sql: str, parameters: Any, /) -> sqlite3.Cursor:
        """The same with several sets of parameters."""
        cursor: _Cursor = self.cursor()
        return cursor.executemany(sql, parameters)

    def begin_write(self) -> None:
        """Begin a transaction that may write, in this connection's turn.

        Raises:
            sqlite3.OperationalError: it was locked for `BUSY_SECONDS`.
        """
        assert self._turns is not None
        if not self._has_turn:  # SQLite takes some transactions back by itself, as on a full disk
            self._turns.take()
            self._has_turn = True
        try:
            self._begin_among_processes()
        except BaseException:
            self._has_turn = False
            self._turns.end(wrote=False)
            raise

    def _begin_among_processes(self) -> None:
        plain = super().cursor()
        deadline = time.monotonic() + BUSY_SECONDS
        plain.execute("PRAGMA busy_timeout = 0")
        try:
            while True:
                try:
                    plain.execute("BEGIN IMMEDIATE")
                    return
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                        raise
                time.sleep(ATTEMPT_SECONDS)
        finally:
            plain.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1_000}")

    def _end_turn(self) -> None:
        if self._has_turn and self._turns is not None:
            self._has_turn = False
            self._turns.end()

    def commit(self) -> None:
        """Commit, and end the turn; a commit that failed keeps it, until it is repeated or rolled back."""
        super().commit()
        self._end_turn()

    def rollback(self) -> None:
        """Roll back, and end the turn."""
        try:
            super().rollback()
        finally:
            self._end_turn()

    def close(self) -> None:
        """Rolls back what was not committed, then closes; does nothing if it is closed."""
        try:
            with suppress(sqlite3.ProgrammingError):  # closed already, or never opened
                if self.in_transaction:
                    self.rollback()
        finally:
            super().close()
            self._end_turn()

    def __del__(self) -> None:
        """Closes a connection without an owner: aiosqlite drops one that is given up while it is opened.

        Its turn ends in another thread: Python may collect it within `WriteTurns`, whose lock this thread then has.
        """
        left, self._has_turn = self._has_turn, False
        with suppress(sqlite3.ProgrammingError):  # it was never opened
            self.close()
        if left and self._turns is not None:
            with suppress(RuntimeError):  # Python ends
                threading.Thread(target=self._turns.end, daemon=True).start()


class ThreadedConnection(aiosqlite.Connection):
    """A connection in a thread of its own, which is stopped once.

    SQLAlchemy stops one whose closing was cancelled, and the closing, which continues, stops it again: it would wait
    for ever for a thread that has ended.
    """

    _stopping: "asyncio.Future[Any] | None" = None

    def stop(self) -> "asyncio.Future[Any] | None":
        """Stop the thread; the answer is done when it has stopped, and None without an event loop."""
        if self._stopping is None:
            self._stopping = super().stop()
        return self._stopping


def connect_in_thread(file: str, **options: Any) -> ThreadedConnection:
    """A connection to a file, to be awaited: `aiosqlite.connect` with the classes of this module."""
    opened = ThreadedConnection(lambda: sqlite3.connect(file, factory=Connection, **options), iter_chunk_size=64)
    opened._thread.daemon = True  # as SQLAlchemy has those that it makes
    return opened
