"""What keeps the stack from starting."""

from elcano.graphs.errors import ElcanoError


class CannotStart(ElcanoError):
    """The stack did not come up. Its text says what is in the way and how to mend it."""
