"""Batches in a worker, next to its runs: it begins their workflows, and makes the turns of a batch.

A turn starts runs as the API would start them, as the budget of the batch allows, and notes those that have ended.
Everything that a turn does can be done twice, and by two workers at once: a question is granted its part of the budget
in a transaction, and its place in the batch is the idempotency key of its run.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from pydantic import ValidationError
from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.worker import Worker

from elcano.activities.background_work import build_queue_worker, look_repeatedly, looking_for
from elcano.doors.batches.batch_store import BatchStore, TenantBatches, get_batch_store, get_batches
from elcano.doors.batches.batch_tables import DONE, Batch, BatchQuestion, QuestionState
from elcano.doors.batches.workflows import (
    ADVANCE,
    CHANGED,
    TASK_QUEUE,
    WORKFLOW,
    BatchProgress,
    BatchState,
    BatchWork,
    BatchWorkflow,
)
from elcano.graphs.errors import ElcanoError
from elcano.graphs.plugin import Surroundings
from elcano.graphs.state.budget import usd_from_microusd
from elcano.graphs.state.failures import Cancellation
from elcano.graphs.tenants import run_id as new_run_id
from elcano.service.control.requests import cancel_open_run
from elcano.service.errors import RequestInvalid, RunEnded, RunNotFound, find_problem, list_request_faults
from elcano.service.permissions import Principal
from elcano.service.process import Process, Services
from elcano.service.runs.request_facts import judge_run_request
from elcano.service.runs.run_request import RunRequest
from elcano.service.runs.submission import submit_run
from elcano.service.temporal.labels import begin_workflow
from elcano.storage.idempotency_keys import RequestKey

LOOK_SECONDS: Final = 1.0
"""Interval at which batches that were created, topped up or cancelled are looked for, in seconds."""
AT_ONCE: Final = 100


@asynccontextmanager
async def work_on_batches(around: Surroundings) -> AsyncIterator[None]:
    """Work on batches while a worker works. Until there is one, Temporal is not asked for anything."""
    look = partial(_work_if_open, await around.connect(), Process.of_worker(around))
    async with looking_for("batches", look, every=LOOK_SECONDS):
        yield


async def _work_if_open(client: Client, process: Process) -> None:
    store = get_batch_store(process.store)
    if await store.wake_open():
        async with build_batch_worker(client, process):
            await look_repeatedly("changed batches", partial(begin_changed_batches, client, store), every=LOOK_SECONDS)


def build_batch_worker(client: Client, process: Process) -> Worker:
    """The worker of batches, not yet started; it starts runs as the API's `process` would."""
    return build_queue_worker(client, TASK_QUEUE, [BatchWorkflow], [BatchActivities(process).advance])


async def begin_changed_batches(client: Client, store: BatchStore) -> int:
    """Begin the workflows of new batches, and signal those of changed ones; any number of workers may do so at once."""
    changed = await store.list_changed(AT_ONCE)
    for work, at in changed:
        await begin_workflow(
            client,
            WORKFLOW,
            work,
            id=work.workflow_id,
            queue=TASK_QUEUE,
            tenant=work.tenant,
            summary=f"Batch {work.batch}",
            signal=CHANGED,
        )
        await store.note_told(work, at)
    return len(changed)


TURN_SECONDS: Final = 60.0
SHORTEST_LOOK: Final = 0.5
"""Between two looks at the runs; longer while nothing happens, up to `LONGEST_LOOK`."""
LONGEST_LOOK: Final = 2.0
PAUSE_SECONDS: Final = 30.0
"""Pause after a start that found no room or no budget, in seconds; ended early by the end of a run or a top-up."""


@dataclass
class _Turn:
    """The memory of one turn from look to look."""

    batches: TenantBatches
    ends_at: float
    refusal: str = ""
    """Why no run has room."""
    shortage: str = ""
    """Reason why the budget allows no further run."""
    next_start: float = 0.0
    """When a run is to be started again, after one could not be, unless one of the batch ends."""
    budget: tuple[float | None, ...] = ()
    """The limits of the batch at the last look."""
    cancelled: set[str] = field(default_factory=set)
    """Runs that it has asked to end."""


@dataclass(frozen=True)
class BatchActivities:
    """The activities of one worker."""

    process: Process

    @activity.defn(name=ADVANCE)
    async def advance(self, work: BatchWork) -> BatchProgress:
        """Work on a batch for a minute, or until it has ended or is out of budget; returns how it stands.

        Raises:
            ApplicationError: the service has a fault; trying again is safe.
        """
        turn = _Turn(get_batches(self.process.store.of(work.tenant)), time.monotonic() + TURN_SECONDS)
        pause, last = SHORTEST_LOOK, None
        while True:
            progress = await self._look(work, turn)
            if progress.state in (*DONE, "out_of_budget") or time.monotonic() >= turn.ends_at:
                return progress
            pause = SHORTEST_LOOK if progress != last else min(1.5 * pause, LONGEST_LOOK)
            last = progress
            await asyncio.sleep(pause)

    async def _look(self, work: BatchWork, turn: _Turn) -> BatchProgress:
        activity.heartbeat()
        batch = await turn.batches.find(work.batch)
        if batch is None or batch.state in DONE:
            return BatchProgress(state="ended" if batch is None else batch.state)
        services = self.process.of(Principal(tenant=work.tenant, user=batch.created_by, key_id=batch.api_key))
        running = await turn.batches.questions(batch.id, state="running")
        ended = [one for one in running if one.status != "running"]
        for one in ended:
            used = await services.store.ledger.used(one.run_id)
            sums = {"tokens": used.tokens, "cost_microusd": used.cost_microusd}
            await turn.batches.note(batch.id, one.number, "ended", **sums)
        if batch.state == "cancelling":
            await _cancel_runs(batch, [one for one in running if one not in ended], turn, services)
        elif ended or batch.budget != turn.budget or time.monotonic() >= turn.next_start:
            turn.budget, turn.refusal, turn.shortage, turn.next_start = batch.budget, "", "", 0.0
            await _start_runs(batch, turn, services)
        progress = await _describe_progress(batch, turn)
        if (progress.state, progress.reason) != (batch.state, batch.reason):
            await turn.batches.note_state(batch, progress.state, progress.reason)
        return progress


async def _describe_progress(batch: Batch, turn: _Turn) -> BatchProgress:
    waiting = (await turn.batches.count(batch.id)).get("waiting", 0)
    open_runs = (await turn.batches.spending(batch.id)).open
    state: BatchState
    if not waiting and not open_runs:
        state = "cancelled" if batch.state == "cancelling" else "ended"
    elif batch.state == "cancelling":
        state = batch.state
    elif turn.refusal:
        state = "waiting"
    else:
        state = "out_of_budget" if turn.shortage and not open_runs else "running"
    reason = turn.refusal if state == "waiting" else turn.shortage if state == "out_of_budget" else ""
    return BatchProgress(state=state, waiting=waiting, open=open_runs, reason=reason)


async def _start_runs(batch: Batch, turn: _Turn, services: Services) -> None:
    """Start as many runs as there are places for, room and budget."""
    for one in await turn.batches.questions(batch.id, state="starting"):  # its worker died
        await _start_question(batch, one, turn, services)
    places = batch.at_once - (await turn.batches.spending(batch.id)).open
    for one in await turn.batches.questions(batch.id, state="waiting", limit=max(0, places)):
        if turn.refusal or turn.shortage:
            break
        activity.heartbeat()
        async with _note_refusals(batch, one, turn):
            request = RunRequest.model_validate(one.request)
            judged = await judge_run_request(request, services, new_run_id(services.tenant, batch.id))
            granted = await turn.batches.grant(batch.id, one.number, judged.asked.limits)
            if isinstance(granted, BatchQuestion):
                await _start_question(batch, granted, turn, services)
            else:
                turn.shortage = granted
    if turn.refusal or turn.shortage:
        turn.next_start = time.monotonic() + PAUSE_SECONDS


async def _start_question(batch: Batch, question: BatchQuestion, turn: _Turn, services: Services) -> None:
    """Start the run of a question within what it is granted, or find it.

    Raises:
        ApplicationError: the service has a fault.
    """
    async with _note_refusals(batch, question, turn):
        request = RunRequest.model_validate(question.request)
        budget = {"tokens": question.granted_tokens, "seconds": question.granted_seconds}
        budget |= {"cost_usd": usd_from_microusd(question.granted_microusd)} if question.granted_microusd else {}
        within = request.model_copy(update={"budget": request.budget.model_copy(update=budget)})
        key = RequestKey(key=f"batch {batch.id} {question.number}", request_hash=batch.id)
        submission = await submit_run(partial(judge_run_request, within, services), key, services)
        await turn.batches.note(batch.id, question.number, "running", run_id=submission.run.run_id)


@asynccontextmanager
async def _note_refusals(batch: Batch, question: BatchQuestion, turn: _Turn) -> AsyncIterator[None]:
    """Notes why a question gets no run; if that can pass, it waits.

    Raises:
        ApplicationError: the service has a fault.
    """
    try:
        yield
    except (ValidationError, ElcanoError) as error:
        problem = find_problem(error)
        state: QuestionState = "waiting"
        granted = question.state == "starting" and isinstance(error, RequestInvalid)
        if granted and all(one.field.startswith("budget") for one in list_request_faults(error)):
            turn.shortage = f"the next question cannot be researched with what is left: {error}"
        elif problem is not None and problem.kind in ("unpaid", "exhausted"):
            turn.refusal = str(error)
        elif isinstance(error, ValidationError) or (problem is not None and not problem.is_fault):
            state = "refused"
        else:
            raise ApplicationError(str(error), category=ApplicationErrorCategory.BENIGN) from None
        await turn.batches.note(batch.id, question.number, state, reason=str(error) if state == "refused" else "")


async def _cancel_runs(batch: Batch, running: list[BatchQuestion], turn: _Turn, services: Services) -> None:
    """Cancel the runs that go on, and start no others."""
    await turn.batches.drop_waiting(batch.id)
    for one in await turn.batches.questions(batch.id, state="starting"):
        claim = await services.store.admission.find_claim(f"batch {batch.id} {one.number}")
        if claim is None:
            await turn.batches.note(batch.id, one.number, "cancelled")
        else:
            await turn.batches.note(batch.id, one.number, "running", run_id=claim.run_id)
    for one in running:
        if one.run_id not in turn.cancelled:
            asked = Cancellation(by=batch.cancelled_by, reason=f"the batch {batch.id} was cancelled")
            with suppress(RunEnded, RunNotFound):
                await cancel_open_run(one.run_id, asked, services.temporal, services.store)
            turn.cancelled.add(one.run_id)
