"""Pages of the last minutes that may stand in no file, in memory: a run reads such a page once as well.

These are pages of private hosts that an operator named, which are shown to whoever may search them, and public pages
that ask not to be stored. They are as old as a search at the most, and forgotten when the process ends.
"""

import time
from collections.abc import Callable
from typing import Final, NamedTuple

from elcano.activities.sources.http.answers import Answer
from elcano.activities.sources.http.redirects import Request

SECONDS: Final = 600.0
"""So long a page is taken as it is: about a round of searches and what is thought of it, and less than an hour."""
MOST_BYTES: Final = 64_000_000
"""Of all pages together."""

Key = tuple[str, tuple[tuple[str, str], ...]]


class _Page(NamedTuple):
    answer: Answer
    at: float


class RecentPages:
    """A cache of recent answers by request.

    Args:
        clock: monotonic seconds.
        most_bytes: of all together; the oldest are forgotten first.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, most_bytes: int = MOST_BYTES) -> None:
        self._clock = clock
        self._most_bytes = most_bytes
        self._pages: dict[Key, _Page] = {}
        self._bytes = 0

    def get(self, request: Request) -> Answer | None:
        """Return the answer to the same request within the last minutes; None if there is none."""
        self._forget()
        page = self._pages.get(_build_page_key(request))
        return None if page is None else page.answer

    def keep(self, request: Request, answer: Answer) -> None:
        """Remembers a whole page; one that would take the room of many others is not."""
        if len(answer.content) > self._most_bytes // 4:
            return
        self._drop(_build_page_key(request))
        self._pages[_build_page_key(request)] = _Page(answer, self._clock())
        self._bytes += len(answer.content)
        self._forget()

    def _forget(self) -> None:
        oldest = self._clock() - SECONDS
        while self._pages:
            key, page = next(iter(self._pages.items()))
            if page.at > oldest and self._bytes <= self._most_bytes:
                return
            self._drop(key)

    def _drop(self, key: Key) -> None:
        page = self._pages.pop(key, None)
        if page is not None:
            self._bytes -= len(page.answer.content)


def _build_page_key(request: Request) -> Key:
    return str(request.address), tuple(sorted((name.lower(), value) for name, value in request.headers.items()))
