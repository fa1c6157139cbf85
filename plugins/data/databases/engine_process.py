"""Asks an engine in a process of its own, which is gone when it has answered, or when it did not in time.

Nothing that a statement does can be in this process's way: no thread, no memory, no lock is shared with it.
"""

import atexit
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import Final

from pydantic import ValidationError

from elcano.graphs.errors import SourceUnavailable
from elcano.plugins.data.databases.engine import Answer, Request, Stop, receive_message, send_message

START_SECONDS: Final = 30.0
"""For the engine's library to be loaded on a machine that is busy. A process that runs ends by its own clock."""
_SERVER: Final = (
    "import sys; sys.path[:] = sys.argv[2:]; from elcano.plugins.data.databases.engine_process import main; "
    "main(sys.argv[1])"
)


class ProcessEnded(SourceUnavailable):
    """The process ended without an answer: it was killed at its limit of time, or it had no memory left."""

    def __init__(self, *, late: bool) -> None:
        self.late = late
        """Whether its time was over, or its answer was no longer wanted."""
        super().__init__("a database gave no answer in time")


class _Server:
    """The running `engine_server` of one engine, started when it is needed, and again if it was killed."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._running: tuple[subprocess.Popen[bytes], socket.socket] | None = None

    def connect(self) -> socket.socket:
        """A connection to a new process."""
        mine, theirs = socket.socketpair()
        with theirs, self._lock:
            try:
                try:
                    socket.send_fds(self._control(), [b"+"], [theirs.fileno()])
                except OSError:
                    self._end()
                    socket.send_fds(self._control(), [b"+"], [theirs.fileno()])
            except OSError:
                mine.close()
                raise
        return mine

    def close(self) -> None:
        """Ends it."""
        with self._lock:
            self._end()

    def _control(self) -> socket.socket:
        if self._running is not None and self._running[0].poll() is not None:
            self._end()
        if self._running is None:
            mine, theirs = socket.socketpair()
            command = (sys.executable, "-c", _SERVER, self._engine, *sys.path)
            with theirs:
                process = subprocess.Popen(
                    command, stdin=theirs.fileno(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            self._running = process, mine
        return self._running[1]

    def _end(self) -> None:
        if self._running is not None:
            process, control = self._running
            control.close()
            process.kill()
            process.wait()
            self._running = None


_SERVERS: Final = {engine: _Server(engine) for engine in ("sqlite", "duckdb")}
for _one in _SERVERS.values():
    atexit.register(_one.close)


def ask_engine(engine: str, request: Request, stop: Stop) -> Answer:
    """Send a request to a process of `engine` and return its answer; the process is ended when `stop` is requested.

    Raises:
        ProcessEnded: it was killed.
        SourceUnavailable: no process can be had.
    """
    begun = time.monotonic()
    try:
        connection = _SERVERS[engine].connect()
    except OSError as error:
        raise SourceUnavailable(f"no process can be started for a database: {error.strerror}") from None
    with connection:
        stop.by(lambda: _hang_up(connection))
        try:
            connection.settimeout(request.seconds + START_SECONDS)
            send_message(connection, request.model_dump_json().encode())
            answer = receive_message(connection)
        except OSError:
            answer = b""
        finally:
            stop.by(None)
    try:
        return Answer.model_validate_json(answer)
    except ValidationError:
        late = stop.asked or time.monotonic() - begun >= request.seconds
        raise ProcessEnded(late=late) from None


def _hang_up(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it has answered already
        connection.shutdown(socket.SHUT_RDWR)


ADDRESS_SPACE: Final = {"sqlite": 2_000_000_000, "duckdb": 6_000_000_000}
"""Bytes; DuckDB's own limit does not count the texts that functions make."""
FILE_SIZE: Final = 2_000_000_000
"""Bytes of one file that a process writes while it answers a query, such as what SQLite sorts on the disk."""


def main(engine: str) -> None:
    """Serves until the worker closes its end of the standard input, which is a socket.

    Args:
        engine: whose module has the function that answers: `sqlite` or `duckdb`.
    """
    answer: Callable[[Request], Answer] = import_module(
        f"elcano.plugins.data.databases.{engine}_process"
    ).answer_request
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # ended children leave nothing that has to be waited for
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: the worker ends this process when it is done
    with socket.socket(fileno=os.dup(0)) as control:
        while fds := socket.recv_fds(control, 1, 1)[1]:
            with contextlib.suppress(BlockingIOError):  # no process can be had: who asked is hung up on
                if os.fork() == 0:
                    control.close()
                    _serve_request(fds[0], answer, ADDRESS_SPACE[engine])
            os.close(fds[0])


def _serve_request(fd: int, answer: Callable[[Request], Answer], address_space: int) -> None:
    """Answers one request and ends the process."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        with socket.socket(fileno=fd) as connection:
            request = Request.model_validate_json(receive_message(connection))
            _set_resource_limits(address_space, writes=bool(request.files))
            signal.setitimer(signal.ITIMER_REAL, request.seconds)  # the signal's own way is to end the process
            threading.Thread(target=_end_when_hung_up, args=(connection,), daemon=True).start()
            send_message(connection, answer(request).model_dump_json().encode())
    finally:
        os._exit(0)


def _end_when_hung_up(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.recv(1)
    os._exit(0)


def _set_resource_limits(address_space: int, *, writes: bool) -> None:
    """Sets limits where the system can, as far as it allows."""
    try:
        import resource
    except ModuleNotFoundError:
        return
    limits = {resource.RLIMIT_AS: address_space, resource.RLIMIT_CORE: 0}
    if not writes:
        limits[resource.RLIMIT_FSIZE] = FILE_SIZE
    for kind, bound in limits.items():
        _, most = resource.getrlimit(kind)
        bound = bound if most == resource.RLIM_INFINITY else min(bound, most)
        with contextlib.suppress(ValueError, OSError):  # macOS has no limit of the address space
            resource.setrlimit(kind, (bound, most))
