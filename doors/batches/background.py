"""Batches in a worker, next to its runs: the turns of a batch.

A turn starts runs as the API would start them, as the budget of the batch allows, and notes those that have ended; each
run wakes the batch when it ends. Everything that a turn does can be done twice, and by two workers at once: a question
is granted its part of the budget in a transaction, and its place in the batch is the idempotency key of its run.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

from pydantic import ValidationError
from temporalio import activity
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from elcano.activities.background_work import BackgroundWork
from elcano.doors.batches.batch_store import TenantBatches, get_batch_store, get_batches
from elcano.doors.batches.batch_tables import DONE, Batch, BatchQuestion, QuestionState
from elcano.doors.batches.contracts import ADVANCE, WORKFLOW, BatchProgress, BatchState, BatchWork
from elcano.doors.batches.workflows import BatchWorkflow
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
from elcano.service.temporal.background_starts import LOST_SECONDS, begin_workflow, list_open_ids, log_refusal
from elcano.storage.idempotency_keys import RequestKey

RECHECK_SECONDS: Final = 300.0
"""Interval of turns that nothing has woken: what was to wake the batch may be lost with a restored database."""
LOOK_AFTER: Final[dict[BatchState, float]] = {"waiting": 30.0, "out_of_budget": 3_600.0}
"""The same in seconds, of a batch that waits for room or a quota, which nothing announces, or for a top-up."""


@asynccontextmanager
async def open_background(around: Surroundings) -> AsyncIterator[Sequence[BackgroundWork]]:
    """Prepare the work on batches; the workflows of open ones are started again, should one be lost."""
    await get_batch_store(around.store).wake_open()
    yield [build_batch_work(Process.of_worker(around))]


def build_batch_work(process: Process) -> BackgroundWork:
    """The work on batches, whose runs are started as the API's `process` would."""
    look = ("batches to continue", partial(begin_batches, process), LOST_SECONDS)
    return BackgroundWork([BatchWorkflow], [BatchActivities(process).advance], [look])


async def begin_batches(process: Process) -> int:
    """Start the workflows of open batches that have none, and return how many: those ended in Temporal, or lost there.

    An open one is left as it is. Any number of workers may do so at once.

    Raises:
        RPCError: the server is away.
        TemporalUnavailable: it does not say which workflows are open.
    """
    open_batches = await get_batch_store(process.store).list_open()
    if not open_batches:
        return 0
    client, begun = await process.temporal.client(), 0
    listed = await list_open_ids(client, WORKFLOW)
    for work in open_batches:
        if work.workflow_id in listed:
            continue
        with log_refusal(work.workflow_id):
            await begin_workflow(
                client,
                WORKFLOW,
                work,
                id=work.workflow_id,
                tenant=work.tenant,
                summary=f"Batch {work.batch}",
            )
            begun += 1
    return begun


@dataclass
class _Turn:
    """The findings of one turn."""

    batches: TenantBatches
    refusal: str = ""
    """Why no run has room."""
    shortage: str = ""
    """Reason why the budget allows no further run."""


@dataclass(frozen=True)
class BatchActivities:
    """The activities of one worker."""

    process: Process

    @activity.defn(name=ADVANCE)
    async def advance(self, work: BatchWork) -> BatchProgress:
        """Note the runs of a batch that have ended, start as many as may, and return its progress.

        Raises:
            ApplicationError: the service has a fault; trying again is safe.
        """
        turn = _Turn(get_batches(self.process.store.of(work.tenant)))
        batch = await turn.batches.find(work.batch)
        if batch is None or batch.state in DONE:
            return BatchProgress(state="ended" if batch is None else batch.state)
        services = self.process.of(Principal(tenant=work.tenant, user=batch.created_by, key_id=batch.api_key))
        running = []
        for one in await turn.batches.questions(batch.id, state="running"):
            if one.status == "running":
                running.append(one)
                continue
            used = await services.store.ledger.used(one.run_id)
            sums = {"tokens": used.tokens, "cost_microusd": used.cost_microusd}
            await turn.batches.note(batch.id, one.number, "ended", **sums)
        if batch.state == "cancelling":
            await _cancel_runs(batch, running, turn, services)
        else:
            await _start_runs(batch, work, turn, services)
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
    look_after = LOOK_AFTER.get(state, RECHECK_SECONDS)
    return BatchProgress(state=state, waiting=waiting, open=open_runs, reason=reason, look_after=look_after)


async def _start_runs(batch: Batch, work: BatchWork, turn: _Turn, services: Services) -> None:
    """Start as many runs as there are places for, room and budget."""
    for one in await turn.batches.questions(batch.id, state="starting"):  # its worker died
        await _start_question(batch, work, one, turn, services)
    while (places := batch.at_once - (await turn.batches.spending(batch.id)).open) > 0:
        waiting = await turn.batches.questions(batch.id, state="waiting", limit=places)
        for one in waiting:
            activity.heartbeat()
            async with _note_refusals(batch, one, turn):
                request = RunRequest.model_validate(one.request)
                judged = await judge_run_request(request, services, new_run_id(services.tenant, batch.id))
                granted = await turn.batches.grant(batch.id, one.number, judged.asked.limits)
                if not isinstance(granted, BatchQuestion):
                    turn.shortage = granted
                    return
                await _start_question(batch, work, granted, turn, services)
            if turn.refusal or turn.shortage:
                return
        if not waiting:
            return


async def _start_question(
    batch: Batch, work: BatchWork, question: BatchQuestion, turn: _Turn, services: Services
) -> None:
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
        judge = partial(judge_run_request, within, services)
        submission = await submit_run(judge, key, services, notify=work.workflow_id)
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
    """Cancel the open runs, and start no others."""
    await turn.batches.drop_waiting(batch.id)
    ids = [one.run_id for one in running]
    for one in await turn.batches.questions(batch.id, state="starting"):
        claim = await services.store.admission.find_claim(f"batch {batch.id} {one.number}")
        if claim is None:
            await turn.batches.note(batch.id, one.number, "cancelled")
        else:
            await turn.batches.note(batch.id, one.number, "running", run_id=claim.run_id)
            ids.append(claim.run_id)
    cancellation = Cancellation(by=batch.cancelled_by, reason=f"the batch {batch.id} was cancelled")
    for run_id in ids:
        activity.heartbeat()
        with suppress(RunEnded, RunNotFound):
            await cancel_open_run(run_id, cancellation, services.temporal, services.store)
