"""Tables as clients get them: how far one is, what it used, the flow of its records, and pages of rows."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.doors.batches.batch_store import get_batches
from elcano.doors.batches.batch_tables import ROUND, Batch
from elcano.doors.batches.contracts import BatchState
from elcano.doors.batches.views import BatchLimit, BatchView
from elcano.doors.evidence_tables.columns import find_type
from elcano.doors.evidence_tables.document_graph import list_columns
from elcano.doors.evidence_tables.review_flow import load_review_counts
from elcano.doors.evidence_tables.row_views import RowView, load_rows
from elcano.doors.evidence_tables.screening import ScreeningFlow, count_flow, find_decision, list_decisions
from elcano.doors.evidence_tables.table_store import EvidenceTable, get_tables
from elcano.service.fields import Described, Moment
from elcano.service.process import Services

RowFilter: TypeAlias = Literal["undecided", "include", "exclude", "unsure"]


class ColumnView(Described):
    """A column."""

    name: str = Field(examples=["Participants"])
    """Its head."""
    question: str = Field(examples=["How many participants were randomised?"])
    """Question put to each document."""
    type: str = Field(examples=["integer"])
    """The type of its values in JSON; empty: several."""


class TableCard(Described):
    """A table in a list."""

    id: str = Field(examples=["01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """Its id, and that of the batch that fills it."""
    name: str = Field(examples=["Trials of fish oil"])
    """Name."""
    state: BatchState | Literal["deleted"] = Field(examples=["running"])
    """State of its batch: `out_of_budget`: rows wait for a top-up; `ended`: every row is done; `deleted`: the batch was
    deleted, and nothing more is filled in."""
    counts: dict[str, int] = Field(examples=[{"completed": 90, "running": 8, "skipped": 2}])
    """Number of rows by status of their runs; `skipped`: nothing is asked of them."""
    created_at: Moment
    """When it was made."""
    created_by: str
    """The user who did; empty: no user is known."""


class TablePage(Described):
    """One page of your tables, the newest first."""

    tables: tuple[TableCard, ...]
    """The tables."""
    next: str | None
    """Pass it as `cursor` for the next page; null on the last one."""

    @classmethod
    async def load(cls, limit: int, cursor: str, services: Services) -> "TablePage":
        """Load a page."""
        found = await get_tables(services.store).page(limit + 1, cursor or None)
        cards = [await _build_card(one, services) for one in found[:limit]]
        return cls(tables=tuple(cards), next=cards[-1].id if len(found) > limit else None)


class TableView(TableCard):
    """A table."""

    reason: str
    """Why it waits."""
    columns: tuple[ColumnView, ...]
    """Its columns."""
    tokens: BatchLimit | None
    """Input and output tokens; null: its batch was deleted."""
    cost_usd: BatchLimit | None
    """US dollars; null: its batch was deleted."""
    deadline: Moment | None
    """When its time is over; null: it has all the time."""
    flow: ScreeningFlow
    """Flow of its records."""

    @classmethod
    async def of(cls, table: EvidenceTable, services: Services) -> "TableView":
        """The view of a table."""
        changes, review = await asyncio.gather(
            get_tables(services.store).list_changes(table.id), load_review_counts(table.review_run, services)
        )
        batches = get_batches(services.store)
        batch, statuses = await asyncio.gather(batches.find(table.id), batches.list_statuses(table.id))
        view = None if batch is None else await BatchView.of(batch, services)
        return cls(
            id=table.id,
            name=table.name,
            state=view.state if view else "deleted",
            counts=count_rows(statuses),
            created_at=table.created_at,  # type: ignore[arg-type]
            created_by=table.created_by,
            reason=view.reason if view else "",
            columns=tuple(
                ColumnView(name=name, question=question, type=find_type(table.output_schema, name))
                for name, question in list_columns(table.output_schema).items()
            ),
            tokens=view.tokens if view else None,
            cost_usd=view.cost_usd if view else None,
            deadline=view.deadline if view else None,
            flow=count_flow(table.documents, list_decisions(changes), review),
        )


class TableRowPage(TableView):
    """A table, and a page of its rows."""

    rows: tuple[RowView, ...]
    """Rows in their order."""
    next: str | None
    """Pass it as `cursor` for the next page; null on the last one."""

    @classmethod
    async def load(
        cls, table: EvidenceTable, limit: int, start: int, wanted: RowFilter | None, services: Services
    ) -> "TableRowPage":
        """Load a page of a table, from the row `start` on; of `wanted`, only rows with this decision."""
        view = await TableView.of(table, services)
        numbers = range(start, len(table.documents))
        chosen = list(numbers)
        if wanted is not None:
            decisions = list_decisions(await get_tables(services.store).list_changes(table.id))
            standing = None if wanted == "undecided" else wanted
            chosen = [n for n in numbers if find_decision(decisions, n) == standing]
        rows = await load_table(table, chosen[:limit], services)
        following = str(chosen[limit]) if limit and len(chosen) > limit else None
        return cls(**dict(view), rows=tuple(rows), next=following)


async def load_table(table: EvidenceTable, numbers: Sequence[int], services: Services) -> list[RowView]:
    """Load rows of a table, by their numbers in ascending order."""
    if not numbers:
        return []
    batches = get_batches(services.store)
    first, last = numbers[0], numbers[-1]
    batch, questions, changes = await asyncio.gather(
        batches.find(table.id),
        batches.list_rounds(table.id, first, last),
        get_tables(services.store).list_changes(table.id),
    )
    return await load_rows(table, numbers, batch, questions, changes, services)


async def _build_card(table: EvidenceTable, services: Services) -> TableCard:
    batches = get_batches(services.store)
    batch: Batch | None
    batch, statuses = await asyncio.gather(batches.find(table.id), batches.list_statuses(table.id))
    return TableCard.from_record(table, state=batch.state if batch else "deleted", counts=count_rows(statuses))


_DONE: Final = ("completed", "skipped")


def count_rows(statuses: Iterable[tuple[int, str]]) -> dict[str, int]:
    """Count rows by status; one whose cells come of several runs by the first of these that is not completed."""
    rows: dict[int, str] = {}
    for number, status in statuses:
        row = number % ROUND
        if status != "replaced" and rows.get(row, "skipped") in _DONE:
            rows[row] = status
    return dict(Counter(rows.values()))
