"""However often a run is asked, and whenever: it hears of what happened in its tasks, in the order of its history."""

import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta

import pytest
from temporalio import workflow
from temporalio.bridge.proto.workflow_activation import QueryWorkflow, WorkflowActivation
from temporalio.bridge.proto.workflow_completion import WorkflowActivationCompletion
from temporalio.client import Client, OutboundInterceptor, QueryWorkflowInput, WorkflowQueryFailedError
from temporalio.converter import SerializationContext, StorageDriverStoreContext
from temporalio.service import RPCError
from temporalio.worker import Worker, WorkflowInstance
from temporalio.worker._workflow_instance import _WorkflowInstanceImpl
from temporalio.workflow import Info

from elcano.graphs.contracts import ANSWER_MARK, MARKED_BYTES, TOO_EARLY
from elcano.service.temporal.connection import RetryQueries
from elcano.workflows import sandbox
from elcano.workflows.carried_events import CarriedEvents
from elcano.workflows.sandbox import PATIENCE, EventOrder, workflow_runner


class Told(WorkflowInstance):
    """A run that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[WorkflowActivation] = []

    def activate(self, act: WorkflowActivation) -> WorkflowActivationCompletion:
        self.told.append(act)
        completion = WorkflowActivationCompletion(run_id=act.run_id)
        completion.successful.SetInParent()
        return completion

    def get_serialization_context(self, command_info: object) -> SerializationContext | None:
        return None

    def get_external_store_context(self, command_info: object) -> StorageDriverStoreContext:
        raise NotImplementedError

    def get_info(self) -> Info:
        raise NotImplementedError

    def get_thread_id(self) -> int | None:
        return None


def activation(at: int, length: int, *jobs: str) -> WorkflowActivation:
    act = WorkflowActivation(run_id="run", history_length=length)
    act.timestamp.FromSeconds(at)
    for job in jobs:
        getattr(act.jobs.add(), job).SetInParent()
    return act


def heard(told: Told, in_turn: EventOrder, info: Info) -> WorkflowInstance:
    return sandbox._Heard(told, info, in_turn, CarriedEvents())


@pytest.fixture
def info() -> Info:
    """As much of it as is looked at."""
    made = object.__new__(Info)
    object.__setattr__(made, "namespace", "default")
    object.__setattr__(made, "workflow_id", "run")
    return made


def test_several_activations_of_one_task_are_heard(info: Info) -> None:
    told = Told()
    run = heard(told, EventOrder(), info)
    first = activation(1, 3, "initialize_workflow")
    same_task = activation(1, 3, "resolve_activity")
    query = activation(1, 3, "query_workflow")
    next_task = activation(2, 8, "signal_workflow", "resolve_activity")
    gone = activation(0, 9, "remove_from_cache")
    for act in (first, same_task, query, next_task, gone):
        assert run.activate(act).HasField("successful")
    assert told.told == [first, same_task, query, next_task, gone]


def test_a_query_that_runs_ahead_is_refused_and_in_the_end_answered_without_it(info: Info) -> None:
    in_turn = EventOrder()
    first, ahead = activation(1, 3, "initialize_workflow"), activation(1, 7, "resolve_activity")
    query, task = activation(1, 7, "query_workflow"), activation(2, 8, "signal_workflow")
    for _ in range(PATIENCE):
        told = Told()
        run = heard(told, in_turn, info)
        assert run.activate(first).HasField("successful")
        assert run.activate(ahead).failed.failure.message == TOO_EARLY
        assert told.told == [first]
    told = Told()
    run = heard(told, in_turn, info)
    assert all(run.activate(act).HasField("successful") for act in (first, ahead, query))
    assert told.told == [first, query]
    assert run.activate(task).HasField("failed")  # a task after all: the run is read anew for it
    assert told.told == [first, query]


def ending(command: str) -> WorkflowActivationCompletion:
    completion = WorkflowActivationCompletion()
    getattr(completion.successful.commands.add(), command).SetInParent()
    return completion


@pytest.mark.parametrize("command", ["complete_workflow_execution", "schedule_local_activity"])
def test_a_run_whose_end_may_be_rejected_answers_no_query(command: str, info: Info) -> None:
    """Seen: a signal overtook the end of a section, which was done again in another order than was told."""

    class Ends(Told):
        def activate(self, act: WorkflowActivation) -> WorkflowActivationCompletion:
            super().activate(act)
            return ending(command) if act.jobs[0].HasField("resolve_activity") else WorkflowActivationCompletion()

    task, query = activation(1, 3, "resolve_activity"), activation(1, 3, "query_workflow")
    query.jobs[0].query_workflow.query_id = "q"
    run = heard(Ends(), EventOrder(), info)
    run.activate(task)
    (refused,) = run.activate(query).successful.commands
    assert (refused.respond_to_query.query_id, refused.respond_to_query.failed.message) == ("q", TOO_EARLY)
    task.is_replaying = True
    run = heard(told := Ends(), EventOrder(), info)
    run.activate(task)
    run.activate(query)
    assert told.told == [task, query], "a run that has ended is read"


class Answering(OutboundInterceptor):
    """A server's answers to queries, one after the other."""

    def __init__(self, *answers: str | WorkflowQueryFailedError) -> None:
        self.answers = list(answers)

    async def query_workflow(self, input: QueryWorkflowInput) -> str:
        match self.answers.pop(0):
            case str() as answer:
                return answer
            case refused:
                raise refused


QUERY = QueryWorkflowInput(
    id="run",
    run_id=None,
    query="progress",
    args=[],
    reject_condition=None,
    headers={},
    ret_type=str,
    rpc_metadata={},
    rpc_timeout=None,
)


async def test_who_asks_too_early_asks_again() -> None:
    early = WorkflowQueryFailedError(TOO_EARLY)
    server = Answering(early, early, early, "an answer", "another one")
    assert await RetryQueries().intercept_client(server).query_workflow(QUERY) == "an answer"
    assert server.answers == ["another one"]


async def test_what_cannot_be_read_is_asked_once() -> None:
    server = Answering(WorkflowQueryFailedError("it is broken"), "an answer")
    with pytest.raises(WorkflowQueryFailedError, match="broken"):
        await RetryQueries().intercept_client(server).query_workflow(QUERY)
    assert server.answers == ["an answer"]


class Answered(Told):
    """A run that answers each activation as one that asks it something."""

    def activate(self, act: WorkflowActivation) -> WorkflowActivationCompletion:
        completion = super().activate(act)
        answer = completion.successful.commands.add().respond_to_query
        answer.succeeded.response.data = b"large" * MARKED_BYTES
        completion.successful.commands.add().respond_to_query.succeeded.response.data = b"small"
        completion.successful.commands.add().schedule_activity.arguments.add().data = b"large"
        return completion


def test_large_answers_are_marked_as_such_and_nothing_else_is(info: Info) -> None:
    run = heard(Answered(), EventOrder(), info)
    answer, small, call = run.activate(activation(1, 3, "query_workflow")).successful.commands
    assert answer.respond_to_query.succeeded.response.metadata[ANSWER_MARK] == b"true"
    assert not small.respond_to_query.succeeded.response.metadata, "Temporal's command line shows it as it is"
    assert not call.schedule_activity.arguments[0].metadata


class Slow(Told):
    """A run in which a thread works until it is told to stop."""

    def __init__(self) -> None:
        super().__init__()
        self.at_work = 0
        self.most_at_work = 0
        self.may_stop = threading.Event()
        self.began = threading.Event()

    def activate(self, act: WorkflowActivation) -> WorkflowActivationCompletion:
        self.at_work += 1
        self.most_at_work = max(self.most_at_work, self.at_work)
        self.began.set()
        assert self.may_stop.wait(30)
        self.at_work -= 1
        return super().activate(act)


def test_two_threads_never_work_in_one_run(info: Info) -> None:
    """The SDK begins an eviction anew if the first one takes over two seconds, and does not wait for the first."""
    slow = Slow()
    run, evict = heard(slow, EventOrder(), info), activation(1, 3, "remove_from_cache")
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(run.activate, evict)
        assert slow.began.wait(30)
        second = threads.submit(run.activate, evict)
        time.sleep(0.1)  # in which the second one would begin
        slow.may_stop.set()
        assert all(one.result(30).HasField("successful") for one in (first, second))
    assert (slow.most_at_work, len(slow.told)) == (1, 2)


@workflow.defn
class Idle:
    """Waits for ever."""

    @workflow.run
    async def run(self) -> None:
        await workflow.wait_condition(lambda: False)

    @workflow.query
    def state(self) -> str:
        return "idle"


async def test_a_thread_that_takes_long_is_not_interrupted(temporal: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception out of nowhere costs a task its next step: the worker waits for it for ever when it is to stop."""
    apply_query = _WorkflowInstanceImpl._apply_query_workflow
    interruptions: list[BaseException] = []
    finished: list[str] = []

    def apply_slowly(self: _WorkflowInstanceImpl, job: QueryWorkflow) -> None:
        try:
            for _ in range(30):
                time.sleep(0.1)
        except BaseException as interruption:
            interruptions.append(interruption)
        finished.append(job.query_type)
        apply_query(self, job)

    queue = f"idle-{uuid.uuid4()}"
    async with Worker(temporal, task_queue=queue, workflows=[Idle], workflow_runner=workflow_runner()):
        handle = await temporal.start_workflow(Idle.run, id=queue, task_queue=queue)
        assert await handle.query(Idle.state) == "idle"
        monkeypatch.setattr(_WorkflowInstanceImpl, "_apply_query_workflow", apply_slowly)
        with suppress(RPCError, WorkflowQueryFailedError):  # it has been given up by then, or is answered after all
            await handle.query(Idle.state, rpc_timeout=timedelta(seconds=4))
    assert interruptions == []
    assert set(finished) == {"state"}
    await handle.terminate()
