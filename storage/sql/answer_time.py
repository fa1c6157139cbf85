"""How long the statements of this process wait for the answer of a database server.

By default for ever: a worker that has paid for an answer of a model keeps it until the store takes it. An API, whose
clients wait, sets a limit.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

ANSWER_SECONDS: Final = 20.0
"""Longest wait of an API."""
_limits: Final[list[float]] = []
_is_patient: Final[ContextVar[bool]] = ContextVar("is_patient", default=False)


def limit_answers(seconds: float) -> None:
    """Have no statement of this process wait longer."""
    _limits[:] = [seconds]


def get_longest_answer() -> float | None:
    """Seconds that a statement may wait now; None: for ever."""
    return None if _is_patient.get() or not _limits else _limits[0]


@contextmanager
def wait_for_any_answer() -> Iterator[None]:
    """Let statements take as long as they need, as migrations do."""
    token = _is_patient.set(True)
    try:
        yield
    finally:
        _is_patient.reset(token)
