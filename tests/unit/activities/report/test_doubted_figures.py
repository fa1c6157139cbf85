"""Figures that a reviewer let pass and that neither tables nor laws give."""

from elcano.activities.report.statement_support import determine_support
from elcano.graphs.report.cells import CitedCell, find_cited_cells
from elcano.graphs.report.places import Cell
from elcano.graphs.report.report import CheckedCitation, Judgement, Statement, StatementKind


def judge(said: str, *quoted: tuple[str, tuple[CitedCell, ...]], kind: StatementKind = "fact") -> str:
    """The support of a statement that its reviewer found supported; `quoted`: words with their cells."""
    citations = tuple(
        CheckedCitation(
            claim=said, evidence=quote, quote=quote, verdict="verified", number=1, start=0, end=1, cells=cells
        )
        for quote, cells in quoted
    )
    statement = Statement(text=said, kind=kind, citations=citations)
    return determine_support(statement, (), Judgement(statement=said, support="supported")).support


def test_the_rest_of_a_table_has_no_figures_for_heads() -> None:
    text, cells = " | 8.1 | 9.2\nKelp | 3.5 | 4.4", []
    for row, column, words in ((0, 1, "8.1"), (0, 2, "9.2"), (1, 0, "Kelp"), (1, 1, "3.5"), (1, 2, "4.4")):
        start = text.index(words)
        cells.append(Cell(start, start + len(words), row, column))
    start = text.index("Kelp")
    cited = find_cited_cells(text, cells, start, len(text))
    assert judge("Kelp reached 8.1.", (text[start:], cited)) == "partly"
    assert judge("Kelp reached 3.5.", (text[start:], cited)) == "supported"


def test_rows_of_different_passages_are_not_one() -> None:
    quoted = [
        (
            f"{city} | {cases} | {deaths}",
            tuple(
                CitedCell(row=1, column=column, text=words, row_head=city, column_head=head)
                for column, (words, head) in enumerate(((cases, "Cases"), (deaths, "Deaths")), 1)
            ),
        )
        for city, cases, deaths in (("Rome", "400", "100"), ("Oslo", "77", "30"))
    ]
    assert judge("A share of 7.5 % of cases were deaths.", *quoted) == "partly"


def test_no_law_stands_for_the_figures_of_an_inference() -> None:
    law = ("the shift is inversely proportional to the radius", ())
    assert judge("Halving the radius would double the shift.", law, kind="inference") == "partly"


def test_a_row_that_is_named_has_no_figures_of_its_columns_together() -> None:
    def quote_row(name: str, *figures: str) -> tuple[str, tuple[CitedCell, ...]]:
        cells = tuple(
            CitedCell(row=1, column=column, text=words, row_head=name, column_head=head)
            for column, (words, head) in enumerate(zip(figures, ("Patients", "Deaths", "Cost"), strict=True), 1)
        )
        return " | ".join((name, *figures)), cells

    alpha, beta = quote_row("Alpha", "200", "50", "9"), quote_row("Beta", "160", "30", "3")
    assert judge("Alpha cost 22 times as much as Beta.", alpha) == "partly"
    assert judge("Alpha was given to 250 patients.", alpha) == "partly"
    assert judge("Alpha had 150 more patients than deaths.", alpha) == "partly"
    assert judge("Alpha was given to 200 patients.", alpha) == "supported"
    assert judge("Alpha had 40 more patients than Beta.", alpha, beta) == "supported", "of the column that is named"


def test_only_the_first_cell_of_a_row_names_it() -> None:
    rows = [["Kind", "Version", "Time"], ["Reed", "3.9", "31"], ["Reed", "2.7", "195"]]
    text, cells = "", []
    for row, line in enumerate(rows):
        for column, words in enumerate(line):
            cells.append(Cell(len(text), len(text) + len(words), row, column, head=row == 0))
            text += words + (" | " if column < 2 else "\n")
    cited = find_cited_cells(text, cells, text.index("31"), len(text))
    assert [one.row_head for one in cited if one.column_head == "Time"] == ["Reed", "Reed"]
