"""Values of strangers on one line of a text: as they are, but for signs that would show what follows otherwise."""

import re

from elcano.subjects.data.data_answer import AnswerTable, DataAnswer
from elcano.subjects.data.report_results import render_answer
from elcano.subjects.data.results import cell_text, row_line
from elcano.subjects.data.tables import ResultColumn
from elcano.text.phrases import get_phrases

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
    said = "\n".join(render_answer(DataAnswer(tables=(table,))))
    assert "| abc\ufffd321 \ufffd\\[1\\] |" in said


def test_what_code_says_of_results_is_in_the_language_of_the_report() -> None:
    table = AnswerTable(
        number=1,
        artifact="a",
        evidence="e",
        database="d",
        dialect="sqlite",
        sql="SELECT 1",
        columns=(ResultColumn(name="n", kind="integer"),),
        rows=((1,),),
        row_count=1,
        reasons=("R",),
        choices=("C",),
    )
    said = "\n".join(render_answer(DataAnswer(tables=(table, table), gaps=("G",), forecasts=("F",)), get_phrases("zh")))
    words = set(re.findall(r"\b[A-Za-z]{2,}\b", said))
    assert words == {"SELECT", "sql", "sqlite"}


def test_a_sum_is_shown_with_the_digits_that_it_has() -> None:
    assert cell_text(10390.259999999995) == "10390.26"
    assert (cell_text(0.1 + 0.2), cell_text(1e22), cell_text(2.0), cell_text(-0.5)) == ("0.3", "1e+22", "2.0", "-0.5")
