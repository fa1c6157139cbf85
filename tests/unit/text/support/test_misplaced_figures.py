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


KINETICS = tuple(
    CitedCell(row=1, column=at + 1, text=text, row_head="dA:dTTP", column_head=head)
    for at, (head, text) in enumerate(
        (
            ("Kₘ (μM)", "6.5 ± 0.4"),
            ("kcat (10⁻³ s⁻¹)", "89.2 ± 2.9"),
            ("kcat/Kₘ (10⁻³ s⁻¹μM⁻¹)", "13.6"),
            ("fᵃ", "1"),
        )
    )
)
"""Table 1 of Averill et al., Nucleic Acids Research 2024: the head of one column is part of another one's."""


@pytest.mark.parametrize(
    ("text", "column", "there"),
    [
        ("13.6", "kcat/Km (10⁻³ s⁻¹ µM⁻¹)", ""),
        ("13.6", "kcat/Km", ""),
        ("89.2 ± 2.9", "kcat (10⁻³ s⁻¹)", ""),
        ("6.5 ± 0.4", "Km (µM)", ""),
        ("13.6", "kcat/Michaelis constant (10⁻³ s⁻¹ µM⁻¹)", ""),
        ("6.5 ± 0.4", "kcat (10⁻³ s⁻¹)", "Kₘ"),
        ("13.6", "kcat (10⁻³ s⁻¹)", "kcat/Kₘ"),
        ("13.6", "Km (µM)", "kcat/Kₘ"),
        ("89.2 ± 2.9", "kcat/Km (10⁻³ s⁻¹ µM⁻¹)", "kcat (10⁻³"),
    ],
)
def test_of_two_heads_the_fuller_one_is_meant(text: str, column: str, there: str) -> None:
    found = find_misplaced_figures(text, f"dA:dTTP, {column}", KINETICS)
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
