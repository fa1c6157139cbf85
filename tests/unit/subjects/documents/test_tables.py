"""Tables as text with cells, however their cells are declared."""

import pytest

from elcano.subjects.documents import tables
from elcano.subjects.documents.tables import TableCell, build_compact_table, build_table, place_spans


def test_merged_cells_have_their_text_where_they_begin_and_every_place_has_a_cell() -> None:
    rows = [[TableCell("a", rows=2), TableCell("b", columns=2)], [TableCell("c"), TableCell("d")]]
    block = build_table(place_spans(rows))
    assert block.text == "a | b | \n | c | d"
    assert [(block.text[one.start : one.end], *one[2:6]) for one in block.cells] == [
        ("a", 0, 0, 2, 1),
        ("b", 0, 1, 1, 2),
        ("c", 1, 1, 1, 1),
        ("d", 1, 2, 1, 1),
    ]


def test_a_cell_in_the_place_of_another_one_keeps_its_text() -> None:
    block = build_table([TableCell("a", rows=2), TableCell("b", 1)])
    assert block.text == "a\nb"


def test_tables_with_too_many_places_lose_their_columns_and_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_PLACES", 20)
    monkeypatch.setattr(tables, "MOST_COLUMNS", 50)
    dense = [TableCell(str(row * 5 + column), row, column) for row in range(10) for column in range(5)]
    assert build_table(dense).text.split("\n")[9] == "45 | 46 | 47 | 48 | 49"
    sparse = [TableCell(str(row), row, 5 * row) for row in range(7)]
    assert build_table(sparse).text == "0\n1\n2\n3\n4\n5\n6"
    assert build_table([TableCell("a"), TableCell("b", column=60)]).text == "a | b"


def test_rows_and_columns_in_which_nothing_begins_are_left_out() -> None:
    cells = [TableCell("a", 0, 0, 1, 3), TableCell("b", 5, 0), TableCell("c", 5, 2, 10**9, 10**9)]
    block = build_compact_table(cells)
    assert block is not None
    assert block.text == "a | \nb | c"
    assert build_compact_table([TableCell("")]) is None
