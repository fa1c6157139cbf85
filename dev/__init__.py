"""The embedded stack: Temporal's development server, a worker and the API as one program on one data folder."""

from dev.errors import CannotStart
from dev.stack import Stack, stack

__all__ = ["CannotStart", "Stack", "stack"]
