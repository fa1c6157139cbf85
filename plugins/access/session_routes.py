"""Sessions of browsers: signing in with an API key, seeing who one is, signing out."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from fastapi import Request as HttpRequest
from pydantic import Field

from elcano.api.http.errors import Refusal, Unauthenticated, problem_docs
from elcano.api.http.fields import Described, Moment, Request, datetime_from_seconds
from elcano.api.http.permissions import Permission, Principal, Role
from elcano.api.http.request_identity import PUBLIC, get_principal
from elcano.graphs.tenant_identity import Tenant
from elcano.plugins.access.audit import record_login
from elcano.plugins.access.key_identity import (
    build_key_principal,
    clear_session_cookie,
    find_valid_key,
    find_valid_session,
    get_access_store,
    read_session_cookie,
    set_session_cookie,
)
from elcano.plugins.access.settings import AccessSettings
from elcano.settings import read_plugin_settings


class LoginNotFound(Refusal, status=404, title="No such login"):
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
    """What you may do."""
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
    """What to sign in with."""

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
        raise LoginNotFound("API keys are not in use here (ELCANO_API_KEYS): nobody signs in with one")
    store = get_access_store(request)
    key = await find_valid_key(login.key.strip(), store)
    principal = build_key_principal(key)
    made, session = await store.of(key.tenant).begin_session(
        key.name, key.role, key.scopes, key.id, chosen.session_hours * 3_600
    )
    set_session_cookie(request, response, made, chosen.session_hours * 3_600)
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
