"""Signing in at the issuer with a browser: the authorization code flow of OpenID Connect, with PKCE, state and nonce.

What has to come back is in a cookie of this browser for ten minutes, so that nobody can finish a login that another one
began. The tokens themselves are not kept: the session is ours.
"""

import base64
import json
import secrets
from hashlib import sha256
from hmac import compare_digest
from typing import Annotated, Any, Final
from urllib.parse import urlencode

import httpx
from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse

from elcano.api.http.errors import Forbidden, Unauthenticated, problem_docs
from elcano.api.http.request_identity import PUBLIC
from elcano.plugins.access.audit import record_login
from elcano.plugins.access.key_identity import CHALLENGE, get_access_store, is_local, set_session_cookie
from elcano.plugins.access.oidc import FETCH_SECONDS, IssuerUnavailable, build_token_principal, get_issuer, read_token
from elcano.plugins.access.session_routes import LoginNotFound
from elcano.plugins.access.settings import AccessSettings
from elcano.settings import read_plugin_settings

LOGIN_SECONDS: Final = 600
LOGIN_COOKIE: Final = "__Host-elcano_login"
LOOPBACK_COOKIE: Final = "elcano_login"
CALLBACK: Final = "/v1/session/oidc/callback"


router = APIRouter(prefix="/v1/session/oidc", tags=["access"], dependencies=[PUBLIC])


def _require_client() -> AccessSettings:
    chosen = read_plugin_settings(AccessSettings)
    if not chosen.oidc_issuer or not chosen.oidc_client_id:
        raise LoginNotFound("no login service is set up here (ELCANO_OIDC_CLIENT_ID): sign in with an API key")
    return chosen


def _build_callback_address(request: Request) -> str:
    """The address to come back to: the public one of the settings, which the issuer knows."""
    base: str = request.app.state.services.settings.api_url.rstrip("/") or str(request.base_url).rstrip("/")
    return base + CALLBACK


def is_own_path(path: str) -> bool:
    """Whether a path leads to a page of this server: no browser takes it for another host."""
    return path.startswith("/") and not path.startswith(("//", "/\\")) and path.isascii() and path.isprintable()


@router.get(
    "", status_code=303, response_class=RedirectResponse, responses=problem_docs(LoginNotFound, IssuerUnavailable)
)
async def begin_login(
    request: Request,
    to: Annotated[str, Query(max_length=500, description="The path to come back to.", examples=["/docs"])] = "/",
) -> RedirectResponse:
    """Send the browser to the login service; it comes back with a session."""
    chosen = _require_client()
    configuration = await get_issuer(chosen.oidc_issuer).find_configuration()
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    challenge = base64.urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    asked = {
        "response_type": "code",
        "client_id": chosen.oidc_client_id,
        "redirect_uri": _build_callback_address(request),
        "scope": "openid profile email",
        "state": state,
        "nonce": nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    answer = RedirectResponse(f"{configuration['authorization_endpoint']}?{urlencode(asked)}", status_code=303)
    login = {"state": state, "nonce": nonce, "verifier": verifier, "to": to if is_own_path(to) else "/"}
    local = is_local(request)
    answer.set_cookie(
        LOOPBACK_COOKIE if local else LOGIN_COOKIE,
        base64.urlsafe_b64encode(json.dumps(login).encode()).decode(),
        max_age=LOGIN_SECONDS,
        path="/",
        secure=not local,
        httponly=True,
        samesite="lax",
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.get(
    "/callback",
    status_code=303,
    response_class=RedirectResponse,
    responses=problem_docs(LoginNotFound, Unauthenticated, Forbidden, IssuerUnavailable),
)
async def finish_login(
    request: Request,
    state: Annotated[str, Query(max_length=200, description="As it was sent.")] = "",
    code: Annotated[str, Query(max_length=4_000, description="What the login service gave.")] = "",
    error: Annotated[str, Query(max_length=200, description="Why it gave nothing.")] = "",
    error_description: Annotated[str, Query(max_length=2_000, description="Why, in the provider's words.")] = "",
    iss: Annotated[str, Query(max_length=500, description="Which login service answers (RFC 9207).")] = "",
    session_state: Annotated[str, Query(max_length=500, description="Not used.")] = "",
) -> RedirectResponse:
    """Take the browser back from the login service, and begin its session."""
    chosen = _require_client()
    issuer = get_issuer(chosen.oidc_issuer)
    login = _read_login(request)
    if not login or not compare_digest(str(login.get("state", "")).encode(), state.encode()):
        raise Unauthenticated("this browser began no such login, or too long ago: sign in again", CHALLENGE)
    if error or not code:
        raise Unauthenticated(f"the login service refused: {error or 'it gave no code'}", CHALLENGE)
    if iss and iss.rstrip("/") != issuer.address:
        raise Unauthenticated("another login service answered: sign in again", CHALLENGE)
    tokens = await _exchange_code(code, str(login["verifier"]), _build_callback_address(request), chosen)
    token = str(tokens.get("id_token", ""))
    claims = await read_token(token, issuer, chosen.oidc_client_id, chosen.oidc_leeway_seconds)
    if not compare_digest(str(claims.get("nonce", "")).encode(), str(login["nonce"]).encode()):
        raise Unauthenticated("the login service answered another login: sign in again", CHALLENGE)
    principal = build_token_principal(claims, chosen)
    seconds = chosen.session_hours * 3_600
    made, _ = (
        await get_access_store(request)
        .of(principal.tenant)
        .begin_session(principal.user, principal.role, principal.scopes, "", seconds)
    )
    answer = RedirectResponse(str(login["to"]), status_code=303)
    set_session_cookie(request, answer, made, seconds)
    local = is_local(request)
    answer.delete_cookie(LOOPBACK_COOKIE if local else LOGIN_COOKIE, path="/", secure=not local, httponly=True)
    record_login(request, principal)
    return answer


def _read_login(request: Request) -> dict[str, Any]:
    """The login that this browser began; empty if it began none."""
    cookie = request.cookies.get(LOOPBACK_COOKIE if is_local(request) else LOGIN_COOKIE, "")
    try:
        found = json.loads(base64.urlsafe_b64decode(cookie))
    except ValueError:  # it is none of ours
        return {}
    whole = isinstance(found, dict) and {"state", "nonce", "verifier", "to"} <= found.keys()
    return found if whole and is_own_path(str(found["to"])) else {}


async def _exchange_code(code: str, verifier: str, callback: str, chosen: AccessSettings) -> dict[str, Any]:
    """The tokens for a code.

    Raises:
        Unauthenticated: the login service does not take the code.
        IssuerUnavailable: it does not answer.
    """
    configuration = await get_issuer(chosen.oidc_issuer).find_configuration()
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": callback,
        "client_id": chosen.oidc_client_id,
        "code_verifier": verifier,
    }
    if chosen.oidc_client_secret:
        form["client_secret"] = chosen.oidc_client_secret
    try:
        async with httpx.AsyncClient(timeout=FETCH_SECONDS) as client:
            answer = await client.post(str(configuration["token_endpoint"]), data=form)
            found = answer.json()
    except (httpx.HTTPError, ValueError) as error:
        raise IssuerUnavailable(f"the login service does not answer ({type(error).__name__}): try again") from error
    if not answer.is_success or not isinstance(found, dict):
        said = str(found.get("error", "")) if isinstance(found, dict) else ""
        raise Unauthenticated(f"the login service does not take the code ({said[:100]}): sign in again", CHALLENGE)
    return found
