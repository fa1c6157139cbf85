"""The login of a browser at a login service: begun and finished by the same browser, and by no other."""

import asyncio
import json
import time
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, quote_plus, urlsplit

import httpx
import jwt
import pytest
from fastapi import FastAPI, Request, Response
from starlette.responses import JSONResponse, StreamingResponse

from elcano.operations.access import oidc
from elcano.operations.access.access_store import AccessStore
from tests.api.serving import serving
from tests.unit.operations.access.test_oidc import OTHER, RSA, public_jwk

CLIENT = "elcano-page"


SECRET = "a: secret/+"
"""With what has to be encoded before it is in a header."""


class LoginService:
    """A whole login service, at an address of its own: everyone is alice.

    By OpenID Connect Core 1.0: a client with a secret shows it in the one way that it is registered for, and the claims
    of scopes are at UserInfo alone (`at_user_info`).
    """

    def __init__(self) -> None:
        self.address = ""
        self.codes: dict[str, dict[str, str]] = {}
        self.claims: dict[str, Any] = {}
        self.configuration: dict[str, Any] = {}
        self.method = "none"
        self.at_user_info: dict[str, Any] | None = None
        self.as_jwt = False
        self.key, self.key_id = RSA, "one"
        self.app = FastAPI()
        self.app.get("/me")(self.tell_claims)
        self.app.get("/.well-known/openid-configuration")(self.configure)
        self.app.get("/keys")(self.list_keys)
        self.app.post("/token")(self.give_token)

    async def configure(self) -> dict[str, Any]:
        user_info = {} if self.at_user_info is None else {"userinfo_endpoint": f"{self.address}/me"}
        return {
            **user_info,
            "issuer": self.address,
            "jwks_uri": f"{self.address}/keys",
            "authorization_endpoint": f"{self.address}/login",
            "token_endpoint": f"{self.address}/token",
            **self.configuration,
        }

    async def list_keys(self) -> dict[str, Any]:
        return {"keys": [public_jwk(self.key, self.key_id)]}

    def sign_in(self, address: str) -> dict[str, str]:
        """What a person does at the page that the browser was sent to; returns what comes back."""
        asked = {name: value[0] for name, value in parse_qs(urlsplit(address).query).items()}
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}

    async def give_token(self, request: Request) -> Any:
        form = {name: value[0] for name, value in parse_qs((await request.body()).decode()).items()}
        if not self._knows_client(form, request.headers.get("authorization", "")):
            return JSONResponse({"error": "invalid_client"}, status_code=401)
        asked = self.codes.pop(form["code"], None)
        verified = urlsafe_b64encode(sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
        if asked is None or verified != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
            return JSONResponse({"error": "invalid_grant"}, status_code=400)
        now = int(time.time())
        claims = {"iss": self.address, "aud": CLIENT, "sub": "alice", "exp": now + 60, "iat": now}
        claims |= {"nonce": asked["nonce"], **({"roles": ["researcher"]} if self.at_user_info is None else {})}
        return {"id_token": self._sign({**claims, **self.claims}), "access_token": "opaque", "token_type": "Bearer"}

    async def tell_claims(self, request: Request) -> Any:
        if request.headers.get("authorization") != "Bearer opaque":
            return JSONResponse({"error": "invalid_token"}, status_code=401)
        told = {"sub": "alice", **(self.at_user_info or {})}
        if self.as_jwt:
            signed = self._sign({"iss": self.address, "aud": CLIENT, **told})
            return Response(signed, media_type="application/jwt")
        return told

    def _sign(self, claims: dict[str, Any]) -> str:
        return jwt.encode(claims, self.key, algorithm="RS256", headers={"kid": self.key_id})

    def _knows_client(self, form: dict[str, str], header: str) -> bool:
        in_form = (form.get("client_id"), form.get("client_secret"))
        expected = f"{CLIENT}:{quote_plus(SECRET)}".encode()
        match self.method:
            case "client_secret_basic":
                return header == f"Basic {b64encode(expected).decode()}" and in_form[1] is None
            case "client_secret_post":
                return not header and in_form == (CLIENT, SECRET)
        return not header and in_form == (CLIENT, None)


@pytest.fixture(autouse=True)
async def login(monkeypatch: pytest.MonkeyPatch, _access: None) -> AsyncIterator[LoginService]:
    service = LoginService()
    async with serving(service.app) as address:
        service.address = address
        monkeypatch.setattr(oidc, "_issuers", {})
        monkeypatch.setenv("ELCANO_OIDC_ISSUER", address)
        monkeypatch.setenv("ELCANO_OIDC_AUDIENCE", "elcano")
        monkeypatch.setenv("ELCANO_OIDC_CLIENT_ID", CLIENT)
        yield service


async def begin(api: httpx.AsyncClient, to: str = "/docs") -> str:
    answer = await api.get("/v1/session/oidc", params={"to": to})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


async def finish(api: httpx.AsyncClient, given: dict[str, str]) -> httpx.Response:
    return await api.get("/v1/session/oidc/callback", params=given)


async def test_a_person_signs_in_and_uses_the_api(
    api: httpx.AsyncClient, access: AccessStore, login: LoginService
) -> None:
    answer = await finish(api, login.sign_in(await begin(api)))
    assert answer.status_code == 303, answer.text
    assert answer.headers["location"] == "/docs"
    who = (await api.get("/v1/session")).json()
    assert (who["tenant"], who["user"], who["role"]) == ("default", "alice", "researcher")
    assert (await api.get("/v1/runs")).status_code == 200
    assert (await api.get("/v1/keys")).status_code == 403
    entries = await access.of("default").audit.read(limit=9)
    assert [one.action for one in entries] == ["list_keys", "finish_login"]
    assert "elcano_login" not in api.cookies


async def test_a_token_of_the_service_is_taken_without_a_session(api: httpx.AsyncClient, login: LoginService) -> None:
    now = int(time.time())
    claims = {"iss": login.address, "aud": "elcano", "sub": "bob", "roles": "reader", "exp": now + 60}
    token = jwt.encode(claims, RSA, algorithm="RS256", headers={"kid": "one"})
    headers = {"Authorization": f"Bearer {token}"}
    assert (await api.get("/v1/session", headers=headers)).json()["user"] == "bob"
    wrong = jwt.encode({**claims, "aud": CLIENT}, RSA, algorithm="RS256", headers={"kid": "one"})
    refused = await api.get("/v1/session", headers={"Authorization": f"Bearer {wrong}"})
    assert refused.status_code == 401
    assert "for another audience" in refused.json()["detail"]


async def test_another_browser_cannot_finish_a_login(api: httpx.AsyncClient, app: FastAPI, login: LoginService) -> None:
    given = login.sign_in(await begin(api))
    api.cookies.clear()
    assert (await finish(api, given)).status_code == 401
    await begin(api)  # a login of its own
    assert (await finish(api, given)).status_code == 401
    assert "elcano_session" not in api.cookies


async def test_a_code_counts_once_and_for_its_browser(api: httpx.AsyncClient, login: LoginService) -> None:
    given = login.sign_in(await begin(api))
    kept = dict(api.cookies)
    assert (await finish(api, given)).status_code == 303
    api.cookies.update(kept)
    again = await finish(api, given)
    assert again.status_code == 401
    assert "does not take the code (invalid_grant)" in again.json()["detail"]


@pytest.mark.parametrize("claims", [{"nonce": "another"}, {"nonce": None}, {"aud": "elcano"}, {"roles": []}])
async def test_an_answer_to_another_login_is_refused(
    api: httpx.AsyncClient, login: LoginService, claims: dict[str, Any]
) -> None:
    login.claims = claims
    assert (await finish(api, login.sign_in(await begin(api)))).status_code in (401, 403)
    assert "elcano_session" not in api.cookies


@pytest.mark.parametrize(
    "to", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/\n"]
)
async def test_a_login_leads_back_to_this_server_alone(api: httpx.AsyncClient, login: LoginService, to: str) -> None:
    answer = await finish(api, login.sign_in(await begin(api, to)))
    assert answer.headers["location"] == "/"


async def test_a_changed_cookie_leads_nowhere_else(api: httpx.AsyncClient, login: LoginService) -> None:
    given = login.sign_in(await begin(api))
    changed = {**json.loads(urlsafe_b64decode(api.cookies["elcano_login"])), "to": "//evil.example"}
    api.cookies.clear()
    cookie = urlsafe_b64encode(json.dumps(changed).encode()).decode()
    answer = await api.get("/v1/session/oidc/callback", params=given, headers={"Cookie": f"elcano_login={cookie}"})
    assert answer.status_code == 401


async def test_what_the_service_refuses_is_told(api: httpx.AsyncClient, login: LoginService) -> None:
    state = login.sign_in(await begin(api))["state"]
    answer = await finish(api, {"state": state, "error": "access_denied"})
    assert answer.status_code == 401
    assert answer.json()["detail"] == "the login service refused: access_denied"


async def test_without_a_client_there_is_no_login(api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ELCANO_OIDC_CLIENT_ID")
    assert (await api.get("/v1/session/oidc")).status_code == 404


async def test_a_service_that_is_away_is_told(api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELCANO_OIDC_ISSUER", "http://127.0.0.1:1")
    assert (await api.get("/v1/session/oidc")).status_code == 503


@pytest.mark.parametrize(
    ("offered", "method"),
    [
        (None, "client_secret_basic"),  # "If omitted, the default is client_secret_basic" (Discovery 1.0, section 3)
        (["client_secret_basic", "client_secret_post"], "client_secret_basic"),
        (["client_secret_jwt", "client_secret_post"], "client_secret_post"),
    ],
)
async def test_the_secret_is_shown_in_the_way_that_discovery_names(
    api: httpx.AsyncClient,
    login: LoginService,
    monkeypatch: pytest.MonkeyPatch,
    offered: list[str] | None,
    method: str,
) -> None:
    monkeypatch.setenv("ELCANO_OIDC_CLIENT_SECRET", SECRET)
    login.method = method
    login.configuration = {} if offered is None else {"token_endpoint_auth_methods_supported": offered}
    answer = await finish(api, login.sign_in(await begin(api)))
    assert answer.status_code == 303, answer.text
    monkeypatch.setenv("ELCANO_OIDC_CLIENT_SECRET", "wrong")
    wrong = await finish(api, login.sign_in(await begin(api)))
    assert (wrong.status_code, "ELCANO_OIDC_CLIENT_SECRET" in wrong.json()["detail"]) == (503, True)


async def test_a_service_that_takes_no_secret_of_this_kind_is_told(
    api: httpx.AsyncClient, login: LoginService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELCANO_OIDC_CLIENT_SECRET", SECRET)
    login.configuration = {"token_endpoint_auth_methods_supported": ["private_key_jwt"]}
    answer = await finish(api, login.sign_in(await begin(api)))
    assert (answer.status_code, "private_key_jwt" in answer.json()["detail"]) == (503, True)


@pytest.mark.parametrize("as_jwt", [False, True])
async def test_claims_that_are_at_user_info_alone_count(
    api: httpx.AsyncClient, login: LoginService, monkeypatch: pytest.MonkeyPatch, as_jwt: bool
) -> None:
    """As of the code flow: "the Claims are returned from the UserInfo Endpoint" (Core 1.0, section 5.4)."""
    monkeypatch.setenv("ELCANO_OIDC_USER_CLAIM", "email")
    monkeypatch.setenv("ELCANO_OIDC_ROLE_CLAIM", "groups")
    login.configuration = {"scopes_supported": ["openid", "email", "groups", "offline_access"]}
    login.at_user_info, login.as_jwt = {"email": "alice@example.org", "groups": ["operator"]}, as_jwt
    address = await begin(api)
    assert parse_qs(urlsplit(address).query)["scope"] == ["openid profile email groups"]
    assert (await finish(api, login.sign_in(address))).status_code == 303
    who = (await api.get("/v1/session")).json()
    assert (who["user"], who["role"]) == ("alice@example.org", "operator")


LIES: list[tuple[dict[str, Any], int]] = [
    ({"sub": "mallory", "roles": ["admin"]}, 401),  # "MUST be verified to exactly match" (Core 1.0, 5.3.2)
    ({"roles": ["emperor"]}, 403),
    ({}, 403),
]


@pytest.mark.parametrize(("said", "status"), LIES)
async def test_lies_at_user_info_are_refused(
    api: httpx.AsyncClient, login: LoginService, said: dict[str, Any], status: int
) -> None:
    login.at_user_info = said
    assert (await finish(api, login.sign_in(await begin(api)))).status_code == status
    assert "elcano_session" not in api.cookies


async def test_claims_of_the_signed_token_win(api: httpx.AsyncClient, login: LoginService) -> None:
    login.at_user_info, login.claims = {"sub": "alice", "roles": ["admin"]}, {"roles": ["reader"]}
    await finish(api, login.sign_in(await begin(api)))
    assert (await api.get("/v1/session")).json()["role"] == "reader"


@pytest.mark.parametrize(
    "lie",
    [
        {"issuer": "https://evil.example"},
        {"authorization_endpoint": None},
        {"authorization_endpoint": "http://login.example.org/login"},
        {"authorization_endpoint": 7},
    ],
)
async def test_a_configuration_that_lies_sends_nobody_anywhere(
    api: httpx.AsyncClient, login: LoginService, lie: dict[str, Any]
) -> None:
    login.configuration = lie
    assert (await api.get("/v1/session/oidc")).status_code == 503


async def test_a_secret_is_not_sent_unencrypted(
    api: httpx.AsyncClient, login: LoginService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELCANO_OIDC_CLIENT_SECRET", SECRET)
    login.configuration = {"token_endpoint": "http://login.example.org/token"}
    answer = await finish(api, login.sign_in(await begin(api)))
    assert (answer.status_code, "token_endpoint" in answer.json()["detail"]) == (503, True)


async def test_a_token_for_another_program_is_refused(api: httpx.AsyncClient, login: LoginService) -> None:
    login.claims = {"aud": [CLIENT, "other"], "azp": "other"}
    assert (await finish(api, login.sign_in(await begin(api)))).status_code == 401


async def test_keys_may_be_rotated_between_two_logins(api: httpx.AsyncClient, login: LoginService) -> None:
    for login.key, login.key_id in ((RSA, "one"), (OTHER, "two"), (RSA, "three")):
        assert (await finish(api, login.sign_in(await begin(api)))).status_code == 303


async def test_a_slow_service_is_not_waited_for(
    api: httpx.AsyncClient, login: LoginService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sends a byte now and then, so that no single read takes long."""

    async def drip() -> AsyncIterator[bytes]:
        while True:
            yield b" "
            await asyncio.sleep(0.05)

    address = await begin(api)
    monkeypatch.setattr("elcano.operations.access.issuer.FETCH_SECONDS", 0.3)
    login.app.router.routes[:] = [one for one in login.app.router.routes if getattr(one, "path", "") != "/token"]
    login.app.post("/token")(lambda: StreamingResponse(drip()))
    assert (await finish(api, login.sign_in(address))).status_code == 503
