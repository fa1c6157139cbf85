"""Exit codes, errors, and programs that replace a command."""

import os
import sys
from collections.abc import Mapping
from enum import IntEnum
from typing import Final, NoReturn

from elcano.graphs.errors import ElcanoError
from elcano.program_start import hold_interrupts


class Exit(IntEnum):
    """Exit codes. They are part of the interface: scripts rely on them."""

    OK = 0
    """Done. After `ask`, `watch` and `report`: the research was finished, and its report answers the question."""
    FAILED = 1
    """The run failed, `doctor` found something to fix, or `verify` found something that does not hold."""
    BAD_INPUT = 2
    """The request is invalid: an option, a question, a budget, a name, a graph with faults. Or `serve` cannot start."""
    NOT_REACHABLE = 3
    """The API does not answer, or answers that it cannot work right now."""
    PARTIAL = 4
    """The run ended early because of a limit, an outage or a failed step, or a part of it is missing: a section, a
    forecast, a source that could not be searched. The report covers what it had."""
    STOPPED = 5
    """The run was stopped on request; the report covers what it had by then."""
    UNANSWERED = 6
    """The research was finished, but nothing it found answers the question; the report says so."""
    CANCELLED = 7
    """The run was cancelled; there is no report."""
    TERMINATED = 8
    """The run was ended from outside without a chance to report it; there is no report."""
    NOT_WRITTEN = 9
    """Standard output was closed, or is full."""
    INTERRUPTED = 130
    """Ctrl-C. A run that was being watched continues."""


BY_STATUS: Final[Mapping[str, Exit]] = {
    "completed": Exit.OK,
    "partial": Exit.PARTIAL,
    "stopped": Exit.STOPPED,
    "unanswered": Exit.UNANSWERED,
    "failed": Exit.FAILED,
    "cancelled": Exit.CANCELLED,
    "terminated": Exit.TERMINATED,
}
"""Exit code of each final status."""


class Failed(ElcanoError):
    """Ends the command. The text is one line for the user: what is wrong and what to do."""

    def __init__(self, message: str, code: Exit = Exit.FAILED) -> None:
        self.code = code
        super().__init__(message)


class BadInput(Failed):
    """The request cannot work as it was made; nothing was sent, or the API refused it."""

    def __init__(self, message: str) -> None:
        super().__init__(message, Exit.BAD_INPUT)


class Unreachable(Failed):
    """The API does not answer, or answers that it cannot work right now."""

    def __init__(self, message: str) -> None:
        super().__init__(message, Exit.NOT_REACHABLE)


class Refused(Failed):
    """The API answered with a problem document."""

    def __init__(self, message: str, code: Exit, *, problem: str, status: int) -> None:
        self.problem = problem
        """Its `type`, an URN; empty if the answer was no problem document."""
        self.status = status
        """The HTTP status."""
        super().__init__(message, code)


def replace_process(module: str, *arguments: str) -> NoReturn:
    """Replace this process by a program that needs more than HTTP; it gets all signals, and its exit code is ours.

    `-P`: no module in the user's folder is taken for one of ours.
    """
    hold_interrupts()
    os.execv(sys.executable, [sys.executable, "-P", "-m", module, *arguments])
