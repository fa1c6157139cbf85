"""Identifies the caller by an API key, or by a browser's session.

A wrong key costs nothing but a hash if its checksum is wrong, and else one read by an index. All wrong keys get one
answer; only the holder of the right secret learns that it expired or was revoked.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import Request, Response

from elcano.api.http.request_guards import LOOPBACK, SAFE_METHODS
from elcano.operations.access.access_store import AccessStore, KeyRecord, SessionRecord, get_access
from elcano.operations.access.credentials import Credential, parse_credential
from elcano.service.errors import Unauthenticated
from elcano.service.permissions import Principal

CHALLENGE: Final = 'Bearer realm="elcano"'
INVALID: Final = f'{CHALLENGE}, error="invalid_token"'
KEY_PREFIX: Final = "elc_"
SESSION_COOKIE: Final = "__Host-elcano_session"
"""The prefix has browsers accept it from this host alone, encrypted, for all paths."""
LOOPBACK_COOKIE: Final = "elcano_session"
"""In its place on this machine, where there is no encryption."""


def get_access_store(request: Request) -> AccessStore:
    """The access data of the application."""
    return get_access(request.app.state.services.store)


def read_bearer_token(request: Request) -> str | None:
    """The token in `Authorization: Bearer ...`; None if there is no such header.

    Raises:
        Unauthenticated: there are several.
    """
    given = request.headers.getlist("authorization")
    if len(given) > 1:
        raise Unauthenticated(f"the request has {len(given)} Authorization headers: send one", INVALID)
    scheme, _, token = given[0].partition(" ") if given else ("", "", "")
    return token.strip() if scheme.lower() == "bearer" else None


class KeyIdentity:
    """Takes the principal from an API key, sent as `Authorization: Bearer elc_...`."""

    advice = "send an API key as `Authorization: Bearer elc_...`"
    challenge = CHALLENGE
    security_schemes: Mapping[str, Mapping[str, Any]] = {
        "key": {"type": "http", "scheme": "bearer", "description": "An API key; `elcano keys create` makes one."}
    }
    security: Sequence[Mapping[str, list[str]]] = [{"key": []}]

    async def find_principal(self, request: Request, /) -> Principal | None:
        """The principal of the key; None if the request has none.

        Raises:
            Unauthenticated: the key is not valid.
        """
        token = read_bearer_token(request)
        if token is None or not token.startswith(KEY_PREFIX):
            return None
        store = get_access_store(request)
        key = await find_valid_key(token, store)
        store.note_use(key, time.time())
        return build_key_principal(key)


async def find_valid_key(text: str, store: AccessStore) -> KeyRecord:
    """The record of an API key.

    Raises:
        Unauthenticated: it is not valid, or not any more.
    """
    given = parse_credential(text, "elc")
    if given is None:
        raise Unauthenticated("the API key is not complete, or was mistyped: copy it again, or make a new one", INVALID)
    key, now = await store.find_key(given.id), time.time()
    former = key.former_hash if key is not None and (key.former_until or 0.0) > now else None
    if not given.matches(key.secret_hash if key else None, former) or key is None:
        raise Unauthenticated(f"the API key {given.id} is not valid: make a new one", INVALID)
    if (why := key.explain_invalid(now)) is not None:
        raise Unauthenticated(f"the API key {given.id} {why}: make a new one", INVALID)
    return key


def build_key_principal(key: KeyRecord) -> Principal:
    """The principal of a key; its name is the user."""
    return Principal(tenant=key.tenant, user=key.name, role=key.role, scopes=key.scopes, key_id=key.id)


class SessionIdentity:
    """Takes the principal from the cookie of a browser that signed in."""

    advice = "sign in (docs/access.md)"
    challenge = CHALLENGE
    security_schemes: Mapping[str, Mapping[str, Any]] = {
        "session": {"type": "apiKey", "in": "cookie", "name": SESSION_COOKIE, "description": "A browser's session."}
    }
    security: Sequence[Mapping[str, list[str]]] = [{"session": []}]

    async def find_principal(self, request: Request, /) -> Principal | None:
        """The principal of the session; None if the request has none, or credentials of another kind.

        A browser says from which page a change comes, which is checked before any route (`request_guards`). One that
        does not say it is not believed.

        Raises:
            Unauthenticated: the session is over, or a change does not say from which page it comes.
        """
        given = read_session_cookie(request)
        if given is None or "authorization" in request.headers:
            return None
        says_page = "origin" in request.headers or "sec-fetch-site" in request.headers
        if request.method not in SAFE_METHODS and not says_page:
            raise Unauthenticated("a change with a session has to say its Origin: programs send an API key", CHALLENGE)
        session = await find_valid_session(given, get_access_store(request))
        if session is None:
            raise Unauthenticated("the session is over: sign in again", INVALID)
        return Principal(
            tenant=session.tenant,
            user=session.user,
            role=session.role,
            scopes=session.scopes,
            key_id=session.key_id,
        )


async def find_valid_session(given: Credential, store: AccessStore) -> SessionRecord | None:
    """The session that a cookie names; None if it is over, or the key that it was begun with is not valid any more."""
    session, now = await store.find_session(given.id), time.time()
    if not given.matches(session.secret_hash if session else None) or session is None or session.expires_at <= now:
        return None
    if session.key_id:
        key = await store.find_key(session.key_id)
        if key is None or key.explain_invalid(now) is not None:
            return None
    return session


def is_local(request: Request) -> bool:
    """Whether a browser reaches this server on its own machine, without encryption."""
    return request.url.scheme == "http" and request.url.hostname in LOOPBACK


def read_session_cookie(request: Request) -> Credential | None:
    """The session in the cookie; None if there is none that could be one."""
    name = LOOPBACK_COOKIE if is_local(request) else SESSION_COOKIE
    return parse_credential(request.cookies.get(name, ""), "els")


def set_session_cookie(request: Request, response: Response, credential: Credential, seconds: float) -> None:
    """Have the browser keep a session. No script can read it, and no page of another site sends it with a change."""
    local = is_local(request)
    response.set_cookie(
        LOOPBACK_COOKIE if local else SESSION_COOKIE,
        credential.text,
        max_age=int(seconds),
        path="/",
        secure=not local,
        httponly=True,
        samesite="lax",
    )


def clear_session_cookie(request: Request, response: Response) -> None:
    """Have the browser forget its session."""
    local = is_local(request)
    name = LOOPBACK_COOKIE if local else SESSION_COOKIE
    response.delete_cookie(name, path="/", secure=not local, httponly=True, samesite="lax")
