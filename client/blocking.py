"""Asynchronous work for programs that are not: each piece runs in one event loop on a thread of its own."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing
from queue import SimpleQueue
from typing import Final, TypeVar, cast

from anyio.from_thread import BlockingPortal, start_blocking_portal

Result = TypeVar("Result")
Item = TypeVar("Item")


class _Raised:
    """An exception that ended an iteration."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


class EventLoopThread:
    """A thread with an event loop. What is waited for in it is given up when the wait is interrupted (Ctrl-C)."""

    def __init__(self) -> None:
        self._context: Final = start_blocking_portal()
        self._portal: Final[BlockingPortal] = self._context.__enter__()

    def close(self) -> None:
        """End the loop and its thread."""
        self._context.__exit__(None, None, None)

    def call(self, work: Callable[..., Awaitable[Result]], *arguments: object) -> Result:
        """Return what `work` returns, or raise what it raises."""
        future = self._portal.start_task_soon(work, *arguments)
        try:
            return future.result()
        finally:
            future.cancel()

    def iterate(self, items: AsyncIterator[Item]) -> Iterator[Item]:
        """The items one by one; who stops before the last has the rest given up."""
        found: SimpleQueue[Item | _Raised] = SimpleQueue()

        async def pump() -> None:
            try:
                async with aclosing(cast("AsyncGenerator[Item]", items)):
                    async for item in items:
                        found.put(item)
            except Exception as error:  # raised where they are waited for
                found.put(_Raised(error))
            else:
                found.put(_Raised(None))

        future = self._portal.start_task_soon(pump)
        try:
            while not isinstance(item := found.get(), _Raised):
                yield item
            if item.error is not None:
                raise item.error
        finally:
            future.cancel()
