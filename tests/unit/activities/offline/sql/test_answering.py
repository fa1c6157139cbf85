"""The SQL writer and the SQL repairer: what their models are shown, and what the rules answer through the same door."""

import asyncio

import pytest
from pydantic_ai import Agent

from elcano.activities.offline.model import ExtractiveModel
from elcano.graphs.agents import sql_repairer, sql_writer
from elcano.graphs.agents.envelope import prompt
from elcano.graphs.agents.loaded import Loaded
from elcano.graphs.agents.sql_repairer import SqlAttempt, SqlRepairerInput
from elcano.graphs.agents.sql_writer import SqlWriterInput
from elcano.graphs.data.query import QueryFault, SqlQuery
from elcano.graphs.data.writing import SqlExample, SqlRepair, SqlWriting
from tests.unit.activities.offline.sql.shop import rows_of, schema

BROKEN = SqlQuery(database="shop", dialect="sqlite", sql="SELECT title FROM product")
FAULT = QueryFault(stage="database", message="no such table: product")


def written(question: str, **more: object) -> SqlWriting:
    given = SqlWriterInput.model_validate({"question": question, "excerpt": schema().model_dump(), **more})
    agent = sql_writer.AGENT
    text = prompt(agent.asks.request, agent.asks.shown(given, Loaded(today="2025-06-18")))
    result = asyncio.run(Agent(ExtractiveModel(), output_type=SqlWriting).run(text))
    return sql_writer.settled(result.output, given, {})


def test_the_rules_answer_by_the_same_envelope_and_say_that_they_are_rules() -> None:
    said = written("How many orders were there in the past 10 days?")
    assert said.decision == "query"
    assert rows_of(said.sql) == [(1,)]
    assert "without a language model" in said.choices[0]


def test_what_the_rules_did_not_read_is_said() -> None:
    assert any("background" in one for one in written("How many orders?", background="Only open ones.").choices)


def test_a_refusal_names_its_words_and_leaves_the_question_to_documents_where_there_are_some() -> None:
    refused = written("Why do customers leave?")
    assert (refused.decision, refused.sql) == ("refused", "")
    assert "Why" in refused.unread
    assert written("Why do customers leave?", documents=True).decision == "documents"


def test_examples_and_dialect_are_shown() -> None:
    given = SqlWriterInput(
        question="How many?",
        excerpt=schema(),
        dialect="duckdb",
        examples=tuple(SqlExample(question=f"q{n}", sql="SELECT 1") for n in range(20)),
    )
    shown = sql_writer.shown(given, Loaded()).given
    assert shown["dialect"] == "duckdb"
    assert isinstance(shown["examples"], list)
    assert len(shown["examples"]) == 8


@pytest.mark.parametrize(
    ("said", "decision"),
    [
        (SqlWriting(decision="query"), "refused"),
        (SqlWriting(decision="documents", explanation="Texts say it."), "refused"),
        (SqlWriting(decision="refused", sql="SELECT 1"), "refused"),
    ],
)
def test_a_decision_without_its_parts_is_a_fault_and_no_query(said: SqlWriting, decision: str) -> None:
    given = SqlWriterInput(question="How many?", excerpt=schema())
    assert sql_writer.faults(said, given, {})
    settled = sql_writer.settled(said, given, {})
    assert (settled.decision, settled.sql) == (decision, "")


def test_a_repair_has_a_diff_and_is_never_one_that_failed() -> None:
    given = SqlRepairerInput(question="Which products?", query=BROKEN, fault=FAULT, excerpt=schema())
    agent = sql_repairer.AGENT
    text = prompt(agent.asks.request, agent.asks.shown(given, Loaded()))
    said = asyncio.run(Agent(ExtractiveModel(), output_type=SqlRepair).run(text)).output
    mended = sql_repairer.settled(said, given, {})
    assert mended.sql == "SELECT title FROM products"
    assert "-FROM product\n+FROM products" in mended.diff
    tried = given.model_copy(update={"attempts": (SqlAttempt(**{**BROKEN.model_dump(), "sql": mended.sql}),)})
    assert sql_repairer.faults(mended, tried, {})
    assert sql_repairer.settled(mended, tried, {}).sql == ""


def test_events_tell_the_query() -> None:
    told, figures = sql_writer.summary(written("How many orders?").model_dump(mode="json"))
    assert "SELECT COUNT(*)" in told
    assert figures["decision"] == "query"
    assert "6 tables" in sql_writer.begins({"excerpt": schema().model_dump(mode="json")})
