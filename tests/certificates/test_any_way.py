"""Whatever way a run goes, its certificate holds; `python -m tests.certificates.ways 300` walks more of them."""

from pathlib import Path

import pytest
from temporalio.client import Client

from tests.certificates.ways import walk_ways


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_the_certificates_of_random_ways_hold(temporal: Client, tmp_path: Path) -> None:
    walked = await walk_ways(temporal, tmp_path, range(1, 9))
    assert not [str(one) for one in walked if one.faults]
    assert sum(one.certificates for one in walked) > 8
