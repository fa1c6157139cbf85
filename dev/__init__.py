"""The embedded stack: Temporal's development server, a worker and the API as one program on one data folder."""

from elcano.dev.program import CannotStart
from elcano.dev.stack import Stack, open_stack

__all__ = ["CannotStart", "Stack", "open_stack"]
