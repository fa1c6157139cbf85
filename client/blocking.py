"""Asynchronous work for programs that are not: each piece runs in one event loop on a thread of its own.

A class for programs that wait is a `Blocking`. Its methods are made by `make_blocking` and `make_blocking_iterator` of
those of the asynchronous class: parameters, results and docstrings are the same.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator
from contextlib import aclosing
from functools import wraps
from queue import SimpleQueue
from typing import Any, Concatenate, Final, Generic, ParamSpec, TypeVar, cast

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Item = TypeVar("Item")
Asked = TypeVar("Asked")


class _Over:
    """The end of an iteration, and the exception that ended it, if one did."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


class EventLoopThread:
    """A thread with an event loop. What is waited for in it is given up when the wait is interrupted (Ctrl-C).

    It holds up no program that ends without closing it.
    """

    def __init__(self) -> None:
        self._loop: Final = asyncio.new_event_loop()
        self._thread: Final = threading.Thread(target=self._loop.run_forever, name="elcano-client", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Give up what is under way, and end the loop and its thread."""
        self.call(_cancel_other_tasks)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def call(
        self,
        work: Callable[Arguments, Coroutine[Any, Any, Result]],
        *arguments: Arguments.args,
        **named: Arguments.kwargs,
    ) -> Result:
        """Wait for `work`, and return its result or raise its error."""
        future = asyncio.run_coroutine_threadsafe(work(*arguments, **named), self._loop)
        try:
            return future.result()
        finally:
            future.cancel()

    def iterate(self, items: AsyncIterator[Item]) -> Iterator[Item]:
        """Iterate over the items; who stops before the last has the rest given up."""
        found: SimpleQueue[Item | _Over] = SimpleQueue()

        async def pump() -> None:
            try:
                async with aclosing(cast("AsyncGenerator[Item]", items)):
                    async for item in items:
                        found.put(item)
            except Exception as error:  # raised where they are waited for
                found.put(_Over(error))
            else:
                found.put(_Over())

        future = asyncio.run_coroutine_threadsafe(pump(), self._loop)
        try:
            while not isinstance(item := found.get(), _Over):
                yield item
            if item.error is not None:
                raise item.error
        finally:
            future.cancel()


async def _cancel_other_tasks() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class Blocking(Generic[Asked]):
    """An object whose methods wait: `asynchronous` does their work, in the thread of `loop`."""

    def __init__(self, asynchronous: Asked, loop: EventLoopThread) -> None:
        self.asynchronous = asynchronous
        self._loop = loop

    def __repr__(self) -> str:
        return repr(self.asynchronous).removeprefix("Async")


def make_blocking(
    method: Callable[Concatenate[Asked, Arguments], Coroutine[Any, Any, Result]],
) -> Callable[Concatenate[Blocking[Asked], Arguments], Result]:
    """Turn an asynchronous method into one that returns its result once it is there."""

    @wraps(method)
    def call(self: Blocking[Asked], /, *arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        return self._loop.call(method, self.asynchronous, *arguments, **named)

    return call


def make_blocking_iterator(
    method: Callable[Concatenate[Asked, Arguments], AsyncIterator[Item]],
) -> Callable[Concatenate[Blocking[Asked], Arguments], Iterator[Item]]:
    """Turn a method that gives items asynchronously, one after the other, into one whose items are waited for."""

    @wraps(method)
    def iterate(self: Blocking[Asked], /, *arguments: Arguments.args, **named: Arguments.kwargs) -> Iterator[Item]:
        return self._loop.iterate(method(self.asynchronous, *arguments, **named))

    return iterate
