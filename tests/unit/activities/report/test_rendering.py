"""A report says first what was asked and how it ended, cites only by code's numbers and hides no failure."""

import re
from hashlib import sha256
from typing import get_args

import pytest

from elcano.activities.report.checked_draft import CheckedDraft
from elcano.activities.report.citation_check import check_citations
from elcano.activities.report.rendering import PASSAGE_CHARACTERS, partial_reason, render_evidence
from elcano.graphs.contracts import PublishCall
from elcano.graphs.report.report import Citation, Claim, DraftSection, ReportDraft
from elcano.graphs.spec.graph import EndKind
from elcano.graphs.state.failures import Ending, Failure
from elcano.graphs.state.plan import SectionGap, SectionResult
from elcano.graphs.state.state import ToolCallRecord
from elcano.storage.evidence import Evidence, StoredText
from tests.unit.activities.report.rendered import render_draft

TEXT = StoredText(
    content_hash=sha256(b"Oil is dear [1]. Water is <b>cheap</b>.").hexdigest(),
    document="prices",
    title="Prices [2025]",
    text="Oil is dear [1]. Water is <b>cheap</b>.",
)
OIL = Evidence(
    id="prices:0",
    source="docs",
    document="prices",
    content_hash=TEXT.content_hash,
    title="Prices [2025] > Oil",
    locator="https://example.org/prices#oil",
    text=TEXT.text[:16],
    start=0,
    end=16,
)
WATER = OIL.model_copy(
    update={
        "id": "prices:17",
        "locator": "https://example.org/prices#water",
        "text": TEXT.text[17:],
        "start": 17,
        "end": len(TEXT.text),
    }
)
FIRE = WATER.model_copy(update={"id": "prices:18", "locator": "https://example.org/prices#fire", "start": 18})
CALL = PublishCall(
    run_id="run",
    question="What does\noil cost?",
    mode="iterative",
    draft="0" * 64,
    evidence=(OIL.id, WATER.id),
    models=("test-model",),
    sources=("docs",),
    records=tuple(ToolCallRecord(source="library", query=query) for query in ("oil price", "oil price", "[water]")),
    warnings=("docs: broken.pdf was skipped",),
)
DRAFT = ReportDraft(
    title="The price\nof oil",
    key_findings=(
        Claim(text="Oil is **dear**.", citations=(Citation(evidence=OIL.id, quote="Oil is dear"),)),
        Claim(text="Everyone knows it [7]."),
    ),
    sections=(
        DraftSection(
            heading="Water\n# Fire",
            claims=(
                Claim(text="It is cheap.", citations=(Citation(evidence=WATER.id, quote="Water is <b>cheap</b>."),)),
                Claim(text="It is free.", citations=(Citation(evidence=WATER.id, quote="Water is [2] free"),)),
                Claim(text="It burns.", citations=(Citation(evidence="prices:99", quote="burns"),)),
            ),
        ),
    ),
    related=(WATER.id, FIRE.id, FIRE.id),
    limitations=("Nothing is said about wine.",),
)


def checked(draft: ReportDraft = DRAFT) -> CheckedDraft:
    return check_citations(draft, [OIL, WATER, FIRE], {TEXT.content_hash: TEXT})


def headings(markdown: str) -> list[str]:
    return [line for line in markdown.splitlines() if line.startswith("#")]


def part(markdown: str, heading: str) -> str:
    return markdown.partition(f"\n## {heading}\n")[2].partition("\n## ")[0].strip()


def test_the_parts_come_in_their_order() -> None:
    assert headings(render_draft(CALL, checked())) == [
        "# The price of oil",
        "## Key findings",
        "## Water # Fire",
        "## Limitations",
        "## What could not be verified",
        "## Related passages",
        "## Warnings",
        "## What was searched",
        "## References",
    ]


def test_the_head_says_what_was_asked_and_who_wrote() -> None:
    lines = render_draft(CALL, checked()).splitlines()
    assert lines[2] == "> Asked: What does oil cost?"
    assert lines[4] == (
        "> Written by test-model; every citation was looked up by code. No model reviewed it; code compared the "
        "figures, names and words of its statements with their quotes."
    )


def test_the_head_says_why_a_run_ended_early() -> None:
    call = CALL.model_copy(update={"ending": Ending(kind="stopped", detail="Lunch [1].")})
    assert "> **Partial:** the run ended early, because it was stopped: Lunch \\[1\\]. Written by" in render_draft(
        call, checked()
    )


@pytest.mark.parametrize("kind", get_args(EndKind))
def test_every_ending_has_its_words(kind: EndKind) -> None:
    reason = partial_reason(Ending(kind=kind))
    assert reason
    assert partial_reason(Ending(kind=kind, detail="so it was. ")) == f"{reason}: so it was"


def test_a_run_that_was_not_cut_short_is_not_partial() -> None:
    assert partial_reason(None) is None
    assert "Partial" not in render_draft(CALL, checked())


def test_claims_carry_numbers_or_the_mark_that_they_do_not_hold() -> None:
    markdown = render_draft(CALL, checked())
    assert part(markdown, "Key findings").splitlines() == [
        "- Oil is **dear**. [1]",
        "- Everyone knows it \\[7\\]. (not verified)",
    ]
    assert part(markdown, "Water # Fire").split("\n\n") == [
        "It is cheap. [1]",
        "It is free. (not verified)",
        "It burns. (not verified)",
    ]


def test_everything_that_failed_is_listed_with_its_evidence_and_reason() -> None:
    assert part(render_draft(CALL, checked()), "What could not be verified").splitlines() == [
        "- Everyone knows it \\[7\\]. — it cites nothing.",
        "- It is free. — the words it quotes are not in the passage it cites. "
        "Cited work: Prices \\[2025\\] > Oil. "
        "Quoted: “Water is \\[2\\] free”",
        "- It burns. — the passage it cites was never given to the writer. Quoted: “burns”",
    ]


def test_references_lead_to_every_cited_place() -> None:
    assert part(render_draft(CALL, checked()), "References") == (
        "1. **Prices \\[2025\\]** — docs\n"
        "   - [**https://example.org/prices#oil**](<https://example.org/prices#oil>): “Oil is dear”\n"
        "   - [**https://example.org/prices#water**](<https://example.org/prices#water>): "
        "“Water is &lt;b>cheap&lt;/b>.”"
    )
    once = checked(DRAFT.model_copy(update={"sections": ()}))
    assert part(render_draft(CALL, once), "References") == (
        "1. [**Prices \\[2025\\]**](<https://example.org/prices#oil>) — docs\n   - “Oil is dear”"
    )


def test_related_passages_that_nothing_cites_warnings_and_searches_are_told() -> None:
    markdown = render_draft(CALL, checked())
    assert part(markdown, "Related passages") == (
        "- [**Prices \\[2025\\] > Oil**](<https://example.org/prices#fire>) — docs"
    )
    assert part(markdown, "Limitations") == "- Nothing is said about wine."
    assert part(markdown, "Warnings") == "- docs: broken.pdf was skipped"
    assert part(markdown, "What was searched") == ("Sources: docs.\n\nSearched for:\n\n- “oil price”\n- “\\[water\\]”")


def test_numbers_in_brackets_are_only_those_of_references() -> None:
    markdown = render_draft(CALL, checked())
    assert re.findall(r"(?<!\\)\[(\d+)\]", markdown) == ["1", "1"]
    assert "<b>" not in markdown


def test_a_report_of_quotations_says_so_and_quotes() -> None:
    quotes = (
        Claim(text=OIL.text, citations=(Citation(evidence=OIL.id, quote=OIL.text),)),
        Claim(text=WATER.text, citations=(Citation(evidence=WATER.id, quote=WATER.text),)),
    )
    markdown = render_draft(CALL, checked(ReportDraft(title="T", key_findings=quotes, quoted=True)))
    assert "> This report consists of literal quotations; no language model was used to write it." in markdown
    assert part(markdown, "Key findings").splitlines() == [
        "- “Oil is dear \\[1\\].” [1]",
        "- “Water is &lt;b>cheap&lt;/b>.” [1]",
    ]
    assert "What could not be verified" not in markdown


def test_a_question_that_was_not_answered_is_said_to_be_so_first() -> None:
    draft = ReportDraft(
        title="T", answered=False, related=(OIL.id,), limitations=("Nothing speaks of it.",), quoted=True
    )
    blocks = render_draft(CALL, checked(draft)).split("\n\n")
    assert blocks[2:7] == [
        "**No sentence was found that can be quoted as an answer to this question.**",
        "## Limitations",
        "- Nothing speaks of it.",
        "## Nearest passages",
        "These are the nearest passages found; they may not answer the question.",
    ]
    assert blocks[7:9] == [
        "- [**Prices \\[2025\\] > Oil**](<https://example.org/prices#oil>) — docs",
        "  > Oil is dear \\[1\\].",
    ]
    assert "do not answer" not in "\n\n".join(blocks)
    assert headings("\n\n".join(blocks[9:])) == ["## Warnings", "## What was searched"]


def test_what_a_model_says_of_a_question_without_an_answer_comes_before_what_it_lacks() -> None:
    said = (Claim(text="No passage found says what oil costs.", citations=()),)
    draft = ReportDraft(
        title="T", introduction=said, answered=False, related=(OIL.id,), limitations=("Nothing speaks of it.",)
    )
    blocks = render_draft(CALL, checked(draft)).split("\n\n")
    assert blocks[2:7] == [
        "**The passages found do not answer this question.**",
        "No passage found says what oil costs.",
        "## Limitations",
        "- Nothing speaks of it.",
        "## Nearest passages",
    ]


def test_evidence_without_a_report_is_labelled_so() -> None:
    failure = Failure(node="writer", type="ModelRefused", message="no key <x>", fatal=True)
    long = WATER.model_copy(update={"text": "a" * (PASSAGE_CHARACTERS + 1)})
    call = CALL.model_copy(update={"draft": None, "failure": failure, "ending": Ending(kind="node_failed")})
    markdown = render_evidence(call, "What does oil cost?", [OIL, long])
    assert markdown.startswith("# What does oil cost?\n\n> Asked: What does oil cost?\n>\n> **Partial:** the run ended")
    assert "because a step failed. No language model wrote any of this." in markdown
    assert "**There is no report: none was written (no key &lt;x>).** Below is the evidence" in markdown
    assert part(markdown, "Evidence") == (
        "- [**Prices \\[2025\\] > Oil**](<https://example.org/prices#oil>) — docs\n\n"
        "  > Oil is dear \\[1\\].\n"
        "- [**Prices \\[2025\\] > Oil**](<https://example.org/prices#water>) — docs\n\n"
        f"  > {'a' * (PASSAGE_CHARACTERS - 1)}…"
    )
    assert "answer this question" not in markdown


def test_a_run_that_found_nothing_says_so() -> None:
    markdown = render_evidence(CALL, "T", [])
    assert "**There is no report: none was written, and no evidence was found.**" in markdown
    assert headings(markdown) == ["# T", "## Warnings", "## What was searched"]


def planned(title: str, gap: SectionGap | None = None, ending: str = "", *, unanswered: bool = False) -> SectionResult:
    draft = None if gap else "0" * 64
    return SectionResult(title=title, key_question="?", gap=gap, ending=ending, draft=draft, unanswered=unanswered)


def test_a_missing_section_stands_in_its_place_with_reason_attempts_and_cost() -> None:
    gap = SectionGap(reason="the key\nwas refused.", attempts=3, tokens=1_200, cost_microusd=15_000)
    draft = ReportDraft(title="T", sections=(DraftSection(heading="Cost # 1"), *DRAFT.sections))
    markdown = render_draft(CALL.model_copy(update={"sections": (planned("Cost # 1", gap),)}), checked(draft))
    assert headings(markdown)[1:3] == ["## Cost # 1", "## Water # Fire"]
    assert (
        "**This section is missing:** the key was refused (tried 3 times, 1,200 tokens used, 0.0150 USD spent)."
        in markdown
    )
    assert markdown.count("This section is missing") == 1


def test_a_gap_that_the_draft_does_not_name_is_listed_all_the_same() -> None:
    gap = SectionGap(reason="left out of the plan")
    call = CALL.model_copy(update={"sections": (planned("Gone", gap), planned("Merged away"))})
    markdown = render_draft(call, checked())
    assert part(markdown, "Gone") == "**This section is missing:** left out of the plan (never started)."
    assert "Merged away" not in markdown
    assert part(render_evidence(call, "T", [OIL]), "Gone").startswith("**This section is missing:**")


def test_an_empty_section_and_one_that_ended_early_say_so() -> None:
    draft = ReportDraft(title="T", sections=(DraftSection(heading="Wine"), *DRAFT.sections))
    call = CALL.model_copy(update={"sections": (planned("Wine"), planned("Water # Fire", ending="its time was up"))})
    markdown = render_draft(call, checked(draft))
    assert part(markdown, "Wine") == "**No sentence was found that can be quoted as an answer to this section.**"
    assert "The research on this section ended early: its time was up." in part(markdown, "Water # Fire")


def test_an_unanswered_section_says_so_whether_the_draft_names_it_or_not() -> None:
    draft = ReportDraft(title="T", sections=(DraftSection(heading="Wine"), *DRAFT.sections))
    call = CALL.model_copy(update={"sections": (planned("Wine", unanswered=True), planned("Beer", unanswered=True))})
    markdown = render_draft(call, checked(draft))
    told = "**No sentence was found that can be quoted as an answer to this section.**"
    assert (part(markdown, "Wine"), part(markdown, "Beer")) == (told, told)
    assert part(render_evidence(call, "T", [OIL]), "Wine") == told
