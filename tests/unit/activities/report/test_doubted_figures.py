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


def test_a_row_that_is_named_has_the_figures_of_its_difference() -> None:
    heads = (("6.37", "Responders"), ("6.59", "Others"), ("0.56", "p"))
    cells = tuple(
        CitedCell(row=1, column=column, text=words, row_head="Viral load (log IU/mL)", column_head=head)
        for column, (words, head) in enumerate(heads, 1)
    )
    row = ("Viral load (log IU/mL) | 6.37 | 6.59 | 0.56", cells)
    assert judge("Mean viral load hardly differed, 0.22 lower in one group.", row) == "supported"
    assert judge("Mean viral load hardly differed, 0.32 lower in one group.", row) == "partly"
    assert judge("Mean viral load hardly differed, 0.22 g lower in one group.", row) == "partly"
    assert judge("The mean hardly differed, 0.22 lower in one group.", row) == "partly", "of another row"
    assert judge("Viral load was 0.22 lower.", ("Viral load | 6.37 | 6.59 | 0.56", ())) == "partly", "no table is known"
    wide = cells * 2
    wide = tuple(one.model_copy(update={"column": place, "column_head": str(place)}) for place, one in enumerate(wide))
    assert judge("Viral load was 0.22 lower.", (row[0], wide)) == "partly", "of many figures two lie so far apart"


def test_rows_that_begin_alike_are_named_by_their_next_cell_too() -> None:
    rows = [["Kind", "Version", "Time"], ["Reed", "3.9", "31"], ["Reed", "2.7", "195"], ["Kelp", "3.9", "8"]]
    text, cells = "", []
    for row, line in enumerate(rows):
        for column, words in enumerate(line):
            cells.append(Cell(len(text), len(text) + len(words), row, column, head=row == 0))
            text += words + (" | " if column < 2 else "\n")
    cited = find_cited_cells(text, cells, text.index("31"), len(text))
    assert [one.row_head for one in cited if one.column_head == "Time"] == ["Reed > 3.9", "Reed > 2.7", "Kelp"]
    assert [one.row_head for one in cited if one.column_head == "Version"] == ["Reed", "Kelp"]
