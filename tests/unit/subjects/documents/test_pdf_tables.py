"""Tables of PDF pages: ruled, with rules between rows only, and without any."""

from collections.abc import Sequence
from itertools import pairwise

import pypdfium2 as pdfium
import pytest

from elcano.activities.passages.document import Block
from elcano.subjects.documents.pdf.chars import read_codes
from elcano.subjects.documents.pdf.edges import MAX_OBJECTS, Edges, read_edges
from elcano.subjects.documents.pdf.frames import measure_frame
from elcano.subjects.documents.pdf.joining import Vocabulary
from elcano.subjects.documents.pdf.reader import read_pdf
from elcano.subjects.documents.pdf.segments import build_segments_by_turn
from elcano.subjects.documents.pdf.table_continuation import carry_heads
from elcano.subjects.documents.pdf.table_search import find_tables as search_tables
from elcano.subjects.documents.pdf.tables import Table, build_table_blocks, drop_table_words
from elcano.subjects.documents.pdf.words import Page, read_words
from tests.unit.subjects.documents.pdf_pages import LEFT, RIGHT, Sheet, make_pdf


def load(sheet: Sheet) -> tuple[Page, Edges]:
    """The words and lines of a page."""
    with pdfium.PdfDocument(make_pdf([sheet])) as document:
        page = document[0]
        text_page = page.get_textpage()
        frame = measure_frame(page.raw)
        words = tuple(read_words(page.raw, text_page.raw, read_codes(text_page.raw)))
        return Page(1, frame.width, frame.height, words), read_edges(page.raw)


def find_tables(page: Page, edges: Edges) -> list[Table]:
    """The tables of a page, among the segments of its words."""
    return search_tables(page, edges, build_segments_by_turn(page))


def read(sheet: Sheet) -> list[Table]:
    return find_tables(*load(sheet))


def list_rows(table: Table) -> list[list[str]]:
    """The texts of a table; what a cell spans is empty."""
    rows = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        rows[cell.row][cell.column] = cell.text
    return rows


def list_spans(table: Table) -> dict[str, tuple[int, int]]:
    return {cell.text: (cell.rows, cell.columns) for cell in table.cells if cell.rows * cell.columns > 1}


def list_heads(table: Table) -> list[str]:
    return [cell.text for cell in table.cells if cell.head and cell.text]


def build(sheet: Sheet) -> list[Block]:
    page, edges = load(sheet)
    return [
        block
        for table in find_tables(page, edges)
        for block in build_table_blocks(table, 1, Vocabulary(), [(page.width, page.height)])
    ]


def draw_line(sheet: Sheet, left: float, top: float, right: float, bottom: float) -> None:
    high = sheet.height
    sheet.paint(f"0.5 w {left} {high - top} m {right} {high - bottom} l S")


def draw_grid(sheet: Sheet, across: Sequence[float], down: Sequence[float]) -> None:
    for y in down:
        draw_line(sheet, across[0], y, across[-1], y)
    for x in across:
        draw_line(sheet, x, down[0], x, down[-1])


def write_rows(
    sheet: Sheet, rows: Sequence[Sequence[str]], across: Sequence[float], top: float, step: float = 14
) -> Sheet:
    """Write the cells of rows at the places of their columns; empty ones are left out."""
    for number, row in enumerate(rows):
        for text, x in zip(row, across, strict=False):
            if text:
                sheet.write(text, x, top + number * step)
    return sheet


YIELDS = [
    ["Region", "Spring", "Autumn"],
    ["North", "12.5", "14.1"],
    ["South", "9.7", ""],
    ["West", "", "10.2"],
]
ACROSS = (60, 200, 300)


def rule_table(sheet: Sheet, *, places: Sequence[float], right: float = 360) -> Sheet:
    for y in places:
        draw_line(sheet, 55, y, right, y)
    return sheet


def test_a_grid_of_lines_gives_its_cells_and_empty_ones_stay_at_their_places() -> None:
    sheet = write_rows(Sheet(), YIELDS, ACROSS, 100)
    draw_grid(sheet, (55, 190, 290, 380), (88, 104, 118, 132, 146))
    (table,) = read(sheet)
    assert list_rows(table) == YIELDS
    assert list_heads(table) == YIELDS[0]


def test_cells_between_which_no_line_stands_are_one() -> None:
    rows = [["Region", "Measured yield", "", "Remarks"], ["", "Spring", "Autumn", ""], *_SPANNED]
    sheet = write_rows(Sheet(), rows, (60, 160, 240, 320), 100)
    across, down = (55, 155, 235, 315, 420), (88, 104, 118, 132, 146)
    for y in (88, 104, 118, 132, 146):
        for left, right in pairwise(across):
            within = (y == 104 and left in (55, 315)) or (y == 132 and left == 55)
            if not within:
                draw_line(sheet, left, y, right, y)
    for x in across:
        draw_line(sheet, x, 104 if x == 235 else 88, x, down[-1])
    (table,) = read(sheet)
    assert list_rows(table) == rows
    assert list_spans(table) == {"Region": (2, 1), "Measured yield": (1, 2), "Remarks": (2, 1), "North": (2, 1)}
    assert list_heads(table) == ["Region", "Measured yield", "Remarks", "Spring", "Autumn"]


_SPANNED = [["North", "12.5", "14.1", "dry year"], ["", "11.9", "13.0", "late sowing"]]


def test_thin_rectangles_are_lines_too() -> None:
    sheet = write_rows(Sheet(), YIELDS, ACROSS, 100)
    for y in (88, 104, 118, 132, 146):
        sheet.paint(f"55 {842 - y} 325 0.6 re f")
    for x in (55, 190, 290, 380):
        sheet.paint(f"{x} {842 - 146} 0.6 58 re f")
    (table,) = read(sheet)
    assert list_rows(table) == YIELDS


def test_backgrounds_bound_cells_where_no_lines_do() -> None:
    sheet = Sheet()
    for row, y in enumerate((88, 103, 118, 133)):
        for x in (55, 191, 291):
            sheet.paint(f"{0.8 + row % 2 * 0.1} g {x} {842 - y - 14} {134 if x == 55 else 99} 14 re f")
    sheet.paint("0 g")
    write_rows(sheet, YIELDS, ACROSS, 99, 15)
    (table,) = read(sheet)
    assert list_rows(table) == YIELDS


def test_a_margin_between_a_border_and_the_background_within_is_no_column() -> None:
    sheet = Sheet()
    for x, right in ((55, 190), (190, 290), (290, 380)):
        sheet.paint(f"0.9 g {x + 5} {842 - 104} {right - x - 10} 15 re f 0 g")
    write_rows(sheet, YIELDS, (64, 200, 300), 100)
    draw_grid(sheet, (55, 190, 290, 380), (88, 104, 118, 132, 146))
    (table,) = read(sheet)
    assert list_rows(table) == YIELDS


def test_rows_that_no_line_parts_are_parted_by_their_numbers() -> None:
    sheet = write_rows(Sheet(), YIELDS, ACROSS, 100)
    draw_grid(sheet, (55, 190, 290, 380), (88, 104, 146))
    (table,) = read(sheet)
    assert list_rows(table) == YIELDS
    assert list_heads(table) == YIELDS[0]


def test_rules_above_and_below_the_head_and_at_the_end_make_a_table() -> None:
    sheet = rule_table(write_rows(Sheet(), YIELDS, ACROSS, 100), places=(88, 104, 148))
    (table,) = read(sheet)
    assert list_rows(table) == YIELDS
    assert list_heads(table) == YIELDS[0]


def test_aligned_numbers_make_a_table_without_any_line() -> None:
    sheet = write_rows(Sheet(), YIELDS, ACROSS, 100)
    (table,) = read(sheet)
    assert list_rows(table) == YIELDS
    assert list_heads(table) == YIELDS[0]


def test_a_head_stands_over_the_columns_that_the_rule_below_it_covers() -> None:
    rows = [["", "Measured yield", "", ""], ["Region", "Spring", "Autumn", "Rain"], ["North", "12.5", "14.1", "610"]]
    rows.append(["South", "9.7", "10.2", "540"])
    sheet = write_rows(Sheet(), rows, (60, 160, 240, 320), 100)
    rule_table(sheet, places=(88, 118, 148), right=350)
    draw_line(sheet, 155, 104, 275, 104)
    (table,) = read(sheet)
    assert list_spans(table)["Measured yield"] == (1, 2)
    assert list_rows(table)[-1] == rows[-1]
    assert set(list_heads(table)) == {"Measured yield", "Region", "Spring", "Autumn", "Rain"}


def test_heads_in_the_middle_of_their_columns_stand_over_them_without_a_rule() -> None:
    sheet = Sheet().write("Women", 190, 100).write("Men", 345, 100)
    rows = [["Age", "Number", "Rate", "Number", "Rate"], ["45", "345", "15.5", "205", "52.7"]]
    rows.append(["55", "806", "60.9", "906", "56.5"])
    write_rows(sheet, rows, (60, 160, 230, 310, 380), 114)
    rule_table(sheet, places=(88, 118, 148), right=410)
    (table,) = read(sheet)
    assert list_spans(table) == {"Age": (2, 1), "Women": (1, 2), "Men": (1, 2)}


def test_a_label_of_two_lines_is_one_cell_beside_its_numbers() -> None:
    sheet = write_rows(Sheet(), [["Cause", "Cases", "Deaths"]], ACROSS, 100)
    sheet.write("Falls on stairs, in the", 60, 120).write("house and outside", 60, 131)
    sheet.write("1,204", 200, 120).write("38", 300, 120)
    write_rows(sheet, [["Burns", "310", "4"], ["Poison", "95", "2"]], ACROSS, 150, 19)
    (table,) = read(rule_table(sheet, places=(88, 106, 178)))
    assert list_rows(table) == [
        ["Cause", "Cases", "Deaths"],
        ["Falls on stairs, in the house and outside", "1,204", "38"],
        ["Burns", "310", "4"],
        ["Poison", "95", "2"],
    ]


def test_the_name_of_a_section_is_a_row_of_its_own() -> None:
    rows = [["Cause", "Cases", "Deaths"], ["Accidents", "", ""], ["Falls", "204", "38"], ["Burns", "31", "4"]]
    rows += [["Diseases", "", ""], ["Fever", "17", "1"]]
    (table,) = read(rule_table(write_rows(Sheet(), rows, ACROSS, 100), places=(88, 104, 176)))
    assert list_rows(table) == rows


def test_long_labels_below_one_another_are_no_running_text() -> None:
    rows = [["Office", "2013", "2014"], ["Department of Farming and Fishing in the Lakes", "22.5", "48.4"]]
    rows.append(["Department of Research and Education of the Coast", "37.1", "19.0"])
    rows.append(["Department of Mills, Dairies and Public Granaries", "21.5", "14.2"])
    (table,) = read(write_rows(Sheet(), rows, (60, 330, 400), 100))
    assert list_rows(table) == rows


def test_a_column_in_which_nothing_stands_but_its_name_is_a_column() -> None:
    rows = [
        ["Sign", "Rural", "Total", "Rural", "Total"],
        ["Fever", "1.9", "2.1", "", ""],
        ["Cough", "4.5", "5.6", "", ""],
    ]
    rows.append(["Rash", "5.1", "4.1", "", ""])
    (table,) = read(
        rule_table(write_rows(Sheet(), rows, (60, 160, 220, 280, 340), 100), places=(88, 104, 148), right=380)
    )
    assert list_rows(table) == rows


def test_units_signs_intervals_and_currencies_stay_with_their_numbers() -> None:
    sheet = Sheet()
    rows = [["Drug", "Ratio (95% CI)", "Cost"], ["A", "1.2 (0.9 to 1.5)", "12.40"], ["B", "0.8 \261 0.1", "9.10"]]
    rows.append(["C", "2.1 (1.8 to 2.5)**", "310.00"])
    write_rows(sheet, rows, ACROSS, 100)
    for y in (114, 128, 142):
        sheet.write("$", 285, y)
    (table,) = read(rule_table(sheet, places=(88, 104, 148)))
    found = list_rows(table)
    assert [row[1] for row in found] == ["Ratio (95% CI)", "1.2 (0.9 to 1.5)", "0.8 \261 0.1", "2.1 (1.8 to 2.5)**"]
    assert [row[2] for row in found[1:]] == ["$ 12.40", "$ 9.10", "$ 310.00"]


def test_the_raised_mark_of_a_note_does_not_join_its_number() -> None:
    sheet = write_rows(Sheet(), YIELDS, ACROSS, 100)
    sheet.write("2", 200 + 19.5, 110, size=6)
    (table,) = read(rule_table(sheet, places=(88, 104, 148)))
    assert list_rows(table)[1] == ["North", "12.5\u00b2", "14.1"]


def test_dots_that_lead_to_the_numbers_belong_to_no_cell() -> None:
    rows = [[f"{name} . . . . . . . . . . .", *values] for name, *values in YIELDS[1:]]
    sheet = write_rows(Sheet(), [YIELDS[0], *rows], ACROSS, 100)
    page, edges = load(rule_table(sheet, places=(88, 104, 148)))
    tables = find_tables(page, edges)
    assert list_rows(tables[0]) == YIELDS
    assert drop_table_words(page, tables).words == ()


@pytest.mark.parametrize("rotate", [0, 90])
def test_a_table_that_is_turned_is_read_in_its_own_direction(rotate: int) -> None:
    sheet = Sheet(rotate=rotate)
    for number, row in enumerate(YIELDS):
        for text, place in zip(row, ACROSS, strict=True):
            if text:
                sheet.write(text, 100 + number * 14, 700 - place, turn=270)
    for place in (55, 190, 290, 380):
        draw_line(sheet, 88, 700 - place, 146, 700 - place)
    for place in (88, 104, 118, 132, 146):
        draw_line(sheet, place, 320, place, 645)
    (table,) = read(sheet)
    assert list_rows(table) == YIELDS
    assert table.turn == (270 + rotate) % 360


def test_turned_heads_stand_in_the_columns_that_they_name() -> None:
    sheet = write_rows(Sheet(), [["Read", "X", ""], ["Write", "", "X"], ["Delete", "X", "X"]], (60, 150, 180), 160)
    sheet.write("Guest", 155, 140, turn=270).write("Owner", 185, 140, turn=270)
    draw_grid(sheet, (55, 140, 170, 200), (95, 148, 162, 176, 190))
    (table,) = read(sheet)
    assert list_rows(table)[0] == ["", "Guest", "Owner"]
    assert list_rows(table)[2] == ["Write", "", "X"]


def test_captions_and_notes_stay_with_their_table() -> None:
    sheet = Sheet().write("Table 1. Yields of two harvests, by region and", 55, 66)
    sheet.write("season of the year", 55, 78)
    rule_table(write_rows(sheet, YIELDS, ACROSS, 100), places=(88, 104, 148))
    sheet.write("Note: In tonnes per hectare.", 55, 158, size=8).write("* Estimated from two fields.", 55, 168, size=8)
    sheet.write_lines(LEFT, 55, 200)
    page, edges = load(sheet)
    blocks = build(sheet)
    assert [block.kind for block in blocks] == ["caption", "table", "note", "note"]
    assert blocks[0].text == "Table 1. Yields of two harvests, by region and season of the year"
    assert blocks[3].text == "* Estimated from two fields."
    left = drop_table_words(page, find_tables(page, edges))
    assert " ".join(word.text for word in left.words) == " ".join(LEFT)


@pytest.mark.parametrize("ruled", [True, False])
def test_two_tables_of_equal_width_that_only_a_caption_parts_are_two(ruled: bool) -> None:
    costs = [["Region", "Wheat", "Barley"], ["North", "31", "27"], ["South", "29", "25"], ["West", "33", "24"]]
    sheet = Sheet().write("Table 1. Yields", 55, 82)
    write_rows(sheet, YIELDS, ACROSS, 100)
    sheet.write("Table 2. Costs of wheat and barley", 55, 162)
    write_rows(sheet, costs, ACROSS, 180)
    if ruled:
        rule_table(sheet, places=(88, 104, 146, 168, 184, 228))
    first, second = read(sheet)
    assert list_rows(first) == YIELDS
    assert list_rows(second) == costs
    assert [token.text for token in second.caption[0]][:2] == ["Table", "2."]


def test_cells_whose_lines_stand_beside_numbers_are_rows_where_one_has_more_lines_than_the_others() -> None:
    sheet = Sheet()
    rows = [["Sign", "Meaning", "Value"], ["a", "Width of the window", "33"], ["b", "Height of the window", "40"]]
    rows += [["c", "Strength of the link between", "0.03"], ["", "two windows", ""], ["d", "Number of steps", "3"]]
    write_rows(sheet, rows, (60, 120, 300), 100)
    draw_grid(sheet, (55, 110, 290, 340), (88, 104, 176))
    (table,) = read(sheet)
    found = list_rows(table)
    assert ["a", "Width of the window", "33"] in found
    assert ["d", "Number of steps", "3"] in found


def test_a_caption_below_is_taken_if_it_is_not_that_of_the_next_table() -> None:
    sheet = rule_table(write_rows(Sheet(), YIELDS, ACROSS, 100), places=(88, 104, 148))
    sheet.write("Table 4: Yields", 55, 164)
    assert [block.kind for block in build(sheet)] == ["caption", "table"]


def test_a_block_has_every_cell_at_its_offsets_and_the_place_of_every_line() -> None:
    sheet = rule_table(write_rows(Sheet(), YIELDS, ACROSS, 100), places=(88, 104, 148))
    (block,) = build(sheet)
    assert block.text.split("\n")[2:] == ["South | 9.7 | ", "West |  | 10.2"]
    cells = {(cell.row, cell.column): block.text[cell.start : cell.end] for cell in block.cells}
    assert [[cells[row, column] for column in range(3)] for row in range(4)] == YIELDS
    assert [block.text[line.start : line.end] for line in block.lines] == [
        text for row in YIELDS for text in row if text
    ]
    line = block.lines[3]
    assert line.box.left == pytest.approx(60 / 595, abs=0.002)
    assert line.box.bottom > 114 / 842 > line.box.top
    assert line.edges == pytest.approx([60 / 595], abs=0.002)


def test_the_heads_of_a_table_go_with_its_part_on_the_next_page() -> None:
    first = rule_table(write_rows(Sheet(), YIELDS, ACROSS, 700), places=(688, 704, 748))
    page, edges = load(first)
    rest = [["East", "8.1", "9.0"], ["Coast", "7.7", "6.4"], ["Hills", "5.2", "4.9"]]
    second = rule_table(write_rows(Sheet(), rest, ACROSS, 100), places=(88, 132))
    _, (table,) = carry_heads([find_tables(page, edges), read(second)])
    assert list_rows(table) == [YIELDS[0], *rest]
    assert [cell.page for cell in table.cells if cell.head] == [1, 1, 1]
    sizes = [(page.width, page.height)] * 2
    (block,) = build_table_blocks(table, 2, Vocabulary(), sizes)
    assert {line.page for line in block.lines[:3]} == {1}
    assert {line.page for line in block.lines[3:]} == {2}


def test_the_reader_puts_tables_where_they_stand_with_their_heads() -> None:
    first = Sheet().write_lines(LEFT, 55, 600)
    rule_table(write_rows(first, YIELDS, ACROSS, 700), places=(688, 704, 748))
    rest = [["East", "8.1", "9.0"], ["Coast", "7.7", "6.4"], ["Hills", "5.2", "4.9"]]
    second = rule_table(write_rows(Sheet(), rest, ACROSS, 100), places=(88, 132)).write_lines(RIGHT, 55, 180)
    blocks = read_pdf(make_pdf([first, second])).blocks
    assert [block.kind for block in blocks] == ["text", "table", "table", "text"]
    assert blocks[2].text.split("\n")[:2] == ["Region | Spring | Autumn", "East | 8.1 | 9.0"]


def test_columns_of_text_are_no_table() -> None:
    sheet = Sheet()
    for number, (left, right) in enumerate(zip(LEFT * 3, RIGHT * 3, strict=True)):
        sheet.write(left, 60, 100 + number * 12).write(right, 310, 100 + number * 12)
    draw_line(sheet, 60, 80, 540, 80)
    draw_line(sheet, 60, 320, 540, 320)
    assert read(sheet) == []


@pytest.mark.parametrize(
    "rows",
    [
        [["1.", "Wash the leaves"], ["2.", "Dry them in the sun"], ["3.", "Grind them"], ["4.", "Sieve"]],
        [["1:", "initial 12"], ["2:", "query 40"], ["3:", "update 17"], ["4:", "pre 31"]],
        [["x = 4y + 2", "(1)"], ["y = 3z", "(2)"], ["z = x", "(3)"]],
        [["100", ""], ["80", "before"], ["60", ""], ["40", "after"], ["20", ""]],
    ],
    ids=["list", "listing", "formulas", "axis"],
)
def test_what_is_no_table_stays_text(rows: list[list[str]]) -> None:
    assert read(write_rows(Sheet(), rows, (60, 120, 420), 100)) == []


def test_code_between_rules_is_no_table() -> None:
    sheet = Sheet()
    for number, (word, rest) in enumerate(
        [("SELECT", "name,"), ("FROM", "towns"), ("WHERE", "size"), ("ORDER", "name")]
    ):
        sheet.write(word, 60, 100 + number * 12, font="code").write(rest, 130, 100 + number * 12, font="code")
    assert read(rule_table(sheet, places=(88, 142), right=200)) == []


def test_a_chart_with_grid_lines_and_curves_is_no_table() -> None:
    sheet = write_rows(Sheet(), [["100", "a"], ["75", "b"], ["50", "c"], ["20", "d"]], (60, 150), 100, 20)
    draw_grid(sheet, (55, 140, 240), (88, 108, 128, 148, 168))
    sheet.paint("70 700 m 120 740 180 690 230 735 c S")
    assert read(sheet) == []


def test_a_frame_with_text_in_it_is_no_table() -> None:
    sheet = Sheet().write_lines(LEFT, 60, 100)
    draw_grid(sheet, (50, 290), (85, 170))
    assert read(sheet) == []


@pytest.mark.parametrize(("rows", "columns"), [(200, 12), (8, 300)])
def test_long_and_wide_tables_are_read(rows: int, columns: int) -> None:
    sheet = Sheet(width=20 + 20 * columns, height=20 + 15 * rows)
    across = [10 + 20 * number for number in range(columns + 1)]
    down = [10 + 15 * number for number in range(rows + 1)]
    draw_grid(sheet, across, down)
    for row in range(rows):
        for column in range(columns):
            sheet.write(str((row * 7 + column) % 97), across[column] + 3, down[row] + 11, size=8)
    (table,) = read(sheet)
    assert (table.rows, table.columns) == (rows, columns)
    assert list_rows(table)[-1][-1] == str(((rows - 1) * 7 + columns - 1) % 97)


def test_of_a_drawing_of_many_paths_only_so_many_are_looked_at() -> None:
    sheet = Sheet().paint("10 10 m 200 10 l S\n" * MAX_OBJECTS + "10 300 m 200 300 l S")
    assert len(load(sheet)[1].horizontal) == 1


def test_lines_are_where_the_matrix_of_their_content_puts_them() -> None:
    sheet = write_rows(Sheet(), YIELDS, ACROSS, 100)
    sheet.paint("q 1 0 0 1 0 100 cm")
    for y in (88, 104, 118, 132, 146):
        sheet.paint(f"55 {742 - y} m 380 {742 - y} l S")
    for x in (55, 190, 290, 380):
        sheet.paint(f"{x} {742 - 88} m {x} {742 - 146} l S")
    (table,) = read(sheet.paint("Q"))
    assert list_rows(table) == YIELDS


def test_dotted_lines_between_rules_are_no_table() -> None:
    # As forms have them, to be filled in: unstructured's example of 400 pages lost all of them.
    dots = [["." * 40, "." * 30] for _ in range(4)]
    sheet = rule_table(write_rows(Sheet(), dots, (60, 220), 100), places=(88, 118, 158))
    assert read(sheet) == []


def test_a_fault_of_the_reader_costs_one_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(page: Page, edges: Edges, segments: object) -> list[Table]:
        if page.number == 2:
            raise IndexError
        return []

    monkeypatch.setattr("elcano.subjects.documents.pdf.page_reader.find_tables", fail)
    texts = ("Ladders are checked in May.", "Ropes are replaced in June.", "Masts are painted in July.")
    parsed = read_pdf(make_pdf([Sheet().write(text, 60, 100) for text in texts]))
    assert [block.text for block in parsed.blocks] == [texts[0], texts[2]]
    assert [(gap.pages, gap.reason) for gap in parsed.gaps] == [
        ((2,), "page 2 was left out: the reader has a fault, please report it with the file")
    ]


def test_a_head_of_three_lines_between_rules_is_a_head() -> None:
    sheet = Sheet()
    for y in (90, 138, 200):
        sheet.paint(f"60 {842 - y} m 520 {842 - y} l S")
    sheet.write("Projected", 300, 104).write("Actual 2003", 180, 118)
    for y, row in (
        (132, ("Region", "to 2008", "2008 to 2015", "2015 to 2021")),
        (154, ("North", "10.4", "0.9", "3.8")),
    ):
        for x, text in zip((60, 180, 300, 420), row, strict=True):
            sheet.write(text, x, y)
    for y, name in ((170, "South"), (186, "West")):
        for x, text in zip((60, 180, 300, 420), (name, "1.1", "2.2", "3.3"), strict=True):
            sheet.write(text, x, y)
    block = next(block for block in read_pdf(make_pdf([sheet])).blocks if block.kind == "table")
    assert [line for line in block.text.splitlines() if line.startswith("Region")] == [
        "Region | to 2008 | 2008 to 2015 | 2015 to 2021"
    ]
