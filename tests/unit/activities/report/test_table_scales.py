"""Tables in thousands: figures may be written out, and none is told as the bare amount of money."""

import pytest

from elcano.activities.report.statement_support import determine_support
from elcano.activities.report.table_scales import list_scaled_amounts, read_head_scale
from elcano.graphs.report.cells import CitedCell
from elcano.graphs.report.report import CheckedCitation, Judgement, Statement, Support

CELLS = tuple(
    CitedCell(row=1, column=at, text=text, row_head="Northern ferries", column_head=head)
    for at, (head, text) in enumerate({"Revenue ($000)": "8300", "Passengers (millions)": "4.2", "Ships": "31"}.items())
)


@pytest.mark.parametrize(
    ("head", "power"),
    [
        ("Revenue ($000)", 3),
        ("Revenue (US$ '000)", 3),
        ("Sales (000s)", 3),
        ("in thousands", 3),
        ("EUR (000,000)", 6),
        ("Umsatz in Mio. EUR", 6),
        ("Population, millions", 6),
        ("Output in 1,000 tonnes", 3),
        ("Deaths per million", 0),
        ("Deaths/million", 0),
        ("per 1,000 people", 0),
        ("Price of 5,000 units", 0),
        ("Year 2000", 0),
        ("Length (m)", 0),
        ("", 0),
    ],
)
def test_a_head_says_how_large_its_figures_are(head: str, power: int) -> None:
    assert read_head_scale(head) == power


def _judge(text: str, verdict: Support = "supported", *, context: str = "", passage: str = "") -> Support:
    cells = tuple(cell.model_copy(update={"column_head": cell.column_head.partition(" (")[0]}) for cell in CELLS)
    cited = CheckedCitation(
        claim="",
        evidence="e1",
        quote="Northern ferries | 8300 | 4.2 | 31",
        verdict="verified",
        cells=cells if passage else CELLS,
    )
    said = Statement(text=text, kind="fact", citations=(cited,), context=context)
    return determine_support(said, (), Judgement(statement=text, support=verdict), [passage] if passage else ()).support


@pytest.mark.parametrize(
    ("text", "support"),
    [
        ("Northern ferries took in $8.3 million.", "supported"),
        ("Northern ferries took in $8300 thousand.", "supported"),
        ("Northern ferries carried 4.2 million passengers.", "supported"),
        ("Northern ferries has 31 ships.", "supported"),
        ("Northern ferries took in 8300 (in thousands of dollars).", "supported"),
        ("Northern ferries took in $8.3 billion.", "partly"),
        ("Northern ferries took in $8300.", "not_supported"),
        ("Northern ferries took in €8.3 million.", "partly"),
        ("Northern ferries has 31 million ships.", "partly"),
        ("Northern ferries carried 4.2 thousand passengers.", "partly"),
    ],
)
def test_figures_of_a_table_in_thousands_may_be_written_out(text: str, support: Support) -> None:
    assert _judge(text) == support


@pytest.mark.parametrize(
    ("text", "context", "support"),
    [
        ("8.3", "Northern ferries, Revenue ($ million)", "supported"),
        ("8300", "Northern ferries, Revenue ($000)", "supported"),
        ("8.3", "Northern ferries, Revenue ($ billion)", "partly"),
        ("8.3", "Northern ferries, Revenue", "partly"),
    ],
)
def test_so_may_cells_of_a_report(text: str, context: str, support: Support) -> None:
    assert _judge(text, context=context) == support


def test_a_caption_says_it_for_a_reader_who_agrees() -> None:
    passage = "Table 4. Revenue (in thousands), by line. Northern ferries | 8300 | 4.2 | 31"
    assert _judge("Northern ferries took in 8.3 million.", passage=passage) == "supported"
    assert _judge("Northern ferries took in 8.3 billion.", passage=passage) == "partly"
    assert _judge("Northern ferries took in 8.3 million.", "partly", passage=passage) == "partly"
    assert (
        _judge("Northern ferries took in 8.3 million.", passage=passage.replace("in thousands", "rising")) == "partly"
    )


def test_other_units_are_not_scaled() -> None:
    cell = CitedCell(row=1, column=1, text="12 %", column_head="Growth, in thousands")
    assert list(list_scaled_amounts([cell])) == []


def test_long_heads_take_the_time_of_their_length() -> None:
    assert read_head_scale("per 000, " * 12_000) == 3
    assert read_head_scale("wort " * 20_000) == 0
