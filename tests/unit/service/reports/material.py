"""References for the tests of what is made of them."""

from elcano.graphs.report.report import CitedText, Reference
from elcano.graphs.report.works import Identifiers, Work

NOON = 1_795_348_800.0
"""2026-11-22, 12:00 UTC."""
PAPER = Work(
    title="Käse & 100% Öl: the mRNA_{1} of $5 ~ #2",
    authors=("Curie, Marie Salomea", "Müller-Lüdenscheidt, Jürgen, Jr.", "Oil and Water Group", "毛, 泽东"),
    year=2024,
    published="2024-05-17",
    venue="Journal of Oil & Water",
    volume="12",
    issue="3",
    pages="45-67",
    publisher="Press",
    kind="article",
    identifiers=Identifiers(doi="10.1000/a_b<1>%{x}", pmid="123", pmcid="PMC9", arxiv="2101.00001"),
    url="https://example.org/a b?x=1&y={2}",
    language="en",
    flags=("retracted", "preprint"),
    notices=("Retracted in J Oil 2025; data were made up",),
    source="pubmed",
    retrieved_at=NOON,
)


def reference(work: Work | None = PAPER, number: int = 1, **told: object) -> Reference:
    title = work.title if work else "A page"
    document = work.identifiers.document if work else "docs:a.md"
    whole = {
        "number": number,
        "document": document or "docs:a.md",
        "title": title,
        "source": work.source if work else "docs",
        "locators": ("a.md#1", "a.md#2"),
        "content_hash": "0" * 64,
        "work": work,
        "texts": (CitedText(content_hash="0" * 64, document=document, source="pubmed", retrieved="2026-11-22"),),
        **told,
    }
    return Reference.model_validate(whole)
