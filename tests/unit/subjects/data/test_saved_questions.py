"""The agents that write SQL, without a model: saved questions are answered, all others are refused with their names."""

import asyncio

import pytest
from pydantic_ai import Agent

from elcano.graphs.agents.envelope import Loaded, render_task_prompt
from elcano.graphs.catalogue.tools import ItemOutcome, ItemOutcomes
from elcano.graphs.state.state import HistoryEntry, ResearchState
from elcano.subjects.data.agents import sql_writer
from elcano.subjects.data.agents.sql_writer import SqlRepairerInput, SqlWriterInput
from elcano.subjects.data.data_answer import QueryFault, QueryRepair, SqlQuery
from elcano.subjects.data.data_reducers import choose_schema, read_data_work
from elcano.subjects.data.keyless import NEEDS_MODEL, NOT_MENDED, NOT_READ
from elcano.subjects.data.query_models import SchemaContextOutput, SqlExample, SqlRepair, SqlWriting
from elcano.subjects.data.tables import DatabaseSchema, TableSchema
from elcano.subjects.quoting.model import ExtractiveModel
from elcano.subjects.research.agents.input_parser import MADE_PRECISE

SHOP = DatabaseSchema(database="shop", dialect="sqlite")
ORDERS = SqlExample(question="How many orders are there?", sql="SELECT COUNT(*) FROM orders")
BY_STATUS = SqlExample(
    question="How many orders are there by status?", sql="SELECT status, COUNT(*) FROM orders GROUP BY status"
)
BROKEN = SqlQuery(database="shop", dialect="sqlite", sql="SELECT title FROM product")
FAULT = QueryFault(stage="database", message="no such table: product")


def written(question: str, *examples: SqlExample, before: str = "", **more: object) -> SqlWriting:
    given = SqlWriterInput.model_validate({"question": question, "excerpt": SHOP, "examples": examples, **more})
    history = (HistoryEntry(run_id="run-0", question=before),) if before else ()
    agent = sql_writer.AGENT
    text = render_task_prompt(agent.asks.request, agent.asks.shown(given, Loaded(today="2025-06-18", history=history)))
    result = asyncio.run(Agent(ExtractiveModel(), output_type=SqlWriting).run(text))
    assert sql_writer.find_sql_decision_faults(result.output, given, {}) == ()
    return sql_writer.resolve_answer(result.output, given, {})


def test_a_saved_question_is_answered_by_its_query_and_says_so() -> None:
    said = written("Please tell me how many orders are there", BY_STATUS, ORDERS)
    assert (said.decision, said.sql) == ("query", ORDERS.sql)
    assert "No language model was used" in said.choices[0]
    assert ORDERS.question in said.choices[0]


def test_background_that_was_not_read_is_said() -> None:
    said = written(ORDERS.question, ORDERS, background="Only open ones.")
    assert said.choices[1:] == (NOT_READ,)
    understood = written(ORDERS.question, ORDERS, background=f"{MADE_PRECISE} How many orders?")
    assert len(understood.choices) == 1


def test_any_other_question_is_refused_with_the_saved_ones() -> None:
    said = written("How many orders were shipped?", ORDERS, BY_STATUS)
    assert (said.decision, said.sql) == ("refused", "")
    assert said.explanation.startswith(NEEDS_MODEL)
    assert ORDERS.question in said.explanation
    assert BY_STATUS.question in said.explanation
    assert ORDERS.question in written("Why?", saved_questions=(ORDERS.question,)).explanation
    assert "has none" in written("How many orders are there?").explanation


def test_a_question_that_is_not_saved_is_left_to_documents_where_there_are_some() -> None:
    said = written("Why do customers leave?", ORDERS, documents=True)
    assert said.decision == "documents"
    assert NEEDS_MODEL in said.explanation


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("And by status?", BY_STATUS.sql),
        ("And by status? (orders)", BY_STATUS.sql),
        ("How many orders are there?", ORDERS.sql),
        ("And why? (orders)", ""),
        ("And by status (shipped)", ""),
        ("By status?", ""),
    ],
)
def test_a_question_that_goes_on_is_read_with_the_one_before_it(question: str, sql: str) -> None:
    assert written(question, ORDERS, BY_STATUS, before=ORDERS.question).sql == sql


def test_examples_and_dialect_are_shown() -> None:
    given = SqlWriterInput(
        question="How many?",
        excerpt=SHOP,
        examples=tuple(SqlExample(question=f"q{n}", sql="SELECT 1") for n in range(20)),
        saved_questions=("q",),
    )
    shown = sql_writer.build_task(given, Loaded()).given
    assert shown["dialect"] == "sqlite"
    assert isinstance(shown["examples"], list)
    assert len(shown["examples"]) == 8
    assert "saved_questions" not in shown


@pytest.mark.parametrize(
    ("said", "decision"),
    [
        (SqlWriting(decision="query"), "refused"),
        (SqlWriting(decision="documents", explanation="Texts say it."), "refused"),
        (SqlWriting(decision="refused", sql="SELECT 1"), "refused"),
    ],
)
def test_a_decision_without_its_parts_is_a_fault_and_no_query(said: SqlWriting, decision: str) -> None:
    given = SqlWriterInput(question="How many?", excerpt=SHOP)
    assert sql_writer.find_sql_decision_faults(said, given, {})
    settled = sql_writer.resolve_answer(said, given, {})
    assert (settled.decision, settled.sql) == (decision, "")


def test_a_saved_query_that_fails_is_not_mended_without_a_model() -> None:
    given = SqlRepairerInput(question="Which products?", query=BROKEN, fault=FAULT, excerpt=SHOP)
    agent = sql_writer.REPAIRER
    text = render_task_prompt(agent.asks.request, agent.asks.shown(given, Loaded()))
    said = asyncio.run(Agent(ExtractiveModel(), output_type=SqlRepair).run(text)).output
    assert sql_writer.find_repair_faults(said, given, {}) == ()
    assert (said.sql, said.explanation) == ("", NOT_MENDED)


def test_a_repair_has_a_diff_and_is_never_one_that_failed() -> None:
    given = SqlRepairerInput(question="Which products?", query=BROKEN, fault=FAULT, excerpt=SHOP)
    mended = sql_writer.resolve_repair(SqlRepair(sql="SELECT title FROM products"), given, {})
    assert "-FROM product\n+FROM products" in mended.diff
    tried = given.model_copy(update={"attempts": (QueryRepair(before=mended.sql, after=""),)})
    assert sql_writer.find_repair_faults(mended, tried, {})
    assert sql_writer.resolve_repair(mended, tried, {}).sql == ""


def test_events_tell_the_query() -> None:
    told, figures = sql_writer.summarize_sql_decision(written(ORDERS.question, ORDERS).model_dump(mode="json"))
    assert "SELECT COUNT(*)" in told
    assert figures["decision"] == "query"


def read(database: str, table: str, *, saved: bool) -> ItemOutcome:
    schema = DatabaseSchema(database=database, dialect="sqlite", tables=(TableSchema(name=table),))
    found = SchemaContextOutput(found=schema, matched=table == "orders", saved=saved)
    return ItemOutcome(index=0, input={"database": database}, output=found.model_dump(mode="json"))


def test_the_database_that_has_the_question_saved_goes_before_the_one_that_has_its_words() -> None:
    state = ResearchState(question="How many orders are there?")
    both = (read("shop", "orders", saved=False), read("archive", "t1", saved=True))
    now = read_data_work(choose_schema(state, ItemOutcomes(items=both)))
    assert now.excerpt is not None
    assert (now.excerpt.database, now.saved) == ("archive", True)
    neither = (read("shop", "orders", saved=False), read("archive", "t1", saved=False))
    now = read_data_work(choose_schema(state, ItemOutcomes(items=neither)))
    assert now.excerpt is not None
    assert (now.excerpt.database, now.saved) == ("shop", False)
