"""Numbers stand where marks stood; what does not hold says so; all of it is data too."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from elcano.activities.report.checked_draft import CheckedDraft
from elcano.activities.report.citation_check import check_citations
from elcano.activities.report.report_builder import render_parts
from elcano.graphs.report.report import Citation, Claim, DraftSection, Judgement, Part, ReportDraft
from elcano.text.phrases import get_phrases
from tests.unit.activities.report.rendered import render_draft
from tests.unit.activities.report.test_rendering import CALL, OIL, TEXT, WATER, headings, part

DEAR = Citation(evidence=OIL.id, quote="Oil is dear", mark="a")
CHEAP = Citation(evidence=WATER.id, quote="Water is", mark="b")
FALSE = Citation(evidence=WATER.id, quote="Water is wine", mark="c")


def claim(text: str, *citations: Citation) -> Claim:
    return Claim(text=text, citations=citations)


def checked(*claims: Claim, judgements: tuple[Judgement, ...] = ()) -> CheckedDraft:
    draft = ReportDraft(title="T", sections=(DraftSection(heading="S", claims=claims),), judgements=judgements)
    return check_citations(draft, [OIL, WATER], {TEXT.content_hash: TEXT})


def told(*claims: Claim, judgements: tuple[Judgement, ...] = ()) -> Part:
    (only,) = render_parts(checked(*claims, judgements=judgements), {})
    return only


def markdown(*claims: Claim, judgements: tuple[Judgement, ...] = ()) -> list[str]:
    return [block.markdown for block in told(*claims, judgements=judgements).blocks]


def test_numbers_stand_where_marks_stood() -> None:
    text = "Oil is **dear** [a]. Water is not. [b] Both cost [b, a]. So save [from a, b]. Do so."
    assert markdown(claim(text, DEAR, CHEAP)) == [
        "Oil is **dear** [1]. Water is not. [1] Both cost [1]. So save (inferred from [1]). Do so."
    ]
    table = "| A | B |\n|:-:|---|\n| oil [a] | dear |"
    assert markdown(claim(table, DEAR)) == [table.replace("[a]", "[1]")]


def test_a_sentence_whose_quote_fails_is_marked_and_the_next_one_is_not() -> None:
    text = "Water is wine [c]. Oil is dear [a, c]. So drink [from a, c]."
    (block,) = told(claim(text, DEAR, FALSE)).blocks
    assert block.markdown == "Water is wine (not verified). Oil is dear [1]. So drink (inferred) (not verified)."
    assert [(one.kind, one.support) for one in block.statements] == [
        ("fact", "not_supported"),
        ("fact", "unchecked"),
        ("inference", "not_supported"),
    ]
    result = checked(claim(text, DEAR, FALSE))
    assert [(one.claim, one.verdict) for one in result.unverified] == [
        ("Water is wine.", "quote_not_found"),
        ("Oil is dear.", "quote_not_found"),
        ("So drink.", "quote_not_found"),
    ]
    assert result.doubted == ()


def test_statements_end_as_sentences_of_the_language_of_the_report_do() -> None:
    """Also in a block too short to tell its own language, and the rendering counts them as the check did."""
    german = "Das Öl war teuer bzw. knapp [a]. Am 3. Oktober wurde es noch teurer, und das Wasser nicht [c]."
    part = told(claim(german, DEAR, FALSE), claim("5 % bzw. 6 % [c]. Davor war es teuer [a].", DEAR, FALSE))
    first, second = part.blocks
    assert [one.text for one in first.statements] == [
        "Das Öl war teuer bzw. knapp.",
        "Am 3. Oktober wurde es noch teurer, und das Wasser nicht.",
    ]
    assert [one.text for one in second.statements] == ["5 % bzw. 6 %.", "Davor war es teuer."]
    assert second.markdown == "5 % bzw. 6 % (not verified). Davor war es teuer [1]."


def test_what_stands_behind_a_statement_is_in_the_language_of_the_report() -> None:
    chinese = get_phrases("zh")
    text = "Water is wine [c]. Oil is dear [a]. So save [from a]. So drink [from c]."
    (only,) = render_parts(checked(claim(text, DEAR, FALSE)), {}, chinese)
    (block,) = only.blocks
    for said in (chinese.not_verified, chinese.inferred_from.format(numbers="[1]"), chinese.inferred):
        assert said in block.markdown
    assert not re.search("verified|inferred|from", block.markdown)


def test_a_block_that_cites_nothing_is_not_verified_but_what_leads_on_is() -> None:
    table = "| A |\n|---|\n| oil [a] |"
    blocks = (claim("### Prices"), claim("They are:"), claim(table, DEAR), claim("Known to all."), claim("- x\n- y"))
    assert markdown(*blocks) == [
        "### Prices",
        "They are:",
        table.replace("[a]", "[1]"),
        "Known to all. (not verified)",
        "- x\n- y\n\n(not verified)",
    ]
    assert [one.claim for one in checked(*blocks).unverified] == ["Known to all.", "x y"]
    assert [block.kind for block in told(*blocks).blocks] == ["heading", "paragraph", "table", "paragraph", "list"]


def test_judgements_are_shown_and_listed_with_their_reason() -> None:
    judged = (
        Judgement(
            statement="Oil is dear.", support="partly", reason="it says nothing of [2] prices", evidence=(OIL.id,)
        ),
        Judgement(statement="It is 1519.", support="not_supported", reason="a figure without a source"),
        Judgement(statement="Water is.", support="supported", evidence=(WATER.id,)),
        Judgement(statement="Water is.", support="not_supported", reason="of other evidence", evidence=(OIL.id,)),
    )
    text = claim("Oil is dear [a]. It is 1519. Water is [b].", DEAR, CHEAP)
    assert markdown(text, judgements=judged) == [
        "Oil is dear [1] (partly supported). It is 1519. (not verified) Water is [1]."
    ]
    shown = render_draft(CALL, checked(text, judgements=judged))
    assert part(shown, "What could not be verified").splitlines() == [
        "- Oil is dear. — it says nothing of \\[2\\] prices.",
        "- It is 1519. — a figure without a source.",
    ]


def test_a_long_table_that_cites_nothing_is_not_told_whole_a_second_time() -> None:
    table = "| Oil | Water |\n|---|---|\n" + "| dear | cheap |\n" * 100
    (told_of,) = part(render_draft(CALL, checked(claim(table))), "What could not be verified").splitlines()
    assert told_of.startswith("- Oil Water dear cheap")
    assert "… — it cites nothing." in told_of
    assert len(told_of) < 450


def test_the_parts_of_a_report_of_prose_come_in_their_order() -> None:
    one = (claim("Oil is dear [a].", DEAR),)
    draft = ReportDraft(
        title="T",
        introduction=one,
        key_findings=(claim("- Oil is dear [a]\n- It burns", DEAR),),
        sections=(DraftSection(heading="S", claims=one),),
        disputed=one,
        strength=one,
        conclusion=one,
        limitations=("Wine.",),
        remarks=("Something was left out [9].",),
    )
    result = check_citations(draft, [OIL, WATER], {TEXT.content_hash: TEXT})
    shown = render_draft(CALL, result)
    assert headings(shown) == [
        "# T",
        "## Key findings",
        "## S",
        "## What is disputed",
        "## How strong the evidence is",
        "## Conclusion",
        "## Limitations",
        "## Warnings",
        "## What was searched",
        "## References",
    ]
    assert shown.split("\n\n")[2:4] == ["Oil is dear [1].", "## Key findings"]
    assert part(shown, "Key findings") == "- Oil is dear [1]\n- It burns"
    assert "- Something was left out \\[9\\]." in part(shown, "Warnings")
    kinds = [one.kind for one in render_parts(result, {})]
    assert kinds == ["introduction", "key_findings", "section", "disputed", "strength", "conclusion"]


def test_a_work_that_does_not_stand_is_told_at_its_number() -> None:
    (only,) = render_parts(checked(claim("Oil is dear [a]. So [from a].", DEAR)), {1: "retracted"})
    assert only.blocks[0].markdown == "Oil is dear [1, retracted]. So (inferred from [1, retracted])."


@given(
    st.text(alphabet="Ab1. [](){}<>!*_`~#>|-+=$\\&;\n\tabcfrom", max_size=80) | st.text(),
    st.sets(st.sampled_from("abc")),
    st.booleans(),
)
@example("### Oil [a]", {"a"}, False)
@example("[a]", {"a"}, False)
@example("| A [a] |\n|-|\n| [c] |", {"a", "c"}, False)
@example("\0", set(), False)
def test_any_block_is_checked_and_written(text: str, marks: set[str], judged: bool) -> None:
    known = {"a": DEAR, "b": CHEAP, "c": FALSE}
    said = Claim(text=text or "x", citations=tuple(known[mark] for mark in sorted(marks)))
    judgements = (Judgement(statement="b", support="not_supported", reason="x"),) if judged else ()
    draft = ReportDraft(title="T", conclusion=(said,), judgements=judgements)
    result = check_citations(draft, [OIL, WATER], {TEXT.content_hash: TEXT})
    shown = render_draft(CALL, result)
    assert shown.count("\n## Conclusion\n") == 1
    numbers = set(re.findall(r"(?<!\\)\[(\d+)\]", re.sub(r"(?s)```.*?```|~~~.*?~~~|(`+).*?\1", "", shown)))
    assert numbers <= {str(one.number) for one in result.references}


def test_code_that_is_quoted_keeps_its_lines() -> None:
    quotation = "Say it so:\n\ndef f():\n    return [1]"
    text = f"Oil is dear. {quotation}"
    stored = TEXT.model_copy(update={"text": text})
    passage = OIL.model_copy(update={"text": text, "start": 0, "end": len(text)})
    cited = Citation(evidence=OIL.id, quote=quotation)
    draft = ReportDraft(
        title="T", sections=(DraftSection(heading="S", claims=(claim(quotation, cited),)),), quoted=True
    )
    (only,) = render_parts(check_citations(draft, [passage], {TEXT.content_hash: stored}), {})
    assert [block.markdown for block in only.blocks] == [
        "\u201cSay it so:\u201d [1]\n\n```\ndef f():\n    return [1]\n```"
    ]
