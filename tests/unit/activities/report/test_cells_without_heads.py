"""Tables of PDFs whose first row no reader marked as heads, and figures that follow from their cells."""

import pytest

from elcano.activities.report.statement_support import determine_support
from elcano.graphs.report.cells import find_cited_cells
from elcano.graphs.report.places import Cell
from elcano.graphs.report.report import CheckedCitation, Judgement, Statement

ROWS = [
    ["", "18-39", "50-54", "70-74"],
    ["Ride", "4:00:00", "4:30:00", "5:12:00"],
    ["Row", "1:10:00", "1:24:00", "2:20:00"],
]


def place(rows: list[list[str]]) -> tuple[str, list[Cell]]:
    """The text of a table, and its cells in it."""
    text, cells = "", []
    for number, row in enumerate(rows):
        for column, words in enumerate(row):
            cells.append(Cell(len(text), len(text) + len(words), number, column))
            text += words + (" | " if column < len(row) - 1 else "\n")
    return text, cells


def cite(said: str, row: int, rows: list[list[str]] = ROWS, context: str = "") -> Statement:
    """A statement that quotes a row."""
    text, cells = place(rows)
    quote = text.splitlines()[row]
    found = find_cited_cells(text, cells, start := text.index(quote), start + len(quote))
    cited = CheckedCitation(
        claim=said, evidence="e", quote=quote, verdict="verified", number=1, start=0, end=1, cells=found
    )
    return Statement(text=said, kind="fact", citations=(cited,), context=context)


def test_a_first_row_with_an_empty_corner_names_the_columns() -> None:
    cells = cite("It took long.", 1).citations[0].cells
    assert [(cell.row_head, cell.column_head) for cell in cells[1:]] == [
        ("Ride", "18-39"),
        ("Ride", "50-54"),
        ("Ride", "70-74"),
    ]
    full = cite("It took long.", 1, [["Ages", "18-39", "50-54", "70-74"], *ROWS[1:]]).citations[0].cells
    assert {cell.column_head for cell in full} == {""}  # it may as well be a row of figures


@pytest.mark.parametrize(
    ("said", "support"),
    [
        ("From 18-39 to 70-74 the ride took 30 % longer.", "supported"),
        ("Those aged 70 to 74 took 1.3 times as long as those of 18 to 39.", "supported"),
        ("From 18-39 to 70-74 the ride took 12.5 % longer.", "partly"),  # that is what 50-54 took
        ("From 18-39 to 60-64 the ride took 30 % longer.", "partly"),
    ],
)
def test_figures_follow_from_cells_of_the_columns_that_are_named(said: str, support: str) -> None:
    judgement = Judgement(statement=said, support="supported")
    assert determine_support(cite(said, 1), (), judgement).support == support


@pytest.mark.parametrize(("said", "support"), [("4:30:00", "supported"), ("5:12:00", "not_supported")])
def test_a_cell_from_another_column_is_told(said: str, support: str) -> None:
    judgement = Judgement(statement=said, support="supported")
    assert determine_support(cite(said, 1, context="50\u201354, ride"), (), judgement).support == support


@pytest.mark.parametrize(
    ("said", "quote", "support"),
    [
        (
            "Halving the radius would double the shift.",
            "the shift is inversely proportional to the radius",
            "supported",
        ),
        ("Halving the radius would double the shift.", "a smaller radius gives a larger shift", "partly"),
        ("A radius of 3 mm would double the shift.", "the shift is inversely proportional to the radius", "partly"),
    ],
)
def test_a_law_gives_multiples_in_words(said: str, quote: str, support: str) -> None:
    cited = CheckedCitation(claim=said, evidence="e", quote=quote, verdict="verified", number=1, start=0, end=1)
    inferred = Statement(text=said, kind="inference", citations=(cited,))
    assert determine_support(inferred, (), Judgement(statement=said, support="supported")).support == support
    assert determine_support(inferred, (), None).support != "supported"
