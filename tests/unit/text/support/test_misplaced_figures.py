"""A figure that its quoted row has in another column is a fault of a table; other names of columns are none."""

import pytest

from elcano.activities.report.statement_support import determine_support, find_misplaced_figures
from elcano.graphs.report.cells import CitedCell
from elcano.graphs.report.report import CheckedCitation, Judgement, Statement

HEADS = ("Meropenem (mg/L)", "Gentamicin (mg/L)", "Novobiocin (mg/L)")
ROW = tuple(
    CitedCell(row=1, column=at + 1, text=text, row_head="AB05", column_head=head)
    for at, (head, text) in enumerate(zip(HEADS, ("512", "4", "8"), strict=True))
)


@pytest.mark.parametrize(
    ("text", "context", "there"),
    [
        ("8", "AB05, Gentamicin (mg/L)", "Novobiocin (mg/L)"),
        ("4", "AB05, Gentamicin (mg/L)", ""),
        ("512 (4)", "AB05, Meropenem and gentamicin (mg/L)", ""),
        ("8", "AB05, GEN", ""),
        ("8 mg/L", "AB05, meropenem, mg/L", "Novobiocin (mg/L)"),
        ("16", "AB05, Gentamicin (mg/L)", ""),
        ("none", "AB05, Gentamicin (mg/L)", ""),
    ],
)
def test_a_figure_of_another_column_is_found(text: str, context: str, there: str) -> None:
    found = find_misplaced_figures(text, context, ROW)
    assert bool(found) == bool(there)
    assert there in "".join(found)


def test_without_heads_nothing_is_known() -> None:
    bare = tuple(cell.model_copy(update={"column_head": ""}) for cell in ROW)
    assert find_misplaced_figures("8", "AB05, Gentamicin (mg/L)", bare) == ()


def test_no_reviewer_can_have_it_pass() -> None:
    cited = CheckedCitation(
        claim="8", evidence="e", quote="AB05 | 512 | 4 | 8", verdict="verified", number=1, start=0, end=1, cells=ROW
    )
    cell = Statement(text="8", kind="fact", context="AB05, Gentamicin (mg/L)", citations=(cited,))
    judged = determine_support(cell, (), Judgement(statement="8", support="supported"))
    assert judged.support == "not_supported"
    assert "Novobiocin" in judged.reason
