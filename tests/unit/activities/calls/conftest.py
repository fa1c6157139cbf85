"""A writer and the server that its model is, for the tests of streams."""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pydantic_ai import models

from elcano.storage.store import Store, open_store
from elcano.testing.provider import Reply, Request, in_order, scripted_provider
from tests.unit.activities.agents.material import stored
from tests.unit.activities.calls.streams import ONE, Desk, Serve


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        await opened.of("default").evidence.add("run-1", (ONE,), [stored(ONE)])
        yield opened


@pytest.fixture
def desk(store: Store) -> Desk:
    return Desk(store)


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Serves replies from now on; gives the list of what is asked."""
    with ExitStack() as stack, models.override_allow_model_requests(True):

        def served(*replies: Reply) -> list[Request]:
            provider = stack.enter_context(scripted_provider(in_order(replies)))
            for name in ("OPENAI", "ANTHROPIC"):
                monkeypatch.setenv(f"{name}_BASE_URL", provider.url)
                monkeypatch.setenv(f"{name}_API_KEY", "test")
            return provider.requests

        yield served
