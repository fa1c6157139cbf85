"""The state of a question to databases: the chosen database, the query, its result and what is missing.

It is kept as `values.data`, so that every expression of a graph can read it. At most three repairs are made of one
query, and none after the same complaint came twice: a query that fails as the one before it did will not be mended.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from pydantic import Field

from elcano.graphs.catalogue.reducers import ReducerSpec, with_findings
from elcano.graphs.catalogue.tools import GivesEvidence, ItemOutcomes
from elcano.graphs.frozen import Frozen
from elcano.graphs.state.state import EvidenceRef, ResearchState
from elcano.graphs.text import ensure_list, shorten_text
from elcano.subjects.data.data_answer import AnsweredQuery, QueryFault, QueryRepair, SqlQuery
from elcano.subjects.data.query_models import (
    MOST_ATTEMPTS,
    ExecuteSqlOutput,
    SchemaContextOutput,
    SqlRepair,
    SqlWriting,
)
from elcano.subjects.data.tables import DatabaseSchema, ResultDigest

KEY: Final = "data"
"""The key in `values`."""
GAP_CHARACTERS: Final = 1_000
MOST_GAPS: Final = 100
SHORTEST_WORD: Final = 3
"""Characters of a word that distinguishes databases."""


class DataWork(Frozen):
    """A question to databases between two steps."""

    excerpt: DatabaseSchema | None = None
    """The tables that the question is about, of the database that it is put to; None: none could be read."""
    saved: bool = False
    """Whether the question is a saved one of that database."""
    query: SqlQuery | None = None
    """The query to run next, or the last one run; None: the question became no query."""
    repairs: tuple[QueryRepair, ...] = ()
    """The repairs of this query, in their order."""
    fault: QueryFault | None = None
    """Why the last query was not answered."""
    repairable: bool = False
    """Whether that is worth a repair."""
    results: tuple[ResultDigest, ...] = ()
    queries: tuple[AnsweredQuery, ...] = ()
    """The queries of `results`, in the same order."""
    choices: tuple[str, ...] = ()
    """Choices made before there was a query, in sentences."""
    gaps: tuple[str, ...] = Field(default=(), max_length=MOST_GAPS)
    """Missing parts with their reasons, in sentences."""


def read_data_work(state: ResearchState) -> DataWork:
    """Read the progress of the question; nothing is known of it at first."""
    return DataWork.model_validate(state.values.get(KEY) or {})


def choose_schema(state: ResearchState, output: ItemOutcomes) -> ResearchState:
    """Puts the question to the database that has it saved, else to the one whose tables have most of its words.

    Of several alike it is the one that was named first. A database that could not be read is a gap.
    """
    read = [SchemaContextOutput.model_validate(item.output) for item in output.items if item.output is not None]
    gaps = [
        f"The database {str(item.input.get('database', ''))!r} could not be read: {item.error or 'no answer'}"
        for item in output.items
        if item.output is None
    ]
    if not output.items:
        gaps = ["The run names no database."]
    best = max(read, key=lambda one: (one.saved, one.matched, _count_shared_words(state.question, one)), default=None)
    choices: tuple[str, ...] = ()
    if best is not None and len(read) > 1:
        others = ", ".join(one.found.database for one in read if one is not best)
        choices = (f"Of several databases the question was put to {best.found.database}, not to {others}.",)
    excerpt = best.found if best else None
    return _update_data_work(state, *gaps, excerpt=excerpt, saved=best is not None and best.saved, choices=choices)


def record_query(state: ResearchState, output: SqlWriting) -> ResearchState:
    """Keeps the query that was written, to be run; or why there is none."""
    now = read_data_work(state)
    if output.decision == "query" and output.sql.strip() and now.excerpt is not None:
        query = SqlQuery(
            database=now.excerpt.database,
            dialect=now.excerpt.dialect,
            sql=output.sql,
            reasons=tuple(dict.fromkeys(output.reasons)),
            choices=(*now.choices, *output.choices),
        )
        return _update_data_work(state, query=query, repairs=(), fault=None, repairable=False)
    why = f"The question became no query: {output.explanation or 'no reason was given'}"
    return _update_data_work(state, *([] if output.decision == "documents" else [why]), query=None)


def record_execution(state: ResearchState, output: ItemOutcomes) -> ResearchState:
    """Keeps the result with its query and repairs; or the fault, and whether it is worth a repair."""
    for item in output.items:
        if item.output is not None:
            state = _fold_execution(state, ExecuteSqlOutput.model_validate(item.output))
    return state


def _fold_execution(state: ResearchState, said: ExecuteSqlOutput) -> ResearchState:
    now = read_data_work(state)
    if said.result is not None:
        answered = () if now.query is None else (AnsweredQuery(query=now.query, repairs=now.repairs),)
        grown = _update_data_work(
            state.with_evidence(said.evidence),
            results=(*now.results, said.result),
            queries=(*now.queries, *answered),
            fault=None,
            repairable=False,
        )
        return with_findings(grown, state)
    fault = said.fault or QueryFault(stage="database", message="It gave no answer.")
    why = _why_not_mended(now, fault)
    gap = f"The query was not answered ({fault.stage}): {fault.message.rstrip('.')}. {why}"
    return _update_data_work(state, *([gap] if why else []), fault=fault, repairable=not why)


def _why_not_mended(now: DataWork, fault: QueryFault) -> str:
    """Why a repair would be useless, in a sentence; empty if one is tried."""
    if not fault.lasting:
        return "The database was busy or away, so the query itself is not at fault: ask again later."
    if now.fault is not None and (now.fault.stage, now.fault.message) == (fault.stage, fault.message):
        return "The same complaint came twice, so it was not mended again."
    if len(now.repairs) >= MOST_ATTEMPTS:
        return f"It was mended {MOST_ATTEMPTS} times in vain."
    return ""


def add_results(state: ResearchState, output: ItemOutcomes) -> ResearchState:
    """Add the evidence that a tool computed from results, so that it can be cited."""
    found = [
        EvidenceRef.model_validate(one)
        for item in output.items
        if item.output is not None
        for one in ensure_list(item.output.get("evidence"))
    ]
    return with_findings(state.with_evidence(found), state)


def record_repair(state: ResearchState, output: SqlRepair) -> ResearchState:
    """Record the repaired query, to be run next, with the fault it repairs; or that it could not be repaired."""
    now = read_data_work(state)
    if now.query is None or now.fault is None:
        return state
    if not output.sql.strip():
        said = f"The query was not answered ({now.fault.stage}): {now.fault.message.rstrip('.')}. "
        gap = f"{said}It was not repaired: {output.explanation or 'no reason was given'}"
        return _update_data_work(state, gap, repairable=False)
    repair = QueryRepair(
        before=now.query.sql,
        after=output.sql,
        reason=shorten_text(f"{now.fault.stage}: {now.fault.message}", 2_000),
        changes_meaning=output.changes_meaning,
    )
    query = now.query.model_copy(update={"sql": output.sql})
    return _update_data_work(state, query=query, repairs=(*now.repairs, repair))


def _update_data_work(state: ResearchState, *gaps: str, **changes: object) -> ResearchState:
    """The question with some changes, and with more gaps."""
    work = read_data_work(state)
    new = (shorten_text(" ".join(gap.split()), GAP_CHARACTERS) for gap in gaps)
    work = work.model_copy(update={**changes, "gaps": tuple(dict.fromkeys((*work.gaps, *new)))[:MOST_GAPS]})
    return state.model_copy(update={"values": {**state.values, KEY: work.model_dump(mode="json")}})


def _count_shared_words(question: str, read: SchemaContextOutput) -> int:
    """Count words of the question in names and sample values of the tables."""
    asked = set(_split_long_words([question]))
    names = Counter(
        _split_long_words(
            text
            for table in read.found.tables
            for text in (table.name, *(one for column in table.columns for one in (column.name, *column.samples)))
        )
    )
    return sum(word in asked or word.rstrip("s") in asked for word in names)


def _split_long_words(texts: Iterable[str]) -> list[str]:
    plain = ("".join(sign if sign.isalnum() else " " for sign in text.casefold()) for text in texts)
    return [word for text in plain for word in text.split() if len(word) >= SHORTEST_WORD]


REDUCERS: Final = (
    ReducerSpec(
        "choose_schema",
        "Puts a question to the database whose tables are about it.",
        ItemOutcomes,
        choose_schema,
        item=SchemaContextOutput,
    ),
    ReducerSpec("record_query", "Keeps the query that was written.", SqlWriting, record_query),
    ReducerSpec(
        "record_execution",
        "Keeps a result with its query, or the fault and whether it is worth a repair.",
        ItemOutcomes,
        record_execution,
        item=ExecuteSqlOutput,
        adds_evidence=True,
    ),
    ReducerSpec(
        "add_results",
        "Adds what tools computed of results to the evidence.",
        ItemOutcomes,
        add_results,
        item=GivesEvidence,
        adds_evidence=True,
    ),
    ReducerSpec("record_repair", "Keeps the query that was mended.", SqlRepair, record_repair),
)
