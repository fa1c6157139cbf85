"""The figures of a review are counted by code and add up; its cells hold words that stand in the texts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from elcano.activities.report.additions import ReportMaterial
from elcano.activities.report.report_builder import build_report
from elcano.activities.report.work_merge import Works
from elcano.graphs.contracts import PublishCall
from elcano.graphs.report.report import Report, ReportDraft
from elcano.graphs.report.works import Identifiers, Work
from elcano.graphs.state.state import RELATED, ToolCallRecord
from elcano.storage.evidence import Evidence, StoredText
from elcano.subjects.literature.review_report import Review, build_review
from tests.unit.activities.report.test_references import citing, found, part


def paper(source: str, number: int, text: str, **told: object) -> tuple[Evidence, StoredText]:
    names = Identifiers(doi=f"10.1/{number}")
    whole = {"title": f"Study {number}", "kind": "article", "source": source, "identifiers": names, **told}
    return found(source, text, Work.model_validate(whole))


ONE = paper("pubmed", 1, "In this trial 120 patients were randomised.", authors=("Curie, M", "Bohr, N"), year=2020)
AGAIN = paper("openalex", 1, "The same paper, told of otherwise.", design=("Randomized Controlled Trial",))
TWO = paper("openalex", 2, "Oil | water | 50% of 12 patients died.")
THREE = paper("openalex", 3, "Nobody cites this.")
PAGE = found("docs", "Bread rises.", None)
ALL = (ONE, AGAIN, TWO, THREE, PAGE)
CALL = PublishCall(
    run_id="run",
    question="?",
    mode="literature_review",
    draft="0" * 64,
    evidence=(),
    sources=("pubmed", "openalex", "docs"),
    records=(
        ToolCallRecord(source="pubmed", query="oil", found=1, new=1),
        ToolCallRecord(source="openalex", query="oil", found=3, new=2),
        ToolCallRecord(source="openalex", query="more oil", found=1, new=0),
        ToolCallRecord(source="registry", query="oil", error="it is down"),
        ToolCallRecord(source="docs", query="oil", found=1, new=1),
    ),
    kept=tuple(one.id for one, _ in (ONE, AGAIN, TWO, PAGE)),
)


def markdown(draft: ReportDraft | None, call: PublishCall = CALL) -> str:
    texts = {text.content_hash: text for _, text in ALL}
    return build_report(ReportMaterial(call, draft, [one for one, _ in ALL]), texts).markdown


def review_of(report: Report) -> Review:
    return Review.model_validate(report.attachments["review"])


def test_records_are_counted_by_source_and_add_up() -> None:
    text = markdown(citing(ONE, TWO))
    rows = [line.strip("| ").split(" | ") for line in part(text, "Records").splitlines() if line.startswith("|")]
    assert rows == [
        ["Source", "Searches", "Passages found", "Records found", "After removing duplicates", "Kept", "Cited"],
        ["---"] * 7,
        ["pubmed", "1", "1", "1", "1", "1", "1"],
        ["openalex", "2", "4", "3", "2", "1", "1"],
        ["registry", "1 (1 failed)", "0", "0", "0", "0", "0"],
        ["docs", "1", "1", "1", "1", "1", "0"],
        ["All", "5 (1 failed)", "6", "4", "4", "3", "2"],
    ]


def test_a_look_into_the_run_is_no_search_of_a_source() -> None:
    back = ToolCallRecord(source=RELATED, query="oil", found=3)
    looked = CALL.model_copy(update={"records": (*CALL.records, back)})
    assert part(markdown(citing(ONE, TWO), looked), "Records") == part(markdown(citing(ONE, TWO)), "Records")


def test_studies_are_told_of_in_words_that_stand_in_their_texts() -> None:
    text = markdown(citing(ONE, TWO, PAGE))
    rows = [line for line in part(text, "Studies cited").splitlines() if line.startswith("| [")]
    assert rows == [
        "| [1] | Curie M, et al. 2020 | Randomized Controlled Trial | “120 patients were randomised” "
        "| “In this trial 120 patients were randomised.” |",
        "| [2] | Study 2 | not stated | not stated | “Oil \\| water \\| 50% of 12 patients died.” |",
    ]
    assert "<table>" in MarkdownIt("commonmark").enable("table").render(text)


def test_every_cell_leads_to_its_words() -> None:
    texts = {text.content_hash: text for _, text in ALL}
    review = review_of(build_report(ReportMaterial(CALL, citing(ONE, TWO), [one for one, _ in ALL]), texts))
    cells = [cell for study in review.studies for cell in (study.size, study.outcome) if cell.text]
    assert len(cells) == 3
    for cell in cells:
        assert texts[cell.content_hash].text[cell.start : cell.end] == cell.text


def test_a_quote_that_does_not_hold_makes_no_study() -> None:
    draft = citing(ONE)
    (claim,) = draft.key_findings
    false = claim.model_copy(update={"citations": (claim.citations[0].model_copy(update={"quote": "Oil sinks."}),)})
    text = markdown(draft.model_copy(update={"key_findings": (false,)}))
    assert "## Studies cited" not in text
    assert "| All | 5 (1 failed) | 6 | 4 | 4 | 3 | 0 |" in text


def test_a_retracted_study_is_marked_in_the_table() -> None:
    bad = paper("pubmed", 9, "It was made up.", flags=("retracted",))
    text = build_report(ReportMaterial(CALL, citing(bad), [bad[0]]), {bad[1].content_hash: bad[1]}).markdown
    assert "| [1, retracted] | Study 9 |" in text


def test_a_review_without_a_draft_has_its_records() -> None:
    text = markdown(None, CALL.model_copy(update={"draft": None}))
    assert "| All | 5 (1 failed) | 6 | 4 | 4 | 3 | 0 |" in text


def test_other_reports_have_neither() -> None:
    text = markdown(citing(ONE), CALL.model_copy(update={"records": (), "kept": (), "mode": "iterative"}))
    assert "## Records" not in text
    assert "## Studies" not in text


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("We enrolled 1,204 women.", "enrolled 1,204 women"),
        ("A total of 30 healthy adult volunteers took part.", "A total of 30 healthy adult volunteers"),
        (
            "Of 500 screened, 45 eligible patients were randomly assigned to",
            "45 eligible patients were randomly assigned",
        ),
        ("12 patients died.", ""),
        ("At 3.5 patients were enrolled", ""),
        ("Included in 2019, the patients", ""),
        ("It has 300 pages.", ""),
        ("9" * 200 + " patients were enrolled", ""),
    ],
)
def test_a_size_is_what_a_text_says_of_those_who_were_studied(text: str, size: str) -> None:
    one = paper("pubmed", 1, text)
    (study,) = _review(one).studies
    assert study.size.text == size


@pytest.mark.parametrize(
    ("told", "size"), [(250, "250 (as registered)"), (0, ""), (True, ""), ("many", ""), (None, "")]
)
def test_what_a_registry_has_counts_where_the_text_is_silent(told: object, size: str) -> None:
    passage, text = paper("clinical_trials", 1, "A trial of oil.")
    (study,) = _review((Evidence.model_validate({**dict(passage), "metadata": {"enrollment": told}}), text)).studies
    assert (study.size.text, study.size.content_hash) == (size, "")


def _review(one: tuple[Evidence, StoredText]) -> Review:
    review = review_of(build_report(ReportMaterial(CALL, citing(one), [one[0]]), {one[1].content_hash: one[1]}))
    return review


SOURCES = st.sampled_from(("a", "b", "c"))
FOUND = st.lists(st.tuples(SOURCES, st.integers(1, 5), st.integers(0, 20)), max_size=12)


@given(FOUND, st.data())
def test_columns_add_up_whatever_was_found(told: list[tuple[str, int, int]], data: st.DataObject) -> None:
    evidence = [paper(source, number, f"Text {text}")[0] for source, number, text in told]
    kept = data.draw(st.lists(st.sampled_from([one.id for one in evidence]), unique=True)) if evidence else []
    review = build_review(CALL.model_copy(update={"kept": tuple(kept)}), evidence, Works(evidence))
    assert review is not None
    assert review.total.unique == sum(one.unique for one in review.sources) == len({number for _, number, _ in told})
    assert review.total.kept == sum(one.kept for one in review.sources)
    for one in (*review.sources, review.total):
        assert one.cited <= one.kept <= one.unique <= one.records


def test_a_hostile_text_is_read_as_any_other() -> None:
    body = "patients " + "9" * 200_000 + " a" * 100_000 + " -" * 100_000 + "b-" * 100_000
    passage, text = paper("pubmed", 1, "patients")
    long = passage.model_copy(update={"text": body, "end": len(body)})
    stored = text.model_copy(update={"text": body})
    review = review_of(build_report(ReportMaterial(CALL, citing((passage, text)), [long]), {text.content_hash: stored}))
    assert review.studies[0].size.text == ""


@given(st.text(alphabet="0123456789 ,patienswrdomlzcu", max_size=300))
def test_sizes_are_read_in_any_text(text: str) -> None:
    if not any(map(str.isalnum, text)):
        return  # nothing that could be quoted
    (study,) = _review(paper("pubmed", 1, text)).studies
    assert study.size.text in text
    assert re.search(r"\d", study.size.text) or not study.size.text
