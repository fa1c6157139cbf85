"""Waiting by looking how something stands."""

import pytest

from elcano.client import connection as connections
from elcano.client.connection import Connection
from elcano.client.errors import Unreachable


async def test_who_waits_outlives_a_restart_of_the_api_and_no_longer_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    coming = iter([None, "running", None, None, "ended", None])

    async def look() -> str:
        if (found := next(coming)) is None:
            raise Unreachable("it does not answer")
        return found

    client = Connection("http://127.0.0.1:1")
    assert await client.poll(look, lambda found: found == "ended", every=0) == "ended"
    monkeypatch.setattr(connections, "GIVE_UP_SECONDS", 0)
    with pytest.raises(Unreachable):
        await client.poll(look, bool, every=0)
    await client.close()
