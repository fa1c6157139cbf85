"""Each statement of a report is a span of its page, whatever its markup; the text stays what it was."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.report.report import Block, BlockKind, CheckedCitation, Part, Reference, Report, Statement, Support
from elcano.service.reports.html_report import render_report_page

OIL = Reference(number=1, document="d", title="Oil", source="docs", locators=("oil.md",), content_hash="0" * 64)
SPAN = re.compile(r'<span class="(statement(?: doubted)?)" id="statement-(\d+)">')


def say(text: str, support: Support = "supported", context: str = "") -> Statement:
    cited = CheckedCitation(claim=text, evidence="e", quote="q", verdict="verified", number=1)
    return Statement(text=text, kind="fact", citations=(cited,), support=support, context=context)


def render(markdown: str, *said: Statement, kind: BlockKind = "paragraph", uncited: str = "") -> str:
    missing = CheckedCitation(claim=uncited, evidence="", quote="", verdict="no_citation")
    report = Report(
        run_id="run",
        question="q",
        title="T",
        markdown=f"{markdown}\n\n## References\n\n1. Oil\n",
        answered=True,
        partial=None,
        model="m",
        references=(OIL,),
        citations=(),
        unverified=(missing,) if uncited else (),
        parts=(Part(kind="section", blocks=(Block(kind=kind, markdown=markdown, statements=said),)),),
    )
    page = render_report_page(report)
    return page.partition("<main>\n")[2].partition("<h2>References</h2>")[0].strip()


def read(shown: str) -> list[str]:
    """What each span says, without tags: of those that are well within another element."""
    return [re.sub(r"<[^>]*>", "", rest.partition("</span>")[0]).strip() for rest in SPAN.split(shown)[3::3]]


def test_a_statement_reaches_to_the_next_and_has_its_numbers() -> None:
    shown = render(
        "Oil *burns* [1]. **It is dear.** It smells [1].", say("Oil burns."), say("It is dear."), say("It smells.")
    )
    assert read(shown) == ["Oil burns [1].", "It is dear.", "It smells [1]."]
    assert shown.count("<strong>") == shown.count("</strong>") == 1
    assert [number for _, number in SPAN.findall(shown)] == ["1", "2", "3"]


def test_what_is_said_of_a_doubted_statement_is_a_span_in_any_script() -> None:
    for note in ("(not supported)", "\uff08\u672a\u6838\u5b9e\uff09"):
        shown = render(f"Oil (a fluid) burns [1] {note}.", say("Oil (a fluid) burns.", "not_supported"))
        assert SPAN.findall(shown) == [("statement doubted", "1")]
        assert f'<span class="doubt">{note}</span>.</span>' in shown
    assert "doubt" not in render("Oil burns [1] (so they say).", say("Oil burns."))
    assert '<span class="doubt">(not verified)</span>' in render(
        "Oil burns. (not verified)", Statement(text="Oil burns.", kind="connecting"), uncited="Oil burns."
    )


def test_cells_are_statements_as_a_whole_with_their_signs() -> None:
    table = "| A | B |\n| --- | --- |\n| 9 | 49 |\n| -9 | 9 |"
    said = [say(text, context="A") for text in ("9", "49", "-9", "9")]
    shown = render(table, *said, kind="table")
    assert read(shown) == ["9", "49", "-9", "9"]
    assert [number for _, number in SPAN.findall(shown)] == ["1", "2", "3", "4"]


def test_the_same_line_in_two_places_is_two_statements_and_what_is_not_found_is_none() -> None:
    shown = render(
        "- Oil burns [1].\n- Oil burns [1].\n- Else.", say("Oil burns."), say("Oil burns."), say("Gone."), kind="list"
    )
    assert [number for _, number in SPAN.findall(shown)] == ["1", "2"]
    assert SPAN.findall(render("Turmoil burns.", say("oil burns."))) == []


@pytest.mark.parametrize(
    ("markdown", "said"),
    [
        ("It is **very cold. And** wet.", ["It is very cold.", "And wet."]),
        ("**Cost.** It is low [1].", ["Cost. It is low."]),
        ("`x = 1.` holds [1].", ["x = 1. holds."]),
        ("So $a < b$ holds [1]. And $c$.", ["So a < b holds.", "And c."]),
        ("One *two. Three **four. Five*** six.", ["One two.", "Three four.", "Five six."]),
    ],
)
def test_markup_that_statements_share_stays_whole(markdown: str, said: Sequence[str]) -> None:
    shown = render(markdown, *map(say, said))
    plain = render(markdown)
    assert re.sub(r"</?span[^>]*>", "", shown).replace(_titles(shown), "") == re.sub(r"</?span[^>]*>", "", plain)


def _titles(shown: str) -> str:
    return next(iter(re.findall(r' title="[^"]*"', shown)), "\0")


@given(st.lists(st.text(alphabet="ab .!*_`$<&()[]1\u00df\n", min_size=1, max_size=20), min_size=1, max_size=4))
def test_the_text_stays_what_it_was(pieces: list[str]) -> None:
    markdown = " ".join(pieces)
    shown = render(markdown, *(say(piece, "partly") for piece in pieces))
    without = re.sub(r"</?span[^>]*>", "", re.sub(r' title="[^"]*"', "", shown))
    assert without == re.sub(r"</?span[^>]*>", "", render(markdown))
