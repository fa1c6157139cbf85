"""Rows as clients get them: each cell with its quotes and their places, or the reason why it has no value.

What was extracted is read from the report of the row's run; what persons wrote lies over it and says so.
"""

import asyncio
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, cast

from pydantic import Field

from elcano.doors.batches.batch_tables import ROUND, Batch, BatchQuestion
from elcano.doors.evidence_tables.document_graph import list_columns
from elcano.doors.evidence_tables.table_store import Change, Decision, EvidenceTable, TableDocument
from elcano.doors.structured_answers.answer_assembly import NOT_SAID, Confidence, StructuredAnswer
from elcano.doors.structured_answers.report_answer import NOT_FILLED
from elcano.graphs.added_steps import ATTACHED
from elcano.graphs.errors import build_json_pointer
from elcano.graphs.frozen import Json
from elcano.graphs.report.places import Mark
from elcano.graphs.state.budget import usd_from_microusd
from elcano.service.fields import Described, Moment
from elcano.service.process import Services

AT_ONCE: Final = 20
"""Rows whose reports are read at the same time."""

RowState: TypeAlias = Literal[
    "waiting", "budget", "running", "filled", "failed", "unreadable", "duplicate", "cancelled", "deleted", "not_asked"
]
CellState: TypeAlias = Literal["found", "not_stated", "pending", "no_value", "edited"]


class Quote(Described):
    """Words of the document that a value rests on."""

    quote: str
    """Literal words of the document."""
    verified: bool
    """Whether code found them in the document's text. Of a value without an edit, one quote at least is verified."""
    evidence: str
    """The id of the passage, for `/v1/runs/{run_id}/pages/{page}` and the run's evidence."""
    page: int | None
    """The page on which they begin, counted from 1; null: the document has none, or they were not found."""
    page_label: str
    """Printed page number; empty: the same as `page`, or unknown."""
    marks: tuple[Mark, ...]
    """The rectangles that cover them on their pages, one for each line; empty: unknown."""
    start: int | None
    """Start in the document's text, in characters; null: not found."""
    end: int | None
    """End in the document's text."""
    content_hash: str
    """SHA-256 of that text."""


class CellEdit(Described):
    """A value that a person wrote into a cell."""

    by: str
    """The user; empty: no user is known."""
    at: Moment
    """When."""
    value: Json
    """Written value; null: not known."""
    restored: bool
    """True: nothing was written, the extracted value was put back."""
    reason: str
    """Why."""


class TableCell(Described):
    """A document's answer to the question of a column."""

    state: CellState
    """`found`: it says it; `not_stated`: it was read, and does not say it, or nothing holds; `pending`: its row is yet
    to be filled; `no_value`: its row has none, see `reason`; `edited`: a person wrote it."""
    value: Json
    """The value, in the type of its column; null: there is none."""
    reason: str
    """Why there is no value; of an edit why it was made; of a value what its agent noted on it."""
    confidence: Confidence | None
    """Support of the value; null: there is none, or a person wrote it."""
    quotes: list[Quote]
    """Quotes that support the extracted value."""
    run_id: str | None
    """The run that extracted it; null: there is none."""
    extracted: Json
    """The value that was extracted; of an edited cell the one before the edit."""
    edits: list[CellEdit]
    """Everything that persons wrote, the first one first; the last counts."""


class DecisionView(Described):
    """A decision on a row."""

    decision: Decision | None
    """Decision; null: the previous one was withdrawn."""
    reason: str
    """Why."""
    by: str
    """The user; empty: no user is known."""
    at: Moment
    """When."""


class RowView(Described):
    """A row: one document."""

    number: int
    """Its place in the table, from 0."""
    source: str = Field(examples=["uploads:trials"])
    """The source of its document."""
    path: str = Field(examples=["smith-2020.pdf"])
    """The path of its document there."""
    title: str
    """The title of its document; empty: not known."""
    state: RowState
    """`budget`: it waits for a top-up; `unreadable`: its document has no text; `duplicate`: its file is in an earlier
    row; `not_asked`: the table has no columns, or had none until the row was excluded; `deleted`: its run was deleted.
    """
    reason: str
    """Why it is not filled; empty: it is."""
    duplicate_of: int | None
    """The row that has the same file."""
    run_id: str | None
    """The last run that filled cells of it; null: there is none."""
    decision: Decision | None
    """The last decision; null: undecided."""
    decisions: list[DecisionView]
    """All decisions, the first one first; of two people who decide at once both are there, and the last counts."""
    cells: dict[str, TableCell]
    """Its cells, by the names of the columns."""
    tokens: int
    """Tokens that its runs used."""
    cost_usd: float
    """The same in US dollars."""


async def load_rows(
    table: EvidenceTable,
    numbers: Sequence[int],
    batch: Batch | None,
    questions: Sequence[BatchQuestion],
    changes: Sequence[Change],
    services: Services,
) -> list[RowView]:
    """Load some rows of a table.

    Args:
        table: It.
        numbers: Which rows.
        batch: That fills it; None: it was deleted.
        questions: Of the batch, for these rows.
        changes: What persons did.
        services: Of the tenant.
    """
    by_row: dict[int, list[Change]] = {}
    asked: dict[int, list[BatchQuestion]] = {}
    for one in changes:
        by_row.setdefault(one.row, []).append(one)
    for question in questions:
        asked.setdefault(question.number % ROUND, []).append(question)
    rows: list[RowView] = []
    for start in range(0, len(numbers), AT_ONCE):
        some = numbers[start : start + AT_ONCE]
        rows += await asyncio.gather(
            *(_load_row(table, n, batch, asked.get(n, []), by_row.get(n, []), services) for n in some)
        )
    return rows


@dataclass(frozen=True)
class _Part:
    """The columns of a row that one run fills in."""

    columns: Collection[str] = ()
    state: RowState = "waiting"
    reason: str = ""
    run_id: str = ""
    answer: StructuredAnswer | None = None


async def _load_row(
    table: EvidenceTable,
    number: int,
    batch: Batch | None,
    questions: Sequence[BatchQuestion],
    changes: Sequence[Change],
    services: Services,
) -> RowView:
    document = table.documents[number]
    columns = list_columns(table.output_schema)
    asked = [one for one in questions if one.state not in ("replaced", "skipped")]
    parts = [await _load_part(one, batch, services) for one in asked]
    whole = _describe_document(document, batch, asked=bool(columns))
    state, reason = whole or min(((one.state, one.reason) for one in parts), key=_rank_state, default=_NOT_ASKED)
    decided = [one for one in changes if not one.column]
    return RowView(
        number=number,
        source=document.source,
        path=document.path,
        title=document.title,
        state=state,
        reason=reason,
        duplicate_of=document.duplicate_of,
        run_id=next((one.run_id for one in reversed(parts) if one.run_id), None),
        decision=cast("Decision | None", decided[-1].value) if decided else None,
        decisions=[DecisionView.from_record(one, decision=one.value) for one in decided],
        cells={
            name: _lay_edits(
                _build_cell(name, _Part(state=whole[0], reason=whole[1]) if whole else _find_part(name, parts)),
                [one for one in changes if one.column == name],
            )
            for name in columns
        },
        tokens=sum(one.tokens for one in questions),
        cost_usd=usd_from_microusd(sum(one.cost_microusd for one in questions)),
    )


_NOT_ASKED: Final[tuple[RowState, str]] = ("not_asked", "the row was excluded when this was asked")
_ORDER: Final[tuple[RowState, ...]] = ("running", "waiting", "budget", "failed", "cancelled", "deleted", "filled")
"""The state of a row is the first of those of its parts."""


def _rank_state(state: tuple[RowState, str]) -> int:
    return _ORDER.index(state[0])


def _find_part(column: str, parts: Sequence[_Part]) -> _Part:
    """The part that fills in a column; of several, the last one that was asked."""
    found = (one for one in reversed(parts) if column in one.columns)
    return next(found, _Part(state=_NOT_ASKED[0], reason=_NOT_ASKED[1]))


async def _load_part(question: BatchQuestion, batch: Batch | None, services: Services) -> _Part:
    answer, ended = await _load_answer(question, services)
    state, reason = _describe_question(question, batch, answer, ended)
    return _Part(list_columns(question.request.get("output_schema")), state, reason, question.run_id, answer)


async def _load_answer(question: BatchQuestion, services: Services) -> tuple[StructuredAnswer | None, str]:
    """Load the answer of a row's run, and why it ended early or was not begun."""
    run = await services.store.runs.get(question.run_id) if question.run_id else None
    if run is None:
        return None, question.reason
    ended = run.ending.detail if run.ending else run.failure.message if run.failure else ""
    stored = None if run.report is None else await services.store.artifacts.get(run.report.artifact)
    return None if stored is None else await asyncio.to_thread(_read_answer, stored), ended


def _read_answer(stored: str) -> StructuredAnswer | None:
    report: dict[str, Any] = json.loads(stored)
    found = report.get("attachments", {}).get(ATTACHED)
    return None if found is None else StructuredAnswer.model_validate(found)


def _describe_document(document: TableDocument, batch: Batch | None, *, asked: bool) -> tuple[RowState, str] | None:
    """The state of a row that nothing is asked of, and why; None: its questions have states of their own."""
    if document.reason:
        return "unreadable", document.reason
    if document.duplicate_of is not None:
        return "duplicate", f"the same file is in row {document.duplicate_of + 1}"
    if not asked:
        return "not_asked", "the table has no columns"
    return ("deleted", "the batch that filled the table was deleted") if batch is None else None


def _describe_question(
    question: BatchQuestion, batch: Batch | None, answer: StructuredAnswer | None, ended: str
) -> tuple[RowState, str]:
    """The state of a question, and why it is not answered."""
    status = question.status or question.state
    if status == "waiting":
        out_of_budget = batch is not None and batch.state == "out_of_budget"
        reason = batch.reason if batch else ""
        return ("budget", f"budget: {reason}") if out_of_budget else ("waiting", reason)
    if status == "running":
        return "running", ""
    if status == "deleted":
        return "deleted", "its run was deleted"
    if answer is not None and answer.answer is not None:
        return "filled", ""
    if status == "cancelled":
        return "cancelled", "it was cancelled"
    reason = ended or (answer.reason.removeprefix(f"{NOT_FILLED}: ") if answer else "")
    return "failed", reason.removeprefix("read failed: ") or "its run failed"


def _build_cell(name: str, part: _Part) -> TableCell:
    if part.state in ("waiting", "running", "budget"):
        return _build_empty("pending", part.reason)
    if part.state != "filled" or part.answer is None or part.answer.answer is None:
        return _build_empty("no_value", part.reason)
    at, value = build_json_pointer(name), part.answer.answer.get(name)
    own = [one for one in part.answer.fields if one.pointer == at or one.pointer.startswith(f"{at}/")]
    quotes = [
        Quote(
            quote=one.quote,
            verified=one.verdict == "verified",
            evidence=one.evidence,
            page=one.page or None,
            page_label=one.page_label,
            marks=one.marks,
            start=one.start,
            end=one.end,
            content_hash=one.content_hash,
        )
        for one in dict.fromkeys(cited for field in own for cited in field.citations)
    ]
    reasons = "; ".join(dict.fromkeys(one.reason for one in own if one.reason))
    if value is None:
        return _build_empty("not_stated", reasons or NOT_SAID, part.run_id).model_copy(update={"quotes": quotes})
    levels = [one.confidence for one in own if one.confidence]
    lowest = next((one for one in ("low", "medium", "high") if one in levels), None)
    found = {"state": "found", "value": value, "confidence": lowest, "quotes": quotes, "extracted": value}
    return _build_empty("found", reasons, part.run_id).model_copy(update=found)


def _build_empty(state: CellState, reason: str, run_id: str = "") -> TableCell:
    return TableCell(
        state=state,
        value=None,
        reason=reason,
        confidence=None,
        quotes=[],
        run_id=run_id or None,
        extracted=None,
        edits=[],
    )


def _lay_edits(cell: TableCell, edits: Sequence[Change]) -> TableCell:
    """The cell with what persons wrote."""
    if not edits:
        return cell
    last = edits[-1]
    views = [CellEdit.from_record(one) for one in edits]
    if last.restored:
        return cell.model_copy(update={"edits": views})
    over = {"state": "edited", "value": last.value, "reason": last.reason, "confidence": None, "edits": views}
    return cell.model_copy(update=over)
