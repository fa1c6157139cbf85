"""The connection to Temporal is made by the first call that needs it, and anew until that works.

So the API starts, answers and serves finished runs while Temporal is away.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final

from temporalio.client import Client

from elcano.api.http.errors import TemporalUnavailable
from elcano.api.temporal.retry_interceptor import RetryQueries
from elcano.settings import Settings
from elcano.storage.payloads import connect_config

CONNECT_TIMEOUT: Final = timedelta(seconds=5)


class Connection:
    """One client, made when it is first asked for."""

    def __init__(self, connect: Callable[[], Awaitable[Client]]) -> None:
        self._connect = connect
        self._attempt: asyncio.Future[Client] | None = None

    async def client(self) -> Client:
        """The client.

        Raises:
            TemporalUnavailable: the server cannot be reached.
        """
        attempt = self._attempt
        if attempt is None or (attempt.done() and attempt.exception() is not None):
            attempt = self._attempt = asyncio.ensure_future(self._connect())
        try:
            return await asyncio.shield(attempt)  # shared: whoever goes away leaves it to the others
        except RuntimeError as error:  # how the SDK says that it cannot connect
            raise TemporalUnavailable("Temporal cannot be reached; is its server running?") from error


async def connect_client(settings: Settings) -> Client:
    """A client of the server that the settings name, with the converter that the workers use.

    Raises:
        RuntimeError: the server cannot be reached.
    """
    return await Client.connect(
        **connect_config(settings), connect_timeout=CONNECT_TIMEOUT, interceptors=[RetryQueries()]
    )
