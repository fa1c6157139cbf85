"""Of a paper that several sources found the report has one reference, and its certificate holds all the same."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from elcano.activities.sources.registry import Sources
from elcano.doors.certificates.verify_command import compare_certificate
from elcano.graphs.report.works import Identifiers, Work
from elcano.settings import Settings
from elcano.subjects.literature.review_report import Review
from elcano.testing import ScriptedSource
from tests.api.asking import start
from tests.certificates.conftest import PAGES, QUESTION, Certificates, certified, research
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
        patched.setattr("tests.api.again.going_on.open_sources", library)
        async with asyncio.timeout(170), research(temporal_environment.client, folder) as api:
            found = {kind: await certified(api, kind) for kind in ("iterative", "deep")}
            run_id = await start(api, question=QUESTION, mode="literature_review")
            status = "running"
            while status == "running":
                await asyncio.sleep(0.25)
                status = (await api.get(f"/v1/runs/{run_id}")).json()["status"]
            answer = await api.get(f"/v1/runs/{run_id}/certificate")
            return Certificates({**found, "literature_review": answer.content})


@pytest.mark.parametrize("kind", ["iterative", "deep", "literature_review"])
async def test_the_certificate_of_a_report_on_works_holds(of_works: Certificates, kind: str) -> None:
    verdict = compare_certificate(of_works[kind])
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


async def test_a_review_counts_its_records_and_lists_its_studies(of_works: Certificates) -> None:
    held = compare_certificate(of_works["literature_review"]).held
    assert held is not None
    review = Review.model_validate(held.published.attachments["review"])
    assert review.total.cited <= review.total.kept <= review.total.unique <= review.total.found
    assert review.total.unique == len({one.work.title if one.work else one.document for one in held.evidence})
    assert "## Records" in held.markdown
    (study,) = [one for one in review.studies if one.name == "Curie M 2020"]
    texts = {text.content_hash: text.text for text in held.texts}
    assert texts[study.outcome.content_hash][study.outcome.start : study.outcome.end] == study.outcome.text
    assert f"| [{study.number}, retracted] | Curie M 2020 | not stated | not stated |" in held.markdown


def hide(parts: Parts) -> None:
    for passage in parts["evidence"]:
        if passage["work"]:
            passage["work"]["flags"] = []


async def test_a_certificate_that_hides_a_retraction_does_not_hold(of_works: Certificates) -> None:
    """Whoever hid it computed all hashes anew."""
    assert compare_certificate(resealed(of_works["iterative"], lambda parts: None)).holds
    assert "report" in {fault.part for fault in compare_certificate(resealed(of_works["iterative"], hide)).faults}
