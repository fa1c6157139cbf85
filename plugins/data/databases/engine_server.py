"""A process that has loaded an engine's library, and forks one process for each request to it.

Loading takes a second, a fork milliseconds. The forked process is the one that touches the database: it has limits of
memory, of files and of time that the kernel keeps, and it ends as soon as whoever asked hangs up, in the middle of a
function of the engine too. A worker that dies hangs up as well.
"""

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Final

from elcano.plugins.data.databases.engine_requests import Answer, Request, receive_message, send_message

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
