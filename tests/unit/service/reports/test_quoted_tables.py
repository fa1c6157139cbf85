"""A quoted cell is shown in its table: with the heads, what is near it, and spans that fit the rows that are shown."""

from elcano.graphs.report.cells import find_cited_cells
from elcano.graphs.report.places import Cell
from elcano.service.reports.quoted_tables import MOST_COLUMNS, MOST_ROWS, ShownCell, build_quoted_table
from tests.unit.subjects.documents.placed import table_block

PORTS = table_block([["Port", "Range"], *([f"Port {number}", f"{number} m"] for number in range(1, 60))])


def test_a_cell_is_marked_among_its_neighbours_below_the_heads() -> None:
    start = PORTS.text.index("40 m")
    rows = build_quoted_table(PORTS.text, 0, PORTS.cells, start, start + 4)
    assert rows[0] == (ShownCell("Port", head=True), ShownCell("Range", head=True))
    assert [row[0].text for row in rows[1:]] == [f"Port {number}" for number in range(37, 44)]
    assert [cell.text for row in rows for cell in row if cell.cited] == ["40 m"]


def test_heads_that_stand_before_the_passage_come_with_the_citation() -> None:
    offset = PORTS.text.index("Port 38")
    start = PORTS.text.index("40 m")
    cited = find_cited_cells(PORTS.text, PORTS.cells, start, start + 4)
    rows = build_quoted_table(PORTS.text[offset:], offset, PORTS.cells, start, start + 4, cited)
    assert rows[0] == (ShownCell("", head=True), ShownCell("Range", head=True))
    assert rows[1][0].text == "Port 38"


def test_a_long_quote_shows_a_bounded_table() -> None:
    assert len(build_quoted_table(PORTS.text, 0, PORTS.cells, 0, len(PORTS.text))) == MOST_ROWS


def test_of_a_wide_table_the_columns_around_the_quoted_cell_are_shown() -> None:
    wide = table_block(
        [["Port", *(f"Day {day}" for day in range(1, 301))], ["Brest", *(f"{day} m" for day in range(1, 301))]]
    )
    start = wide.text.index(" 200 m") + 1
    heads, row = build_quoted_table(wide.text, 0, wide.cells, start, start + 5)
    assert [cell.text for cell in row if cell.cited] == ["200 m"]
    assert row[0].text == "Brest"
    assert heads[[cell.cited for cell in row].index(True)].text == "Day 200"
    assert len(row) <= MOST_COLUMNS + 1


def test_words_outside_of_tables_have_none() -> None:
    assert build_quoted_table("Only words.", 0, (), 0, 4) == ()
    assert build_quoted_table(PORTS.text, 0, PORTS.cells, 10_000, 10_005) == ()


def test_a_cell_over_several_rows_spans_those_that_are_shown() -> None:
    text = "North | 1\n | 2\n | 3\nSouth | 4"
    cells = (
        Cell(0, 5, 0, 0, rows=3),
        Cell(8, 9, 0, 1),
        Cell(13, 14, 1, 1),
        Cell(18, 19, 2, 1),
        Cell(20, 25, 3, 0),
        Cell(28, 29, 3, 1),
    )
    rows = build_quoted_table(text, 0, cells, 18, 19)
    assert rows[0][0] == ShownCell("North", rows=3)
    assert [len(row) for row in rows] == [2, 1, 1, 2]
    assert rows[2][0].cited
