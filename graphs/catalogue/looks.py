"""Looks: what the API asks a worker outside any run, such as what a database holds. A plugin names its own.

Names and fields of `LookCall` are persisted in histories, as those in `contracts.py` are.
"""

from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.plugin import Registry

LOOK_WORKFLOW: Final = "look"
LOOK: Final = "look"
"""The activity."""


@dataclass(frozen=True)
class LookSpec:
    """One kind of look."""

    name: str
    input: type[Frozen]
    output: type[BaseModel]
    seconds: float
    """How long the API waits for it."""
    run: str
    """The dotted path of the coroutine function that does it; it is called with the worker's `Services` and its
    input."""


LOOKS: Final[Registry[LookSpec]] = Registry("looks", LookSpec)


class LookCall(Frozen):
    """Input of the workflow of a look and of its activity; it belongs to no run."""

    look: str
    """The name of its specification."""
    asked: JsonObject
    queue: str
    """The task queue of the workers that are asked."""
    seconds: float
    about: str
    """Its subject, for the Temporal UI."""
