"""How long a statement waits for the answer of a database server."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

ANSWER_SECONDS: Final = 30.0
"""Longest wait for an answer: only migrations may take longer."""
LONGEST_ANSWER: Final[ContextVar[float | None]] = ContextVar("longest_answer", default=ANSWER_SECONDS)
"""The same for the current task; None: for ever."""


@contextmanager
def wait_for_any_answer() -> Iterator[None]:
    """Let statements take as long as they need."""
    token = LONGEST_ANSWER.set(None)
    try:
        yield
    finally:
        LONGEST_ANSWER.reset(token)
