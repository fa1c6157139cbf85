"""Where the API may listen: beyond this machine only if a request has to say whose it is."""

import pytest

from elcano.api.http.request_identity import require_identity
from elcano.graphs.errors import InputInvalid
from elcano.settings.settings import Settings


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_on_this_machine_nobody_has_to_say_who_asks(host: str) -> None:
    require_identity(Settings(api_host=host))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "10.0.0.1", "fd00::7", "localhost.example.org"])
def test_where_others_reach_it_a_request_has_to_say_whose_it_is(host: str) -> None:
    with pytest.raises(InputInvalid, match=f"at ELCANO_API_HOST={host} others reach the API"):
        require_identity(Settings(api_host=host))
    require_identity(Settings(api_host=host, tenant_header="X-Tenant"))
    with pytest.raises(InputInvalid):
        require_identity(Settings(api_host=host, user_header="X-User"))
