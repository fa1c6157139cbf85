"""Values of strangers on one line of a text: as they are, but for signs that would show what follows otherwise."""

from elcano.activities.answering.lines import cell_text, row_line
from elcano.activities.report.data import chart_and_results
from elcano.graphs.data.answer import AnswerTable, DataAnswer
from elcano.graphs.data.table import ResultColumn

TURNED = "abc\u202e321 \u202d[1]"


def test_nothing_turns_round_what_stands_behind_it() -> None:
    assert cell_text(TURNED) == "abc\ufffd321 \ufffd[1]"
    assert row_line(1, ["a\nb", None, True]) == "Row 1: a b | NULL | true"
    assert cell_text("\u05e9\u05dc\u05d5\u05dd \u200f(1)") == "\u05e9\u05dc\u05d5\u05dd \u200f(1)"


def test_the_tables_of_a_report_do_neither() -> None:
    column = ResultColumn(name="word", kind="text")
    table = AnswerTable(
        number=1,
        artifact="a",
        evidence="e",
        database="d",
        dialect="sqlite",
        sql="",
        columns=(column,),
        rows=((TURNED,),),
        row_count=1,
    )
    said = "\n".join(chart_and_results(DataAnswer(tables=(table,))))
    assert "| abc\ufffd321 \ufffd\\[1\\] |" in said
