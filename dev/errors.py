"""What keeps the stack from starting."""

from typing import Final

from graphs.errors import ElcanoError

EXIT_CODE: Final = 2
"""What a program ends with that could not start; `elcano` says the same of what cannot work as it was asked for."""


class CannotStart(ElcanoError):
    """The stack did not come up. Its text says what is in the way and how to mend it."""
