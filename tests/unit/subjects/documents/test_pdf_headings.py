"""Which lines of PDF pages are headings, and which are displayed formulas."""

from collections import deque

import pytest

from elcano.subjects.documents.pdf.lines import TextLine
from elcano.subjects.documents.pdf.paragraphs import group_paragraphs
from tests.unit.subjects.documents.pdf_pages import LEFT, RIGHT, Sheet, join
from tests.unit.subjects.documents.test_pdf_text import read, texts


def test_a_title_that_was_set_in_the_middle_of_two_lines_is_one_heading() -> None:
    sheet = Sheet().write("Mining Rules of the Association of", 120, 60, size=18, font="bold")
    sheet.write("Harbour Pilots", 210, 80, size=18, font="bold").write_lines(LEFT, 60, 120)
    assert texts(read(sheet), "heading") == ["Mining Rules of the Association of Harbour Pilots"]


def test_a_heading_with_a_hanging_indent_is_one_heading() -> None:
    sheet = Sheet().write_lines(LEFT, 60, 60)
    sheet.write("4  The joint selection of features in all", 60, 220, size=12, font="bold")
    sheet.write("parts of the harbour", 76, 234, size=12, font="bold").write_lines(LEFT, 60, 260)
    assert texts(read(sheet), "heading") == ["4 The joint selection of features in all parts of the harbour"]


@pytest.mark.parametrize(
    "headings", [("4. EXPERIMENTS", "4.1 Experimental setting"), ("Results", "Measures of the tide")]
)
def test_a_heading_below_another_is_a_heading_of_its_own(headings: tuple[str, str]) -> None:
    sheet = Sheet().write_lines(LEFT, 60, 60).write(headings[0], 60, 220, size=12, font="bold")
    sheet.write(headings[1], 60, 234, size=12, font="bold").write_lines(RIGHT, 60, 260)
    assert texts(read(sheet), "heading") == list(headings)


def test_small_capitals_are_as_large_as_the_capitals_before_them() -> None:
    sheet = Sheet().write_lines(LEFT, 60, 60)
    sheet.write("I. I", 140, 220).write("NTRODUCTION", 151, 220, size=8).write_lines(RIGHT, 60, 250)
    assert texts(read(sheet), "heading") == ["I. INTRODUCTION"]


def test_contents_and_lines_on_their_side_are_no_headings() -> None:
    sheet = Sheet().write("Contents", 60, 60, font="bold")
    for number, name in enumerate(["Introduction", "The harbour", "Its basins"], start=1):
        sheet.write(f"{number}. {name}", 60, 70 + number * 14, font="bold")
        sheet.write(str(number * 3), 400, 70 + number * 14, font="bold")
    sheet.write_lines(LEFT, 60, 160).write("Harbour Papers 10 (2008) 3", 560, 300, size=24, turn=90)
    assert texts(read(sheet), "heading") == ["Contents"]


def test_what_stands_on_its_side_beside_every_page_is_left_out() -> None:
    sheets = [
        Sheet().write_lines(LEFT, 60, 60).write(f"Harbour Papers 10 (2008) {page}", 560, 300, size=24, turn=90)
        for page in (1, 2, 3)
    ]
    assert "Papers" not in join(block.text for block in read(*sheets))


def test_bold_lines_of_code_are_no_headings() -> None:
    sheet = Sheet().write_lines(LEFT, 60, 60).write("end while", 60, 220, font="bold").write_lines(RIGHT, 60, 250)
    assert not texts(read(sheet), "heading")


def test_a_displayed_formula_is_apart_from_the_sentences_around_it() -> None:
    sheet = Sheet().write_lines(LEFT, 60, 60).write("The range of the tide is", 60, 156)
    sheet.write("M + 2E", 150, 176).write("r = ", 120, 184).write("+ 3 c,", 195, 184).write("(5)", 280, 184)
    sheet.write("1 + E", 152, 192).write("where c is the speed of the wind over the bay.", 60, 212)
    blocks = read(sheet)
    assert texts(blocks, "formula") == ["M + 2E\nr = + 3 c, (5)\n1 + E"]
    assert any(text.endswith("The range of the tide is") for text in texts(blocks))
    assert texts(blocks)[-1] == "where c is the speed of the wind over the bay."
    assert not texts(blocks, "heading")


@pytest.mark.parametrize(
    "line", ["where r = 7.5 m and c = 3 m/s are of Brest.", "<address>Brest</address>", "https://example.org/a=b"]
)
def test_a_line_of_words_with_signs_is_no_formula(line: str) -> None:
    sheet = Sheet().write_lines(LEFT, 60, 60).write(line, 90, 220).write_lines(RIGHT, 60, 250)
    assert not texts(read(sheet), "formula")


@pytest.mark.parametrize(("first", "paragraphs"), [("\ufffd", 1), ("The", 2)])
def test_a_line_that_begins_with_an_unknown_sign_begins_no_paragraph(first: str, paragraphs: int) -> None:
    above = TextLine(1, 0, ["as", "measured"], [60, 72], 60, 90, 250, 102, 100, 10, False, 0, 60, 400)
    below = TextLine(1, 0, [first, "2", "days"], [60, 72, 80], 60, 102, 100, 114, 112, 10, False, 0, 60, 400)
    wide = TextLine(1, 0, ["words"], [60], 60, 114, 400, 126, 124, 10, False, 0, 60, 400)
    grouped = list(group_paragraphs(deque([[above, below, wide]]), 10))
    assert len(grouped) == paragraphs
