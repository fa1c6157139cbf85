"""Pages that were read lately: public ones on disk, for an hour as they are, then while their server says the same.

Only what anyone would be shown is kept on disk: answers to a GET that held no key, from the public web, whole and with
status 200. So all runs and all tenants may share them. How long a page asks to be kept does not count, because a run
shall see a page once, whatever its server hopes, and a page that was corrected shall not be quoted as it was a year
ago. Pages that may stand in no file (of private hosts, or that ask not to be stored) are kept in memory for minutes.

What is kept is a convenience: if it cannot be read or written, pages are fetched.
"""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path
from typing import Final, NamedTuple

import hishel
import httpx
from hishel.httpx import AsyncCacheTransport

from elcano.activities.sources.http.allowed_addresses import Request
from elcano.activities.sources.http.answers import Answer

FRESH_SECONDS: Final = 3_600
"""Seconds for which a cached page is used without revalidation."""
KEPT_SECONDS: Final = 30 * 86_400.0
"""Then it is fetched anew, whatever its server says."""
LARGEST: Final = 20_000_000
"""Bytes of one page, as they come; larger ones are not kept."""
FILE: Final = Path("pages", "hishel-2.sqlite")
"""In the data folder; a later hishel may write its tables otherwise."""

KEPT: Final = "kept"
"""The extension of an answer that was on disk."""

_NOT_KEPT: Final = ("age", "expires", "pragma", "set-cookie", "cache-control", "date")
_log = logging.getLogger("pages")


class CachedTransport(httpx.AsyncBaseTransport):
    """Answers with a kept page, or by another transport; several processes may have the same file open."""

    def __init__(self, network: httpx.AsyncBaseTransport, data_dir: Path, most_bytes: int) -> None:
        """Nothing is opened before the first request; `network` is closed by who made it."""
        self._network = network
        self._file = data_dir / FILE
        self._storage = hishel.AsyncSqliteStorage(
            database_path=self._file, default_ttl=KEPT_SECONDS, max_stream_size=LARGEST, max_size=most_bytes
        )
        self._cache = AsyncCacheTransport(
            _Unhurried(network), self._storage, rfc=hishel.CacheOptions(shared=False, supported_methods=["GET"])
        )
        self._opening: asyncio.Task[bool] | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response, not read yet; what the cache stores of it is stored while it is read.

        Raises:
            httpx.TransportError: it is not cached, and there is no response.
        """
        if self._opening is None:
            self._opening = asyncio.create_task(asyncio.to_thread(_is_usable_cache, self._file))
        if not await asyncio.shield(self._opening):
            return await self._network.handle_async_request(request)
        answer = await self._cache.handle_async_request(request)
        if not answer.extensions["caching"]["from_cache"]:
            return answer
        try:
            content = b"".join([piece async for piece in answer.aiter_raw()])
        except (sqlite3.Error, RuntimeError, OSError) as error:  # RuntimeError: it was thrown out meanwhile
            _log.warning("a kept page cannot be read and is fetched again (%s)", error)
            return await self._network.handle_async_request(request)
        finally:
            await answer.aclose()
        return httpx.Response(
            answer.status_code, headers=answer.headers, stream=httpx.ByteStream(content), extensions={KEPT: True}
        )

    async def aclose(self) -> None:
        """Closes the file."""
        if self._opening is not None:
            await self._opening
        await self._storage.close()


class _Unhurried(httpx.AsyncBaseTransport):
    """Says of a page that it is fresh for an hour, and of everything else that it is not to be stored."""

    def __init__(self, network: httpx.AsyncBaseTransport) -> None:
        self._network = network

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self._network.handle_async_request(request)
        directives = {part.strip().lower() for part in answer.headers.get("cache-control", "").split(",")}
        answer.headers = httpx.Headers(
            [(name, value) for name, value in answer.headers.raw if name.lower().decode("latin-1") not in _NOT_KEPT]
        )
        if "*" in answer.headers.get("vary", ""):  # by what no request says; ours differ in nothing else
            del answer.headers["vary"]
        kept = answer.status_code in (httpx.codes.OK, httpx.codes.NOT_MODIFIED) and "no-store" not in directives
        answer.headers["cache-control"] = f"max-age={FRESH_SECONDS}" if kept else "no-store"
        answer.headers["date"] = formatdate(usegmt=True)  # when it was read, by the clock that its age is computed by
        return answer


def _is_usable_cache(file: Path) -> bool:
    """Whether pages can be kept in `file`; one that is damaged or not ours is thrown away first."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            _look_into(file)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            _log.warning("%s is damaged (%s); pages are kept anew", file, error)
            for suffix in ("", "-wal", "-shm"):
                file.with_name(file.name + suffix).unlink(missing_ok=True)
    except (OSError, sqlite3.OperationalError) as error:
        _log.warning("pages cannot be kept in %s (%s)", file, error)
        return False
    return True


def _look_into(file: Path) -> None:
    connection = sqlite3.connect(file, timeout=5)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    finally:
        connection.close()


SECONDS: Final = 600.0
"""Seconds for which a page is used as it is: about a round of searches with its assessment, and less than an hour."""
MOST_BYTES: Final = 64_000_000
"""Maximum size of all pages together."""

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
