"""Runs workflow code: in the SDK's sandbox where tests check it, and without it in workers.

The sandbox loads the modules of workflows anew for every run and watches what they reach for. What they may import and
call is fixed when they are written, so tests check that, once and for all; a worker would pay for it in every task.

The SDK asks several times for every payload on whose behalf it is converted. Our converter ignores that, and our
payloads depend only on the run, which is known from the start.

And a run receives events only in workflow tasks. To answer a query, the SDK may also deliver events that came after the
run's last task, and caches the run in that state. Events that precede them in their task (signals, updates) are then
applied after them, but before them in a replay: its own history wedges the run. So such a query is refused, the SDK
evicts the run, and the caller retries. A run that gets no further task, because it was terminated, is read without the
undelivered events.

A run that ends in a workflow task, or is being archived in it, answers no query meanwhile: the server rejects an end
that a signal has overtaken, delivers the answer all the same, and has the task done again, with the signal before what
the answer told of. A run that has ended is replayed for a query, and answers.

One thread at a time works in a run. The SDK gives an eviction two seconds, then begins another one in a second thread
while the first is still at work. Nor is a thread interrupted that takes over two seconds, which on a busy machine is no
deadlock: the SDK raises an exception wherever the thread happens to be. Between two steps a task loses its next one and
never ends, and the worker, which waits for it, never stops. A run that does loop for ever keeps its thread.

A signal whose inputs do not fit its handler is dropped, as the SDK drops one that it cannot decode. Temporal's tools
send such signals; calling the handler would fail the workflow task and all retries of it.
"""

import inspect
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from temporalio import workflow
from temporalio.bridge.proto.workflow_completion import WorkflowActivationCompletion
from temporalio.converter import (
    SerializationContext,
    StorageDriverStoreContext,
    StorageDriverWorkflowInfo,
    WorkflowSerializationContext,
)
from temporalio.worker import (
    HandleSignalInput,
    UnsandboxedWorkflowRunner,
    WorkflowInboundInterceptor,
    WorkflowInstance,
    WorkflowInstanceDetails,
    WorkflowRunner,
)
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions
from temporalio.workflow import Info, _Definition

from elcano.graphs.contracts import ANSWER_MARK, MARKED_BYTES, TOO_EARLY
from elcano.graphs.plugin import load_registries
from elcano.workflows.carried_events import CarriedEvents

if TYPE_CHECKING:
    from temporalio.bridge.proto.workflow_activation import WorkflowActivation

PATIENCE: Final = 6
"""Maximum number of re-reads of a run while its next workflow task is awaited; after that it counts as one that gets
none."""
REMEMBERED: Final = 1_000
"""Runs of which that is counted."""
_NO_EVENTS: Final = ("query_workflow", "remove_from_cache")
_ENDS: Final = frozenset(
    {
        "complete_workflow_execution",
        "fail_workflow_execution",
        "cancel_workflow_execution",
        "continue_as_new_workflow_execution",
        "schedule_local_activity",
    }
)
"""Commands with which a run may end in the same task: it is archived by a local activity."""


def workflow_runner() -> WorkflowRunner:
    """Return the runner of the workflows of a worker."""
    load_registries()
    return InTurnRunner(UnsandboxedWorkflowRunner())


def checking_runner() -> WorkflowRunner:
    """Return the same in a sandbox: `graphs` and its imports pass through, all else is loaded anew in it."""
    load_registries()  # nothing can be imported while a workflow runs
    passed = SandboxRestrictions.default.with_passthrough_modules("elcano.graphs", "jmespath")
    return InTurnRunner(SandboxedWorkflowRunner(restrictions=passed))


class EventOrder:
    """Delivers events to runs only in their workflow tasks. One per worker; several of its threads use it."""

    def __init__(self) -> None:
        self._refused: Counter[tuple[str, int]] = Counter()
        """Number of times each run was kept from receiving its events up to a number; those of before are dropped."""

    def may_wait(self, run_id: str, length: int) -> bool:
        """Whether a run that is ahead of its tasks, up to event `length`, is to be read anew; counts that it was."""
        if self._refused[run_id, length] >= PATIENCE:
            return False
        self._refused[run_id, length] += 1
        if len(self._refused) > REMEMBERED:
            del self._refused[next(iter(self._refused))]
        return True


class InTurnRunner(WorkflowRunner):
    """A runner of the SDK's whose runs receive events in their turn."""

    def __init__(self, runner: WorkflowRunner) -> None:
        self._runner = runner
        self._in_turn = EventOrder()

    def prepare_workflow(self, defn: _Definition) -> None:
        """Load a workflow once, so that what is wrong with it is known before it runs."""
        self._runner.prepare_workflow(defn)

    def create_instance(self, det: WorkflowInstanceDetails) -> WorkflowInstance:
        """Create one run."""
        carried = CarriedEvents()
        added: list[type[WorkflowInboundInterceptor]] = [DropUnfitSignals, carried.make_interceptor()]
        det = replace(det, interceptor_classes=[*added, *det.interceptor_classes])
        return _Heard(self._runner.create_instance(det), det.info, self._in_turn, carried)

    def set_worker_level_failure_exception_types(self, types: Sequence[type[BaseException]]) -> None:
        """Set the exceptions that fail a run of this worker, and not its task."""
        self._runner.set_worker_level_failure_exception_types(types)


class DropUnfitSignals(WorkflowInboundInterceptor):
    """Drops signals with too few or too many inputs for their handler."""

    async def handle_signal(self, input: HandleSignalInput) -> None:
        """Call the handler if it takes these inputs."""
        handler = workflow.get_signal_handler(input.signal)
        if handler is not None:
            try:
                inspect.signature(handler).bind(*input.args)
            except TypeError as error:
                workflow.logger.warning("the signal %r was dropped: %s", input.signal, error)
                return
        await super().handle_signal(input)


class _Heard(WorkflowInstance):
    """A run that receives events in their turn; its payloads are all its own."""

    def __init__(self, run: WorkflowInstance, info: Info, in_turn: EventOrder, carried: CarriedEvents) -> None:
        self._run = run
        self._carried = carried
        target = StorageDriverWorkflowInfo(namespace=info.namespace, id=info.workflow_id)
        self._own = StorageDriverStoreContext(target=target)
        self._context = WorkflowSerializationContext(namespace=info.namespace, workflow_id=info.workflow_id)
        self._in_turn = in_turn
        self._last: tuple[int, int] | None = None
        """The time of the last workflow task, in nanoseconds, and the number of the last delivered event."""
        self._missed = False
        """Whether events that the SDK considers delivered were not."""
        self._ends_now = False
        """Whether it ended in a task of which it is not known that the server accepted it."""
        self._at_work = threading.Lock()

    def activate(self, act: "WorkflowActivation") -> WorkflowActivationCompletion:
        with self._at_work:
            return self._activate(act)

    def _activate(self, act: "WorkflowActivation") -> WorkflowActivationCompletion:
        if any(job.WhichOneof("variant") not in _NO_EVENTS for job in act.jobs):
            if self._missed:
                return _refuse_activation(act)
            if self._is_ahead(act):
                if self._in_turn.may_wait(act.run_id, act.history_length):
                    return _refuse_activation(act)
                self._missed = True
                completion = WorkflowActivationCompletion(run_id=act.run_id)
                completion.successful.SetInParent()
                return completion
        if self._ends_now and any(job.HasField("query_workflow") for job in act.jobs):
            return _refuse_queries(act)
        completion = self._run.activate(act)
        ends = any(one.WhichOneof("variant") in _ENDS for one in completion.successful.commands)
        if any(job.WhichOneof("variant") not in _NO_EVENTS for job in act.jobs):
            self._ends_now = ends and not act.is_replaying
        self._carried.attach(completion)
        return _mark_query_answers(completion)

    def _is_ahead(self, act: "WorkflowActivation") -> bool:
        """Whether it reports events that no workflow task has reported: later events at the same time."""
        before, self._last = self._last, (act.timestamp.ToNanoseconds(), act.history_length)
        return before is not None and self._last[0] == before[0] and self._last[1] > before[1]

    def get_serialization_context(self, command_info: object) -> SerializationContext | None:
        """Return the workflow for all its payloads: only the codec asks, and whose they are is all that it asks."""
        return self._context

    def get_external_store_context(self, command_info: object) -> StorageDriverStoreContext:
        return self._own

    def get_info(self) -> Info:
        return self._run.get_info()

    def get_thread_id(self) -> int | None:
        """Return no thread: it is asked for only to be interrupted."""
        return None


def _mark_query_answers(completion: WorkflowActivationCompletion) -> WorkflowActivationCompletion:
    """The same, with its large answers to queries marked: those of the SDK's own too, which the Temporal UI asks."""
    for command in completion.successful.commands:
        if command.respond_to_query.HasField("succeeded"):
            answer = command.respond_to_query.succeeded.response
            if answer.ByteSize() >= MARKED_BYTES:
                answer.metadata[ANSWER_MARK] = b"true"
    return completion


def _refuse_queries(act: "WorkflowActivation") -> WorkflowActivationCompletion:
    """Have the caller of each query ask again."""
    completion = WorkflowActivationCompletion(run_id=act.run_id)
    for job in act.jobs:
        answer = completion.successful.commands.add().respond_to_query
        answer.query_id = job.query_workflow.query_id
        answer.failed.message = TOO_EARLY
        answer.failed.application_failure_info.type = "TooEarly"
    return completion


def _refuse_activation(act: "WorkflowActivation") -> WorkflowActivationCompletion:
    """Fail this activation, so that the SDK evicts the run."""
    completion = WorkflowActivationCompletion(run_id=act.run_id)
    completion.failed.failure.message = TOO_EARLY
    completion.failed.failure.application_failure_info.type = "TooEarly"
    return completion
