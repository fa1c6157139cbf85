"""The distributions of this checkout, built once."""

import pytest

from tests.packaging.building import Distributions, build


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    return build(tmp_path_factory.mktemp("built"))
