"""Sessions of browsers: signing in with an API key or at an issuer, seeing who one is, signing out.

At the issuer it is the authorization code flow of OpenID Connect, with PKCE, state and nonce. What has to come back is
in a cookie of this browser for ten minutes, so that no one can finish a login that another one began. The tokens
themselves are not kept: the session is ours.
"""

import base64
import json
import secrets
import time
from hmac import compare_digest
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Path, Query, Response
from fastapi import Request as HttpRequest
from pydantic import Field
from starlette.responses import RedirectResponse

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_guards import is_own_path
from elcano.api.http.request_identity import PUBLIC, get_principal, requires
from elcano.api.services import Provided
from elcano.graphs.tenants import NAME_CHARACTERS, Tenant
from elcano.operations.access.audit_log import record_login
from elcano.operations.access.credentials import parse_credential
from elcano.operations.access.issuer import IssuerUnavailable
from elcano.operations.access.key_identity import (
    CHALLENGE,
    build_key_principal,
    clear_session_cookie,
    find_valid_key,
    find_valid_session,
    get_access_store,
    is_local,
    read_session_cookie,
    set_session_cookie,
)
from elcano.operations.access.key_routes import get_tenant_access
from elcano.operations.access.oidc import build_token_principal, get_issuer
from elcano.operations.access.oidc_code_flow import build_login_address, fetch_claims
from elcano.operations.access.settings import AccessSettings
from elcano.service.errors import Forbidden, Refusal, Unauthenticated
from elcano.service.fields import Described, Moment, Request, datetime_from_seconds
from elcano.service.permissions import Permission, Principal, Role
from elcano.settings import read_plugin_settings


class LoginNotFound(Refusal, kind="missing", title="No such login"):
    """There is no login of this kind here."""


class PrincipalView(Described):
    """The user and tenant of your requests, and your permissions."""

    tenant: Tenant = Field(examples=["acme"])
    """Your tenant."""
    user: str = Field(examples=["alice"])
    """Your name in records; empty: none is known."""
    role: Role
    """Your role."""
    permissions: tuple[Permission, ...]
    """Permissions of the caller."""
    expires_at: Moment | None = None
    """When the session that was begun ends; null: none was."""

    @classmethod
    def of(cls, principal: Principal, expires_at: float | None = None) -> "PrincipalView":
        """The view of a principal."""
        return cls(
            tenant=principal.tenant,
            user=principal.user,
            role=principal.role,
            permissions=tuple(sorted(principal.permissions)),
            expires_at=datetime_from_seconds(expires_at),
        )


class LoginRequest(Request):
    """Credentials to sign in with."""

    key: str = Field(max_length=200, examples=["elc_7q2mz0v1k3xc_..."])
    """An API key."""


router = APIRouter(prefix="/v1/session", tags=["access"], dependencies=[PUBLIC])


@router.post("", status_code=201, responses=problem_docs(Unauthenticated, LoginNotFound))
async def sign_in(login: LoginRequest, request: HttpRequest, response: Response) -> PrincipalView:
    """Begin a session with an API key: the answer sets a cookie, which no script can read.

    Streams of events work with it in a browser's `EventSource`. The session ends with `DELETE /v1/session`, when its
    time is over, or when the key is revoked or expires.
    """
    chosen = read_plugin_settings(AccessSettings)
    if not chosen.api_keys:
        raise LoginNotFound("API keys are not in use here (ELCANO_API_KEYS): no one can sign in with one")
    store = get_access_store(request)
    text = login.key.strip()
    key = await find_valid_key(text, store)
    principal = build_key_principal(key)
    given = parse_credential(text, "elc")
    assert given is not None, "it is that of a key"
    seconds = min(chosen.session_hours * 3_600, key.find_secret_end(given) - time.time())
    made, session = await store.of(key.tenant).begin_session(key.name, key.role, key.scopes, key.id, seconds)
    set_session_cookie(request, response, made, seconds)
    record_login(request, principal)
    return PrincipalView.of(principal, session.expires_at)


@router.get("", responses=problem_docs(Unauthenticated))
async def get_session(principal: Annotated[Principal, Depends(get_principal)]) -> PrincipalView:
    """See whose your requests are, and what you may do."""
    return PrincipalView.of(principal)


@router.delete("", status_code=204)
async def sign_out(request: HttpRequest, response: Response) -> None:
    """End your session, here and in the store. Without one there is nothing to end."""
    given, store = read_session_cookie(request), get_access_store(request)
    session = None if given is None else await find_valid_session(given, store)
    if session is not None:
        await store.of(session.tenant).end_session(session.id)
    clear_session_cookie(request, response)


class SessionNotFound(Refusal, kind="missing", title="No open session"):
    """No browser of a user of the tenant is signed in."""


user_router = APIRouter(prefix="/v1/sessions", tags=["access"], dependencies=[requires("administer")])


@user_router.delete("/{user:path}", status_code=204, responses=problem_docs(SessionNotFound))
async def end_sessions(
    user: Annotated[str, Path(max_length=NAME_CHARACTERS, description="The user, as the audit log names it.")],
    services: Provided,
) -> None:
    """End all sessions of a user of your tenant; streams that are open end within 15 seconds.

    A login service reports neither that it let somebody go nor a change of roles: this does, after the change there.
    """
    if not await get_tenant_access(services).end_sessions(user):
        raise SessionNotFound(f"no browser of {user[:100]!r} is signed in; `GET /v1/audit` has the names of users")


LOGIN_SECONDS: Final = 600
LOGIN_COOKIE: Final = "__Host-elcano_login"
LOOPBACK_COOKIE: Final = "elcano_login"
CALLBACK: Final = "/v1/session/oidc/callback"


oidc_router = APIRouter(prefix="/v1/session/oidc", tags=["access"], dependencies=[PUBLIC])


def _require_client() -> AccessSettings:
    chosen = read_plugin_settings(AccessSettings)
    if not chosen.oidc_issuer or not chosen.oidc_client_id:
        raise LoginNotFound("no login service is set up here (ELCANO_OIDC_CLIENT_ID): sign in with an API key")
    return chosen


def _build_callback_address(request: HttpRequest) -> str:
    """The address to come back to: the public one of the settings, which the issuer knows."""
    base: str = request.app.state.services.settings.api_url.rstrip("/") or str(request.base_url).rstrip("/")
    return base + CALLBACK


_OTHERWISE: Final[dict[int | str, dict[str, Any]]] = {
    "default": {**next(iter(problem_docs(LoginNotFound).values())), "description": "A problem, with its status"}
}
"""Readers of the OpenAPI document warn of an operation that has nothing but a redirect and its problems."""


@oidc_router.get(
    "",
    status_code=303,
    response_class=RedirectResponse,
    responses={**problem_docs(LoginNotFound, IssuerUnavailable), **_OTHERWISE},
)
async def begin_login(
    request: HttpRequest,
    to: Annotated[str, Query(max_length=500, description="The path to come back to.", examples=["/docs"])] = "/",
) -> RedirectResponse:
    """Send the browser to the login service; it comes back with a session."""
    chosen = _require_client()
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    address = await build_login_address(
        get_issuer(chosen.oidc_issuer),
        chosen,
        callback=_build_callback_address(request),
        state=state,
        nonce=nonce,
        verifier=verifier,
    )
    answer = RedirectResponse(address, status_code=303)
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


@oidc_router.get(
    "/callback",
    status_code=303,
    response_class=RedirectResponse,
    responses={**problem_docs(LoginNotFound, Unauthenticated, Forbidden, IssuerUnavailable), **_OTHERWISE},
)
async def finish_login(
    request: HttpRequest,
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
    claims = await fetch_claims(
        issuer,
        chosen,
        code=code,
        callback=_build_callback_address(request),
        nonce=str(login["nonce"]),
        verifier=str(login["verifier"]),
    )
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


def _read_login(request: HttpRequest) -> dict[str, Any]:
    """The login that this browser began; empty if it began none."""
    cookie = request.cookies.get(LOOPBACK_COOKIE if is_local(request) else LOGIN_COOKIE, "")
    try:
        found = json.loads(base64.urlsafe_b64decode(cookie))
    except ValueError:  # it is none of ours
        return {}
    whole = isinstance(found, dict) and {"state", "nonce", "verifier", "to"} <= found.keys()
    return found if whole and is_own_path(str(found["to"])) else {}
