"""The shop in each engine, for whoever asks for `shop`."""

from pathlib import Path

import pytest

from elcano.subjects.data.databases import values
from elcano.subjects.data.databases.database import Database
from elcano.subjects.data.databases.engine import Engine
from tests.unit.subjects.data.databases.shop import duckdb_shop, postgresql_shop, sqlite_shop


@pytest.fixture(autouse=True)
def _time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """How fast a machine is says nothing of what is read."""
    patient = values.LIMITS.model_copy(update={"seconds": 60.0, "total_seconds": 600.0})
    monkeypatch.setattr(values, "LIMITS", patient)


@pytest.fixture(params=["sqlite", "postgresql", "duckdb"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    if request.param == "postgresql":
        return postgresql_shop(request.getfixturevalue("postgres"))
    return sqlite_shop(tmp_path) if request.param == "sqlite" else duckdb_shop(tmp_path)


@pytest.fixture
def shop(engine: Engine) -> Database:
    return Database(engine, seconds=5, trusted=600)
