"""Sends messages to receivers, whose addresses are checked again when they are connected to.

Redirects are not followed: a receiver that has moved has to be named anew.
"""

import ssl
from collections.abc import Mapping
from typing import Final

import httpx

from elcano.activities.sources.http.address_pinning import THIS_MACHINE, Network, NotPublic, build_pinned_transport
from elcano.activities.sources.http.fetching import user_agent
from elcano.plugins.webhooks.targets import TargetRefused, check_target
from elcano.settings.settings import Settings

SECONDS: Final = 15.0
"""Within which a receiver has to answer."""


class NotDelivered(Exception):
    """A receiver did not take a message; the text says why. `answer` is its HTTP status, if it gave one."""

    def __init__(self, text: str, answer: int | None = None) -> None:
        super().__init__(text)
        self.answer = answer


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
