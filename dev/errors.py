"""The error that keeps the stack from starting."""

from elcano.graphs.errors import ElcanoError


class CannotStart(ElcanoError):
    """The stack did not start. The text says what is wrong and how to fix it."""
