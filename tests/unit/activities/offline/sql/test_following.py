"""What a question that follows others asks of a database: put together by rules, read whole, said beside the answer."""

import pytest

from elcano.activities.offline.sql.answering import TOGETHER, write_sql
from elcano.activities.offline.sql.following import questions
from elcano.activities.offline.sql.writing import Refused, query_for
from elcano.api.runs.contexts import in_context
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.data.writing import SqlWriting
from elcano.graphs.frozen import JsonObject
from elcano.graphs.values.history import HistoryEntry
from tests.unit.activities.offline.sql.shop import TODAY, schema


def task(question: str, *earlier: str) -> TaskEnvelope:
    """The task of a run that follows others, its question as the API hands it over."""
    asked = (in_context(question, earlier[-1]) if earlier else "") or question
    history = tuple(HistoryEntry(run_id=f"run-{number}", question=one) for number, one in enumerate(earlier))
    given: JsonObject = {"schema": schema().model_dump(mode="json")}
    return TaskEnvelope(kind="sql_writer", question=asked, history=history, given=given, today=TODAY.isoformat())


def written(question: str, *earlier: str) -> SqlWriting:
    return write_sql(task(question, *earlier))


@pytest.mark.parametrize(
    ("earlier", "question", "meant"),
    [
        (["How many orders are there?"], "And by status?", "How many orders are there by status?"),
        (["How many orders are there?"], "and in 2024 only?", "How many orders are there in 2024?"),
        (["How many orders are there in 2025?"], "And in 2024?", "How many orders are there in 2024?"),
        (
            ["How many orders are there by status?"],
            "And in 2024?",
            "How many orders are there by status in 2024?",
        ),
        (
            ["How many orders are there by status in 2024?"],
            "and by product_id?",
            "How many orders are there in 2024 by product_id?",
        ),
        (
            ["How many orders are there?", "And by status?"],
            "And in 2024?",
            "How many orders are there by status in 2024?",
        ),
        (["How many customers are there?"], "What about in Oslo?", "How many customers are there in Oslo?"),
        (["How many customers are there?"], "How many suppliers are there?", "How many suppliers are there?"),
    ],
)
def test_a_question_is_read_together_with_those_before_it(earlier: list[str], question: str, meant: str) -> None:
    wanted = query_for(meant, schema(), TODAY)
    assert not isinstance(wanted, Refused)
    said = written(question, *earlier)
    assert (said.decision, said.sql) == ("query", wanted.sql)
    told = [one for one in said.choices if one.startswith(TOGETHER)]
    assert told == ([f"{TOGETHER} “{meant}”"] if meant != question else [])


@pytest.mark.parametrize(
    ("earlier", "question"),
    [
        ("How many orders are there?", "And why?"),
        ("How many orders are there?", "And by moonlight?"),
        ("Who built the lighthouse?", "And by status?"),
        ("How many orders are there?", "And by status, or rather not?"),
        ("", "And by status?"),
        ("How many orders are there?", "(((("),
        ("x" * 401, "And by status?"),
        ("How many orders are there?", "Und nach Status?"),
    ],
)
def test_what_cannot_be_put_together_is_refused(earlier: str, question: str) -> None:
    if earlier:
        assert written(question, earlier).decision == "refused"
    else:
        assert questions(task(question)) == (question,)


def test_how_a_question_was_understood_is_no_background_that_was_not_read() -> None:
    understood = task("How many orders are there?").model_copy(
        update={"background": "The question, made precise: How many?\nIt is about: orders"}
    )
    assert not any("background" in one for one in write_sql(understood).choices)
    own = understood.model_copy(update={"background": f"{understood.background}\nOnly open ones."})
    assert any("background" in one for one in write_sql(own).choices)
