"""The issuer of OpenID Connect tokens: its addresses, and the keys that it signs with.

Its keys are fetched when they are needed, kept for an hour, and fetched anew for an unknown key id at most once a
minute, whatever is sent: a storm of invented key ids costs the issuer one request a minute. While it is away or slow,
known keys stay in use, and one request an outage waits for it.
"""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import httpx

from elcano.operations.access.settings import LOOPBACK
from elcano.service.errors import Refusal

KEYS_SECONDS: Final = 3_600.0
"""Seconds for which the issuer's keys are cached."""
REFETCH_SECONDS: Final = 60.0
"""Minimum interval between two fetches of them, in seconds."""
FETCH_SECONDS: Final = 5.0
LONGEST_DOCUMENT: Final = 1024 * 1024
"""Bytes of a document of the issuer's."""
_log = logging.getLogger("access.oidc")


class IssuerUnavailable(Refusal, kind="unavailable", title="The login service cannot be reached", retry_after=30):
    """The issuer of tokens does not answer, or not as it should."""


Fetch = Callable[[str], Any]
"""Fetches a JSON document; a coroutine function."""


async def request_document(
    address: str,
    *,
    method: str = "GET",
    data: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> tuple[int, Any]:
    """Ask the issuer once: the status of its answer, and its document, a JWT as its text.

    Raises:
        IssuerUnavailable: it does not answer within `FETCH_SECONDS`, or with something else.
    """
    try:
        async with (
            asyncio.timeout(FETCH_SECONDS),
            httpx.AsyncClient(timeout=FETCH_SECONDS) as client,
            client.stream(
                method, address, data=data, headers={"Accept": "application/json", **(headers or {})}
            ) as answer,
        ):
            body = bytearray()
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > LONGEST_DOCUMENT:
                    raise IssuerUnavailable(f"the answer of {address} is over {LONGEST_DOCUMENT} bytes")
            if answer.headers.get("content-type", "").startswith("application/jwt"):
                return answer.status_code, body.decode("ascii")
            return answer.status_code, json.loads(body)
    except (httpx.HTTPError, ValueError, TimeoutError) as error:
        raise IssuerUnavailable(f"{address} cannot be read ({type(error).__name__}): try again later") from error


async def fetch_document(address: str) -> Any:
    """Fetch a JSON document of the issuer.

    Raises:
        IssuerUnavailable: it does not answer, or with something else.
    """
    status, found = await request_document(address)
    if status != 200:
        raise IssuerUnavailable(f"{address} cannot be read (status {status}): try again later")
    return found


class Issuer:
    """The issuer's addresses and keys, as they are known now."""

    def __init__(
        self, address: str, fetch: Fetch = fetch_document, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.address = address
        self._fetch = fetch
        self._clock = clock
        self._configuration: Mapping[str, Any] = {}
        self._keys: Mapping[str, Any] = {}
        self._configured_at: float | None = None
        self._fetched_at: float | None = None
        self._tried_at: float | None = None
        self._failure: IssuerUnavailable | None = None
        self._fetching = asyncio.Lock()
        self._retrying: asyncio.Task[None] | None = None

    async def find_configuration(self) -> Mapping[str, Any]:
        """Fetch the issuer's configuration.

        Raises:
            IssuerUnavailable: it does not, or says that it is another one.
        """
        if self._is_over(KEYS_SECONDS, self._configured_at):
            try:
                found = await self._fetch(f"{self.address}/.well-known/openid-configuration")
                named = str(found.get("issuer", "")).rstrip("/") if isinstance(found, dict) else ""
                if named != self.address:
                    raise IssuerUnavailable(
                        f"{self.address} says that it is {named[:200]!r}: correct ELCANO_OIDC_ISSUER"
                    )
            except IssuerUnavailable:
                if not self._configuration:
                    raise
            else:
                self._configuration, self._configured_at = found, self._clock()
        return self._configuration

    async def find_endpoint(self, name: str) -> str:
        """The address of the issuer that its configuration has under this name.

        Raises:
            IssuerUnavailable: it has none, or one that is neither encrypted nor on this machine.
        """
        address = (await self.find_configuration()).get(name)
        if not isinstance(address, str) or not address.startswith(("https://", *LOOPBACK)):
            raise IssuerUnavailable(f"{self.address} names no `https://` address as its {name}")
        return address

    async def find_key(self, key_id: str | None, *, from_issuer: bool = False) -> Any:
        """The key with this id, a `jwt.PyJWK`; the only one if a token names none; None if there is no such key.

        Args:
            key_id: of a token.
            from_issuer: the token came from the issuer itself, so that no stranger can have invented the id.

        Raises:
            IssuerUnavailable: no keys are known, and none can be fetched.
        """
        known, over = self._pick_key(key_id) is not None, self._is_over(KEYS_SECONDS, self._fetched_at)
        if known and over and self._failure is not None:  # it was away a moment ago: nobody waits for it again
            if self._retrying is None or self._retrying.done():
                self._retrying = asyncio.create_task(self._fetch_lacking(key_id, from_issuer))
        elif over or not known:
            await self._fetch_lacking(key_id, from_issuer)
        return self._pick_key(key_id)

    async def _fetch_lacking(self, key_id: str | None, from_issuer: bool) -> None:
        async with self._fetching:  # those who wait have the answer of the first
            if self._is_over(KEYS_SECONDS, self._fetched_at) or self._pick_key(key_id) is None:
                await self._refetch(at_once=from_issuer)

    def _is_over(self, seconds: float, since: float | None) -> bool:
        return since is None or self._clock() - since >= seconds

    def _pick_key(self, key_id: str | None) -> Any:
        if key_id is not None:
            return self._keys.get(key_id)
        return next(iter(self._keys.values())) if len(self._keys) == 1 else None

    async def _refetch(self, *, at_once: bool) -> None:
        """Fetch the keys, unless that was tried a moment ago. Known keys stay in use while the issuer is away."""
        from jwt import PyJWKSet
        from jwt.exceptions import PyJWTError

        if not at_once and not self._is_over(REFETCH_SECONDS, self._tried_at):
            if self._failure is not None and not self._keys:
                raise self._failure
            return
        self._tried_at = self._clock()
        try:
            address = await self.find_endpoint("jwks_uri")
            keys = PyJWKSet.from_dict(await self._fetch(address)).keys
        except (IssuerUnavailable, PyJWTError, AttributeError, TypeError) as error:
            _log.warning("the keys of %s cannot be fetched: %s", self.address, error)
            unreadable = IssuerUnavailable(f"the keys of {self.address} cannot be read")
            self._failure = failure = error if isinstance(error, IssuerUnavailable) else unreadable
            if not self._keys:
                raise failure from error
            return
        self._failure, self._fetched_at = None, self._clock()
        self._keys = {str(key.key_id or ""): key for key in keys if key.public_key_use in (None, "sig")}
