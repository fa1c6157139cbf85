"""What colleagues ask over a folder of short notes is answered with the words of a note, or not at all."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from elcano.activities.agents.prompt_passages import fit_passages_to_tokens
from elcano.graphs.agents.envelope import EvidenceItem, OfferedSource, TaskEnvelope
from elcano.graphs.catalogue.sources import build_collection_spec
from elcano.graphs.report.report import ReportDraft
from elcano.storage.evidence import Evidence
from elcano.subjects.documents.local_sources import Folder
from elcano.subjects.documents.source import DocumentsSource
from elcano.subjects.quoting.planning import plan_searches
from elcano.subjects.quoting.report_writing import write_report
from elcano.text.stems import content_words
from tests.unit.subjects.quoting.notes_of_a_team import NOTES, QUESTIONS

LIMIT_BYTES = 1_000_000
PASSAGES = 8
ANSWERED = {question: words for question, words in QUESTIONS.items() if words is not None}
REFUSED = [question for question, words in QUESTIONS.items() if words is None]


@pytest.fixture
async def notes(tmp_path: Path) -> AsyncIterator[DocumentsSource]:
    for name, text in NOTES.items():
        note = tmp_path / "notes" / name
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(text, encoding="utf-8")
    source = DocumentsSource(
        build_collection_spec("notes"),
        Folder(tmp_path / "notes", LIMIT_BYTES),
        tmp_path / "index.sqlite",
        clock=lambda: 0.0,
    )
    yield source
    await source.close()


async def drafted(question: str, source: DocumentsSource) -> ReportDraft:
    """What a run's first searches and its writer make of `question`."""
    weights = dict(await source.term_weights(content_words(question)))
    offered = (OfferedSource(name="notes"),)
    asked = TaskEnvelope(kind="tool_selector", question=question, gap=question, sources=offered, term_weights=weights)
    found: dict[str, Evidence] = {}
    for search in plan_searches(asked).tasks:
        found.update((one.id, one) for one in (await source.search(search.query, PASSAGES)).evidence)
    shown = fit_passages_to_tokens(tuple(found.values()), (), 24_000).items
    return write_report(TaskEnvelope(kind="writer", question=question, evidence=shown, term_weights=weights))


def quoted(report: ReportDraft) -> list[str]:
    claims = [*report.key_findings, *(claim for section in report.sections for claim in section.claims)]
    return [" ".join(claim.text.split()) for claim in claims]


def over(question: str, *texts: str) -> ReportDraft:
    """What is made of notes without headings, each one passage."""
    items = tuple(
        EvidenceItem(key=f"e{number}", title=f"note{number}.txt", locator=f"note{number}.txt", text=text)
        for number, text in enumerate(texts, start=1)
    )
    return write_report(TaskEnvelope(kind="writer", question=question, evidence=items))


async def test_what_a_note_tells_is_answered_with_its_words(notes: DocumentsSource) -> None:
    said = {question: quoted(await drafted(question, notes)) for question in ANSWERED}
    lacking = {
        question: said[question] for question, words in ANSWERED.items() if words not in " ".join(said[question])
    }
    assert lacking == {}
    assert len(ANSWERED) == 29


async def test_what_no_note_tells_is_not_answered(notes: DocumentsSource) -> None:
    answered = {question: quoted(report) for question in REFUSED if (report := await drafted(question, notes)).answered}
    assert answered == {}
    assert len(REFUSED) == 10


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("Which fine did Kettlewright pay?", "Kettlewright lost a dispute and paid a fine of 40,000 euros."),
        ("What do I do when I lose my laptop?", "Lost laptops are reported to security within one day."),
        ("Who owns Kettlewright?", "Two sisters own Kettlewright."),
        ("Can I deploy on a Friday?", "Nobody deploys on a Friday."),
        ("Is smoking allowed?", "Smoking isn\u2019t allowed."),
        ("Who won the race?", "Maren won the race."),
    ],
)
def test_one_sentence_is_a_note(question: str, note: str) -> None:
    assert quoted(over(question, note)) == [note]


def test_what_is_told_of_one_name_is_no_answer_about_another() -> None:
    note = "Two sisters own Kettlewright. Both live in Ghent.\n\nThe board saw Aldermoor. Aldermoor makes steel."
    assert quoted(over("Who owns Kettlewright?", note))[0].startswith("Two sisters own Kettlewright.")
    assert not any("Kettlewright" in one for one in quoted(over("Who owns Aldermoor?", note)))


@pytest.mark.parametrize(
    "note", ["", " ", "Nobody.", "No. " * 5_000, "paid " * 20_000, "\u0000own\u202e", "won't " * 9]
)
def test_a_note_of_any_kind_is_read(note: str) -> None:
    for question in ("Who owns it?", "Can I?", "paid", "How long does it take?", "Did Ünal pay?"):
        assert all(one in " ".join(note.split()) for one in quoted(over(question, note)))
