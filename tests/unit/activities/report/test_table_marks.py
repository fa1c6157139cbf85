"""A table has one mark for what its cells share, and what does not hold of them is said below it."""

import re

from elcano.activities.report.report_builder import render_parts
from elcano.graphs.report.report import Citation, Judgement, Report, Support
from elcano.service.reports.html_report import render_report_page
from elcano.text.phrases import get_phrases
from tests.unit.activities.report.rendered import render_draft
from tests.unit.activities.report.test_parts import CHEAP, DEAR, FALSE, checked, claim, markdown, told
from tests.unit.activities.report.test_rendering import CALL, OIL, part

BARE = "| Good | Price | Use |\n|---|---|---|\n| Oil | dear | yes |\n| Water | low | no |"
TABLE = BARE.replace("dear", "dear [a]").replace("low", "low [a]").replace("yes", "yes [a]").replace("no ", "no [a] ")


def test_a_mark_that_all_cells_share_stands_once_at_the_caption_or_below_the_table() -> None:
    assert markdown(claim("Prices are:"), claim(TABLE, DEAR)) == ["Prices are: [1]", BARE]
    caption = "**Table 1.** Prices of goods"
    assert markdown(claim(caption), claim(TABLE, DEAR)) == [f"{caption} [1]", BARE]
    assert checked(claim(caption), claim(TABLE, DEAR)).unverified == ()
    assert markdown(claim(TABLE, DEAR)) == [f"{BARE}\n\n[1]"]
    cited = claim("Oil is dear [a]:", DEAR)
    assert markdown(cited, claim(TABLE, DEAR)) == ["Oil is dear [1]:", f"{BARE}\n\n[1]"]


def test_each_of_two_tables_with_one_caption_has_its_mark() -> None:
    caption, table = claim("Table 1"), claim(TABLE, DEAR)
    assert markdown(caption, table, caption, table) == ["Table 1 [1]", BARE, "Table 1 [1]", BARE]


def test_statements_keep_their_citations_wherever_the_mark_stands() -> None:
    _, block = told(claim("Prices are:"), claim(TABLE, DEAR)).blocks
    assert [one.context for one in block.statements if one.citations] == [
        "Oil, Price",
        "Oil, Use",
        "Water, Price",
        "Water, Use",
    ]


def test_a_cell_that_cites_more_keeps_its_mark() -> None:
    other = Citation(evidence="e-unknown", quote="Oil is dear", mark="d")
    table = TABLE.replace("low [a]", "low [d]").replace("no [a]", "inferred [from a]")
    assert markdown(claim(table, DEAR, other)) == [
        BARE.replace("no ", "inferred (inferred from [1]) ") + "\n\n[1]\n\n- Water, Price: low (not verified)"
    ]
    between = TABLE.replace("dear [a]", "dear [a] as ever").replace("low [a]", "low [b], too [a]")
    (only,) = markdown(claim(between, DEAR, CHEAP))
    assert "dear [1] as ever" in only


def test_columns_that_were_concluded_are_named_below_the_table() -> None:
    table = TABLE.replace("yes [a]", "yes [from a]").replace("no [a]", "no [from a]")
    assert markdown(claim(table, DEAR)) == [f"{BARE}\n\n[1]\n\n- Use (inferred from [1])"]
    some = table.replace("dear [a]", "dear [from a]") + "\n| Ice | low [a] | so [a] |"
    bare = f"{BARE}\n| Ice | low | so |"
    named = "- Oil, Price: dear; Oil, Use: yes; Water, Use: no (inferred from [1])"
    assert markdown(claim(some, DEAR)) == [f"{bare}\n\n[1]\n\n{named}"]


def test_verdicts_name_row_and_column_below_the_table() -> None:
    def doubt(text: str, support: Support, context: str) -> Judgement:
        quotes = (DEAR.quote,)
        return Judgement(
            statement=text, support=support, reason="why", evidence=(OIL.id,), quotes=quotes, context=context
        )

    doubts = (
        doubt("dear", "not_supported", "Oil, Price"),
        doubt("low", "partly", "Water, Price"),
        doubt("no", "not_supported", "Water, Use"),
    )
    (only,) = markdown(claim(TABLE, DEAR), judgements=doubts)
    listed = part(render_draft(CALL, checked(claim(TABLE, DEAR), judgements=doubts)), "What could not be verified")
    assert "- Oil, Price: dear — why." in listed
    assert only == (
        f"{BARE}\n\n[1]\n\n- Oil, Price: dear; Water, Use: no (not supported)\n- Water, Price: low (partly supported)"
    )
    failed = claim(TABLE.replace("[a]", "[c]"), FALSE)
    assert markdown(failed) == [
        f"{BARE}\n\n- Oil, Price: dear; Oil, Use: yes; Water, Price: low; Water, Use: no (not verified)"
    ]
    chinese = get_phrases("zh")
    (translated,) = render_parts(checked(failed), {}, chinese)
    assert chinese.not_verified in translated.blocks[0].markdown


def test_a_cell_that_cites_nothing_is_named_where_others_share_a_mark() -> None:
    table = TABLE.replace("low [a]", "7 | low").replace("| Water | 7 | low", "| Water | 7")
    assert markdown(claim(table, DEAR)) == [
        BARE.replace("low", "7") + "\n\n[1]\n\n- Water, Price: 7 (it cites nothing)"
    ]
    mostly = BARE.replace("dear", "dear [a]").replace("low", "low [a]") + "\n| Ice | low | no |"
    assert markdown(claim(mostly, DEAR)) == [mostly.replace("[a]", "[1]")]
    for absent in ("...", "not stated", "Not reported", "nicht angegeben"):
        assert markdown(claim(TABLE.replace("low [a]", absent), DEAR)) == [BARE.replace("low", absent) + "\n\n[1]"]
    for said in ("not approved", "not reported to fall", "none"):
        assert markdown(claim(TABLE.replace("low [a]", said), DEAR))[0].endswith(f"Price: {said} (it cites nothing)")


def test_rows_that_are_named_alike_are_told_apart_by_their_number() -> None:
    table = f"{TABLE}\n| Oil | dear [c] | yes [a] |\n| Oil | dear [c] | yes [a] |"
    (only,) = markdown(claim(table, DEAR, FALSE))
    assert "- \\#3 Oil, Price: dear; \\#4 Oil, Price: dear (not verified)" in only


def test_what_notes_repeat_of_a_writer_is_no_markup() -> None:
    hostile = TABLE.replace("low [a]", "<b>[2] *low*](http://x.example) [c]").replace("Water", "[9]")
    (only,) = markdown(claim(hostile, DEAR, FALSE))
    note = only.splitlines()[-1]
    assert note.endswith("(not verified)")
    assert not re.search(r"(?<!\\)\[|<b>", note)


def test_the_number_at_a_caption_shows_the_quotes_of_the_cells() -> None:
    shown = told(claim("Prices are:"), claim(TABLE, DEAR))
    draft = checked(claim("Prices are:"), claim(TABLE, DEAR))
    page = render_report_page(
        Report(
            run_id="r",
            question="?",
            title="T",
            markdown="\n\n".join(block.markdown for block in shown.blocks),
            answered=True,
            partial=None,
            model="",
            references=draft.references,
            citations=draft.citations,
            unverified=(),
            parts=(shown,),
        )
    )
    assert re.search(r'Prices are: <a[^>]*title="“Oil is dear”', page)
    assert re.search(r"<td><span[^>]*>dear</span></td>", page)


def test_what_names_a_row_needs_no_mark_and_tells_equal_cells_apart() -> None:
    table = (
        "| Layers | Language | Seconds | Score |\n|---|---|---|---|\n| 6 | short | dear [a] | low [a] |\n"
        "| 6 | long | low [a] | dear [a] |\n| 4 | short | dear [a] | none |"
    )
    (block,) = told(claim(table, DEAR)).blocks
    assert [(one.context, one.text) for one in block.statements if one.citations] == [
        ("6, short, Seconds", "dear"),
        ("6, short, Score", "low"),
        ("6, long, Seconds", "low"),
        ("6, long, Score", "dear"),
        ("4, short, Seconds", "dear"),
    ]
    (only,) = markdown(claim(table, DEAR))
    uncited = get_phrases("en").uncited
    assert only.endswith(f"[1]\n\n- 4, short, Score: none ({uncited})"), "a figure without a mark is named, no name is"
    alike = table.replace("| 4 | short |", "| 6 | short |")
    (block,) = told(claim(alike, DEAR)).blocks
    assert block.statements[-1].context == "6, Score", "rows that nothing tells apart are named by their first cell"
