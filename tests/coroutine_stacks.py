"""Where each coroutine of this process waits, which no stack of a thread shows."""

import asyncio
import gc
from collections.abc import Iterator
from typing import Any


def write_stacks(reason: str, stderr: int) -> None:
    """Write to a file descriptor why, and the lines at which every task of every loop waits, innermost last."""
    with open(stderr, "w", closefd=False) as told:
        print(f"\n{reason} Coroutines wait here:", file=told)
        for task in list(asyncio.tasks._all_tasks):  # type: ignore[attr-defined]
            print(f"- {task.get_name()}", *list_frames(task.get_coro()), sep="\n  ", file=told)


def list_frames(awaited: Any) -> Iterator[str]:
    """`file:line function` of a coroutine, and of what it awaits."""
    while awaited is not None:
        if type(awaited).__name__.startswith("async_generator_"):  # a step of a generator, which alone has a frame
            awaited = next((held for held in gc.get_referents(awaited) if hasattr(held, "ag_frame")), None)
        if frame := _first(awaited, "cr_frame", "ag_frame", "gi_frame"):
            yield f"{frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_name}"
        awaited = _first(awaited, "cr_await", "ag_await", "gi_yieldfrom")


def _first(awaited: Any, *attributes: str) -> Any:
    return next((found for name in attributes if (found := getattr(awaited, name, None)) is not None), None)
