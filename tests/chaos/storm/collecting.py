"""What runs left, read when all is over: through the API what a client sees, from store and Temporal what was done."""

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

import httpx
from pydantic import ValidationError
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client, WorkflowExecution

from elcano.doors.certificates.verify_command import compare_certificate
from elcano.graphs.contracts import AgentCall
from elcano.graphs.records import ArchivedRun, RunLog
from elcano.storage.payloads import connect_config
from elcano.storage.store import TenantStore, open_configured
from tests.chaos.storm import clients
from tests.chaos.storm.clients import Reader
from tests.chaos.storm.notes import Note, read_notes
from tests.chaos.storm.records import Completed, Left, Played
from tests.chaos.storm.stack import Stormy
from tests.chaos.storm.tables import repair
from tests.folding import difference

OWN: Final = -1
"""The step of a call that no step of the run that was asked for began."""
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|\+00:00)")
_HASH: Final = re.compile(r"(?<![.\w])[0-9a-f]{12,64}\b")


async def collected(stack: Stormy, runs: Sequence[Played]) -> list[Played]:
    """The same runs with what they left and what was counted."""
    notes = _by_run(read_notes(stack.notes))
    settings = stack.settings.model_copy(update={"temporal_address": stack.settings.temporal_target})
    temporal = await Client.connect(**connect_config(settings))
    whole: list[Played] = []
    async with open_configured(settings) as opened, clients.client(settings.base_url) as http:
        store = opened.of("default")
        for run in runs:
            calls = [call async for call in _completed(temporal, run.run_id)]
            found: dict[str, object] = {
                "completed": tuple(calls),
                "ledger": tuple(await store.ledger.entries(run.run_id, branches=True)),
                "notes": tuple(notes.get(run.plan.name, ())),
                "left": await _left(http, store, run) if run.ended is not None else None,
            }
            whole.append(run.model_copy(update=found))
    return [_with_shared(run, whole) for run in whole]


def _with_shared(run: Played, runs: Sequence[Played]) -> Played:
    of = next((one for one in runs if one.run_id == run.forked_from), None)
    if of is None:
        return run
    shared = tuple(call for call in of.completed if call.step < run.forked_at)
    return run.model_copy(update={"shared": shared})


def _by_run(notes: Sequence[Note]) -> Mapping[str, list[Note]]:
    found: dict[str, list[Note]] = defaultdict(list)
    for note in notes:
        found[note.run].append(note)
    return found


async def _left(http: httpx.AsyncClient, store: TenantStore, run: Played) -> Left | None:
    archived = await store.runs.get(run.run_id)
    if archived is None or archived.status == "running":
        return None
    report = await clients.insist(http, "GET", f"/v1/runs/{run.run_id}/report")
    again = Reader(http, run.run_id, "late")
    await again.follow()
    tokens = archived.budget["tokens"]
    assert isinstance(tokens, dict)
    charged = tokens["used"]
    assert isinstance(charged, int)
    results, unreachable = await _results(http, run, archived)
    uncertified = await _uncertified(http, archived)
    return Left(
        status=archived.status,
        markdown=timeless(report.text) if report.status_code == 200 else "",
        unverified=archived.report.unverified if archived.report else 0,
        evidence=tuple([name async for name in _named(store, archived.evidence)]),
        results=results,
        unreachable=unreachable,
        archive=tuple(again.heard),
        charged=charged,
        noted=(await store.ledger.used(run.run_id)).tokens,
        unfolded=tuple([text async for text in _unfolded(store, archived)]),
        certified=archived.report is not None and not uncertified,
        uncertified=uncertified,
    )


async def _uncertified(http: httpx.AsyncClient, archived: ArchivedRun) -> tuple[str, ...]:
    """What is wrong with the certificate of a run that has a report."""
    if archived.report is None:
        return ()
    answer = await clients.insist(http, "GET", f"/v1/runs/{archived.run_id}/certificate")
    if answer.status_code != 200:
        return (f"its certificate was answered {answer.status_code}: {answer.text[:300]}",)
    verdict = await asyncio.to_thread(compare_certificate, answer.content)
    return tuple(f"{fault.part}: {fault.text}" for fault in verdict.faults)


async def _named(store: TenantStore, evidence: Sequence[str]) -> AsyncIterator[str]:
    """Names that are the same in a run and its twin: a result has the moment in its id at which it was read."""
    for one in evidence:
        if not one.startswith("result:"):
            yield one
            continue
        (kept,) = await store.evidence.get([one])
        query = kept.title.startswith("Result of a query")
        yield f"result:{sha256(timeless(kept.text).encode()).hexdigest()[:16] if query else 'put together'}"


def timeless(text: str) -> str:
    """A text without moments, and without hashes of what has moments in it."""
    return _HASH.sub("#", _MOMENT.sub("then", text))


async def _results(http: httpx.AsyncClient, run: Played, archived: ArchivedRun) -> tuple[int, tuple[str, ...]]:
    """How many results can be read, and what of a run that was answered from databases cannot."""
    if run.plan.script.way is None or archived.report is None:
        return 0, ()
    path = f"/v1/runs/{run.run_id}/results"
    listed = await clients.insist(http, "GET", path)
    if listed.status_code == 404 and not any(one.startswith("result:") for one in archived.evidence):
        return 0, ()
    if listed.status_code != 200:
        return 0, (f"its results were answered {listed.status_code}: {listed.text[:300]}",)
    numbers = [one["number"] for one in listed.json()["results"]]
    wrong = []
    for number in numbers:
        answer = await clients.insist(http, "GET", f"{path}/{number}")
        if answer.status_code != 200 or "rows" not in answer.json():
            wrong.append(f"its result {number} was answered {answer.status_code}: {answer.text[:300]}")
    return len(numbers) - len(wrong), tuple(wrong)


async def _unfolded(store: TenantStore, archived: ArchivedRun) -> AsyncIterator[str]:
    """What is wrong with the logs of a run and its branches."""
    runs = [archived, *[one for branch in archived.branches if (one := await store.runs.get(branch.run_id))]]
    for run in runs:
        kept = await store.artifacts.get(run.log) if run.log else None
        if kept is None:
            yield f"{run.run_id}: it left no log"
        elif (found := difference(RunLog.model_validate_json(kept))) is not None:
            yield found


async def _completed(temporal: Client, run_id: str) -> AsyncIterator[Completed]:
    """The calls of agents of a run and its sections, in all their executions, that the server has results of."""
    query = f"WorkflowId = '{run_id}' OR WorkflowId STARTS_WITH '{run_id}.'"
    async for execution in temporal.list_workflows(query):
        async for completed in _of_execution(temporal, run_id, execution):
            yield completed


async def _of_execution(temporal: Client, run_id: str, execution: WorkflowExecution) -> AsyncIterator[Completed]:
    handle = temporal.get_workflow_handle(execution.id, run_id=execution.run_id)
    scheduled: dict[int, AgentCall] = {}
    async for event in handle.fetch_history_events():
        match event.event_type:
            case EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
                given = event.activity_task_scheduled_event_attributes.input.payloads
                (decoded, *_) = await temporal.data_converter.decode(given)
                if (call := _agent_call(decoded)) is not None:
                    scheduled[event.event_id] = call
            case EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
                begun = event.activity_task_completed_event_attributes.scheduled_event_id
                if begun in scheduled:
                    yield _of_call(run_id, scheduled[begun], event.event_time.ToMicroseconds() / 1e6)


def _agent_call(decoded: Any) -> AgentCall | None:
    if not isinstance(decoded, dict) or "agent" not in decoded:
        return None
    try:
        return AgentCall.model_validate(decoded)
    except ValidationError:
        return None


def _of_call(run_id: str, call: AgentCall, at: float) -> Completed:
    section = call.run_id.removeprefix(run_id).lstrip(".")
    return Completed(
        run_id=call.run_id,
        step=int(section[:4]) if section else call.step,
        agent=call.agent,
        node=call.node,
        question=str(call.input.get("question", "")),
        iteration=_number(call.input.get("iteration", 1)) if call.agent != "sql_repairer" else repair(call.input),
        at=at,
    )


def _number(value: object) -> int:
    return value if isinstance(value, int) else 1
