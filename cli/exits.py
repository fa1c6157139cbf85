"""What the exit codes mean; the same in every command."""

from enum import IntEnum

from graphs.errors import ElcanoError


class Exit(IntEnum):
    """Exit codes. They are part of the interface: scripts rely on them."""

    OK = 0
    """Done. After `ask`, `watch` and `report`: the research was finished and there is a report."""
    FAILED = 1
    """The run failed or was cancelled, or `doctor` found something to mend."""
    BAD_INPUT = 2
    """What was asked for cannot work: an option, a question, a budget, a name, a graph with faults. Or `serve` cannot
    start."""
    NOT_REACHABLE = 3
    """The API does not answer, or it answers that it cannot work now."""
    PARTIAL = 4
    """The run ended early, by a budget or by hand; there is a report of what it had by then."""
    INTERRUPTED = 130
    """Ctrl-C. A run that was being watched goes on."""


class Failed(ElcanoError):
    """Ends the command. The text is one line for the person: what is wrong and what to do."""

    def __init__(self, message: str, code: Exit = Exit.FAILED) -> None:
        self.code = code
        super().__init__(message)
