"""An honest certificate holds, whatever kind of run it is of, and says what it is of."""

import json

import pytest

from elcano import __version__
from elcano.graphs.report.report import Report
from elcano.plugins.certificates.certificate_format import HASHES, PARTS, WHOLE
from elcano.plugins.certificates.verify_command import compare_certificate, summarize_certificate
from tests.certificates.conftest import KINDS, Certificates


@pytest.mark.parametrize("kind", KINDS)
async def test_an_honest_certificate_holds(certificates: Certificates, kind: str) -> None:
    verdict = compare_certificate(certificates[kind])
    assert verdict.faults == ()
    assert verdict.held is not None
    assert verdict.held.published.builds == verdict.held.versions.builds == (f"{__version__}+one",)
    assert (
        summarize_certificate(verdict.held)[0]
        == f"The report of {verdict.held.about.run_id} follows from the recorded evidence."
    )


async def test_any_reader_of_json_reads_it(certificates: Certificates) -> None:
    read = json.loads(certificates["deep"])
    assert tuple(read) == (*PARTS, HASHES, WHOLE)
    assert Report.model_validate_json(read["report"]).markdown == read["markdown"]
    assert len(read["sections"]) == len(read["state"]["state"]["sections"]) > 1
