"""OpenID Connect: tokens that are right are taken, hostile ones are refused, and the issuer is asked seldom."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from elcano.operations.access.issuer import Issuer, IssuerUnavailable
from elcano.operations.access.oidc import build_token_principal, read_token
from elcano.operations.access.settings import AccessSettings
from elcano.service.errors import Forbidden, Unauthenticated

ADDRESS = "https://login.example.org/realm"
AUDIENCE = "elcano"
RSA = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
OTHER = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
EC = ec.generate_private_key(ec.SECP256R1())


def public_jwk(key: Any, key_id: str, **more: str) -> dict[str, Any]:
    algorithm = (
        jwt.algorithms.ECAlgorithm if isinstance(key, ec.EllipticCurvePrivateKey) else jwt.algorithms.RSAAlgorithm
    )
    return {**json.loads(algorithm.to_jwk(key.public_key())), "kid": key_id, "use": "sig", **more}


class Service:
    """A login service, which counts what it is asked."""

    def __init__(self) -> None:
        self.keys = [public_jwk(RSA, "one"), public_jwk(EC, "two", alg="ES256")]
        self.asked: list[str] = []
        self.away = False
        self.hanging = asyncio.Event()
        self.hanging.set()
        self.now = 0.0
        self.documents: dict[str, Any] = {
            f"{ADDRESS}/.well-known/openid-configuration": {
                "issuer": ADDRESS,
                "jwks_uri": "https://login.example.org/keys",
            }
        }

    async def fetch(self, address: str) -> Any:
        self.asked.append(address)
        await self.hanging.wait()
        if self.away:
            raise IssuerUnavailable("away")
        return {"keys": self.keys} if address.endswith("/keys") else self.documents[address]

    def issuer(self) -> Issuer:
        return Issuer(ADDRESS, self.fetch, lambda: self.now)


@pytest.fixture
def service() -> Service:
    return Service()


def claims(**more: Any) -> dict[str, Any]:
    now = int(time.time())
    found = {"iss": ADDRESS, "aud": AUDIENCE, "sub": "alice", "exp": now + 300, "iat": now, "roles": ["researcher"]}
    return {name: value for name, value in {**found, **more}.items() if value is not None}


def signed(said: Mapping[str, Any], key: Any = RSA, alg: str = "RS256", kid: str | None = "one") -> str:
    return jwt.encode(dict(said), key, algorithm=alg, headers={} if kid is None else {"kid": kid})


async def read(token: str, issuer: Issuer) -> dict[str, Any]:
    return await read_token(token, issuer, AUDIENCE, 30.0)


async def test_tokens_with_public_keys_are_taken(service: Service) -> None:
    issuer = service.issuer()
    for token in (signed(claims()), signed(claims(), EC, "ES256", "two"), signed(claims(aud=["other", AUDIENCE]))):
        assert (await read(token, issuer))["sub"] == "alice"
    assert len(service.asked) == 2


def unsigned(said: Mapping[str, Any]) -> str:
    return jwt.encode(dict(said), "", algorithm="none", headers={"kid": "one"})


def confused(said: Mapping[str, Any]) -> str:
    """Signed with the public key as the secret of an HMAC."""
    import base64
    import hmac
    from hashlib import sha256

    def part(value: Any) -> bytes:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")

    public = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    body = part({"alg": "HS256", "typ": "JWT", "kid": "one"}) + b"." + part(dict(said))
    return (body + b"." + base64.urlsafe_b64encode(hmac.new(public, body, sha256).digest()).rstrip(b"=")).decode()


def tampered(said: Mapping[str, Any]) -> str:
    head, _, signature = signed(said).split(".")
    _, body, _ = signed({**said, "roles": ["admin"]}).split(".")
    return f"{head}.{body}.{signature}"


HOSTILE: list[tuple[str, Callable[[], str], str]] = [
    ("none", lambda: unsigned(claims()), "'none': it has to be one with a public key"),
    ("confused", lambda: confused(claims()), "'HS256': it has to be one with a public key"),
    ("audience", lambda: signed(claims(aud="another")), "for another audience"),
    ("no audience", lambda: signed(claims(aud=None)), "for another audience|lacks one of the claims"),
    ("issuer", lambda: signed(claims(iss="https://evil.example")), "of another issuer"),
    ("expired", lambda: signed(claims(exp=int(time.time()) - 60)), "has expired"),
    ("no end", lambda: signed(claims(exp=None)), "lacks one of the claims"),
    ("future", lambda: signed(claims(nbf=int(time.time()) + 60)), "not valid yet"),
    ("issued later", lambda: signed(claims(iat=int(time.time()) + 60)), "not valid yet"),
    ("other key", lambda: signed(claims(), OTHER), "signature is wrong"),
    ("other algorithm", lambda: signed(claims(), RSA, "RS512"), "algorithm is not that of its key"),
    ("key of another kind", lambda: signed(claims(), EC, "ES256", "one"), "algorithm is not that of its key"),
    ("unknown key", lambda: signed(claims(), OTHER, "RS256", "three"), "has no key of this token"),
    ("no key id", lambda: signed(claims(), RSA, "RS256", None), "has no key of this token"),
    ("tampered", lambda: tampered(claims()), "signature is wrong"),
    ("text", lambda: "x.y.z", "cannot be read"),
    ("empty", lambda: "", "cannot be read"),
    ("long", lambda: "x" * 20_000, "over 16384 characters"),
]


@pytest.mark.parametrize(("token", "said"), [pytest.param(make, said, id=name) for name, make, said in HOSTILE])
async def test_hostile_tokens_are_refused(service: Service, token: Callable[[], str], said: str) -> None:
    with pytest.raises(Unauthenticated, match=said) as refused:
        await read(token(), service.issuer())
    assert refused.value.challenge == 'Bearer realm="elcano", error="invalid_token"'


async def test_clocks_may_differ_a_little(service: Service) -> None:
    now = int(time.time())
    assert await read(signed(claims(exp=now - 20, nbf=now + 20)), service.issuer())


async def test_new_keys_are_found_and_old_ones_forgotten(service: Service) -> None:
    issuer = service.issuer()
    assert await read(signed(claims()), issuer)
    service.keys = [public_jwk(OTHER, "three")]
    service.now = 61
    assert await read(signed(claims(), OTHER, "RS256", "three"), issuer)
    with pytest.raises(Unauthenticated):
        await read(signed(claims()), issuer)


async def test_a_withdrawn_key_is_refused_after_an_hour(service: Service) -> None:
    issuer = service.issuer()
    assert await read(signed(claims()), issuer)
    service.keys = [public_jwk(OTHER, "three")]
    service.now = 3_601
    with pytest.raises(Unauthenticated, match="has no key of this token"):
        await read(signed(claims()), issuer)


async def test_a_storm_of_unknown_keys_asks_the_issuer_once_a_minute(service: Service) -> None:
    issuer = service.issuer()
    assert await read(signed(claims()), issuer)
    before = len(service.asked)
    for number in range(600):
        service.now = number / 5  # two minutes
        with pytest.raises(Unauthenticated):
            await read(signed(claims(), OTHER, "RS256", f"invented-{number}"), issuer)
    assert len(service.asked) - before <= 2


async def test_an_issuer_that_is_away_is_no_wrong_token(service: Service) -> None:
    issuer = service.issuer()
    service.away = True
    for _ in range(50):
        with pytest.raises(IssuerUnavailable):
            await read(signed(claims()), issuer)
    assert len(service.asked) == 1
    service.away, service.now = False, 61
    assert await read(signed(claims()), issuer)
    service.away, service.now = True, 4_000  # keys that are known stay in use meanwhile
    assert await read(signed(claims()), issuer)


async def test_an_issuer_that_hangs_is_waited_for_once_and_its_new_keys_are_taken_later(service: Service) -> None:
    issuer = service.issuer()
    assert await read(signed(claims()), issuer)
    service.now, service.away = 3_601, True
    assert await read(signed(claims()), issuer)  # this one has waited
    service.away, service.now, service.hanging = False, 3_662, asyncio.Event()
    for _ in range(50):
        assert await read(signed(claims()), issuer)
    await asyncio.sleep(0)
    asked = len(service.asked)
    for _ in range(50):
        assert await read(signed(claims()), issuer)
    assert len(service.asked) == asked, "one request at a time"
    service.keys = [public_jwk(OTHER, "three")]
    service.hanging.set()
    for _ in range(20):  # its two documents are read meanwhile
        await asyncio.sleep(0)
    with pytest.raises(Unauthenticated, match="has no key of this token"):
        await read(signed(claims()), issuer)
    assert await read(signed(claims(), OTHER, "RS256", "three"), issuer)


@pytest.mark.parametrize(
    "configuration",
    [
        {"issuer": "https://evil.example", "jwks_uri": "https://login.example.org/keys"},
        {"issuer": ADDRESS, "jwks_uri": "http://login.example.org/keys"},
        {"issuer": ADDRESS},
        [],
    ],
)
async def test_an_issuer_that_says_something_else_is_not_believed(service: Service, configuration: Any) -> None:
    service.documents = {f"{ADDRESS}/.well-known/openid-configuration": configuration}
    with pytest.raises(IssuerUnavailable):
        await read(signed(claims()), service.issuer())


def settings(**more: Any) -> AccessSettings:
    return AccessSettings.model_validate({"oidc_issuer": ADDRESS, "oidc_audience": AUDIENCE, **more})


def test_claims_become_tenant_user_and_role() -> None:
    plain = build_token_principal(claims(), settings())
    assert (plain.tenant, plain.user, plain.role) == ("default", "alice", "researcher")
    named = settings(oidc_tenant_claim="org", oidc_user_claim="email", oidc_role_claim="groups",
                     oidc_roles={"lab-leads": "admin", "lab": "reader"})  # fmt: skip
    said = claims(org="acme", email="alice@example.org", groups=["lab", "lab-leads", "others"])
    mapped = build_token_principal(said, named)
    assert (mapped.tenant, mapped.user, mapped.role) == ("acme", "alice@example.org", "admin")
    assert build_token_principal(claims(roles=["reader", "operator"]), settings()).role == "operator"
    assert build_token_principal(claims(roles="approver"), settings()).role == "approver"


@pytest.mark.parametrize("tenant", [None, "", "Acme", "a b", ["acme"], 1, "acme/../zebra"])
def test_a_claim_that_names_no_tenant_is_refused(tenant: Any) -> None:
    with pytest.raises(Unauthenticated, match="names no tenant"):
        build_token_principal(claims(org=tenant), settings(oidc_tenant_claim="org"))


@pytest.mark.parametrize("user", [None, "", 1, "a\u202eb", " a", "x" * 201])
def test_a_claim_that_names_no_user_is_refused(user: Any) -> None:
    with pytest.raises(Unauthenticated, match="names no user"):
        build_token_principal(claims(sub=user), settings())


@pytest.mark.parametrize("roles", [None, [], "root", ["root"], {"admin": True}, [["admin"]]])
def test_a_claim_without_a_role_of_ours_is_forbidden(roles: Any) -> None:
    with pytest.raises(Forbidden, match="has no role here"):
        build_token_principal(claims(roles=roles), settings())
