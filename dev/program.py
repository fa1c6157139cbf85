"""Common behaviour of the programs in this folder: signals, output, and refusing to start."""

import asyncio
import signal
import sys
from collections.abc import Coroutine
from typing import Any, Final, NoReturn, TypeVar

from elcano.graphs.errors import ElcanoError, InputInvalid
from elcano.graphs.plugin import load_registries
from elcano.program_start import leave_on_interrupt

Result = TypeVar("Result")
_CANNOT_START: Final = 2
"""The exit code of `elcano` for requests that cannot work."""


class CannotStart(ElcanoError):
    """The stack did not start. The text says what is wrong and how to fix it."""


def end_on_signals() -> None:
    """Let Ctrl-C, SIGTERM and a closed terminal cancel the running task, so that it cleans up."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)


def run_program(task: Coroutine[Any, Any, Result]) -> Result:
    """Run the task of a program; a Ctrl-C behind it, while Python ends, adds no traceback of what it interrupts."""
    try:
        return asyncio.run(task)
    finally:
        leave_on_interrupt()


def print_line(line: str) -> None:
    """Print one line for the user, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def exit_cannot_start(name: str, error: CannotStart) -> NoReturn:
    """End the program `name`, which could not start, with exit code 2."""
    sys.stderr.write(f"{name} cannot start: {error}\n")
    sys.exit(_CANNOT_START)


def require_plugins(name: str) -> None:
    """Load the plugins that the program `name` needs; if that fails, end it with a sentence and exit code 2."""
    try:
        load_registries()
    except InputInvalid as error:
        exit_cannot_start(name, CannotStart(str(error)))
