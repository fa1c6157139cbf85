"""Where messages may go: to public addresses, checked when they are connected to, and to hosts that the operator named.

Redirects are not followed: a receiver that has moved has to be named anew.
"""

import ssl
from collections.abc import Mapping
from typing import Final

import httpx

from elcano.activities.sources.http.address_pinning import THIS_MACHINE, Network, NotPublic, build_pinned_transport
from elcano.activities.sources.http.allowed_addresses import address_of, origin_from_url, require_public
from elcano.activities.sources.http.fetching import user_agent
from elcano.graphs.errors import SourceRefused
from elcano.plugins.webhooks.settings import read_webhook_settings
from elcano.settings.settings import Settings

SECONDS: Final = 15.0
"""Within which a receiver has to answer."""
WHERE: Final = "webhook"


class NotDelivered(Exception):
    """A receiver did not take a message; the text says why. `answer` is its HTTP status, if it gave one."""

    def __init__(self, text: str, answer: int | None = None) -> None:
        super().__init__(text)
        self.answer = answer


class TargetRefused(Exception):
    """A message may not go there."""


def check_target(url: str) -> bool:
    """Whether the operator named the host of a receiver; another one has to be public.

    Raises:
        TargetRefused: messages may not go there, as far as its address says so.
    """
    try:
        address = address_of(WHERE, url)
        if origin_from_url(address).private_name in read_webhook_settings().webhook_private_hosts:
            return True
        if address.scheme != "https":
            raise TargetRefused("a receiver has to be asked by https, or be named in ELCANO_WEBHOOK_PRIVATE_HOSTS")
        require_public(WHERE, address)
    except SourceRefused as error:
        raise TargetRefused(str(error).removeprefix(f"{WHERE}: ")) from error
    return False


class Sender:
    """Sends messages; `close` it."""

    def __init__(self, settings: Settings, network: Network = THIS_MACHINE, tls: ssl.SSLContext | None = None) -> None:
        """Nothing is opened before the first message."""
        self._outside = _build_client(settings, build_pinned_transport(network, proxy=settings.proxy, tls=tls))
        self._inside = _build_client(settings, build_pinned_transport(network, anywhere=True, tls=tls))

    async def send(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Send a message once, and return the status of the answer.

        Raises:
            TargetRefused: it may not go there.
            NotDelivered: it was not taken.
        """
        client = self._inside if check_target(url) else self._outside
        sent = {**headers, "Content-Type": "application/json"}
        try:
            async with client.stream("POST", url, content=body, headers=sent) as answer:  # its body is of no interest
                status = answer.status_code
        except NotPublic as error:
            raise TargetRefused(str(error)) from error
        except httpx.TransportError as error:
            raise NotDelivered(f"nobody answered: {error or type(error).__name__}") from error
        if 300 <= status < 400:
            raise NotDelivered(f"it answered {status}: redirects are not followed", status)
        if not 200 <= status < 300:
            raise NotDelivered(f"it answered {status}", status)
        return status

    async def close(self) -> None:
        """Closes all connections."""
        await self._outside.aclose()
        await self._inside.aclose()


def _build_client(settings: Settings, transport: httpx.AsyncBaseTransport) -> httpx.AsyncClient:
    headers = {"User-Agent": user_agent(settings)}
    return httpx.AsyncClient(transport=transport, timeout=SECONDS, follow_redirects=False, headers=headers)
