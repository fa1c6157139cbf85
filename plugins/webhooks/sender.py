"""Sends messages to receivers, whose addresses are checked again when they are connected to.

Redirects are not followed: a receiver that has moved has to be named anew.
"""

import asyncio
import ssl
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from email.message import EmailMessage
from typing import Final

import httpx

from elcano.activities.sources.http.address_pinning import THIS_MACHINE, Network, NotPublic, build_pinned_transport
from elcano.activities.sources.http.fetching import user_agent
from elcano.plugins.webhooks.mail import send_mail
from elcano.plugins.webhooks.settings import read_webhook_settings
from elcano.plugins.webhooks.targets import NotDelivered, TargetRefused, check_target
from elcano.settings.settings import Settings

SECONDS: Final = 15.0
"""Within which a receiver has to answer."""
MAILS_AT_ONCE: Final = 8


class Sender:
    """Sends messages; `close` it."""

    def __init__(self, settings: Settings, network: Network = THIS_MACHINE, tls: ssl.SSLContext | None = None) -> None:
        """Nothing is opened before the first message."""
        self._outside = _build_client(settings, build_pinned_transport(network, proxy=settings.proxy, tls=tls))
        self._inside = _build_client(settings, build_pinned_transport(network, anywhere=True, tls=tls))
        self._mailing = ThreadPoolExecutor(MAILS_AT_ONCE, "mail")

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

    async def mail(self, mail: EmailMessage) -> int:
        """Hand an e-mail to the mail server once, and return what it answered.

        Raises:
            NotDelivered: it was not taken.
        """
        loop, settings = asyncio.get_running_loop(), read_webhook_settings()
        return await loop.run_in_executor(self._mailing, send_mail, mail, settings, SECONDS)

    async def close(self) -> None:
        """Closes all connections."""
        self._mailing.shutdown(wait=False, cancel_futures=True)
        await self._outside.aclose()
        await self._inside.aclose()


def _build_client(settings: Settings, transport: httpx.AsyncBaseTransport) -> httpx.AsyncClient:
    headers = {"User-Agent": user_agent(settings)}
    return httpx.AsyncClient(transport=transport, timeout=SECONDS, follow_redirects=False, headers=headers)
