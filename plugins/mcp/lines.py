"""The output of a program as text, in which no message is longer than allowed.

The library joins a line before it parses it, however long it is. A program that writes without end would fill the
worker's memory, long before its time is over.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final

import mcp.client.stdio
from anyio.streams.text import TextReceiveStream

LINE_CHARACTERS: Final = 20_000_000
"""Maximum length of one message of a program."""
_READER: Final = "TextReceiveStream"
_too_long: ContextVar[Callable[[], None]] = ContextVar("too_long")


def bound_lines() -> None:
    """Make the library read programs through `BoundedLines` from now on.

    Raises:
        RuntimeError: this version of the library reads them some other way, so nothing would be bounded.
    """
    names = vars(mcp.client.stdio)
    if _READER not in names:
        raise RuntimeError(f"mcp.client.stdio has no {_READER}: {bound_lines.__module__} has to follow it")
    names[_READER] = BoundedLines


def when_too_long(told: Callable[[], None]) -> None:
    """Call `told` once when a program started in this task writes a line that is too long."""
    _too_long.set(told)


class BoundedLines(TextReceiveStream):
    """A text stream that ends at the first line that is too long: later output is read and dropped."""

    _length = 0
    _over = False

    async def receive(self) -> str:
        """Return the next part of the output; nothing more once a line was too long."""
        while True:
            part = await super().receive()
            if self._over:
                continue
            before, line_feed, after = part.rpartition("\n")
            longest = max(self._length + len(part.partition("\n")[0]), *map(len, before.split("\n")))
            self._length = len(after) if line_feed else self._length + len(part)
            if longest <= LINE_CHARACTERS:
                return part
            self._over = True
            _too_long.get()()
