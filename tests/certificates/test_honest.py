"""An honest certificate holds, whatever kind of run it is of, and says what it is of."""

import json
from collections.abc import Mapping

import pytest

from elcano import __version__
from elcano.dev.verification.verdict import verify
from elcano.dev.verify import told
from elcano.graphs.values.report import Report
from elcano.storage.certificates.form import HASHES, PARTS, WHOLE
from tests.certificates.conftest import KINDS


@pytest.mark.parametrize("kind", KINDS)
async def test_an_honest_certificate_holds(certificates: Mapping[str, bytes], kind: str) -> None:
    verdict = verify(certificates[kind])
    assert verdict.faults == ()
    assert verdict.held is not None
    assert verdict.held.published.builds == verdict.held.versions.builds == (f"{__version__}+one",)
    print("\n".join(told(verdict.held)), len(certificates[kind]))


async def test_any_reader_of_json_reads_it(certificates: Mapping[str, bytes]) -> None:
    read = json.loads(certificates["deep"])
    assert tuple(read) == (*PARTS, HASHES, WHOLE)
    assert Report.model_validate_json(read["report"]).markdown == read["markdown"]
    assert len(read["sections"]) == len(read["state"]["state"]["sections"]) > 1
