"""The one client by which sources read anything over HTTP.

It says who asks, follows no trail it should not, reads no more than it was told to, keeps no cookies and retries
nothing.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import httpx

from elcano import __version__
from elcano.activities.sources.retry_after import require_answer
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.settings import Settings

API_BYTES: Final = 20_000_000
"""Of one answer of a service; a page of 1,000 PubMed records takes some 15 MB."""
SECONDS: Final = 30.0


class Answer(NamedTuple):
    """What came back, whatever its status."""

    url: str
    """Where it is from, after redirects."""
    status: int
    headers: httpx.Headers
    content: bytes
    """Decoded from its content encoding."""
    encoding: str = "utf-8"
    """As declared; `utf-8` if nothing was."""

    @property
    def media_type(self) -> str:
        """Lower case, without parameters; empty if it says none."""
        declared: str = self.headers.get("content-type", "")
        return declared.partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        """The content as text; what cannot be decoded becomes U+FFFD."""
        return self.content.decode(self.encoding, errors="replace")

    def json(self, source: str) -> Any:
        """The content as JSON.

        Raises:
            SourceUnavailable: it is none.
        """
        try:
            return json.loads(self.content)
        except ValueError as error:
            raise SourceUnavailable(f"{source}: the answer is no JSON ({error})") from error


class Fetcher:
    """A client with its connections; `close` it."""

    def __init__(self, settings: Settings) -> None:
        self._client = httpx.AsyncClient(
            headers={"User-Agent": user_agent(settings)}, timeout=SECONDS, follow_redirects=True, trust_env=False
        )

    async def close(self) -> None:
        """Closes its connections."""
        await self._client.aclose()

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
    ) -> Answer:
        """Asks once.

        Args:
            source: who asks, for errors.
            url: http or https.
            method: `GET` or `POST`.
            params: added to the query of `url`.
            headers: added to those of the client; keys belong here and not into `params` wherever a service allows it.
            body: sent as JSON.
            most_bytes: a larger answer is refused.
            trusted: the operator named this address in the settings: it may be in a private network.

        Raises:
            SourceUnavailable: nobody answered, or not in time.
            SourceRefused: the address, its content's size or its redirects are not allowed.
        """
        try:
            response = await self._client.request(method, url, params=params, headers=headers, json=body)
        except httpx.TransportError as error:
            raise SourceUnavailable(f"{source}: {type(error).__name__}: {error}") from error
        if len(response.content) > most_bytes:
            raise SourceRefused(f"{source}: the answer is larger than {most_bytes} bytes")
        return Answer(
            url=str(response.url),
            status=response.status_code,
            headers=response.headers,
            content=response.content,
            encoding=response.charset_encoding or "utf-8",
        )


class Service:
    """One service that a source asks: its address, what is sent with every request, and what its statuses mean."""

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
            SourceUnavailable: nobody answered.
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
        """The answer whatever its status, for services whose statuses do not mean what they say."""
        return await self.fetcher.fetch(
            self.name,
            self.base + path.lstrip("/"),
            method=method,
            params=params,
            headers=headers,
            body=body,
            trusted=self.trusted,
        )

    async def close(self) -> None:
        """Closes the client's connections."""
        await self.fetcher.close()


def user_agent(settings: Settings) -> str:
    """The product, its version, and whom to write to."""
    return f"elcano/{__version__}" + (f" ({settings.contact})" if settings.contact else "")
