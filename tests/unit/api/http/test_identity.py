"""Which identities tell whose a request is: those of plugins first, then the proxy's tenant header."""

from collections.abc import Sequence

import pytest

from elcano.api.http import request_identity
from elcano.api.http.request_identity import IdentityChain, ProxyHeaderIdentity, SingleTenant, build_identity
from elcano.settings.settings import Settings


@pytest.mark.parametrize(
    ("tenant_header", "user_header", "plugins", "kind"),
    [
        ("", "", 0, SingleTenant),
        ("X-Tenant", "", 0, ProxyHeaderIdentity),
        ("", "X-User", 0, ProxyHeaderIdentity),
        ("X-Tenant", "X-User", 1, IdentityChain),
        ("", "X-User", 1, SingleTenant),
        ("", "", 2, IdentityChain),
    ],
)
def test_a_user_header_alone_adds_nothing_to_identities_of_plugins(
    monkeypatch: pytest.MonkeyPatch, tenant_header: str, user_header: str, plugins: int, kind: type[object]
) -> None:
    def configured(name: str, settings: Settings) -> Sequence[object]:
        return [SingleTenant() for _ in range(plugins)]

    monkeypatch.setattr(request_identity, "open_part", configured)
    found = build_identity(Settings(tenant_header=tenant_header, user_header=user_header))
    assert type(found) is kind
