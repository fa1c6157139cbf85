"""What tests that ask models through their providers' own clients share."""

from collections.abc import Iterator

import pytest
from pydantic_ai import models

from elcano.graphs.model_names import PROVIDERS


@pytest.fixture
def no_model_keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Providers may be asked, and this machine has a key for none."""
    for variable in (variable for variables in PROVIDERS.values() for variable in variables):
        monkeypatch.delenv(variable, raising=False)
    with models.override_allow_model_requests(True):
        yield
