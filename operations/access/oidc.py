"""Identifies the caller by an OpenID Connect token: a JWT that an issuer signed, checked by PyJWT.

Only signatures with public keys are accepted (no `none`, and no HMAC, for which a public key could be taken as the
secret), and a key is used for its own algorithm alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import Request

from elcano.api.http.request_identity import Identity
from elcano.graphs.errors import InputInvalid
from elcano.graphs.extras import EXTRAS
from elcano.graphs.tenants import fault_of, is_tenant
from elcano.operations.access.issuer import Issuer
from elcano.operations.access.key_identity import (
    CHALLENGE,
    INVALID,
    KEY_PREFIX,
    KeyIdentity,
    SessionIdentity,
    read_bearer_token,
)
from elcano.operations.access.settings import AccessSettings
from elcano.service.errors import Forbidden, Unauthenticated
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
