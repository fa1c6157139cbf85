"""Runs that found something, as tests of what is known of them have them."""

from hashlib import sha256

from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import ArchivedRun
from elcano.graphs.report.report import Block, CheckedCitation, Part, Reference, Report, Statement, Support, Verdict
from elcano.graphs.report.works import Identifiers, Work
from elcano.graphs.state.state import ReportRef
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.store import TenantStore

WORDS = "Aspirin lowers the risk of stroke in adults. Nothing else was seen."


def text_of(document: str, words: str = WORDS) -> StoredText:
    return StoredText(content_hash=sha256(words.encode()).hexdigest(), document=document, title=document, text=words)


def passage(
    id: str, document: str, *, words: str = WORDS, work: Work | None = None, metadata: JsonObject | None = None
) -> Evidence:
    return Evidence(
        id=id,
        source="handbook",
        document=document,
        content_hash=text_of(document, words).content_hash,
        title=work.title if work else document,
        locator=f"{document}.md",
        text=words,
        start=0,
        end=len(words),
        metadata=metadata or {},
        work=work,
    )


PAPER = Work(
    title="Aspirin and stroke: TP53 revisited",
    authors=("Müller, Ä", "Trialists' Group"),
    year=2018,
    kind="article",
    identifiers=Identifiers(pmid="123"),
    url="https://pubmed.ncbi.nlm.nih.gov/123/",
    source="pubmed",
)
"""As PubMed tells of it, without a DOI."""
MERGED = PAPER.model_copy(update={"identifiers": Identifiers(pmid="123", doi="10.1/a")})
"""As the report's reference list has it."""


def citation(evidence: str, verdict: Verdict = "verified") -> CheckedCitation:
    return CheckedCitation(claim="", evidence=evidence, quote="Aspirin lowers", verdict=verdict)


def statement(text: str, *citations: CheckedCitation, support: Support = "supported") -> Statement:
    return Statement(text=text, kind="fact", citations=citations, support=support)


def report_of(run_id: str, *statements: Statement, work: Work | None = None) -> Report:
    reference = Reference(
        number=1, document="doc", title="t", source="pubmed", locators=(), content_hash="0" * 64, work=work
    )
    return Report(
        run_id=run_id,
        question="Does aspirin prevent strokes?",
        title="Aspirin",
        markdown="",
        answered=True,
        partial=None,
        model="offline",
        references=(reference,),
        citations=(),
        unverified=(),
        parts=(Part(kind="section", blocks=(Block(kind="paragraph", markdown="", statements=statements),)),),
    )


def ended(run_id: str, artifact: str = "", tenant: str = "default") -> ArchivedRun:
    report = ReportRef(
        artifact=artifact, title="t", answered=True, partial=None, words=1, references=1, verified=1, unverified=0
    )
    return ArchivedRun(
        run_id=run_id,
        question=f"What of {run_id}?",
        mode="iterative",
        tenant=tenant,
        status="completed",
        started_at=1.0,
        finished_at=2.0,
        report=report if artifact else None,
    )


async def researched(store: TenantStore, run_id: str, evidence: list[Evidence], report: Report | None) -> ArchivedRun:
    """What a run has left when it is archived."""
    texts = [text_of(one.document, one.text) for one in evidence]
    await store.evidence.add(run_id, evidence, list({one.content_hash: one for one in texts}.values()))
    artifact = await store.artifacts.put(run_id, report.model_dump_json(), "application/json") if report else ""
    return ended(run_id, artifact, store.tenant)
