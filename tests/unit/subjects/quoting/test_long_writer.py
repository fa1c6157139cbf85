"""Joining quotations: the whole question is answered first, and nothing is said that was not quoted."""

from elcano.graphs.agents.envelope import EvidenceItem, SectionItem, TaskEnvelope
from elcano.graphs.report.report import Citation, Claim
from elcano.subjects.quoting.report_writing import (
    BRIEF_CLAIMS,
    SECTION_CLAIMS,
    proofread_draft,
    write_section,
    write_summary,
)
from elcano.subjects.research.agents.long_writer import SECTION, SUMMARY

QUESTION = "How does Temporal go on after a crash?"
REPLAY = "After a crash another worker of Temporal replays the history and goes on where the first one stopped."
RETRY = "A failed activity is retried by the server according to its retry policy."
REST = "Let the batter rest for half an hour before baking."
ITEMS = (
    EvidenceItem(key="e1", title="Temporal", heading="Crashes", locator="a.md"),
    EvidenceItem(key="e2", title="Cooking", heading="Batter", locator="b.md"),
)


def claim(text: str, key: str = "e1") -> Claim:
    return Claim(text=text, citations=(Citation(evidence=key, quote=text),))


def section(title: str, *claims: Claim, missing: str = "", limitations: tuple[str, ...] = ()) -> SectionItem:
    return SectionItem(title=title, claims=claims, missing=missing, limitations=limitations)


def written(*sections: SectionItem) -> TaskEnvelope:
    return TaskEnvelope(kind=SUMMARY, question=QUESTION, written=sections, evidence=ITEMS)


def drafted(*sections: SectionItem, kind: str = SECTION) -> TaskEnvelope:
    return TaskEnvelope(kind=kind, question=QUESTION, sections=sections, evidence=ITEMS)


def rewritten(only: SectionItem) -> tuple[Claim, ...]:
    """The section as it is written: the extractive model quotes, so it is claims."""
    text = write_section(drafted(only)).text
    assert not isinstance(text, str)
    return text


def test_key_findings_answer_the_whole_question_from_any_section() -> None:
    summary = write_summary(written(section("Baking", claim(REST, "e2")), section("Crashes", claim(REPLAY))))
    assert summary.key_findings == (claim(REPLAY),)
    assert summary.answered


def test_without_a_good_quotation_there_are_no_key_findings() -> None:
    summary = write_summary(written(section("Baking", claim(REST, "e2"))))
    assert summary.key_findings == ()
    assert summary.answered


def test_nothing_written_is_no_answer() -> None:
    summary = write_summary(written(section("Gap", missing="it failed", limitations=("old",))))
    assert (summary.answered, summary.key_findings, summary.limitations) == (False, (), ())


def test_each_limitation_is_told_once() -> None:
    first, second = section("A", claim(REPLAY), limitations=("x", "y")), section("B", claim(RETRY), limitations=("y",))
    assert write_summary(written(first, second)).limitations == ("x", "y")


def test_a_section_of_another_subject_keeps_what_bears_on_the_question() -> None:
    (only,) = rewritten(section("Resting", claim(REST, "e2"), claim(REPLAY)))
    assert only.text == REPLAY


def test_a_section_that_the_question_names_keeps_all_up_to_a_limit() -> None:
    claims = [claim(f"{REST} Number {number}.", "e2") for number in range(SECTION_CLAIMS + 2)]
    assert rewritten(section("Crash", *claims)) == tuple(claims[:SECTION_CLAIMS])


def test_one_pass_repeats_nothing_and_drops_empty_sections() -> None:
    details = [claim(f"{RETRY} Number {number}.") for number in range(BRIEF_CLAIMS + 1)]
    draft = proofread_draft(
        drafted(section("Crash", claim(REPLAY), *details), section("Gap", missing="why"), kind="proofreader")
    )
    assert draft.quoted
    assert draft.key_findings == (claim(REPLAY),)
    (kept,) = draft.sections
    assert kept.claims == tuple(details[:BRIEF_CLAIMS])


def test_a_page_on_the_subject_does_not_make_its_sentences_bear_on_the_question() -> None:
    aside = claim("The server was written by people who like long walks.")
    (only,) = rewritten(section("Server", aside, claim(REPLAY)))
    assert only.text == REPLAY


def test_a_section_without_a_bearing_claim_is_left_out() -> None:
    assert rewritten(section("Resting", claim(REST, "e2"), claim(RETRY))) == ()
