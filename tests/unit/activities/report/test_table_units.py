"""A figure of a table is told in the unit of its column: a row has the figure bare, whatever unit a report gives it."""

import pytest

from elcano.activities.report.statement_support import determine_support
from elcano.activities.report.table_units import find_misread_units
from elcano.graphs.report.cells import CitedCell
from elcano.graphs.report.report import CheckedCitation, Judgement, Statement

QUOTE = "6 | OTSL | 0.955 | 2.73 | 30"
CELLS = tuple(
    CitedCell(row=1, column=at, text=text, row_head="6", column_head=head)
    for at, (head, text) in enumerate(
        {"Layers": "6", "TEDs": "0.955", "Inference time (secs)": "2.73", "Dose [mg/L]": "30", "Runs": "30"}.items()
    )
)


@pytest.mark.parametrize(
    ("text", "context", "wrong"),
    [
        (
            "OTSL takes 2.73 minutes.",
            "",
            ["“2.73 minutes” stands under “Inference time (secs)” in the table it quotes"],
        ),
        ("OTSL takes 2.73 ms.", "", ["“2.73 ms” stands under “Inference time (secs)” in the table it quotes"]),
        ("2.73", "6, Inference time (min)", ["“2.73 min” stands under “Inference time (secs)” in the table it quotes"]),
        ("OTSL takes 2.73 s.", "", []),
        ("OTSL takes 2.73 seconds.", "", []),
        ("OTSL takes 2.73.", "", []),
        ("2.73", "6, Inference time (s)", []),
        ("2.73", "6, Inference time", []),
        ("OTSL takes 2730 ms.", "", []),
        ("The dose was 30 µg/mL.", "", []),  # the same amount
        ("It ran for 30 minutes.", "", []),  # of another dimension, and of a column without a unit
        ("TEDs are 0.955 minutes.", "", []),
        ("OTSL takes 8 minutes.", "", []),
        ("OTSL passed the 2.73-minute test.", "", []),  # names what it is
    ],
)
def test_a_figure_has_the_unit_of_its_column(text: str, context: str, wrong: list[str]) -> None:
    assert list(find_misread_units(text, context, CELLS, [QUOTE])) == wrong


def test_what_is_quoted_in_its_unit_is_right() -> None:
    assert find_misread_units("OTSL takes 2.73 minutes.", "", CELLS, [QUOTE, "all runs took 2.73 minutes"]) == ()


def test_tables_whose_heads_have_no_units_say_nothing() -> None:
    assert find_misread_units("OTSL takes 2.73 minutes.", "", [CELLS[1], CELLS[4]], [QUOTE]) == ()


def test_a_wrong_unit_counts_whatever_the_reviewer_says() -> None:
    cited = CheckedCitation(claim="", evidence="e1", quote=QUOTE, verdict="verified", cells=CELLS)
    said = Statement(text="OTSL takes 2.73 minutes.", kind="fact", citations=(cited,))
    found = determine_support(said, (), Judgement(statement=said.text, support="supported"))
    assert (found.support, found.reason) == (
        "not_supported",
        "“2.73 minutes” stands under “Inference time (secs)” in the table it quotes",
    )
