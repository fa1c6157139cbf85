"""Batches as clients get them, and their results as rows: JSON Lines for programs, CSV for spreadsheets."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from pydantic import Field

from elcano.doors.batches.batch_store import get_batches
from elcano.doors.batches.batch_tables import Batch, BatchQuestion
from elcano.doors.batches.contracts import BatchState
from elcano.graphs.added_steps import ATTACHED
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import Report
from elcano.graphs.state.budget import usd_from_microusd
from elcano.graphs.text import shorten_text
from elcano.service.fields import Described, Moment
from elcano.service.process import Services
from elcano.service.reports.results import render_csv

PAGE: Final = 20
"""Questions whose reports are read at the same time."""
CELL_CHARACTERS: Final = 30_000
"""Spreadsheets cut cells at 32,767."""


class BatchLimit(Described):
    """State of one limit."""

    used: int | float = Field(examples=[125_000])
    """Amount used by runs that ended."""
    granted: int | float = Field(examples=[400_000])
    """Amount that open runs may use."""
    limit: int | float | None = Field(examples=[2_000_000])
    """Amount that all runs may use together; null: not limited."""


class BatchView(Described):
    """A batch."""

    id: str = Field(examples=["01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """Its id."""
    name: str = Field(examples=["Competitors"])
    """Name of the batch."""
    state: BatchState = Field(examples=["running"])
    """`waiting`: no run has room or a quota is used up, and it continues by itself; `out_of_budget`: it continues after
    a top-up; `ended`: every question is done."""
    reason: str = Field(examples=[""])
    """Why it waits."""
    counts: dict[str, int] = Field(examples=[{"completed": 120, "running": 8, "waiting": 872}])
    """Number of questions by status: that of their run, or `waiting`, `skipped` (it had faults), `refused` (no run
    could be started), `cancelled`, `deleted` or `replaced` (asked again by a later question)."""
    at_once: int
    """Maximum number of concurrent runs."""
    tokens: BatchLimit
    """Input and output tokens."""
    cost_usd: BatchLimit
    """US dollars."""
    deadline: Moment | None
    """When its time is over; null: it has all the time."""
    created_at: Moment
    """When it was asked for."""
    created_by: str
    """The user who did; empty: no one is named."""

    @classmethod
    async def of(cls, batch: Batch, services: Services) -> "BatchView":
        """The view of a batch."""
        store = get_batches(services.store)
        counts, spent = await asyncio.gather(store.count(batch.id), store.spending(batch.id))
        money = (spent.cost_microusd, spent.granted_microusd, batch.cost_microusd)
        used, granted, limit = (None if one is None else usd_from_microusd(one) for one in money)
        return cls.from_record(
            batch,
            counts=counts,
            tokens=BatchLimit(used=spent.tokens, granted=spent.granted_tokens, limit=batch.tokens),
            cost_usd=BatchLimit(used=used or 0.0, granted=granted or 0.0, limit=limit),
        )


class BatchResult(Described):
    """A question of a batch, and what came of it."""

    number: int = Field(examples=[0])
    """Its place among the questions of the batch, from 0."""
    question: str
    """Question as asked."""
    row: dict[str, str]
    """The cells that its question was made of."""
    state: str = Field(examples=["completed"])
    """Status of its run, or the reason why it has none: see `counts` of the batch."""
    reason: str
    """Why it was skipped or refused, or has no answer in the schema."""
    run_id: str | None
    """Its run; null: it has none yet."""
    answer: JsonObject | str | None
    """The answer in the form of `output_schema`; without one the answer that the report begins with."""
    tokens: int
    """Tokens used by its run, once it ended."""
    cost_usd: float
    """The same in US dollars."""


class BatchResultPage(BatchView):
    """A batch, and a page of its questions with what came of them."""

    results: tuple[BatchResult, ...]
    """Questions in their order."""
    next: str | None
    """Pass it as `cursor` for the next page; null on the last one."""


class BatchPage(Described):
    """One page of your batches, the newest first."""

    batches: tuple[BatchView, ...]
    """The batches."""
    next: str | None
    """Pass it as `cursor` for the next page; null on the last one."""


async def load_results(questions: list[BatchQuestion], services: Services) -> list[BatchResult]:
    """Load the outcomes of questions; reports are read, at most `PAGE` at a time."""
    results: list[BatchResult] = []
    for start in range(0, len(questions), PAGE):
        results += await asyncio.gather(*(_load_result(one, services) for one in questions[start : start + PAGE]))
    return results


async def _load_result(question: BatchQuestion, services: Services) -> BatchResult:
    answer, reason = None, question.reason
    run = await services.store.runs.get(question.run_id) if question.run_id else None
    if run is not None and run.report is not None:
        stored = await services.store.artifacts.get(run.report.artifact)
        if stored is not None:  # else it is being deleted
            answer, reason = await asyncio.to_thread(_read_answer, stored)
    return BatchResult(
        number=question.number,
        question=str(question.request.get("question", "")),
        row=question.cells,
        state=question.status,
        reason=reason,
        run_id=question.run_id or None,
        answer=answer,
        tokens=question.tokens,
        cost_usd=usd_from_microusd(question.cost_microusd),
    )


def _read_answer(stored: str) -> tuple[JsonObject | str | None, str]:
    """The answer of a report, and why it has none."""
    report = Report.model_validate_json(stored)
    if (filled := report.attachments.get(ATTACHED)) is not None:
        found = filled.get("answer")
        return found if isinstance(found, dict) else None, str(filled.get("reason", ""))
    first = [part for part in report.parts if part.kind in ("introduction", "key_findings")] or report.parts[:1]
    said = [one.text for part in first for block in part.blocks for one in block.statements]
    return "\n".join(said) or report.markdown, report.partial or ""


async def write_json_lines(batch: Batch, services: Services) -> AsyncIterator[bytes]:
    """All results, each as a line of JSON, in the order of the questions."""
    async for results in _read_results(batch, services):
        yield "".join(f"{one.model_dump_json()}\n" for one in results).encode()


async def write_csv(batch: Batch, services: Services) -> AsyncIterator[bytes]:
    """All results as CSV in UTF-8 (RFC 4180), a line a question; no text is taken for a formula.

    First come the columns of the rows, then the fields of the answers; of two columns of one name the second says what
    it is.
    """
    cells: dict[str, None] = {}
    fields: dict[str, None] = {}
    for one in await get_batches(services.store).questions(batch.id):
        cells |= dict.fromkeys(one.cells)
        schema = one.request.get("output_schema")
        properties = schema.get("properties") if isinstance(schema, dict) else {"answer": None}
        fields |= dict.fromkeys(properties if isinstance(properties, dict) else ())
    fixed = ("number", "question", "state", "run_id", "tokens", "cost_usd", "reason")
    known = set(fixed)
    header = [*fixed[:1], *_name_columns(cells, "row", known), *fixed[1:3], *_name_columns(fields, "answer", known)]
    yield _format_rows([[*header, *fixed[3:]]])
    async for results in _read_results(batch, services):
        rows = []
        for result in results:
            answer = result.answer if isinstance(result.answer, dict) else {"answer": result.answer}
            row = [result.number, *(result.row.get(name) for name in cells), result.question, result.state]
            rows.append([*row, *(answer.get(name) for name in fields), *(getattr(result, name) for name in fixed[3:])])
        yield _format_rows(rows)


async def _read_results(batch: Batch, services: Services) -> AsyncIterator[list[BatchResult]]:
    store, after = get_batches(services.store), -1
    while questions := await store.questions(batch.id, after=after, limit=PAGE):
        yield await load_results(questions, services)
        after = questions[-1].number


def _name_columns(names: Mapping[str, None], kind: str, known: set[str]) -> list[str]:
    found = [f"{kind}.{name}" if name in known else name for name in names]
    known.update(found)
    return found


def _format_rows(rows: list[list[Any]]) -> bytes:
    return render_csv([_format_cell(cell) for cell in row] for row in rows).encode()


def _format_cell(value: object) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value  # a negative number is no formula
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list | bool) else str(value or "")
    return shorten_text(text, CELL_CHARACTERS)
