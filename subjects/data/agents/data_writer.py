"""The data writer agent: answers a question from results of queries, and says of each number which cells it is.

It is shown results by their numbers, with rows as far as they fit. Code does its arithmetic again, in decimals; a
number that does not follow goes back to it once, and is marked in the report if it still does not.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from pydantic import Field

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.agents.prompt_texts import MARKS
from elcano.graphs.agents.writing import ReportProse, summarize_draft
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.state.state import DraftRef
from elcano.graphs.text import ensure_list, format_count
from elcano.subjects.data.data_answer import AnsweredQuery, Chart, NumberProof
from elcano.subjects.data.query_models import normalize_sql
from elcano.subjects.data.tables import ResultDigest

MOST_NUMBERS: Final = 1_000
RESULT_KEY: Final = "r"
"""Prefix of a result's key; its number follows."""


class DataWriterInput(AgentInput):
    """The data writer may use the results and passages that it is given here."""

    results: tuple[ResultDigest, ...] = Field(default=(), max_length=100)
    """In the order in which their numbers count, from 1."""
    queries: tuple[AnsweredQuery, ...] = Field(default=(), max_length=100)
    """Queries that were run; each belongs to the result with its database and SQL, or else to the one in its place."""
    forecasts: tuple[str, ...] = Field(default=(), max_length=100)
    """Sentences on the forecasts, whose points are results: how they were made and how far to trust them."""
    gaps: tuple[str, ...] = Field(default=(), max_length=100)
    """Gaps, in sentences: paths that failed or were too slow, disagreements between paths."""
    chart: Chart | None = None
    """The chart; the report has it as it is."""
    no_chart: str = Field(default="", max_length=2_000)
    """Why nothing was, in a sentence."""
    evidence: tuple[str, ...] = ()
    """Ids of passages of documents that may be cited beside."""
    instructions: str = ""
    """Wishes of the person who asked: length, tone, form."""


class DataProse(ReportProse):
    """An answer, with what each of its numbers is."""

    numbers: tuple[NumberProof, ...] = Field(
        default=(),
        max_length=MOST_NUMBERS,
        description="For each number, date and name with digits in the texts: what it came from.",
    )


INSTRUCTIONS: Final = f"""\
You answer a question from the results of queries to databases, in a few sentences, for the person who asked.

{MARKS}\
- `given.results` has the results, each with its number, its key, its query and its rows. A citation of a result names \
its key as `evidence` and the row that the sentence speaks of as `quote`: `Row 3`, nothing else. A citation of a \
passage in `evidence` quotes literal words of it.
- Say of every number in your texts, headings included, where it comes from: an item in `numbers`, whose `text` is the \
number as you write it with its unit (`1,384`, `12.5 %`, `3.5 million`). If the same digits stand for two things, \
take words around it into `text`, but no other number.
- `operation` is `cell` for a value as it is, or the arithmetic: `count` (of cells that are not NULL), `sum`, `mean`, \
`minimum`, `maximum`, `difference` (first less second), `ratio` (first by second), `share` (the first in percent of \
the sum of the others), `change` (from the second to the first, in percent). `cells` name results, columns and rows by \
the numbers shown; `to_row` names a column from one row to another.
- Code does the arithmetic again and compares every digit that you show. Round, but show no digit that is not so.
- A date, a year or a name with digits is named the same way, by the cell that has it. What the question itself says \
need not be named. Of a result that is `truncated` no sum, count, mean, share or extreme follows.

The introduction answers the question at once. Sections are for what needs more words; the tables, the queries and the \
chart stand in the report by themselves, so repeat none of them. If a query was repaired so that it may answer another \
question, say that first. What is missing (`given.gaps`), choices and what is said of forecasts stand there as well. \
Limitations say, in sentences, what else the results leave open. NULL means that there is no value, never 0.

If the results do not answer the question, set `answered` to false and say in the limitations what is missing. That \
is a good answer; a guess is not.
"""


def list_needs(given: DataWriterInput) -> Needs:
    """All results, and the passages that may be cited beside."""
    more: JsonObject = {"results": [one.model_dump(mode="json") for one in given.results]} if given.results else {}
    return Needs(evidence=given.evidence, more=more, weighed=given.question)


def build_task(given: DataWriterInput, loaded: Loaded) -> TaskEnvelope:
    """The question, the results with their queries, and the passages that fit."""
    queries, rows = queries_of(given), ensure_list(loaded.more.get("rows"))
    results: list[Json] = [
        _describe_result(digest, queries[place], rows[place] if place < len(rows) else None, place + 1)
        for place, digest in enumerate(given.results)
    ]
    inputs: JsonObject = {
        "results": results,
        "forecasts": list(given.forecasts),
        "gaps": list(given.gaps),
        "chart": given.chart.title if given.chart else "",
    }
    task = loaded.envelope("data_writer", given)
    return task.model_copy(
        update={"instructions": given.instructions, "given": {name: one for name, one in inputs.items() if one}}
    )


def queries_of(given: DataWriterInput) -> list[AnsweredQuery | None]:
    """Return the query of each result; None for a result without one."""
    left = list(given.queries)
    return [_find_matching_query(left, digest, place) for place, digest in enumerate(given.results)]


def _find_matching_query(left: Sequence[AnsweredQuery], digest: ResultDigest, place: int) -> AnsweredQuery | None:
    def same(one: AnsweredQuery) -> bool:
        return one.query.database == digest.database and normalize_sql(one.query.sql) in normalize_sql(digest.sql)

    if not digest.sql:
        return None
    at_place = left[place] if place < len(left) and left[place].query.database == digest.database else None
    return next(filter(same, left), at_place)


def _describe_result(digest: ResultDigest, query: AnsweredQuery | None, rows: Json, number: int) -> JsonObject:
    shown: Json = rows if rows is not None else [list(row) for row in digest.head]
    inputs: JsonObject = {
        "number": number,
        "key": f"{RESULT_KEY}{number}",
        "database": digest.database,
        "sql": digest.sql,
        "columns": [{"name": column.name, "kind": column.kind} for column in digest.columns],
        "row_count": digest.row_count,
        "truncated": digest.truncated,
        "rows": shown,
        "reasons": list(query.query.reasons) if query else [],
        "choices": list(query.query.choices) if query else [],
        "repairs": list(_list_repairs(query)),
    }
    return {name: one for name, one in inputs.items() if one not in ([], "", False) or name == "rows"}


def _list_repairs(query: AnsweredQuery | None) -> Iterator[Json]:
    for one in query.repairs if query else ():
        yield {"reason": one.reason, "after": one.after, "changes_meaning": one.changes_meaning}


AGENT: Final = AgentDefinition(
    name="data_writer",
    description="Answers from results of queries, and says of each number which cells it is.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Answer the question in this task envelope from its results.",
        answer=DataProse,
        shown=build_task,
    ),
    input=DataWriterInput,
    output=DraftRef,
    starts="synthesizing",
    completes="synthesizing",
    output_tokens=3_000,
    evidence_tokens=24_000,
    manner="own",
    loader="elcano.subjects.data.results:load_shown_rows",
    writer="elcano.subjects.data.answering.data_writing:write_from_results",
    needs=list_needs,
    begins=lambda given: f"writing an answer from {format_count(len(ensure_list(given.get('results'))), 'result')}",
    summary=summarize_draft,
)
