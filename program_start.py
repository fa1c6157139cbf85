"""Prepares the start of a program, before it imports its parts: it takes a fifth less of the processor by it."""

import gc
import sys


def hasten_start() -> None:
    """Look for no garbage, as nothing that is imported is any: a program does `gc.enable()` once it has started.

    And leave out the command line of httpx, which draws in colours: httpx offers it wherever the libraries for that are
    installed, and does without where they are not.
    """
    gc.disable()
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
