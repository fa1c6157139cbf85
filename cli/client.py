"""The API as commands speak to it: what goes wrong ends a command, with the exit code that says what it was."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from elcano.cli.exit_codes import Exit, Failed, Refused, Unreachable
from elcano.client.blocking import Arguments, EventLoopThread, Item, Result
from elcano.client.connection import Connection, LiveText, Notice
from elcano.client.errors import OutcomeUnknown, Problem, ServerFailed, Unavailable
from elcano.client.errors import Unreachable as NoAnswer
from elcano.client.models import AgentEvent
from elcano.graphs.frozen import JsonObject

_FAILED_CHECKS: Final = ("urn:elcano:source-check-failed", "urn:elcano:database-unavailable")
"""Problems of the source or database that the API asked; the API itself is well."""

LOOK_SECONDS: Final = 20.0
"""Seconds between two checks that a worker is available for what the command waits for."""


class Api:
    """A connection to the API at `base_url`, which threads may share. Its methods raise `Unreachable` and `Refused`."""

    def __init__(self, base_url: str, api_key: str = "") -> None:
        self._loop = EventLoopThread()
        self.connection = Connection(base_url, api_key=api_key)
        """For parts of the client, whose methods `call` waits for."""

    def __enter__(self) -> "Api":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._loop.call(self.connection.close)
        self._loop.close()

    def get(self, path: str, **params: str | int | list[str]) -> Any:
        """Return the JSON at `path`."""
        with _ending_commands():
            return self._loop.call(self.connection.get, path, **params)

    def get_text(self, path: str, media_type: str, **params: str) -> str:
        """Return the text at `path`, as one of the media types that the API serves it in."""
        with _ending_commands():
            return self._loop.call(self.connection.get_text, path, media_type, **params)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Post `body` once and return the JSON that answers it."""
        with _ending_commands():
            return self._loop.call(self.connection.post, path, body)

    def put(self, path: str, body: Mapping[str, Any]) -> Any:
        """Put `body` at `path` and return the JSON that answers it."""
        with _ending_commands():
            return self._loop.call(self.connection.put, path, body)

    def delete(self, path: str) -> None:
        """Delete the resource at `path`."""
        with _ending_commands():
            self._loop.call(self.connection.delete, path)

    def post_with_key(self, path: str, body: Mapping[str, Any], say: Callable[[str], None], key: str = "") -> Any:
        """The JSON that answers `body`; see `Connection.post_with_key`.

        Raises:
            Failed: it was refused, or nothing is known of it; the text has the key.
        """
        with _ending_commands():
            return self._loop.call(self.connection.post_with_key, path, body, key, say)

    def download(self, path: str, file: Path) -> None:
        """Save `path` as `file`, byte for byte, once all of it has arrived."""
        with _ending_commands():
            self._loop.call(self.connection.download, path, file)

    def call(
        self,
        work: Callable[Arguments, Coroutine[Any, Any, Result]],
        *arguments: Arguments.args,
        **named: Arguments.kwargs,
    ) -> Result:
        """Wait for what is asked over `connection`, and return its result."""
        with _ending_commands():
            return self._loop.call(work, *arguments, **named)

    def wait(self, work: Callable[[], Coroutine[Any, Any, Result]], say: Callable[[str], None]) -> Result:
        """Wait for what workers do, and return its result; `say` is called once if none would do it."""
        return self.call(self._wait, work, say)

    async def _wait(self, work: Callable[[], Coroutine[Any, Any, Result]], say: Callable[[str], None]) -> Result:
        waiting, reported = asyncio.create_task(work()), False
        try:
            while not (await asyncio.wait([waiting], timeout=LOOK_SECONDS))[0]:
                if not reported and (reason := await self.connection.find_idle_reason()):
                    reported = True
                    say(f"still waiting, but no worker runs it: {reason}")
            return await waiting
        finally:
            waiting.cancel()

    def iterate(self, items: AsyncIterator[Item]) -> Iterator[Item]:
        """Iterate over what is asked over `connection`."""
        with _ending_commands():
            yield from self._loop.iterate(items)

    def watch_run(
        self, run_id: str, say: Callable[[str], None], write: Callable[[JsonObject], None] | None = None
    ) -> Iterator[AgentEvent]:
        """The run's events from the first to the terminal one.

        `say` is called with notices on the stream. `write` gets the text that is being written, and an empty object
        when none of it holds any longer.
        """
        with _ending_commands():
            for item in self._loop.iterate(self.connection.stream_run(run_id)):
                if isinstance(item, Notice):
                    say(item.text)
                elif not isinstance(item, LiveText):
                    yield item
                elif write is not None:
                    write(item.words)


@contextmanager
def _ending_commands() -> Iterator[None]:
    """Ends the command if a request within the block is not answered as it should be."""
    try:
        yield
    except NoAnswer as error:
        raise Unreachable(str(error)) from error
    except OutcomeUnknown as error:
        again = f"repeat the command with `--key {error.key}` to learn the outcome"
        raise Failed(f"{error}; {again}; it counts once", Exit.NOT_REACHABLE) from error
    except Problem as error:
        failed = isinstance(error, ServerFailed) or error.type in _FAILED_CHECKS
        if isinstance(error, Unavailable) and not failed:
            raise Unreachable(str(error)) from error
        code = Exit.FAILED if failed else Exit.BAD_INPUT
        raise Refused(str(error), code, problem=error.type, status=error.status) from error
