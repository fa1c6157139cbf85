"""What each program tries: seven steps, of which it prints how each went."""

import asyncio
import inspect
import sys
from collections.abc import Callable

STEPS = ("ask", "stream", "second_turn", "cancel", "error", "slow", "cut")
BASE, CUT, NAME = sys.argv[1:4]
"""The address of the API, the same behind a proxy that cuts the first connection, and a name for the questions."""
QUESTION = f"To whom do retries belong? ({NAME})"
SECOND = f"Since when? ({NAME})"
SLOW = f"To whom do retries slowly belong? ({NAME})"
LEFT = f"To whom do retries slowly belong if the client leaves? ({NAME})"
SLOW_CUT = f"To whom do retries slowly belong if the connection is cut? ({NAME})"


def answered(text: str | None) -> str:
    """Check that a text is a report with its reference."""
    assert text, "no text"
    assert "[1]" in text, f"no report: {text[:200]!r}"
    return f"{len(text)} characters"


def refused(call: Callable[[], object]) -> str:
    """Check that a call fails and says why: there is no model `telepathy`."""
    try:
        said = call()
        if inspect.isawaitable(said):
            said = asyncio.run(_await(said))
    except Exception as error:
        if "telepathy" in str(error):
            return type(error).__name__
        raise AssertionError(f"{type(error).__name__} says nothing of it: {str(error)[:300]}") from error
    raise AssertionError(f"no error but {said!r}")


async def _await(said):
    return await said


def run(**steps: Callable[[], object]) -> None:
    """Make the steps one after the other."""
    for name in STEPS:
        try:
            said = steps[name]()
            if inspect.isawaitable(said):
                said = asyncio.run(_await(said))
            print(f"{name}\tok\t{said}", flush=True)
        except Exception as error:
            text = " ".join(str(error).split())
            print(f"{name}\tfailed\t{type(error).__name__}: {text[:400]}", flush=True)
