"""A run's steps as they are answered: what its log tells of them, and what the ledger has of their attempts."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from elcano.api.http.answer_size import PART_BYTES, limit_json_size
from elcano.api.http.budgets import BudgetView
from elcano.api.http.errors import StepNotFound
from elcano.api.http.step_views import BetweenView, ChangeView, OmittedPart, RowView, StepDetail, StepList, StepView
from elcano.api.runs.stories import RunHistory, read_story
from elcano.api.temporal.client import Temporal
from elcano.graphs.frozen import Json
from elcano.graphs.lifecycle.inspection import StepInspection, count_steps, inspect_step
from elcano.graphs.lifecycle.step_history import iter_passages
from elcano.graphs.lifecycle.step_rows import BetweenRow, Row
from elcano.storage.ledger import LedgerEntry
from elcano.storage.store import TenantStore

Attempts = Mapping[int, Sequence[LedgerEntry]]
"""The ledger's lines of a run, by step."""


async def list_steps(run_id: str, temporal: Temporal, store: TenantStore, *, after: int, limit: int) -> StepList:
    """The steps behind number `after`, at most `limit` of them, with what came between them.

    Raises:
        Exception: as `stories.read_story`.
    """
    story = await read_story(run_id, temporal, store)
    attempts = await _group_attempts(run_id, store)
    rows = await asyncio.to_thread(lambda: list(_list_page_rows(story, after, limit)))
    total = count_steps(story.log, going_on=story.going_on)
    return StepList(
        run_id=run_id,
        status=story.run.status,
        total=total,
        next=after + limit if after + limit < total else None,
        rows=tuple(_build_row_view(row, attempts) for row in rows),
    )


async def look_into(run_id: str, number: int, temporal: Temporal, store: TenantStore, *, whole: bool) -> StepDetail:
    """Return one step; unless `whole`, without parts that are too large for a response.

    Raises:
        StepNotFound: the run has no such step, or not yet.
        Exception: as `stories.read_story`.
    """
    story = await read_story(run_id, temporal, store)
    attempts = await _group_attempts(run_id, store)
    return await asyncio.to_thread(_looked_into, story, number, attempts, None if whole else PART_BYTES)


async def _group_attempts(run_id: str, store: TenantStore) -> Attempts:
    """Return the attempts of each step, without those that were undone and without publishing, which is no step."""
    found: dict[int, list[LedgerEntry]] = defaultdict(list)
    for line in await store.ledger.entries(run_id):
        if not line.undone and line.kind != "publish":
            found[line.step].append(line)
    return found


def _list_page_rows(story: RunHistory, after: int, limit: int) -> Iterator[Row]:
    """Folded only as far as the page goes."""
    for one in iter_passages(story.log, story.events, going_on=story.going_on):
        row: Row = one if isinstance(one, BetweenRow) else one.row
        number = row.before if isinstance(row, BetweenRow) else row.number
        if number > after + limit:
            return
        if number > after:
            yield row


def _build_row_view(row: Row, attempts: Attempts) -> RowView:
    return BetweenView.of(row) if isinstance(row, BetweenRow) else StepView.of(row, attempts.get(row.number, ()))


def _looked_into(story: RunHistory, number: int, attempts: Attempts, most: int | None) -> StepDetail:
    run_id = story.run.run_id
    steps = count_steps(story.log, going_on=story.going_on)
    found = inspect_step(story.log, story.events, number, going_on=story.going_on) if 1 <= number <= steps else None
    if found is None:
        raise StepNotFound(run_id, number, steps)
    parts, left_out = _limit_step_parts(found, most)
    before = BudgetView.of(found.budget_before.view())
    assert before is not None, "a budget has a view"
    return StepDetail.model_validate(
        {
            **parts,
            "run_id": run_id,
            "steps": steps,
            "step": StepView.of(found.row, attempts.get(number, ())),
            "between": tuple(BetweenView.of(row) for row in found.between),
            "no_input": found.no_input,
            "changed": tuple(ChangeView.of(change) for change in found.changed.changes),
            "changed_more": found.changed.more,
            "budget_before": before,
            "budget_after": BudgetView.of(found.budget_after.view()) if found.budget_after else None,
            "left_out": tuple(left_out),
        }
    )


def _limit_step_parts(found: StepInspection, most: int | None) -> tuple[dict[str, Json], list[OmittedPart]]:
    """Return the parts that can be large, each cut to `most` bytes, and what was left out."""
    whole: dict[str, Json] = {
        "input": found.input,
        "output": found.output,
        "before": found.before.model_dump(mode="json"),
        "after": found.after.model_dump(mode="json") if found.after is not None else None,
    }
    cut = {name: limit_json_size(name, value, most) for name, value in whole.items()}
    return {name: value for name, (value, _) in cut.items()}, [one for _, missing in cut.values() for one in missing]
