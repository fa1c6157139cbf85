"""Every test of the knowledge graph runs on each of its kinds: tables of both databases, and Apache AGE."""

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from elcano.settings import Settings
from elcano.storage.store import Store, open_store
from elcano.subjects.knowledge.graph import KnowledgeGraph
from elcano.subjects.knowledge.knowledge_store import get_graph


@pytest.fixture(params=["sqlite", "postgresql", "age"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], AbstractAsyncContextManager[Store]]:
    """Opens the test's store, as often as one likes."""
    if request.param == "age":
        knowledge: str = request.getfixturevalue("age")
        return lambda: open_store(tmp_path, settings=Settings(knowledge=knowledge))
    database = request.getfixturevalue("postgres_tables") if request.param == "postgresql" else ""
    return lambda: open_store(tmp_path, database=database)


@pytest.fixture
async def store(opened: Callable[[], AbstractAsyncContextManager[Store]]) -> AsyncIterator[Store]:
    async with opened() as store:
        yield store


@pytest.fixture
def tenant() -> str:
    """One that has nothing yet: the databases are the session's."""
    return f"tenant-{secrets.token_hex(8)}"


@pytest.fixture
def graph(store: Store, tenant: str) -> KnowledgeGraph:
    return get_graph(store.of(tenant))
