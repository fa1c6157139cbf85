"""What models write becomes blocks: each cites what its marks stand for, and nothing that is marked nowhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from elcano.activities.agents.answer_drafts import (
    draft_from_prose,
    draft_from_summary,
    drop_repeated_claims,
    section_claims,
)
from elcano.graphs.agents.writing import MOST_CHARACTERS, ReportProse, SectionProse, SectionText, Summary
from elcano.graphs.report.report import Citation, Claim, DraftSection, ReportDraft
from elcano.text.prose.blocks import ClaimCollector

A = Citation(evidence="e1", quote="fell by 12 %", mark="a")
B = Citation(evidence="e2", quote="rose", mark="[B]")
LISTED = "A list of references that the writer wrote itself was left out."


def claims(text: str, *citations: Citation, heading: str = "", cut_off: bool = False) -> list[tuple[str, list[str]]]:
    """Each block with the evidence that it cites."""
    written = ClaimCollector(citations or (A, B), cut_off=cut_off)
    return [(one.text, [cited.evidence for cited in one.citations]) for one in written.claims(text, heading)]


def test_each_block_has_the_citations_that_are_marked_in_it() -> None:
    text = (
        "It fell [a].\nIt rose [a, b].\n\n## Table\n\n| x |\n|---|\n| 1 [b] |\n\n- one [from a, b]\n- two\n\nNothing."
    )
    assert claims(text) == [
        ("It fell [a].\nIt rose [a, b].", ["e1", "e2"]),
        ("### Table", []),
        ("| x |\n|---|\n| 1 [b] |", ["e2"]),
        ("- one [from a, b]\n- two", ["e1", "e2"]),
        ("Nothing.", []),
    ]


TABLE = "| x | y | z |\n|---|---|---|\n| 1 [b] | 2 [b] | 3 [b] |"


@pytest.mark.parametrize("rest", ["\n| 4 [b]", "\n| 4 [b] |", "\n| 4 [b] | 5", "\n| 4 [b] | 5 |", "\n|"])
def test_a_row_within_which_an_answer_was_cut_off_is_left_out_and_told(rest: str) -> None:
    written = ClaimCollector((A, B), cut_off=True)
    assert [one.text for one in written.claims(f"It fell [a].\n\n{TABLE}{rest}")] == ["It fell [a].", TABLE]
    assert [one for one in written.leftover() if "within a row" in one]


def test_nothing_is_left_of_a_table_without_a_whole_row() -> None:
    text = "It fell [a].\n\n| x | y |\n|---|---|\n| 4 [b]"
    assert claims(text, cut_off=True) == [("It fell [a].", ["e1"])]


@pytest.mark.parametrize("text", [f"{TABLE}\n| Total | 3 [b] |", "| x | y |\n|---|---|\n| Total 4 [b] |"])
def test_a_short_row_of_a_whole_answer_stays_with_its_citation(text: str) -> None:
    assert claims(text) == [(text, ["e2"])]


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        f"{TABLE}\n| 4 [b] | 5 | |",
        f"{TABLE}\n| 4 | 5 ||",
        f"{TABLE}\n| 4 | 5 | 6",
        f"{TABLE}\n| 4 |\n| 5 |",  # the writer leaves cells out
        f"{TABLE}\nMeans of three trials [b].",
        "x | y\n---|---\n1 | 2 [b]",
    ],
)
def test_rows_that_are_whole_stay(text: str) -> None:
    assert [one for one, _ in claims(text, cut_off=True)] == [text]
    assert claims(f"{TABLE}\n| 4 [b] |\n\nIt fell [a].", cut_off=True)[0][0].endswith("| 4 [b] |")


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("It fell. [a]", ["e1"]),
        ("It fell [A; b].", ["e1", "e2"]),
        ("It fell [a and b].", ["e1", "e2"]),
        ("It fell [^a].", ["e1"]),
        ("It fell [e2].", ["e2"]),  # the passage's key, which has one citation alone
        ("It fell [a, z].", ["e1"]),
        ("It fell [z], [1], [a cat] and `x [a]` and $y_{[a]}$.", []),
        ("```\n[a]\n```", []),
        ("$$\n[a]\n$$", []),
        ("It fell \\[a].", []),
        ("", []),
    ],
)
def test_marks_are_read_as_models_write_them(text: str, cited: list[str]) -> None:
    assert [evidence for _, own in claims(text) for evidence in own] == cited


def test_numbers_are_marks_if_citations_have_them() -> None:
    one = A.model_copy(update={"mark": "1"})
    assert claims("It fell [1]. It rose [2].", one) == [("It fell [1]. It rose [2].", ["e1"])]


def test_a_passage_with_several_quotes_is_no_mark() -> None:
    assert claims("It fell [e1].", A, A.model_copy(update={"mark": "c", "quote": "x"})) == [("It fell [e1].", [])]


def test_citations_that_are_marked_nowhere_support_nothing_and_are_told() -> None:
    claims_, told = section_claims(SectionText(text="It fell. It rose [b].", citations=(A, B)), "S")
    assert [cited.evidence for one in claims_ for cited in one.citations] == ["e2"]
    assert told == ("1 citation has its mark behind no sentence of the writer's text and counted for none.",)


@pytest.mark.parametrize(
    "tail",
    [
        "## References\n\n1. Smith 2020. https://example.org\n2. Jones et al. doi:10.1/x",
        "**Sources:**\n\n- [a] Smith\n- [b] Jones",
        "[a]: Smith, https://example.org\n[b]: Jones",
        "### Literatur\n\n[1] Meier (2020)\n\n[2] Huber (2021)",
        "参考文献\n\n1. 王",
    ],
)
def test_lists_of_references_are_left_out_with_a_word(tail: str) -> None:
    written = ClaimCollector((A, B))
    kept = written.claims(f"It fell [a] and rose [b].\n\n{tail}")
    assert [one.text for one in kept] == ["It fell [a] and rose [b]."]
    assert written.leftover() == (LISTED,)


@pytest.mark.parametrize("tail", ["[^1]: Only in the first year.", "## Notes\n\n[^1]: Only in the first year."])
def test_footnotes_in_the_writers_own_words_stay(tail: str) -> None:
    written = ClaimCollector((A, B))
    kept = [one.text for one in written.claims(f"It fell[^1] [a] and rose [b].\n\n{tail}")]
    assert kept[-1] == "[^1]: Only in the first year."
    assert written.leftover() == ()


def test_a_section_on_sources_is_no_list_of_references() -> None:
    text = "### Sources\n\nEnergy comes from wind and from water, which the state pays for [a]."
    assert [one for one, _ in claims(text)] == text.split("\n\n")


def test_headings_are_of_one_level_and_none_is_said_twice_or_empty() -> None:
    text = "# Costs\n\nA [a].\n\nHow\n===\n\nB [b].\n\n##### How?\n\nC [a].\n\n## Empty\n\n## Last"
    assert [one for one, _ in claims(text, heading="**Costs**")] == ["A [a].", "### How", "B [b].", "C [a]."]


@pytest.mark.parametrize(
    "text",
    [
        "```markdown\nIt fell [a].\n\n- It rose [b].\n```\n",
        "~~~md\nIt fell [a].\n\n- It rose [b].\n~~~",
        "It fell [a].\\n\\n- It rose [b].",
    ],
)
def test_what_models_put_around_markdown_is_taken_off(text: str) -> None:
    assert claims(text) == [("It fell [a].", ["e1"]), ("- It rose [b].", ["e2"])]


def test_a_block_of_code_and_a_formula_stay_what_they_are() -> None:
    for text in ("```python\nx\n```", "$\\nu + \\nabla$"):
        assert claims(text) == [(text, [])]


def test_sections_of_one_heading_are_one() -> None:
    sections = tuple(SectionProse(heading=one, text=f"It fell {n} [a].") for n, one in enumerate(("How", "Why", "How")))
    draft = draft_from_prose(ReportProse(title="T", sections=sections, citations=(A,)))
    assert [(one.heading, len(one.claims)) for one in draft.sections] == [("How", 2), ("Why", 1)]


def test_claims_in_the_place_of_a_text_stay_as_they_are() -> None:
    quoted = Claim(text="# It [a]\n\nfell", citations=(Citation(evidence="e1", quote="fell"),))
    draft = draft_from_prose(
        ReportProse(title="T", key_findings=(quoted,), sections=(SectionProse(heading="S", text=()),))
    )
    assert draft.key_findings == (quoted,)
    assert draft.remarks == ()


def test_answers_are_read_as_kindly_as_can_be() -> None:
    cited = {"mark": 1, "evidence": "e1", "quote": "fell"}
    said = {"title": "T", "introduction": "It fell [1].", "conclusion": None, "sections": None, "citations": [cited]}
    draft = draft_from_prose(ReportProse.model_validate(said))
    assert [len(one.citations) for one in draft.introduction] == [1]
    assert draft.conclusion == ()
    with pytest.raises(ValidationError):
        ReportProse.model_validate({"title": None})


def test_every_part_of_a_report_is_split() -> None:
    answer = ReportProse(
        title="A\ntitle " * 60,
        introduction="In short, it fell [a].",
        key_findings="- It fell [a].",
        sections=(SectionProse(heading="How " * 90, text="It rose [b]."),),
        disputed="One says so [a].",
        strength="Two trials [a, b].",
        conclusion="So take it [from a].",
        limitations=("Costs.",),
        citations=(A, B),
    )
    draft = draft_from_prose(answer)
    assert len(draft.title) <= 300
    assert [len(one.citations) for one in draft.claims] == [1, 1, 1, 1, 2, 1]
    parts = answer.model_dump(exclude={"title", "sections", "related"})
    summary = draft_from_summary(Summary.model_validate(parts), "T")
    assert summary.conclusion == draft.conclusion
    assert summary.sections == ()


def test_what_stands_above_is_not_said_again_in_sections() -> None:
    fell, rose = (Claim(text=f"It {word} [a].", citations=(A,)) for word in ("fell", "rose"))
    findings = (Claim(text="- It fell [b].\n- It stood [a].", citations=(A, B)),)
    sections = (DraftSection(heading="One", claims=(fell, rose)), DraftSection(heading="Two", claims=(fell,)))
    kept = drop_repeated_claims(ReportDraft(title="T", key_findings=findings, sections=sections))
    assert [one.claims for one in kept.sections] == [(rose,), (fell,)]  # a section is not emptied


@given(st.text(alphabet="ab1[](){}<>!*_`~#>|-+=.:$\\&; \n\t^", max_size=80) | st.text(), st.text(max_size=5))
def test_nothing_that_a_model_writes_breaks_it(text: str, mark: str) -> None:
    answer = ReportProse(
        title="T",
        introduction=text,
        sections=(SectionProse(heading="H", text=text),),
        citations=(A.model_copy(update={"mark": mark}),),
    )
    for one in draft_from_prose(answer).claims:
        assert one.text.strip()


def test_a_text_that_no_model_writes_is_refused_by_its_name() -> None:
    most = "x" * MOST_CHARACTERS
    assert SectionText(text=most).text == most
    with pytest.raises(ValidationError, match=r"`text` has 400,001 characters, and 400,000 are taken"):
        SectionText(text=most + "x")
