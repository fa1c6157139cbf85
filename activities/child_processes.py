"""Risky work in processes of their own, one for each request: gone when it has answered, or when it did not in time.

Nothing that a statement or a library does can be in this process's way: no thread, no memory, no lock is shared with
it. The libraries are loaded once, by a server that forks; it ends when no one asked for ten minutes,
unless it is to stay.
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
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, BinaryIO, ClassVar, Final, Generic, TypeVar, get_type_hints

from pydantic import TypeAdapter

from elcano.graphs.errors import SourceUnavailable
from elcano.graphs.frozen import Frozen
from elcano.graphs.plugin import import_object

START_SECONDS: Final = 30.0
"""For libraries to be loaded on a machine that is busy."""
IDLE_SECONDS: Final = 600.0
FILE_BYTES: Final = 2_000_000_000
"""Bytes of one file that a process writes, such as what SQLite sorts on the disk."""
_BEGUN: Final = b"begun\n"
_SERVER: Final = (
    "import sys; sys.path[:] = sys.argv[4:]; from elcano.activities.child_processes import serve_connections; "
    "serve_connections(*sys.argv[1:4])"
)


class Message(Frozen):
    """A request or an answer. Large fields travel as they are: as JSON they would be in memory three times."""

    raw: ClassVar[tuple[str, ...]] = ()
    """Names of its fields of bytes that are sent behind the JSON of the others, and are empty by default."""


class TimedRequest(Message):
    """A request to one process."""

    seconds: float
    """The time after which the process ends, whatever it does."""
    processor_seconds: float = 0.0
    """The processor time after which it ends, where a busy machine is not to count; 0: only `seconds` does."""
    extension: float = 0.0
    """Maximum total extension, in seconds, for a process that keeps reporting progress; see `extend_deadline`."""


Asked = TypeVar("Asked", bound=TimedRequest)
Answered = TypeVar("Answered", bound=Frozen)
Received = TypeVar("Received", bound=Frozen)


class Stop:
    """Stops work from another thread, however often it is asked to, also before it has begun."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._how: Callable[[], object] | None = None
        self.asked = False

    def by(self, how: Callable[[], object] | None) -> None:
        """Set the function that stops the current work; None: there is none."""
        with self._lock:
            self._how = how
            asked = self.asked
        if asked and how is not None:
            how()

    def now(self) -> None:
        """Stops it."""
        with self._lock:
            self.asked = True
            how = self._how
        if how is not None:
            how()


class NotStarted(SourceUnavailable):
    """No process could be had in time; another try may find the libraries loaded."""


class ProcessEnded(SourceUnavailable):
    """The process ended without an answer: it was killed at its limit of time, or it had no memory left."""

    def __init__(self, *, late: bool) -> None:
        self.late = late
        """Whether its time was over, or its answer was no longer wanted."""
        super().__init__("a process gave no answer in time")


class ChildProcesses(Generic[Asked, Answered]):
    """Processes that call one function. Its server is started when it is needed, and again if it ended.

    Args:
        function: the path of the function, `package.module:name`, from `request`, a `TimedRequest`, to its answer.
        answer: the type of the answer.
        libraries: modules that the server loads before it forks, besides the function's own.
        idle_seconds: after which it ends where no one asks; None: it does not.
    """

    def __init__(
        self,
        function: str,
        answer: type[Answered],
        libraries: Sequence[str] = (),
        idle_seconds: float | None = IDLE_SECONDS,
    ) -> None:
        self._function = function
        self._arguments = (",".join(libraries), "" if idle_seconds is None else str(idle_seconds))
        self._answer = answer
        self._lock = threading.Lock()
        self._running: tuple[subprocess.Popen[bytes], socket.socket] | None = None
        atexit.register(self.close)

    def ask(self, request: Asked, stop: Stop | None = None, start_seconds: float = START_SECONDS) -> Answered:
        """The answer of a process of its own, which ends when `stop` is requested.

        Raises:
            NotStarted: no process can be had.
            ProcessEnded: it was killed.
        """
        stop = stop or Stop()
        with self._begin(start_seconds) as connection, connection.makefile("rb") as answers:
            stop.by(lambda: _hang_up(connection))
            begun = time.monotonic()
            try:
                connection.settimeout(
                    request.seconds + request.extension + START_SECONDS
                )  # a process that runs ends by its own clock
                _send(connection, request)
                return _receive(answers, self._answer)
            except (OSError, ValueError):
                pass
            finally:
                stop.by(None)
        # A process that used up its processor time has taken at least as long.
        late = stop.asked or time.monotonic() - begun >= (request.processor_seconds or request.seconds)
        raise ProcessEnded(late=late)

    def start(self) -> None:
        """Start the server, so that the first request need not wait for its libraries."""
        with self._lock:
            self._control()

    def close(self) -> None:
        """Ends the server; another request starts a new one."""
        with self._lock:
            self._end()

    def _begin(self, seconds: float) -> socket.socket:
        """A connection to a new process that has begun; a server that ended meanwhile is tried once more."""
        for _ in range(2):
            mine, theirs = socket.socketpair()
            try:
                with theirs, self._lock:
                    try:
                        socket.send_fds(self._control(), [b"+"], [theirs.fileno()])
                    except BrokenPipeError:
                        self._end()
                        socket.send_fds(self._control(), [b"+"], [theirs.fileno()])
                mine.settimeout(max(0.001, seconds))
                if mine.recv(len(_BEGUN), socket.MSG_WAITALL) == _BEGUN:
                    return mine
            except TimeoutError:
                mine.close()
                raise NotStarted("the libraries of a process are still being loaded") from None
            except OSError as error:
                mine.close()
                raise NotStarted(f"no process can be started: {error.strerror}") from None
            mine.close()
        raise NotStarted("a process ended before it began")

    def _control(self) -> socket.socket:
        if self._running is not None and self._running[0].poll() is not None:
            self._end()
        if self._running is None:
            mine, theirs = socket.socketpair()
            command = (sys.executable, "-W", "ignore", "-c", _SERVER, self._function, *self._arguments, *sys.path)
            with theirs:
                process = subprocess.Popen(command, stdin=theirs.fileno(), stdout=subprocess.DEVNULL)
            self._running = process, mine
        return self._running[1]

    def _end(self) -> None:
        if self._running is not None:
            process, control = self._running
            control.close()
            process.kill()
            process.wait()
            self._running = None


def _hang_up(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it has answered already
        connection.shutdown(socket.SHUT_RDWR)


def serve_connections(path: str, libraries: str, idle_seconds: str) -> None:
    """Forks a process for each connection, until the worker closes its end of the standard input, which is a socket.

    Args:
        path: of the function that answers.
        libraries: modules that it needs, separated by commas.
        idle_seconds: after which it ends where no one asks; empty: it does not.
    """
    function = import_object(path, "a process for risky work")
    for name in filter(None, libraries.split(",")):
        import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # ended children leave nothing that has to be waited for
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: the worker ends this process when it is done
    with socket.socket(fileno=os.dup(0)) as control, contextlib.suppress(TimeoutError):
        control.settimeout(float(idle_seconds) if idle_seconds else None)
        while fds := socket.recv_fds(control, 1, 1)[1]:
            with contextlib.suppress(BlockingIOError):  # no process can be had: who asked is hung up on
                if os.fork() == 0:
                    control.close()
                    _serve_request(fds[0], function)
            os.close(fds[0])


def _serve_request(fd: int, function: Callable[..., Any]) -> None:
    """Answers one request and ends the process."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        with socket.socket(fileno=fd) as connection, connection.makefile("rb") as requests:
            connection.sendall(_BEGUN)
            request = _receive(requests, get_type_hints(function)["request"])
            signal.setitimer(signal.ITIMER_REAL, request.seconds)  # the signal's own way is to end the process
            signal.setitimer(signal.ITIMER_PROF, request.processor_seconds)
            threading.Thread(target=_end_when_hung_up, args=(connection,), daemon=True).start()
            answer = function(request)
            del request  # a large file is not held while its answer is written
            _send(connection, answer)
    finally:
        os._exit(0)


def _send(connection: socket.socket, message: Any) -> None:
    """Sends a message: the JSON of its fields on one line, the lengths of its raw ones on the next, and these."""
    names = message.raw if isinstance(message, Message) else ()
    connection.sendall(TypeAdapter(type(message)).dump_json(message, exclude=set(names)) + b"\n")
    contents = [getattr(message, name) for name in names]
    connection.sendall(" ".join(str(len(content)) for content in contents).encode() + b"\n")
    for content in contents:
        connection.sendall(content)


def _receive(stream: BinaryIO, kind: type[Received]) -> Received:
    """The message that was sent.

    Raises:
        ValueError: it is none, or was cut off.
    """
    message = kind.model_validate_json(stream.readline())
    lengths = stream.readline().split()
    if not isinstance(message, Message):
        return message
    contents = {name: stream.read(int(length)) for name, length in zip(message.raw, lengths, strict=True)}
    if any(len(content) != int(length) for content, length in zip(contents.values(), lengths, strict=True)):
        raise ValueError("a message was cut off")
    return message.model_copy(update=contents)


def _end_when_hung_up(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.recv(1)
    os._exit(0)


def extend_deadline(seconds: float) -> None:
    """Let this process work for `seconds` from now on, if it has a deadline, as one that answers a request has.

    These are seconds of the processor if it has a limit of these, and then it has as much more time for them as before.
    """
    left = signal.getitimer(signal.ITIMER_REAL)[0]
    used_up = signal.getitimer(signal.ITIMER_PROF)[0]
    if left > 0:
        signal.setitimer(signal.ITIMER_REAL, max(left, seconds) if used_up > 0 else seconds)
    if used_up > 0:
        signal.setitimer(signal.ITIMER_PROF, seconds)


def limit_resources(address_space: int, *, writes: bool = False) -> None:
    """Limit the resources of this process, where the system can, as far as it allows.

    Args:
        address_space: bytes of memory.
        writes: whether its files may be of any size.
    """
    try:
        import resource
    except ModuleNotFoundError:
        return
    limits = {resource.RLIMIT_AS: address_space, resource.RLIMIT_CORE: 0}
    if not writes:
        limits[resource.RLIMIT_FSIZE] = FILE_BYTES
    for kind, bound in limits.items():
        _, most = resource.getrlimit(kind)
        bound = bound if most == resource.RLIM_INFINITY else min(bound, most)
        with contextlib.suppress(ValueError, OSError):  # macOS has no limit of the address space
            resource.setrlimit(kind, (bound, most))
