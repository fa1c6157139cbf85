"""The scripted API, and the settings that lead the command line to it."""

import threading
from collections.abc import Callable, Iterator

import pytest

from elcano import settings
from elcano.client import connection
from tests.unit.cli.scripted import Server


@pytest.fixture
def use_api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Leads the command line to an API on this machine, by its port."""

    def use(port: int) -> None:
        monkeypatch.setenv("ELCANO_API_URL", f"http://127.0.0.1:{port}")
        monkeypatch.setattr(connection, "FIRST_PAUSE", 0.01)
        settings.get_settings.cache_clear()

    yield use
    settings.get_settings.cache_clear()


@pytest.fixture
def server(use_api: Callable[[int], None]) -> Iterator[Server]:
    with Server() as found:
        thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        use_api(found.server_port)
        yield found
        found.shutdown()
        thread.join()
