"""An honest certificate holds, whatever kind of run it is of and whatever way that goes, and says what it is of.

`python -m tests.certificates.ways 300` walks more ways.
"""

import json
from pathlib import Path

import pytest
from temporalio.client import Client

from elcano import __version__
from elcano.doors.certificates.certificate_format import HASHES, PARTS, WHOLE
from elcano.doors.certificates.verify_command import compare_certificate, summarize_certificate
from elcano.graphs.report.report import Report
from tests.certificates.conftest import KINDS, Certificates, certified, research
from tests.certificates.ways import walk_ways


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


async def test_of_a_document_that_is_in_two_collections_the_certificates_of_both_hold(
    temporal: Client, tmp_path: Path
) -> None:
    async with research(temporal, tmp_path, ("handbook", "copy")) as api:
        for sources in (["handbook"], ["copy"], ["handbook", "copy"]):
            verdict = compare_certificate(await certified(api, "iterative", sources=sources))
            assert verdict.faults == (), sources
            assert verdict.held is not None
            assert {one.document.partition(":")[0] for one in verdict.held.texts} <= {*sources}


async def test_any_reader_of_json_reads_it(certificates: Certificates) -> None:
    read = json.loads(certificates["deep"])
    assert tuple(read) == (*PARTS, HASHES, WHOLE)
    assert Report.model_validate_json(read["report"]).markdown == read["markdown"]
    assert len(read["sections"]) == len(read["state"]["state"]["sections"]) > 1


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_the_certificates_of_random_ways_hold(temporal: Client, tmp_path: Path) -> None:
    walked = await walk_ways(temporal, tmp_path, range(1, 9))
    assert not [str(one) for one in walked if one.faults]
    assert sum(one.certificates for one in walked) > 8
