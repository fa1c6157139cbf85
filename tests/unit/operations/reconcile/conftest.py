"""Every test of rows runs on each database."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from elcano.storage.store import Store, open_store


@pytest.fixture(params=["sqlite", "postgresql"])
async def whole(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    database = request.getfixturevalue("postgres_tables") if request.param == "postgresql" else ""
    async with open_store(tmp_path, database=database) as store:
        yield store
