"""What a worker has run is read back from its histories once a test is done with it: nothing may hang on its memory.

A worker that forgets every run after each of its tasks shows the same, and takes several times as long: every task, and
every query, does the work of all tasks before it again.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import islice

from temporalio.api.enums.v1 import EventType
from temporalio.client import Client, WorkflowHistory
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import Replayer, WorkflowInstance, WorkflowInstanceDetails, WorkflowRunner
from temporalio.workflow import _Definition

from elcano.workflows.chain import ChainWorkflow
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner
from tests.folding import every_log_handed_over

ENDED = frozenset(
    {
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW,
    }
)
"""Last events of runs that handed their log over. One that is open or was terminated may do so only as it is dropped
from memory, where nobody hears it: as far as it had got by then."""


READ = 12
"""So many executions are read back, in the order in which they began; of hundreds the others are alike."""


class NotingRunner(WorkflowRunner):
    """The workers' own, which notes what it runs."""

    def __init__(self) -> None:
        self.ran: dict[str, str] = {}
        """The workflow id of each execution."""
        self._own = workflow_runner()

    def prepare_workflow(self, defn: _Definition) -> None:
        self._own.prepare_workflow(defn)

    def set_worker_level_failure_exception_types(self, types: Sequence[type[BaseException]]) -> None:
        self._own.set_worker_level_failure_exception_types(types)

    def create_instance(self, det: WorkflowInstanceDetails) -> WorkflowInstance:
        self.ran[det.info.run_id] = det.info.workflow_id
        return self._own.create_instance(det)


async def histories(client: Client, ran: Mapping[str, str]) -> AsyncIterator[WorkflowHistory]:
    """Those of executions, but for workflows that have been deleted."""
    for run_id, workflow_id in ran.items():
        try:
            yield await client.get_workflow_handle(workflow_id, run_id=run_id).fetch_history()
        except RPCError as error:
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise


async def _each(read: Iterable[WorkflowHistory]) -> AsyncIterator[WorkflowHistory]:
    for history in read:
        yield history


@asynccontextmanager
async def read_back(client: Client) -> AsyncIterator[WorkflowRunner]:
    """Gives the runner for a worker that works in this block; replays in the end what it ran, branches too.

    Raises:
        AssertionError: a run hands over another log than it did.
        NondeterminismError: a task of a run would lead to other commands.
    """
    runner = NotingRunner()
    with every_log_handed_over() as handed:
        yield runner
    replayer = Replayer(
        workflows=[ResearchWorkflow, ChainWorkflow],
        data_converter=client.data_converter,
        workflow_runner=workflow_runner(),
        debug_mode=True,  # else a busy machine is taken for a workflow that does not yield, and nobody tries again here
    )
    first = dict(islice(runner.ran.items(), READ))
    read = [history async for history in histories(client, first)]
    with every_log_handed_over() as logs:
        await replayer.replay_workflows(_each(read), raise_on_replay_failure=True)
    cut_off = {history.workflow_id for history in read if history.events[-1].event_type not in ENDED}
    differ = [log.asked.run_id for log in logs if log not in handed and log.asked.run_id not in cut_off]
    assert not differ, f"read from their histories, runs hand over another log: {differ}"
