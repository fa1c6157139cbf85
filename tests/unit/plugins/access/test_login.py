"""The login of a browser at a login service: begun and finished by the same browser, and by no other."""

import json
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import jwt
import pytest
from fastapi import FastAPI, Request

from elcano.plugins.access import oidc
from elcano.plugins.access.access_store import AccessStore
from tests.api.serving import serving
from tests.unit.plugins.access.test_oidc import RSA, public_jwk

CLIENT = "elcano-page"


class LoginService:
    """A whole login service, at an address of its own: everyone is alice."""

    def __init__(self) -> None:
        self.address = ""
        self.codes: dict[str, dict[str, str]] = {}
        self.claims: dict[str, Any] = {}
        self.app = FastAPI()
        self.app.get("/.well-known/openid-configuration")(self.configure)
        self.app.get("/keys")(self.list_keys)
        self.app.post("/token")(self.give_token)

    async def configure(self) -> dict[str, str]:
        return {
            "issuer": self.address,
            "jwks_uri": f"{self.address}/keys",
            "authorization_endpoint": f"{self.address}/login",
            "token_endpoint": f"{self.address}/token",
        }

    async def list_keys(self) -> dict[str, Any]:
        return {"keys": [public_jwk(RSA, "one")]}

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
        asked = self.codes.pop(form["code"], None)
        verified = urlsafe_b64encode(sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
        if asked is None or verified != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
            from starlette.responses import JSONResponse

            return JSONResponse({"error": "invalid_grant"}, status_code=400)
        now = int(time.time())
        claims = {"iss": self.address, "aud": CLIENT, "sub": "alice", "roles": ["researcher"], "exp": now + 60}
        claims |= {"iat": now, "nonce": asked["nonce"], **self.claims}
        return {"id_token": jwt.encode(claims, RSA, algorithm="RS256", headers={"kid": "one"})}


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
