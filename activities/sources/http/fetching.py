"""The one client by which sources read anything over HTTP.

It says who asks, goes where it may, follows no trail that it should not, reads no more than its limit, keeps no
cookies and retries nothing. Errors name a host and never a whole address, which may hold a key.
"""

import asyncio
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

import httpx

from elcano import __version__
from elcano.activities.sources.http.address_pinning import THIS_MACHINE, Network, NotPublic, build_pinned_transport
from elcano.activities.sources.http.allowed_addresses import (
    MOST_REDIRECTS,
    Request,
    address_of,
    follow_redirect,
    format_host,
    is_private,
    origin_from_url,
    require_public,
)
from elcano.activities.sources.http.answers import ACCEPTED, content_of, encoding_of, media_type, require_answer
from elcano.activities.sources.http.answers import Answer as Answer
from elcano.activities.sources.http.page_cache import KEPT, CachedTransport, RecentPages
from elcano.activities.sources.http.trust_guard import require_contact
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.settings import Settings
from elcano.storage.sql.cipher import load_cipher

API_BYTES: Final = 20_000_000
"""Maximum size of a service's response; a page of 1,000 PubMed records takes some 15 MB."""
SECONDS: Final = 30.0
"""For one answer, from the first name that is resolved to the last byte."""


class Fetcher:
    """A client with its connections; `close` it."""

    def __init__(self, settings: Settings, network: Network = THIS_MACHINE) -> None:
        """Nothing is opened before the first request."""
        self._headers = {"User-Agent": user_agent(settings), "Accept": "*/*", "Accept-Encoding": ACCEPTED}
        self._private = frozenset(host.lower() for host in settings.private_hosts)
        self._outside = build_pinned_transport(network, proxy=settings.proxy)
        self._inside = build_pinned_transport(network, anywhere=True)
        room = (
            int(settings.page_cache_mb * 1_000_000) if load_cipher(settings) is None else 0
        )  # pages name what is asked
        self._kept = CachedTransport(self._outside, settings.data_dir, room) if room else None
        self._lately = RecentPages()
        self._reading = WeakValueDictionary[httpx.URL, asyncio.Lock]()

    async def close(self) -> None:
        """Closes its connections."""
        for opened in filter(None, (self._kept, self._outside, self._inside)):
            await opened.aclose()

    async def fetch(
        self,
        source: str,
        url: str,
        *,
        method: str = "GET",
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: object = None,
        most_bytes: int = API_BYTES,
        trusted: bool = False,
        kinds: Collection[str] = (),
        seconds: float = SECONDS,
        cached: bool = True,
        is_page: bool = True,
    ) -> Answer:
        """Asks once, and follows up to five redirects.

        Args:
            source: who asks, for errors.
            url: http or https.
            method: `GET` or `POST`.
            params: added to the query of `url`.
            headers: added to those of the client; keys belong here and not into `params` wherever a service allows it:
                they are never sent on to another host.
            body: sent as JSON.
            most_bytes: a larger answer is refused.
            trusted: the operator named this address in the settings: it may be in a private network.
            kinds: the media types that are read, as `text/html`; empty: all. An error may have any.
            seconds: for all of it.
            cached: a public page that was read within the hour is taken as it was then, one that may not be kept on
                disk as it was some minutes ago.
            is_page: what is there becomes content: the run's lists of domains hold for it, and for each redirect.

        Raises:
            SourceUnavailable: it did not answer, or not in time.
            SourceRefused: the address, its content's kind or size, or its redirects are not allowed.
        """
        address = address_of(source, url)
        if params:
            address = address.copy_merge_params(params)
        inside = trusted or is_private(address, self._private)
        request = Request(method, address, dict(headers or {}), body, inside)
        try:
            async with asyncio.timeout(seconds):
                return await self._answered(source, request, _Wanted(most_bytes, frozenset(kinds), cached, is_page))
        except TimeoutError as error:
            host = format_host(origin_from_url(address).host)
            raise SourceUnavailable(f"{source}: {host} did not answer within {seconds:g} s") from error

    async def _answered(self, source: str, request: Request, wanted: "_Wanted") -> Answer:
        visited = set[tuple[str, httpx.URL]]()
        while True:
            host = format_host(origin_from_url(request.address).host)
            if (request.method, request.address) in visited:
                raise SourceRefused(f"{source}: {host} redirects in a circle")
            if len(visited) > MOST_REDIRECTS:
                raise SourceRefused(f"{source}: more than {MOST_REDIRECTS} redirects, the last one to {host}")
            visited.add((request.method, request.address))
            require_contact(source, request.address, is_page=wanted.is_page, inside=request.inside)
            if not request.inside:
                require_public(source, request.address)
            try:
                reached = await self._sent(source, request, wanted)
            except NotPublic as error:
                raise SourceRefused(f"{source}: {error}") from error
            except httpx.TransportError as error:
                raise SourceUnavailable(f"{source}: {host}: {error}") from error
            if isinstance(reached, Answer):
                return reached
            request = reached

    async def _sent(self, source: str, request: Request, wanted: "_Wanted") -> Answer | Request:
        """The answer, or the request that it redirects to."""
        by = self._inside if request.inside else self._outside
        if not (wanted.cached and self._kept and request.is_for_everybody):
            return await self._read(source, request, wanted, by)
        # One after another: who comes second finds what the first has read.
        async with self._reading.setdefault(request.address, asyncio.Lock()):
            known = self._lately.get(request)
            if known is not None and wanted.allows(known):
                return known
            reached = await self._read(source, request, wanted, by if request.inside else self._kept)
            if isinstance(reached, Answer) and reached.status == httpx.codes.OK and not self._on_disk(request, reached):
                self._lately.keep(request, reached)
            return reached

    @staticmethod
    def _on_disk(request: Request, answer: Answer) -> bool:
        """Whether an answer that was read by the kept pages may stand among them."""
        return not request.inside and "no-store" not in answer.headers.get("cache-control", "")

    async def _read(
        self, source: str, request: Request, wanted: "_Wanted", by: httpx.AsyncBaseTransport
    ) -> Answer | Request:
        who = f"{source}: {format_host(origin_from_url(request.address).host)}"
        response = await by.handle_async_request(request.written(who, self._headers))
        try:
            following = follow_redirect(source, request, response, self._private)
            if following is not None:
                return following
            wanted.require_kind(who, response)
            content = await content_of(who, response, wanted.most_bytes)
        except SourceUnavailable:
            if KEPT not in response.extensions:
                raise
            return await self._read(source, request, wanted, self._outside)  # it was damaged on disk
        finally:
            await response.aclose()
        return Answer(
            url=str(request.address),
            status=response.status_code,
            headers=response.headers,
            content=content,
            encoding=encoding_of(content, response.charset_encoding),
        )


class _Wanted(NamedTuple):
    """The size and kinds of answer that are read, whether the cache may serve it, and whether it is content."""

    most_bytes: int
    kinds: frozenset[str]
    cached: bool
    is_page: bool

    def allows(self, answer: Answer) -> bool:
        """Whether an answer of before is of a kind and size that is read."""
        fits = len(answer.content) <= self.most_bytes
        return fits and (not self.kinds or answer.media_type in self.kinds)

    def require_kind(self, who: str, response: httpx.Response) -> None:
        """Returns if the answer is of a kind that is read, or says that there is none."""
        found = media_type(response.headers)
        if self.kinds and response.is_success and found not in self.kinds:
            wanted = ", ".join(sorted(self.kinds))
            raise SourceRefused(f"{who}: the answer is {found[:100] or 'of no kind'!r}, which is none of: {wanted}")


class Service:
    """A service that a source calls: its address, what is sent with every request, and what its statuses mean."""

    def __init__(self, name: str, base: str, settings: Settings, fetcher: Fetcher | None = None) -> None:
        """`base` is the service's own address; the settings may name another one for the source `name`."""
        chosen = settings.service_urls.get(name, "")
        self.name = name
        self.base = (chosen or base).rstrip("/") + "/"
        self.trusted = bool(chosen)
        self.fetcher = fetcher or Fetcher(settings)

    async def get(
        self, path: str, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """The answer to a GET of `path` below the base.

        Raises:
            SourceUnavailable: no response.
            SourceBusy: it is down, overloaded or asks to wait.
            SourceRefused: it refuses; the same request will never be answered.
        """
        answer = await self.ask(path, params=params, headers=headers)
        require_answer(self.name, httpx.Response(answer.status, headers=answer.headers))
        return answer

    async def ask(
        self,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        method: str = "GET",
        body: object = None,
    ) -> Answer:
        """Return the response whatever its status, for services whose statuses do not mean what they say."""
        return await self.fetcher.fetch(
            self.name,
            self.base + path.lstrip("/"),
            method=method,
            params=params,
            headers=headers,
            body=body,
            trusted=self.trusted,
            cached=False,  # services say in a 200 as well that they failed
            is_page=False,
        )

    async def close(self) -> None:
        """Closes the client's connections."""
        await self.fetcher.close()


def user_agent(settings: Settings) -> str:
    """Return the product, its version, and the contact if there is one."""
    return f"elcano/{__version__}" + (f" ({settings.contact})" if settings.contact else "")
