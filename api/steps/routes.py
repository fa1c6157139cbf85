"""A run's steps, listed and inspected, from its log and the ledger; and runs compared.

A response that would be too large leaves out its largest parts and names each of them.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query
from pydantic import TypeAdapter

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided
from elcano.graphs.engine.entries import StepAbandoned, StepCompleted, StepFailed
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.lifecycle.handover import find_exit_draft
from elcano.graphs.lifecycle.inspection import StepInspection, count_steps, inspect_step
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.lifecycle.step_history import iter_passages
from elcano.graphs.lifecycle.step_rows import BetweenRow, Row
from elcano.graphs.records import RunLog
from elcano.graphs.report.report import Report, ReportDraft
from elcano.graphs.run_contracts import JournalPages
from elcano.graphs.spec.graph import ResearchGraph
from elcano.service.comparison.differences import RunComparison
from elcano.service.comparison.run_comparison import Side, build_run_comparison
from elcano.service.errors import (
    ReportLost,
    RunBlocked,
    RunForgotten,
    RunNotFound,
    RunUnreadable,
    StepNotFound,
    TemporalRefused,
    TemporalUnavailable,
    WorkerUnavailable,
)
from elcano.service.fields import CURSOR, NUMBER_CURSOR
from elcano.service.reports.results import load_artifact
from elcano.service.runs.budget_view import BudgetView
from elcano.service.runs.run_log import RunHistory, find_unread_run, read_run_input, read_story
from elcano.service.steps.kept_steps import list_kept_steps
from elcano.service.steps.views import BetweenView, NodeVisits, OmittedPart, RowView, StepDetail, StepList, StepView
from elcano.storage.ledger import LedgerEntry
from elcano.storage.store import TenantStore

PART_BYTES: Final = 1_000_000
"""Maximum size of one part of a response, as JSON: a state with some 5,000 passages."""

KEPT_PAGES: Final = 64
"""Pages of steps that are kept, latest first."""
_PAGES: Final[dict[tuple[object, ...], asyncio.Task[list[Row]]]] = {}
_JSON: Final[TypeAdapter[Json]] = TypeAdapter(Json)


def limit_json_size(where: str, value: Json, most: int | None) -> tuple[Json, list[OmittedPart]]:
    """`value` without its largest parts, so that it has at most `most` bytes as JSON; None: it is never cut.

    Parts are the members of an object, and in place of one that is an object itself that one's members. A value without
    parts is left out as a whole.
    """
    if most is None or (size := _measure_json_bytes(value)) <= most:
        return value, []
    if not isinstance(value, dict):
        return None, [OmittedPart(where=where, size=size)]
    kept: JsonObject = {name: dict(part) if isinstance(part, dict) else part for name, part in value.items()}
    left_out, over = list[OmittedPart](), size - most
    for part_size, holder, name, place in sorted(_iterate_json_parts(where, kept), key=lambda part: -part[0]):
        if over <= 0:
            break
        del holder[name]
        left_out.append(OmittedPart(where=place, size=part_size))
        over -= part_size
    return kept, left_out


def _iterate_json_parts(where: str, value: JsonObject) -> Iterator[tuple[int, JsonObject, str, str]]:
    """Each part with its size: what holds it, its name there, and its place."""
    for name, part in value.items():
        if isinstance(part, dict):
            yield from (
                (_measure_json_bytes(one), part, inner, f"{where}.{name}.{inner}") for inner, one in part.items()
            )
        else:
            yield _measure_json_bytes(part), value, name, f"{where}.{name}"


def _measure_json_bytes(value: Json) -> int:
    return len(_JSON.dump_json(value))


Attempts = Mapping[int, Sequence[LedgerEntry]]
"""The ledger's lines of a run, by step."""


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


async def _share_page_rows(story: RunHistory, after: int, limit: int) -> list[Row]:
    """The same, folded once for all who look at a run as it is: a run in work is looked at again and again."""
    seen = story.events[-1].seq if story.events else 0
    key = (story.run.run_id, len(story.log.entries), len(story.events), seen, story.going_on, after, limit)
    if key not in _PAGES:
        _PAGES[key] = asyncio.create_task(asyncio.to_thread(lambda: list(_list_page_rows(story, after, limit))))
        if len(_PAGES) > KEPT_PAGES:
            del _PAGES[next(iter(_PAGES))]
    return await asyncio.shield(_PAGES[key])


def _count_visits(log: RunLog) -> dict[str, NodeVisits]:
    visits: dict[str, NodeVisits] = {}
    for entry in log.entries:
        if isinstance(entry, StepCompleted | StepFailed | StepAbandoned):
            before = visits[entry.node].count if entry.node in visits else 0
            failed = isinstance(entry, StepFailed)
            visits[entry.node] = NodeVisits(count=before + 1, last_step=entry.step, failed=failed)
    return visits


def _build_row_view(row: Row, attempts: Attempts) -> RowView:
    return BetweenView.of(row) if isinstance(row, BetweenRow) else StepView.of(row, attempts.get(row.number, ()))


def _build_step_detail(story: RunHistory, number: int, attempts: Attempts, most: int | None) -> StepDetail:
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
            "changed": found.changed.changes,
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


async def _load_side(story: RunHistory, store: TenantStore) -> Side:
    """Read a run with its draft and its published report.

    Raises:
        ReportLost: what it wrote is not in the store.
    """
    report = story.run.report
    drafted = _draft_of(story.log)
    written = await load_artifact(drafted, store) if drafted else None
    published = await load_artifact(report.artifact, store) if report else None
    draft = await asyncio.to_thread(ReportDraft.model_validate_json, written) if written else None
    final = await asyncio.to_thread(Report.model_validate_json, published) if published else None
    return Side(log=story.log, status=story.run.status, draft=draft, report=final)


def _draft_of(log: RunLog) -> str | None:
    """The artifact that the exit of a run wrote, if it ended in a writer."""
    found = find_exit_draft(Journal(log.asked.graph, JournalPages(run=log.run, entries=(), events=(), started_at=0.0)))
    return found.artifact if found else None


router = APIRouter(
    prefix="/v1/runs/{run_id}",
    tags=["steps"],
    dependencies=[requires("inspect_run")],
    responses=problem_docs(
        RunNotFound,
        RunBlocked,
        RunForgotten,
        RunUnreadable,
        TemporalRefused,
        TemporalUnavailable,
        WorkerUnavailable,
    ),
)


@router.get("/steps")
async def get_steps(
    run_id: str,
    services: Provided,
    cursor: Annotated[str, Query(pattern=NUMBER_CURSOR, description=CURSOR)] = "",
    limit: Annotated[int, Query(ge=1, le=500, description="Steps a page.")] = 100,
) -> StepList:
    """List the steps of a run or a section: what each did, when, its usage, its attempts and how it ended.

    Between them, without a number, is what someone asked of the run and what took it out of its research. The last row
    of a running run is the step that is under way. Each section of a fan-out is a run with steps of its own, under the
    `run_id` in `branches`.

    What has ended is read from the store; of what continues a worker is asked. If the log of an ended run cannot be
    read, the list has what its events and the ledger tell, `missing` says what it lacks, and no step can be looked
    into.
    """
    attempts = await _group_attempts(run_id, services.store)
    after = int(cursor or 0)
    try:
        story = await read_story(run_id, services.temporal, services.store)
    except (RunUnreadable, RunForgotten) as error:
        unread = await find_unread_run(run_id, services.temporal, services.store)
        if unread is None:
            raise
        return list_kept_steps(*unread, attempts, str(error), after, limit)
    rows = await _share_page_rows(story, after, limit)
    total = count_steps(story.log, going_on=story.going_on)
    return StepList(
        run_id=run_id,
        status=story.run.status,
        total=total,
        next=str(after + limit) if after + limit < total else None,
        visits=_count_visits(story.log),
        rows=tuple(_build_row_view(row, attempts) for row in rows),
    )


@router.get("/steps/{step}", responses=problem_docs(RunNotFound, RunForgotten, StepNotFound))
async def get_step(
    run_id: str,
    step: Annotated[int, Path(description="Its number, from 1.")],
    services: Provided,
    whole: Annotated[bool, Query(description="Leave nothing out, however large the answer gets.")] = False,
) -> StepDetail:
    """Look into a step: what went in, what came out, what the run knew before and after it, and what that cost.

    What went in is built again from the run as it stood: the same code, the same input. A part of the answer with more
    than a megabyte loses its largest members, which `left_out` names.
    """
    story = await read_story(run_id, services.temporal, services.store)
    attempts = await _group_attempts(run_id, services.store)
    return await asyncio.to_thread(_build_step_detail, story, step, attempts, None if whole else PART_BYTES)


@router.get("/graph")
async def get_run_graph(run_id: str, services: Provided) -> ResearchGraph:
    """Read the graph that a run walks, as the run carries it: a mode that changed since, or was deleted, is here still.

    Of a section it is the graph of its branch.
    """
    return (await read_run_input(run_id, services.temporal, services.store)).graph


@router.get("/diff/{other_id}", responses=problem_docs(ReportLost))
async def compare_runs(
    run_id: str,
    other_id: Annotated[str, Path(description="The run that it is compared with.")],
    services: Provided,
) -> RunComparison:
    """Compare two runs: their inputs, the steps they took, what they found, what they cost and what they concluded.

    Runs that have not ended are compared as they stand, and `notes` says so.
    """
    stories = [await read_story(one, services.temporal, services.store) for one in (run_id, other_id)]
    sides = [await _load_side(story, services.store) for story in stories]
    return await asyncio.to_thread(build_run_comparison, *sides)
