"""Sentences that a repair drops without reason are put back; the other repairs of the block are taken."""

from pathlib import Path

import pytest

from elcano.activities.agents.sentence_merge import _says_no_more, restore_rows, split_sentences
from elcano.activities.report.checked_draft import CheckedClaim
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import Citation, Claim, Statement

from .test_bad_writing import FLOATS, MIXES, answer, report_of

BURNS: JsonObject = {"mark": "c", "evidence": "e3", "quote": "must never be put out with water"}
TEXT = "Oil floats on water [a]. It does not mix with it [b]. Burning oil is not put out so [c]."
DENSITY = {"density": "Oil is lighter than water, with 92 % of its density, so it floats. It holds 60 % of the market."}
WRONG: JsonObject = {**MIXES, "quote": "words of nobody at all"}


@pytest.mark.parametrize(
    ("said", "citations"),
    [
        ("It does not mix with water [b].", (MIXES,)),
        ("It does not mix with water [a].", ({**MIXES, "mark": "a"},)),
        ("It does not mix with water [b]. Burning oil is not put out so [c].", (MIXES, BURNS)),
        ("Oil floats on water [a]. It does not mix with water [b].", (FLOATS, MIXES)),
    ],
)
async def test_dropped_sentences_are_put_back_where_they_stood(
    tmp_path: Path, said: str, citations: tuple[JsonObject, ...]
) -> None:
    mended = {"blocks": [{"id": 1, "text": said, "citations": [*citations]}]}
    report, _ = await report_of(tmp_path, answer(TEXT, FLOATS, WRONG, BURNS), mended)
    assert (
        "Oil floats on water [1]. It does not mix with water [2]. Burning oil is not put out so [3]." in report.markdown
    )
    assert not report.unverified


async def test_what_a_repair_left_of_a_sentence_gives_way_to_the_whole_of_it(tmp_path: Path) -> None:
    floats = {**FLOATS, "quote": "with 92 % of its density"}
    text = "Oil floats [a]; it has about 92 % of the density of water and so a share of 92 %[d]. It does not mix [b]."
    said = "Oil floats [a]. Oil does not mix with water [b]."
    mended = {"blocks": [{"id": 1, "text": said, "citations": [FLOATS, MIXES]}]}
    report, _ = await report_of(tmp_path, answer(text, FLOATS, {**floats, "mark": "d"}, WRONG), mended, DENSITY)
    assert "and so a share of 92 % [1]. Oil does not mix with water [2]." in report.markdown.replace("%[1]", "% [1]")
    assert "Oil floats [1]. " not in report.markdown


@pytest.mark.parametrize(
    ("left", "whole", "is_part"),
    [
        ("Oil floats [a].", "Oil floats [a]; it has 92 % of the density.", True),
        ("Oil has 92 % of the density.", "Oil floats; it has 92 % of the density.", True),
        ("Oil has 94 % of the density.", "Oil floats; it has 92 % of the density.", False),
        ("Oil floats.", "Oil never floats on water.", False),
        ("Oil never floats.", "Oil floats on water, never mind how much.", True),
        ("[a]", "Oil floats [a].", False),
        ("Oil sinks.", "Oil floats.", False),
    ],
)
def test_a_rest_gives_way_only_if_the_whole_says_all_of_it(left: str, whole: str, *, is_part: bool) -> None:
    assert _says_no_more(left, whole) == is_part


async def test_a_figure_that_a_repair_spoils_is_as_it_was(tmp_path: Path) -> None:
    floats = {**FLOATS, "quote": "with 92 % of its density"}
    text = "Oil has 92 % of the density of water [a]. It does not mix with it [b]."
    mended = {
        "blocks": [{"id": 1, "text": text.replace("92", "29"), "citations": [floats, MIXES]}],
    }
    report, _ = await report_of(tmp_path, answer(text, floats, WRONG), mended, DENSITY)
    assert "Oil has 92 % of the density of water [1]. It does not mix with it [2]." in report.markdown


async def test_a_wrong_figure_that_is_put_right_is_no_loss(tmp_path: Path) -> None:
    floats = {**FLOATS, "quote": "with 92 % of its density"}
    text = "Oil has 60 % of the density of water [a]."
    mended = {"blocks": [{"id": 1, "text": text.replace("60", "92"), "citations": [floats]}]}
    report, _ = await report_of(tmp_path, answer(text, floats), mended, DENSITY)
    assert "Oil has 92 % of the density of water [1]." in report.markdown
    assert not [one for one in report.warnings if "60" in one]


async def test_a_block_that_is_left_out_leaves_its_good_sentences(tmp_path: Path) -> None:
    mended = {"blocks": [{"id": 1, "text": ""}]}
    report, _ = await report_of(tmp_path, answer(TEXT, FLOATS, WRONG, BURNS), mended)
    assert "Oil floats on water [1]. Burning oil is not put out so [2]." in report.markdown
    assert "mix" not in report.markdown


ITEMS = (
    "- Oil floats on water [a].\n- It does not mix with it [b].\n- Burning oil is not put out so [c]. It is oil [c]."
)
LISTED = """- Oil floats on water [1].
- It does not mix with water [2].
- Burning oil is not put out so [3]. It is oil [3]."""


@pytest.mark.parametrize(
    ("said", "citations"),
    [
        ("- It does not mix with water [b].", (MIXES,)),
        ("- It does not mix with water [a].", ({**MIXES, "mark": "a"},)),
        ("- Oil floats on water [a].\n- It does not mix with water [b].", (FLOATS, MIXES)),
        ("- It does not mix with water [b].\n- Burning oil is not put out so [c].", (MIXES, BURNS)),
    ],
)
async def test_dropped_items_are_put_back_where_they_stood(
    tmp_path: Path, said: str, citations: tuple[JsonObject, ...]
) -> None:
    mended = {"blocks": [{"id": 1, "text": said, "citations": [*citations]}]}
    given = {**answer("", FLOATS, WRONG, BURNS), "key_findings": ITEMS}
    report, _ = await report_of(tmp_path, given, mended)
    assert LISTED.replace(" It is oil [3].", "") in report.markdown  # a sentence that rests on a kept quote is said
    assert not report.unverified


TABLE = """| Liquid | Floats | Mixes |
| --- | --- | --- |
| Oil | on water [a] | not with it [b] |
| Fat | so [a] | so [a] |
| Salt | heavier [d] | so [d] |"""
SALT: JsonObject = {"mark": "d", "evidence": "e1", "quote": "Salt makes water heavier still."}


@pytest.mark.parametrize("left", [(2,), (3,), (2, 3)])
async def test_dropped_rows_are_put_back_where_they_stood(tmp_path: Path, left: tuple[int, ...]) -> None:
    rows = TABLE.splitlines()
    text = "\n".join(row for number, row in enumerate(rows, start=-1) if number not in left)
    mended = {"blocks": [{"id": 1, "text": text, "citations": [FLOATS, MIXES]}]}
    report, _ = await report_of(tmp_path, answer(TABLE, FLOATS, WRONG, SALT), mended)
    shown = [line for line in report.markdown.splitlines() if line.startswith("| ")]
    assert [line.split()[1] for line in shown] == ["Liquid", "---", "Oil", "Fat", "Salt"]
    assert not report.unverified


@pytest.mark.parametrize(
    "rows",
    [["| Oil | on water [a] | not with water [b] |", "| Grease | so [a] | so [a] |", "| Salt | so [d] | so [d] |"]],
)
async def test_rows_with_another_name_are_no_lost_ones(tmp_path: Path, rows: list[str]) -> None:
    text = "\n".join([*TABLE.splitlines()[:2], *rows])
    mended = {"blocks": [{"id": 1, "text": text, "citations": [FLOATS, MIXES, SALT]}]}
    report, _ = await report_of(tmp_path, answer(TABLE, FLOATS, WRONG, SALT), mended)
    assert "Grease" in report.markdown
    assert "Fat" not in report.markdown


@pytest.mark.parametrize(
    "text",
    [
        "| Liquid | Mixes | Floats |\n| --- | --- | --- |\n| Oil | not with water [b] | on water [a] |",
        "| Liquid | Sinks | Mixes |\n| --- | --- | --- |\n| Oil | not in water [a] | not with water [b] |",
        "| Liquid | Floats | Mixes |\n| --- | --- | --- |\n| Olive oil | on water [a] | not with water [b] |",
    ],
)
async def test_no_row_is_put_back_under_other_heads_or_beside_its_new_name(tmp_path: Path, text: str) -> None:
    mended = {"blocks": [{"id": 1, "text": text, "citations": [FLOATS, MIXES]}]}
    report, _ = await report_of(tmp_path, answer(TABLE, FLOATS, WRONG, SALT), mended)
    lines = report.markdown.splitlines()
    heads = next(place for place, one in enumerate(lines) if one.startswith("| Liquid"))
    names = [line.split("|")[1].strip() for line in lines[heads + 2 :] if line.startswith("|")]
    assert not {"Oil", "Olive oil"} <= {*names}
    assert lines[heads] == TABLE.splitlines()[0] or names == ["Oil"]


@pytest.mark.parametrize("piped", [True, False])
async def test_a_row_is_put_back_in_the_form_of_the_others(piped: bool) -> None:
    rows = ["| Liquid | Floats |", "| --- | --- |", "| Oil | on water [a] |", "| Fat | so [c] |"]
    bare = [row.strip("| ") for row in rows]
    cited = tuple(Citation(evidence="e1", quote=mark, mark=mark) for mark in "ac")
    stated = tuple(Statement(text="so", kind="fact") for _ in range(6))
    before = CheckedClaim(text="", citations=(), kind="table", statements=stated)
    repair = Claim(text="\n".join((rows if piped else bare)[:3]), citations=cited[:1])
    merged = restore_rows(Claim(text="\n".join(bare), citations=cited), before, repair)
    assert merged
    assert merged.text.splitlines() == (rows if piped else bare)


async def test_a_row_comes_back_without_its_doubted_cells(tmp_path: Path) -> None:
    text = "\n".join(line for line in TABLE.splitlines() if "Oil" not in line)
    mended = {"blocks": [{"id": 1, "text": text, "citations": [FLOATS, SALT]}]}
    report, _ = await report_of(tmp_path, answer(TABLE, FLOATS, WRONG, SALT), mended)
    assert "| Oil | on water |  |" in report.markdown


async def test_a_figure_that_a_cell_loses_is_named_with_its_row_and_column(tmp_path: Path) -> None:
    share = {**FLOATS, "quote": "with 92 % of its density"}
    text = (
        "| Liquid | Density | Mixes |\n| --- | --- | --- |\n| Oil | 92 % [a] | not [b] |\n| Salt | more [a] | so [b] |"
    )
    mended = {"blocks": [{"id": 1, "text": text.replace("92 %", "less"), "citations": [share, MIXES]}]}
    report, _ = await report_of(tmp_path, answer(text, share, WRONG), mended, DENSITY)
    assert [one.partition("92 % (")[2] for one in report.warnings] == ["“Oil, Density: 92 %”)"]


@pytest.mark.parametrize("said", ["Cream rises in the jar [b].", "", "| a |\n|---|\n| Oil mixes [b] |"])
async def test_sentences_on_something_else_leave_the_block_as_it_was(tmp_path: Path, said: str) -> None:
    other = {**MIXES, "quote": "Oil does not mix with water"}
    mended = {"blocks": [{"id": 1, "text": said or "So it is. It floats.", "citations": [other]}]}
    report, _ = await report_of(tmp_path, answer(TEXT, FLOATS, WRONG, BURNS), mended)
    assert "It does not mix with it (not verified)" in report.markdown
    assert "Burning oil is not put out so" in report.markdown


@pytest.mark.parametrize(
    ("text", "statements", "parts"),
    [
        ("It is *so* [a]. It was not. [b, c]", ("It is so.", "It was not."), ["It is *so* [a].", "It was not. [b, c]"]),
        ("So [from a, b]. **Then** 3.5 % [c]", ("So.", "Then 3.5 %"), ["So [from a, b].", "**Then** 3.5 % [c]"]),
        ("One [a], and two [b].", ("One, and two.",), ["One [a], and two [b]."]),
        ("It rose to 72 %[a]. It fell.", ("It rose to 72 %.", "It fell."), ["It rose to 72 %[a].", "It fell."]),
        (
            "It rose *to 9 %* [a]; to 8 \u20ac[b]. So.",
            ("It rose to 9 %; to 8 \u20ac.", "So."),
            ["It rose *to 9 %* [a]; to 8 \u20ac[b].", "So."],
        ),
        ("One [a]. Two.", ("One.",), None),
        ("One.", ("Other.",), None),
        ("One.", ("…",), None),
    ],
)
def test_sentences_keep_their_markup_and_marks(text: str, statements: tuple[str, ...], parts: list[str] | None) -> None:
    assert split_sentences(text, statements) == parts


async def test_a_sentence_of_an_item_is_put_back_into_its_list(tmp_path: Path) -> None:
    last = "- Burning oil is not put out so"
    text = f"- Oil floats on water [a]. It does not mix with it, as 45 people saw [b].\n{last} [c]."
    mended = {"blocks": [{"id": 1, "text": f"- It does not mix with it [b].\n{last} [c].", "citations": []}]}
    report, _ = await report_of(tmp_path, answer(text, FLOATS, MIXES, BURNS), mended)
    assert f"- Oil floats on water [1]. It does not mix with it [2].\n{last} [3]." in report.markdown
    assert not report.unverified


async def test_a_sentence_of_a_paragraph_that_begins_as_an_item_stays_in_it(tmp_path: Path) -> None:
    text = "Oil floats on water [a]. It does not mix with it [b]. - Burning oil is not put out so [c]."
    mended = {
        "blocks": [{"id": 1, "text": "Oil floats on water [a]. It does not mix with water [b].", "citations": [MIXES]}]
    }
    report, _ = await report_of(tmp_path, answer(text, FLOATS, WRONG, BURNS), mended)
    assert "It does not mix with water [2]. - Burning oil is not put out so [3]." in report.markdown
