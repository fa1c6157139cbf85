"""Of a paper that several sources found the report has one reference, and its certificate holds all the same."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from elcano.activities.sources.registry import Sources
from elcano.dev.verification.verdict import verify
from elcano.graphs.values.works import Identifiers, Work
from elcano.settings import Settings
from elcano.testing import ScriptedSource
from tests.certificates.conftest import PAGES, Certificates, certified, research
from tests.certificates.test_tampered import Parts, resealed

TOLD = {
    "retries": Work(
        title="Retries",
        authors=("Curie, Marie",),
        year=2020,
        identifiers=Identifiers(pmid="1", doi="10.1/x"),
        source="handbook",
        retrieved_at=1_795_348_800.0,
    ),
    "budgets": Work(title="Budgets", kind="preprint", flags=("preprint",), identifiers=Identifiers(pmid="2")),
    "notice": Work(title="Retries", identifiers=Identifiers(doi="10.1/x"), flags=("retracted",), source="registry"),
    "copy": Work(title="Retries", identifiers=Identifiers(pmcid="PMC1"), source="registry"),
}


@asynccontextmanager
async def library(settings: Settings) -> AsyncIterator[Sources]:
    texts = {**PAGES, "notice": "A notice on retries was given.", "copy": PAGES["citations"]}
    yield Sources({"handbook": ScriptedSource("handbook", texts, works=TOLD)})


@pytest.fixture(scope="module")
async def of_works(
    anyio_backend: str, temporal_environment: WorkflowEnvironment, tmp_path_factory: pytest.TempPathFactory
) -> Certificates:
    folder: Path = tmp_path_factory.mktemp("works")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tests.certificates.conftest.open_sources", library)
        async with asyncio.timeout(170), research(temporal_environment.client, folder) as api:
            return Certificates({kind: await certified(api, kind) for kind in ("iterative", "deep")})


@pytest.mark.parametrize("kind", ["iterative", "deep"])
async def test_the_certificate_of_a_report_on_works_holds(of_works: Certificates, kind: str) -> None:
    verdict = verify(of_works[kind])
    assert verdict.faults == ()
    assert verdict.held is not None
    report = verdict.held.published
    (paper,) = [one for one in report.references if one.work and one.work.identifiers.doi == "10.1/x"]
    assert paper.work is not None
    assert paper.work.flags == ("retracted",)
    assert f"[{paper.number}, retracted]" in report.markdown
    assert f"> **Warning:** Reference {paper.number} (“Retries”) was retracted." in report.markdown
    assert " Searched on 20" in report.markdown
    assert f"{paper.number}. **RETRACTED** Curie M (2020). [**Retries**](<https://doi.org/10.1/x>)." in report.markdown


def hide(parts: Parts) -> None:
    for passage in parts["evidence"]:
        if passage["work"]:
            passage["work"]["flags"] = []


async def test_a_certificate_that_hides_a_retraction_does_not_hold(of_works: Certificates) -> None:
    """Whoever hid it computed all hashes anew."""
    assert verify(resealed(of_works["iterative"], lambda parts: None)).holds
    assert "report" in {fault.part for fault in verify(resealed(of_works["iterative"], hide)).faults}
