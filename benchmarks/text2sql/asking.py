"""A question asked of a writer of SQL as a run would ask it, with the loop that mends what fails, but without a run.

No query is run that the policy of databases refuses: it is mended like one that a database complains of.
"""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeVar

from genai_prices import calc_price
from pydantic_ai import Agent

from benchmarks.text2sql.comparing import Rows
from elcano.activities.calls.models import resolve_model
from elcano.graphs.agents.definition import AgentDefinition
from elcano.graphs.agents.envelope import Loaded, render_task_prompt
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.frozen import Frozen
from elcano.graphs.model_names import ModelChoice
from elcano.settings import Settings
from elcano.subjects.data.agents import sql_writer
from elcano.subjects.data.agents.sql_writer import SqlRepairerInput, SqlWriterInput
from elcano.subjects.data.data_answer import QueryFault, QueryRepair, SqlQuery
from elcano.subjects.data.databases.column_resolution import resolve_query_columns
from elcano.subjects.data.databases.policy import Refused, parse_allowed_query
from elcano.subjects.data.query_models import SqlRepair, SqlWriting
from elcano.subjects.data.tables import DatabaseSchema

REPAIRS: Final = 3
ROWS: Final = 1_000
Answer = TypeVar("Answer", bound=Frozen)


@dataclass
class Spent:
    """What was asked of a model."""

    tokens: int = 0
    cost: float = 0.0
    """US dollars, of models whose prices are known."""
    priced: bool = True


@dataclass
class Answered:
    """What became of one question."""

    sql: str = ""
    """Empty: it was refused."""
    rows: Rows | None = None
    """None: no query ran."""
    repairs: int = 0
    marked: bool = False
    """Whether a repair may have changed what the query means."""
    why: str = ""
    spent: Spent = field(default_factory=Spent)


class Writer:
    """A model that writes SQL.

    Args:
        model: its string.
    """

    def __init__(self, model: str) -> None:
        self._name = model
        self._model = resolve_model(ModelChoice(default=model), "sql_writer", Settings())

    async def answer(
        self,
        question: str,
        background: str,
        schema: DatabaseSchema,
        now: datetime,
        run: Callable[[str], Rows],
    ) -> Answered:
        """A query that ran, or a refusal; what fails is mended at most 3 times.

        Args:
            question: as it is asked.
            background: what is told beside it.
            schema: of the database.
            now: what counts as the present.
            run: gives the rows of a query, or raises `sqlite3.Error`.
        """
        found = Answered()
        loaded = Loaded(today=f"{now:%Y-%m-%d}")
        given = SqlWriterInput(question=question, background=background, excerpt=schema)
        said = await self._asked(sql_writer.AGENT, given, loaded, SqlWriting, found.spent)
        said = sql_writer.resolve_answer(said, given, {})
        if said.decision != "query":
            found.why = said.explanation
            return found
        query = SqlQuery(database=schema.database, dialect=schema.dialect, sql=said.sql)
        attempts: list[QueryRepair] = []
        while True:
            fault = None
            try:
                resolve_query_columns(parse_allowed_query(query.sql, schema, ROWS), schema)
                found.rows = run(query.sql)
            except Refused as refused:
                fault = refused.fault
            except sqlite3.Error as error:
                fault = QueryFault(stage="database", message=f"{type(error).__name__}: {error}")
            found.sql = query.sql
            found.why = fault.message if fault else ""
            if fault is None or found.repairs == REPAIRS:
                return found
            mending = SqlRepairerInput(
                question=question, query=query, fault=fault, excerpt=schema, attempts=tuple(attempts)
            )
            mended = await self._asked(sql_writer.REPAIRER, mending, loaded, SqlRepair, found.spent)
            mended = sql_writer.resolve_repair(mended, mending, {})
            if not mended.sql:
                found.sql = ""
                return found
            found.repairs += 1
            found.marked = found.marked or mended.changes_meaning
            attempts.append(QueryRepair(before=query.sql, after=mended.sql, reason=found.why))
            query = query.model_copy(update={"sql": mended.sql})

    async def _asked(
        self, agent: AgentDefinition, given: AgentInput, loaded: Loaded, answer: type[Answer], spent: Spent
    ) -> Answer:
        asking = Agent(self._model, output_type=answer, instructions=agent.asks.all_instructions)
        result = await asking.run(render_task_prompt(agent.asks.request, agent.asks.shown(given, loaded)))
        usage = result.usage
        spent.tokens += usage.input_tokens + usage.output_tokens
        if self._name != "offline":
            provider, _, name = self._name.partition(":")
            try:
                spent.cost += float(calc_price(usage, model_ref=name, provider_id=provider).total_price)
            except LookupError:
                spent.priced = False
        return result.output
