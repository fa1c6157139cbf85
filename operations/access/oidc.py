"""Identifies the caller by an OpenID Connect token: a JWT that an issuer signed, checked by PyJWT.

Only signatures with public keys are accepted (no `none`, and no HMAC, for which a public key could be taken as the
secret), and a key is used for its own algorithm alone. The issuer's keys are fetched when they are needed, kept for an
hour, and fetched anew for an unknown key id at most once a minute, whatever is sent: a storm of invented key ids costs
the issuer one request a minute.
"""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import httpx
from fastapi import Request

from elcano.api.http.request_identity import Identity
from elcano.graphs.errors import InputInvalid
from elcano.graphs.extras import EXTRAS
from elcano.graphs.tenants import fault_of, is_tenant
from elcano.operations.access.key_identity import (
    CHALLENGE,
    INVALID,
    KEY_PREFIX,
    KeyIdentity,
    SessionIdentity,
    read_bearer_token,
)
from elcano.operations.access.settings import LOOPBACK, AccessSettings
from elcano.service.errors import Forbidden, Refusal, Unauthenticated
from elcano.service.permissions import ROLES, Principal, Role
from elcano.settings import read_plugin_settings
from elcano.settings.settings import Settings

ALGORITHMS: Final = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)
"""Signatures that are checked with a public key."""
LONGEST_TOKEN: Final = 16_384
"""Characters of a token that is looked at; those of large issuers have some thousands."""
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
        if self._is_over(KEYS_SECONDS, self._fetched_at) or self._pick_key(key_id) is None:
            async with self._fetching:  # those who wait have the answer of the first
                if self._is_over(KEYS_SECONDS, self._fetched_at) or self._pick_key(key_id) is None:
                    await self._refetch(at_once=from_issuer)
        return self._pick_key(key_id)

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


async def read_token(
    token: str,
    issuer: Issuer,
    audience: str,
    leeway: float,
    *,
    required: Sequence[str] = ("exp", "iss", "aud"),
    from_issuer: bool = False,
) -> dict[str, Any]:
    """The claims of a token whose signature, issuer, audience and times are right.

    Args:
        token: as it was sent.
        issuer: whose it has to be.
        audience: for whom it has to be.
        leeway: how far the issuer's clock may be from this one's, in seconds.
        required: claims that it has to have.
        from_issuer: this server got it from the issuer, and not from a client.

    Raises:
        Unauthenticated: they are not; the text says what is wrong.
        IssuerUnavailable: it cannot be known now.
    """
    import jwt

    if len(token) > LONGEST_TOKEN:
        raise Unauthenticated(f"the token has over {LONGEST_TOKEN} characters", INVALID)
    try:
        header = jwt.get_unverified_header(token)
        if header.get("alg") not in ALGORITHMS:
            said = str(header.get("alg"))[:20]
            text = f"the token's signature is {said!r}: it has to be one with a public key, such as RS256 or ES256"
            raise Unauthenticated(text, INVALID)
        key = await issuer.find_key(header.get("kid"), from_issuer=from_issuer)
        if key is None:
            raise Unauthenticated(f"the issuer {issuer.address} has no key of this token: sign in again", INVALID)
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[key.algorithm_name],
            audience=audience,
            issuer=[issuer.address, f"{issuer.address}/"],
            leeway=leeway,
            options={"require": [*required], "strict_aud": False},
        )
    except jwt.exceptions.PyJWTError as error:
        raise Unauthenticated(f"the token is not valid: {_explain_fault(error)}", INVALID) from error
    return claims


def _explain_fault(error: Exception) -> str:
    """Describe the fault of a token in words of our own: those of the library may repeat parts of it."""
    from jwt import exceptions

    faults: Mapping[type[Exception], str] = {
        exceptions.ExpiredSignatureError: "it has expired; sign in again",
        exceptions.ImmatureSignatureError: "it is not valid yet; compare the clocks",
        exceptions.InvalidAudienceError: "it is for another audience",
        exceptions.InvalidIssuerError: "it is of another issuer",
        exceptions.MissingRequiredClaimError: "it lacks one of the claims exp, iss and aud",
        exceptions.InvalidAlgorithmError: "its algorithm is not that of its key",
        exceptions.InvalidSignatureError: "its signature is wrong",
    }
    return next((text for kind, text in faults.items() if isinstance(error, kind)), "it cannot be read")


def build_token_principal(claims: Mapping[str, Any], chosen: AccessSettings) -> Principal:
    """The principal of a token, by the claims that the settings name.

    Raises:
        Unauthenticated: it names no tenant or user, or one that cannot be.
        Forbidden: it names no role that means something here.
    """
    tenant = claims.get(chosen.oidc_tenant_claim) if chosen.oidc_tenant_claim else chosen.oidc_tenant
    if not isinstance(tenant, str) or not is_tenant(tenant):
        raise Unauthenticated(f"the token's claim {chosen.oidc_tenant_claim!r} names no tenant", INVALID)
    user = claims.get(chosen.oidc_user_claim)
    if not isinstance(user, str) or not user or fault_of(user) is not None:
        raise Unauthenticated(f"the token's claim {chosen.oidc_user_claim!r} names no user", INVALID)
    return Principal(tenant=tenant, user=user, role=_choose_role(claims.get(chosen.oidc_role_claim), chosen))


def _choose_role(claimed: object, chosen: AccessSettings) -> Role:
    values: Sequence[object] = claimed if isinstance(claimed, list) else [claimed]
    known: Mapping[str, Role] = chosen.oidc_roles or {role: role for role in reversed([*ROLES])}
    for value, role in known.items():
        if value in values:
            return role
    raise Forbidden(f"the token's claim {chosen.oidc_role_claim!r} has no role here: ask the operator for one")


class TokenIdentity:
    """Takes the principal from a token of the issuer, sent as `Authorization: Bearer ...`."""

    advice = "send a token of your login service as `Authorization: Bearer ...`"
    challenge = CHALLENGE
    security: Sequence[Mapping[str, list[str]]] = [{"token": []}]

    def __init__(self, chosen: AccessSettings, issuer: Issuer) -> None:
        self._chosen = chosen
        self._issuer = issuer
        self.security_schemes: Mapping[str, Mapping[str, Any]] = {
            "token": {"type": "openIdConnect", "openIdConnectUrl": f"{issuer.address}/.well-known/openid-configuration"}
        }

    async def find_principal(self, request: Request, /) -> Principal | None:
        """The principal of the token; None if the request has none.

        Raises:
            Unauthenticated: the token is not valid.
            Forbidden: it has no role here.
            IssuerUnavailable: it cannot be known now.
        """
        token = read_bearer_token(request)
        if token is None or token.startswith(KEY_PREFIX):
            return None
        chosen = self._chosen
        claims = await read_token(token, self._issuer, chosen.oidc_audience, chosen.oidc_leeway_seconds)
        return build_token_principal(claims, chosen)


_issuers: dict[str, Issuer] = {}


def get_issuer(address: str) -> Issuer:
    """The issuer, whose keys this process keeps."""
    return _issuers.setdefault(address, Issuer(address))


def open_identities(settings: Settings) -> list[Identity]:
    """The ways to identify a caller that are set up: API keys, tokens of the issuer, browser sessions.

    Raises:
        InputInvalid: what checks tokens is not installed.
    """
    chosen = read_plugin_settings(AccessSettings)
    found: list[Identity] = [KeyIdentity()] if chosen.api_keys else []
    if chosen.oidc_issuer:
        try:
            import cryptography  # noqa: F401
            import jwt  # noqa: F401
        except ModuleNotFoundError as error:
            text = f"tokens cannot be checked without {error.name}: {EXTRAS['access'].install}"
            raise InputInvalid("oidc_issuer", text) from error
        found.append(TokenIdentity(chosen, get_issuer(chosen.oidc_issuer)))
    if chosen.api_keys or chosen.oidc_client_id:
        found.append(SessionIdentity())
    return found
