"""The authorization code flow of OpenID Connect Core 1.0, as far as it is asked of the login service.

The claims of a person are where the service puts them: a service that gives an access token too may give those of the
scopes at UserInfo alone (5.4). The client shows its secret in the way that discovery names, and in the header where it
names none (9).
"""

import base64
from collections.abc import Mapping, Sequence
from hashlib import sha256
from hmac import compare_digest
from typing import Any, Final
from urllib.parse import quote_plus, urlencode

from elcano.operations.access.issuer import Issuer, IssuerUnavailable, request_document
from elcano.operations.access.key_identity import CHALLENGE
from elcano.operations.access.oidc import read_token
from elcano.operations.access.settings import AccessSettings
from elcano.service.errors import Unauthenticated

SCOPES: Final = ("openid", "profile", "email")
BASIC: Final = "client_secret_basic"
POST: Final = "client_secret_post"


async def build_login_address(
    issuer: Issuer, chosen: AccessSettings, *, callback: str, state: str, nonce: str, verifier: str
) -> str:
    """The address at the login service to which the browser is sent.

    Raises:
        IssuerUnavailable: it does not answer, or names no such address.
    """
    configuration = await issuer.find_configuration()
    offered = configuration.get("scopes_supported")
    claims = (chosen.oidc_user_claim, chosen.oidc_tenant_claim, chosen.oidc_role_claim)
    # Many services give roles or groups only for a scope of that name, and some refuse scopes that they do not know.
    more = [one for one in claims if one not in SCOPES and isinstance(offered, list) and one in offered]
    challenge = base64.urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    asked = {
        "response_type": "code",
        "client_id": chosen.oidc_client_id,
        "redirect_uri": callback,
        "scope": " ".join((*SCOPES, *more)),
        "state": state,
        "nonce": nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    address = await issuer.find_endpoint("authorization_endpoint")
    return f"{address}{'&' if '?' in address else '?'}{urlencode(asked)}"


async def fetch_claims(
    issuer: Issuer, chosen: AccessSettings, *, code: str, callback: str, nonce: str, verifier: str
) -> Mapping[str, Any]:
    """The claims of the person for whom the login service gave a code.

    Raises:
        Unauthenticated: it does not take the code, or its answer is to another login or of another person.
        IssuerUnavailable: it does not answer, or not as it should.
    """
    tokens = await _exchange_code(issuer, chosen, code, callback, verifier)
    token = str(tokens.get("id_token", ""))
    claims = await read_token(token, issuer, chosen.oidc_client_id, chosen.oidc_leeway_seconds, from_issuer=True)
    if not compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
        raise Unauthenticated("the login service answered another login: sign in again", CHALLENGE)
    if claims.get("azp", chosen.oidc_client_id) != chosen.oidc_client_id:
        raise Unauthenticated("the login service answered another program: sign in again", CHALLENGE)
    wanted = filter(None, (chosen.oidc_user_claim, chosen.oidc_tenant_claim, chosen.oidc_role_claim))
    if all(name in claims for name in wanted):
        return claims
    return {**await _fetch_user_info(issuer, chosen, str(tokens.get("access_token", "")), claims), **claims}


async def _exchange_code(
    issuer: Issuer, chosen: AccessSettings, code: str, callback: str, verifier: str
) -> Mapping[str, Any]:
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": callback, "code_verifier": verifier}
    headers: dict[str, str] = {}
    match _choose_method(await issuer.find_configuration(), chosen):
        case "none":
            form["client_id"] = chosen.oidc_client_id
        case "client_secret_post":
            form |= {"client_id": chosen.oidc_client_id, "client_secret": chosen.oidc_client_secret}
        case _:  # each part is encoded first (RFC 6749, 2.3.1)
            pair = f"{quote_plus(chosen.oidc_client_id)}:{quote_plus(chosen.oidc_client_secret)}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    address = await issuer.find_endpoint("token_endpoint")
    status, found = await request_document(address, method="POST", data=form, headers=headers)
    if status == 200 and isinstance(found, dict):
        return found
    said = str(found.get("error", "")) if isinstance(found, dict) else ""
    if status >= 500:
        raise IssuerUnavailable(f"the login service fails with status {status}: try again")
    if said == "invalid_client":
        raise IssuerUnavailable(
            "the login service does not accept this server as its client: correct ELCANO_OIDC_CLIENT_ID and "
            "ELCANO_OIDC_CLIENT_SECRET"
        )
    raise Unauthenticated(f"the login service does not take the code ({said[:100]}): sign in again", CHALLENGE)


def _choose_method(configuration: Mapping[str, Any], chosen: AccessSettings) -> str:
    """Choose how the client sends its secret: in the header unless the service takes it in the form alone."""
    if not chosen.oidc_client_secret:
        return "none"
    offered = configuration.get("token_endpoint_auth_methods_supported") or [BASIC]
    methods: Sequence[object] = offered if isinstance(offered, list) else [BASIC]
    if found := next((one for one in (BASIC, POST) if one in methods), ""):
        return found
    raise IssuerUnavailable(
        f"the login service takes a client's secret by {', '.join(map(str, methods))[:200]}, and this server sends it "
        f"by {BASIC} or {POST}: allow one of them there"
    )


async def _fetch_user_info(
    issuer: Issuer, chosen: AccessSettings, access_token: str, claims: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The claims at UserInfo; none if the service has no such place, or gives no token for it."""
    if not access_token or "userinfo_endpoint" not in await issuer.find_configuration():
        return {}
    address = await issuer.find_endpoint("userinfo_endpoint")
    status, found = await request_document(address, headers={"Authorization": f"Bearer {access_token}"})
    if status != 200:
        raise IssuerUnavailable(
            f"the login service does not say who signed in (status {status} at UserInfo): try again"
        )
    if isinstance(found, str):  # a JWT, where the client is registered for a signed answer (5.3.2)
        found = await read_token(
            found, issuer, chosen.oidc_client_id, chosen.oidc_leeway_seconds, required=("iss", "aud"), from_issuer=True
        )
    if not isinstance(found, dict) or found.get("sub") != claims.get("sub"):
        raise Unauthenticated("the login service names another person at UserInfo: sign in again", CHALLENGE)
    return found
