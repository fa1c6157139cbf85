"""Reads what a site's robots.txt (RFC 9309) allows, under the name that we send.

We choose what we read, so we are a robot even for a single page. A site without the file allows everything; one whose
file is temporarily unavailable allows nothing.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from protego import Protego

from elcano.activities.passages.document import FileSkipped
from elcano.activities.sources.http.fetching import Fetcher
from elcano.graphs.errors import SourceUnavailable

NAME: Final = "elcano"
"""The product token by which a robots.txt names us; the `User-Agent` begins with it."""
KEPT_SECONDS: Final = 3_600.0
"""How long a robots.txt is cached; RFC 9309 asks for no more than a day."""
MOST_SITES: Final = 1_000
ROBOTS_BYTES: Final = 500 * 1024
"""The size that RFC 9309 requires to be read at least; a larger file is refused."""


class _Known(NamedTuple):
    rules: Protego
    at: float


class Robots:
    """The rules of recently used sites.

    Args:
        fetcher: the HTTP client.
        clock: monotonic seconds.
        sleep: waits for a number of seconds.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._fetcher = fetcher
        self._clock = clock
        self._sleep = sleep
        self._turns: dict[str, float] = {}
        """The time of the last turn, past or scheduled, at each site with a delay."""
        self._known: dict[str, _Known] = {}

    async def require(self, url: str, *, trusted: bool = False) -> None:
        """Return if the page may be read.

        Raises:
            FileSkipped: its site forbids it.
            SourceUnavailable: its site cannot tell now.
            SourceRefused: its address is not allowed.
        """
        rules = await self._rules(url, trusted)
        if not rules.can_fetch(url, NAME):
            raise FileSkipped("its site does not let robots read it (robots.txt)")

    async def delay(self, url: str, *, trusted: bool = False) -> float:
        """Return the seconds that a site asks for between two pages; 0 if it does not say.

        Raises:
            SourceUnavailable: its site cannot tell now.
            SourceRefused: its address is not allowed.
        """
        rules = await self._rules(url, trusted)
        rate = rules.request_rate(NAME)
        return max(rules.crawl_delay(NAME) or 0.0, rate.seconds / rate.requests if rate and rate.requests else 0.0)

    async def take_turn(self, url: str, pause: float) -> None:
        """Wait until `pause` seconds have passed since the last turn at the site; turns are taken in order."""
        now = self._clock()
        for site in [site for site, turn in self._turns.items() if now - turn > KEPT_SECONDS]:
            del self._turns[site]
        site = urlsplit(url).netloc
        turn = max(now, self._turns[site] + pause) if site in self._turns else now
        self._turns[site] = turn
        if turn > now:
            await self._sleep(turn - now)

    async def _rules(self, url: str, trusted: bool) -> Protego:
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}"
        known = self._known.get(site)
        if known is None or self._clock() - known.at > KEPT_SECONDS:
            known = _Known(await self._read(site, trusted), self._clock())
            self._known.pop(site, None)
            self._known[site] = known
            if len(self._known) > MOST_SITES:
                del self._known[next(iter(self._known))]
        return known.rules

    async def _read(self, site: str, trusted: bool) -> Protego:
        address = f"{site}/robots.txt"
        answer = await self._fetcher.fetch(
            "robots.txt", address, most_bytes=ROBOTS_BYTES, trusted=trusted, cached=not trusted
        )
        if answer.status == 429 or answer.status >= 500:
            raise SourceUnavailable(f"its site's robots.txt cannot be had now (HTTP {answer.status})")
        # Sites without one often answer a page; as rules that is nothing.
        said = answer.text if answer.status == 200 and "html" not in answer.media_type else ""
        return Protego.parse(said.lstrip("\ufeff").replace("\0", ""))
