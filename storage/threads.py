"""Thread pools for one kind of work each: named, bounded and not shared.

What may take minutes (an indexing) and what a whole run waits for (a payload) never share threads: behind a full pool
the short would wait for the long. The event loop's own pool is left to computing and to the standard library.
"""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """At most `most` threads called `name`, started when they are needed; they end with this object, or by `close`."""

    def __init__(self, name: str, most: int) -> None:
        self._executor = ThreadPoolExecutor(most, thread_name_prefix=name)

    async def run(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of `work`, or raise its error; wait while all threads are busy.

        Raises:
            RuntimeError: the threads were closed.
        """
        context = contextvars.copy_context()
        return await asyncio.get_running_loop().run_in_executor(
            self._executor, lambda: context.run(work, *args, **kwargs)
        )

    def close(self) -> None:
        """Accept no more work and drop what has not begun; running work finishes."""
        self._executor.shutdown(wait=False, cancel_futures=True)
