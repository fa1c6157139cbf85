"""The text of PDF pages: words, lines, columns and paragraphs, as a person reads them."""

from collections.abc import Sequence

import pytest

from elcano.activities.passages.document import Block
from elcano.graphs.report.places import Places, find_marks
from elcano.subjects.documents.pdf.overdrawn import drop_copies
from elcano.subjects.documents.pdf.reader import read_pdf
from elcano.subjects.documents.pdf.words import Word
from tests.unit.subjects.documents.pdf_pages import HEBREW, LEFT, RIGHT, Sheet, join, make_pdf


def read(*sheets: Sheet) -> list[Block]:
    return read_pdf(make_pdf(sheets)).blocks


def texts(blocks: Sequence[Block], kind: str = "text") -> list[str]:
    return [block.text for block in blocks if block.kind == kind]


def test_columns_that_are_painted_row_by_row_are_read_one_after_the_other() -> None:
    sheet = Sheet()
    for number, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        sheet.write(left, 60, 100 + number * 12).write(right, 310, 100 + number * 12)
    assert join([join(LEFT), join(RIGHT)]) in join(texts(read(sheet)))


def test_a_title_above_columns_and_a_caption_between_their_parts_cut_no_sentence() -> None:
    sheet = Sheet().write("On the harbour of the old town and its three basins", 80, 60, size=18, font="bold")
    sheet.write_lines(LEFT[:4], 60, 100).write("Figure 1. The basins in the year of the storms.", 60, 170, size=8)
    sheet.write_lines(LEFT[4:], 60, 200).write_lines(RIGHT, 310, 100)
    blocks = read(sheet)
    assert blocks[0].kind == "heading"
    assert texts(blocks, "caption") == ["Figure 1. The basins in the year of the storms."]
    assert join(RIGHT) in join(texts(blocks))
    assert not any("Figure" in text for text in texts(blocks))


def test_the_labels_of_charts_above_columns_fuse_no_lines() -> None:
    # Most rows of such a page are labels, and all are on the base lines of the other column.
    sheet = Sheet()
    for start in (60, 310):
        for number in range(12):
            sheet.write(str(20 - number), start + 4, 60 + number * 12, size=8)
            sheet.write(str(60 - 5 * number), start + 180, 60 + number * 12, size=8)
    sheet.write_lines(LEFT, 60, 230).write_lines(RIGHT, 310, 230)
    blocks = join(texts(read(sheet)))
    assert join(LEFT) in blocks
    assert join(RIGHT) in blocks


def test_a_head_and_a_foot_that_protrude_make_no_column_narrow() -> None:
    left, right = [*LEFT, *LEFT, *LEFT, *LEFT], [*RIGHT, *RIGHT, *RIGHT, *RIGHT]
    sheet = Sheet().write("Articles", 4, 60).write_lines(left, 100, 90).write_lines(right, 330, 90)
    blocks = join(texts(read(sheet.write("The harbour", 4, 90 + len(left) * 12 + 20))))
    assert join(left) in blocks
    assert join(right) in blocks


def test_three_columns_whose_lines_stand_at_different_heights_are_columns() -> None:
    narrow = [
        "The tide comes in twice a",
        "day and leaves twice, and",
        "between the two there is",
        "an hour of still water in",
        "which the boats go out, if",
        "the wind lets them go out.",
    ]
    sheet = Sheet()
    for column in range(3):
        sheet.write_lines(narrow, 40 + column * 180, 100 + column * 4)
    assert join(texts(read(sheet))).count(join(narrow)) == 3


def test_three_columns_with_wide_gutters_and_a_wrapped_last_word_are_columns() -> None:
    lines = [
        "The harbour was dug by",
        "hand in the years of the",
        "drought, when no grain",
        "came down the river to",
        "mills.",
    ]
    sheet = Sheet()
    for number, left in enumerate((50, 220, 390)):
        sheet.write_lines([lines[0].replace("The", f"The {number}"), *lines[1:]], left, 80)
    whole = join(lines).removeprefix("The")
    assert texts(read(sheet)) == [f"The {number}{whole}" for number in range(3)]


def test_a_label_and_its_value_stay_on_one_line() -> None:
    sheet = Sheet()
    for number, (label, value) in enumerate(
        [("Port", "Brest"), ("Depth", "7 metres"), ("Berths", "12"), ("Lock", "none")]
    ):
        sheet.write(label, 60, 100 + number * 14).write(value, 300, 100 + number * 14)
    said = "\n".join(block.text for block in read(sheet))
    assert all(pair in said.replace(" | ", " ") for pair in ("Port Brest", "Depth 7 metres", "Berths 12", "Lock none"))


@pytest.mark.parametrize(
    ("end", "begin", "joined"),
    [
        ("it was put before the commit-", "tee of the harbour in spring.", "the committee of the harbour"),
        ("it was told by a double-", "blind trial of all the lamps.", "a double-blind trial"),
        ("it was paid from 1990-", "1995 out of the common purse.", "from 1990-1995 out of"),
        ("it was sung by the Anglo-", "Saxon choir of the town hall.", "the Anglo-Saxon choir"),
        ("it was mapped to a d-", "dimensional space of the lamps.", "to a d-dimensional space"),
    ],
)
def test_a_hyphen_at_the_end_of_a_line_stays_where_the_word_has_one(end: str, begin: str, joined: str) -> None:
    sheet = Sheet().write_lines(["Every double-blind trial has two sides, and so had this.", end, begin], 60, 100)
    assert any(joined in text for text in texts(read(sheet)))


WORDS = {
    "en": "The user sees the model. It is defined for the user, and with all that is out there. All is defined once.",
    "sv": "Det finns en data och en bank som har data. Det \u00e4r en bank som vi har sett, och den kan vara med oss.",
}


@pytest.mark.parametrize(
    ("language", "end", "begin", "joined"),
    [
        ("en", "user-", "defined", "user-defined"),
        ("en", "with-", "out", "without"),
        ("en", "de-", "fined", "defined"),
        ("sv", "data-", "bank", "databank"),
    ],
)
def test_two_words_of_an_english_document_are_a_compound_with_its_hyphen(
    language: str, end: str, begin: str, joined: str
) -> None:
    sheet = Sheet().write(WORDS[language], 30, 100).write(f"2019 {end}", 30, 130).write(f"{begin} 2020.", 30, 142)
    assert f"2019 {joined} 2020." in texts(read(sheet))


def test_the_mark_of_a_note_is_no_digit_of_the_number_before_it() -> None:
    sheet = Sheet().write("The fee was set at $320", 60, 100, size=11)
    sheet.write("1", 177.4, 96, size=6.5).write("in the first year.", 184.5, 100, size=11)
    assert texts(read(sheet)) == ["The fee was set at $320\u00b9 in the first year."]


def test_an_exponent_and_an_index_are_written_as_such() -> None:
    sheet = Sheet().write("It holds 10", 60, 100).write("9", 106.2, 96, size=6.5).write("litres of CO", 112.6, 100)
    sheet.write("2", 162.7, 102.5, size=6.5).write("in all.", 169, 100)
    assert texts(read(sheet)) == ["It holds 10\u2079 litres of CO\u2082 in all."]


@pytest.mark.parametrize(("rows", "size"), [(2, 27), (3, 44)])
def test_the_large_first_letter_of_a_chapter_begins_its_first_line_and_interlaces_no_lines(
    rows: int, size: int
) -> None:
    beside = [
        "he tide comes in twice a day on most of",
        "the coasts of the world, and on some of",
        "them, such as those of seas with narrow",
    ]
    below = ["mouths, only once. Nobody knew why for a long time,", "and everybody who lived there had to wait."]
    sheet = Sheet().write("T", 50, 100 + 12 * (rows - 1), size=size).write_lines(beside[:rows], 50 + 0.65 * size, 100)
    sheet.write_lines([*beside[rows:], *below], 50, 100 + 12 * rows)
    assert texts(read(sheet)) == ["T" + join([*beside, *below])]


def test_letters_of_formulas_in_their_own_type_are_read_as_letters() -> None:
    sheet = (
        Sheet().write("Of the top", 60, 100).write("k", 110, 100, font="hebrew").write("= 1000 ships, with", 120, 100)
    )
    sheet.write("p", 206, 100, font="hebrew").write("< 0.05, few came back.", 216, 100)
    assert texts(read(sheet)) == ["Of the top k = 1000 ships, with p < 0.05, few came back."]


def test_a_footnote_stands_behind_the_text_of_its_page_and_cuts_no_sentence() -> None:
    first = (
        Sheet()
        .write_lines(LEFT, 60, 640)
        .write("1", 60, 776, size=5)
        .write("See the ledger of the port.", 64, 780, size=8)
    )
    second = Sheet().write_lines(["which the council never paid back to them.", *RIGHT], 60, 100)
    first.painted = [line.replace("within the month.", "with the money") for line in first.painted]
    blocks = read(first, second)
    assert any("sank with the money which the council never" in text for text in texts(blocks))
    assert texts(blocks, "note") == ["\u00b9See the ledger of the port."]
    block = next(block for block in blocks if "sank with" in block.text)
    assert [line.page for line in block.lines] == [1] * 6 + [2] * 7


@pytest.mark.parametrize("below", ["columns", "notes"])
def test_an_abstract_below_the_marked_addresses_of_authors_is_no_note(below: str) -> None:
    abstract = [f"Sentence {number} of what the work found in the archives of the port" for number in range(6)]
    sheet = Sheet().write("What ships were worth", 60, 60, size=18)
    sheet.write("*", 60, 86, size=5).write("Archive of the Port, Brest", 64, 90, size=8)
    sheet.write_lines(abstract, 60, 120, step=10, size=8)
    second = Sheet().write_lines([*LEFT, *RIGHT], 60, 100)
    if below == "columns":
        sheet.write_lines(LEFT, 60, 220).write_lines(RIGHT, 320, 220)
    else:
        sheet.write("\u2020".encode("cp1252").decode("latin-1"), 60, 700, size=8).write(
            "Now at Nantes.", 66, 700, size=8
        )
    blocks = read(sheet, second)
    assert any(text.startswith("Sentence 0") for text in texts(blocks))
    assert not any("Sentence" in text for text in texts(blocks, "note"))


def test_heads_feet_and_page_numbers_are_left_out_and_first_lines_are_not() -> None:
    sheets = []
    for number in range(1, 5):
        sheet = Sheet().write("Chapter 2: the harbour", 60, 40, size=8).write(str(number), 295, 810, size=8)
        sheets.append(sheet.write_lines([f"Basin {number} is the one that is described here.", *LEFT], 60, 90))
    said = join(texts(read(*sheets)))
    assert "Chapter" not in said
    assert all(f"Basin {number} is the one" in said for number in range(1, 5))
    assert "month. 1" not in said


@pytest.mark.parametrize("lines", [["Table 1", "Table 2"], ["Step 4", "Step 5"], ["1. Open it.", "2. Open it."]])
def test_lines_that_differ_in_a_number_of_their_own_are_text(lines: list[str]) -> None:
    sheets = [Sheet().write(line, 60, 50).write_lines(LEFT, 60, 90) for line in lines]
    text = "\n".join(block.text for block in read_pdf(make_pdf(sheets)).blocks)
    assert all(line in text for line in lines)


def test_notes_that_differ_in_their_numbers_and_columns_of_figures_are_text() -> None:
    sheets = []
    for page in range(3):
        sheet = Sheet().write_lines(LEFT, 60, 90).write(f"* Compare sheet {page * 7} of the survey.", 60, 790, size=8)
        sheets.append(sheet.write_lines([str(4 * page + row) for row in range(4)], 300, 40))
    text = "\n".join(block.text for block in read_pdf(make_pdf(sheets)).blocks)
    assert [text.count(f"sheet {page * 7} of") for page in range(3)] == [1, 1, 1]
    assert all(str(number) in text.split() for number in range(12))


@pytest.mark.parametrize(
    "feet",
    [
        ["Herring of the north 7", "Herring of the north 8", "Herring of the north 9"],
        ["Herring of the north 7", "Herring of the north 12", "Herring of the north 31"],
        ["Page 7 of 12", "Page 8 of 12", "Page 9 of 12"],
        ["xii", "xiii", "xiv"],
        ["Report 2019", "Report 2019", "Report 2019"],
    ],
)
def test_feet_that_count_pages_or_recur_are_left_out(feet: list[str]) -> None:
    sheets = [Sheet().write_lines(LEFT, 60, 90).write(foot, 60, 800) for foot in feet]
    text = "\n".join(block.text for block in read_pdf(make_pdf(sheets)).blocks)
    assert not any(foot in text for foot in feet)


def test_numbers_beside_the_lines_of_a_manuscript_are_left_out() -> None:
    lines = [*LEFT, *RIGHT]
    sheet = Sheet()
    for number, line in enumerate(lines, start=1):
        sheet.write(str(number), 40, 100 + number * 20, size=8).write(line, 80, 100 + number * 20)
    assert join(lines) in join(texts(read(sheet)))


def test_headings_have_levels_by_their_size() -> None:
    sheet = (
        Sheet().write("The harbour", 60, 60, size=20).write("Its basins", 60, 90, size=14).write_lines(LEFT, 60, 120)
    )
    sheet.write("Its quays", 60, 220, size=14).write_lines(RIGHT, 60, 250)
    headings = [(block.text, block.level) for block in read(sheet) if block.kind == "heading"]
    assert headings == [("The harbour", 1), ("Its basins", 2), ("Its quays", 2)]


def test_items_of_a_list_stand_on_lines() -> None:
    sheet = Sheet().write("What the council owned:", 60, 100)
    for number, item in enumerate(["two cranes and a winch", "a ferry that had no", "the right to the sand"]):
        sheet.write(f"\x95 {item}", 70, 120 + number * 26)
        if number == 1:
            sheet.write("keel any more", 79, 132 + number * 26)
    assert texts(read(sheet), "list") == [
        "\u2022 two cranes and a winch\n\u2022 a ferry that had no keel any more\n\u2022 the right to the sand"
    ]


def test_code_keeps_its_lines() -> None:
    sheet = Sheet().write_lines(LEFT, 60, 100).write_lines(["while tide > 0:", "wait(tide)"], 60, 200, font="code")
    assert texts(read(sheet.write_lines(RIGHT, 60, 240)), "code") == ["while tide > 0:\nwait(tide)"]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_turned_text_is_read_in_its_own_direction(turn: int) -> None:
    sheet = Sheet(800, 800)
    for number, line in enumerate(LEFT):
        away = 100 + number * 12
        x, y = {0: (200, away), 90: (800 - away, 200), 180: (600, 800 - away), 270: (away, 600)}[turn]
        sheet.write(line, x, y, turn=turn)
    (block,) = read(sheet)
    assert block.text == join(LEFT)
    assert {line.turn for line in block.lines} == {turn}
    (mark,) = find_marks(block.text, Places(lines=tuple(block.lines)), 4, 11)  # "harbour"
    long, wide = (mark.box.right - mark.box.left, mark.box.bottom - mark.box.top)
    assert (long > 2 * wide) == (turn in (0, 180))


@pytest.mark.parametrize("turn", [17, 45, 60, 135, 200, 300, 330])
def test_slanted_text_keeps_its_words(turn: int) -> None:
    sheet = Sheet(800, 800).write("Aenean dolor To We AVATAR", 400, 400, size=20, turn=turn)
    assert texts(read(sheet)) == ["Aenean dolor To We AVATAR"]


def test_a_page_that_is_displayed_turned_is_read_as_it_is_displayed() -> None:
    sheet = Sheet(600, 800, rotate=90)
    for number, line in enumerate(LEFT):
        sheet.write(line, 100 + number * 12, 600, turn=270)
    (block,) = read(sheet)
    assert block.text == join(LEFT)
    assert {line.turn for line in block.lines} == {0}
    assert block.lines[0].box.top < block.lines[-1].box.top


def test_text_from_right_to_left_is_read_in_its_order() -> None:
    letters = dict(zip(map(chr, HEBREW.values()), HEBREW, strict=True))
    words = ["\u05d0\u05d1\u05d2\u05d3", "\u05d4\u05d5\u05d6", "\u05d7\u05d8\u05d9\u05db", "\u05dc\u05de"]
    painted = " ".join("".join(letters[letter] for letter in reversed(word)) for word in reversed(words))
    sheet = Sheet().write(painted, 300, 100, font="hebrew").write(painted, 300, 114, font="hebrew")
    (block,) = read(sheet)
    assert block.text == join([*words, *words])
    (mark,) = find_marks(block.text, Places(lines=tuple(block.lines)), 0, 4)
    assert mark.box.right == block.lines[0].box.right
    assert mark.box.left > block.lines[0].box.left


def test_marks_cover_the_words_that_are_quoted() -> None:
    (block,) = read(Sheet(600, 800).write_lines(LEFT, 60, 100))
    start = block.text.index("no grain")
    (mark,) = find_marks(block.text, Places(lines=tuple(block.lines)), start, start + len("no grain"))
    assert mark.page == 1
    assert 60 < mark.box.left * 600 < mark.box.right * 600 < 280
    assert 100 < mark.box.top * 800 < mark.box.bottom * 800 < 116


def test_text_that_is_painted_twice_to_make_it_bold_is_read_once() -> None:
    sheet = Sheet().write_lines(LEFT, 60, 100).write_lines(LEFT, 60.3, 100)
    assert texts(read(sheet)) == [join(LEFT)]


def test_copies_that_are_painted_in_other_parts_are_read_once() -> None:
    # As on a page of an IBM Redpaper: "S Specifies ifi th that".
    sheet = Sheet().write("Specifies that the lamp is lit.", 60, 100)
    for part, left in (("S", 60), ("ifi", 82.8), ("th", 104.5)):
        sheet.write(part, left, 100.2)
    assert texts(read(sheet)) == ["Specifies that the lamp is lit."]


@pytest.mark.parametrize(
    ("text", "left", "base"), [("il", 60.0, 100.0), ("l", 64.5, 100.0), ("ll", 60.0, 102.0), ("ll", 62.2, 100.0)]
)
def test_words_that_lie_on_others_and_are_no_copies_are_read(text: str, left: float, base: float) -> None:
    words = [place_word("ll", 60.0, 100.0), place_word(text, left, base)]
    assert drop_copies(words) == words


def test_a_letter_in_the_place_of_another_is_no_copy() -> None:
    words = [place_word("lanterns", 60.0, 100.0), place_word("l", 60 + 2.2 * 5, 100.0)]
    assert drop_copies(words) == words
    assert drop_copies([words[0], place_word("l", 60.0, 100.0)]) == words[:1]


def place_word(text: str, left: float, base: float) -> Word:
    """A word of Helvetica's narrow letters in 10 points."""
    return Word(text, left, base - 9, left + 2.2 * len(text), base + 2, base, 10)


def test_text_outside_the_part_that_may_be_painted_on_is_not_read() -> None:
    sheet = Sheet().write_lines(LEFT, 60, 100).paint("q 0 0 200 50 re W n")
    assert texts(read(sheet.write("Nobody sees this label of a figure.", 60, 300).paint("Q"))) == [join(LEFT)]


def test_a_letter_that_leans_into_a_space_ends_no_space() -> None:
    # The box of an italic f holds its ink, which is wider than its step: "without the needfor change" in real papers.
    sheet = Sheet().write("Without the need", 60, 100, font="italic").write("for change.", 129.8, 100, font="italic")
    assert texts(read(sheet)) == ["Without the need for change."]


def test_accents_that_are_painted_over_their_letters_are_part_of_them() -> None:
    sheet = (
        Sheet().write("Universit", 60, 100).write("\xb4", 100, 100).write("e", 98.9, 100).write("de Brest", 107.3, 100)
    )
    assert texts(read(sheet)) == ["Universit\u00e9 de Brest"]
    # TeX paints them where it is told to; PDFium may report one behind the word, or the line, that it is in.
    late = Sheet().write("Rene wrote of ports", 60, 100).write("\xb4", 79.4, 100).write("and tides.", 160, 100)
    assert texts(read(late)) == ["Ren\u00e9 wrote of ports and tides."]


def test_a_line_set_so_tight_that_its_spaces_are_narrow_keeps_its_words() -> None:
    # Narrow spaces of .15 sizes, as a line of a real paper has them: "Asobservedabove,adaptationadvice...".
    words = ("harbour", "masters", "counted", "boats", "there", "daily")
    parts = " -150 ".join(f"({word})" for word in words)
    sheet = Sheet().paint(f"BT /plain 10 Tf 60 742 Td [{parts}] TJ ET")
    assert texts(read(sheet)) == [" ".join(words)]
