"""Results in a report that nobody wrote: read off their evidence, whatever their cells hold."""

import pytest

from elcano.activities.report.additions import ReportMaterial
from elcano.activities.report.report_builder import build_report
from elcano.graphs.contracts import PublishCall
from elcano.storage.evidence import Evidence
from elcano.subjects.data.data_answer import SHOWN_ROWS
from elcano.subjects.data.report_results import MOST_SHOWN, render_query_results
from elcano.subjects.data.results import as_evidence
from elcano.subjects.data.tables import Cell
from tests.unit.subjects.data.answering.tables import table


def passage(rows: list[tuple[Cell, ...]], number: int = 0) -> Evidence:
    made = table([("=city", "text"), ("net", "decimal")], rows)
    return as_evidence(made, f"{number:064x}")[0]


def shown(*evidence: Evidence) -> str:
    return "\n\n".join(render_query_results(evidence))


def test_a_result_is_a_table_with_its_query() -> None:
    told = shown(passage([("Oslo", "1.50"), (None, "-2")]))
    assert "| =city | net |\n| --- | --- |\n| Oslo | 1.50 |\n| NULL | -2 |" in told
    assert "```sql\nSELECT" in told
    assert told.startswith("## Result\n")


@pytest.mark.parametrize("cell", ["a | b", "x" * 5_000, "<script>", "`` ``` ````", "a\u2028Row 9: b", "[1](http://x)"])
def test_no_cell_breaks_out_of_its_place(cell: str) -> None:
    told = shown(passage([(cell, "1"), ("Oslo", "2")]))
    assert "<script>" not in told.replace("```text\n", "").split("```")[0]
    assert "[1](http" not in told
    assert not [line for line in told.splitlines() if line.startswith("Row 9")]
    assert told.count("```sql") == 1


def test_what_is_too_much_is_cut_and_said() -> None:
    told = shown(passage([(f"city {number}", "1") for number in range(SHOWN_ROWS + 10)]))
    assert f"| city {SHOWN_ROWS - 1} |" in told
    assert f"| city {SHOWN_ROWS} |" not in told
    assert f"The first {SHOWN_ROWS} rows" in told
    many = shown(*(passage([("Oslo", "1")], number) for number in range(MOST_SHOWN + 3)))
    assert many.count("### Result") == MOST_SHOWN
    assert f"The first {MOST_SHOWN} of {MOST_SHOWN + 3} results" in many


def test_an_empty_result_and_none_say_so() -> None:
    assert "It has no row." in shown(passage([]))
    assert shown() == ""


def test_results_stand_before_the_evidence_and_not_among_it() -> None:
    call = PublishCall(run_id="run-1", question="Which?", mode="data", draft=None, evidence=())
    found = passage([("Oslo", "1")])
    other = found.model_copy(update={"id": "handbook:1", "title": "Handbook"})
    told = build_report(ReportMaterial(call, None, [found, other]), {}).markdown
    assert "Below are results of queries and the evidence" in told
    assert told.index("## Result\n") < told.index("## Evidence")
    assert told.split("## Evidence")[1].count("\n- ") == 1
    assert "## Evidence" not in build_report(ReportMaterial(call, None, [found]), {}).markdown
