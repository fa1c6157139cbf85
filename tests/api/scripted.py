"""A research workflow that does what a test signals, under the real names, and counts who asks it."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError, ChildWorkflowError
from temporalio.worker import Worker

from elcano.graphs.contracts import (
    ARCHIVE_RUN,
    CONTROL_UPDATE,
    PROGRESS_QUERY,
    RESEARCH_WORKFLOW,
    SNAPSHOT_QUERY,
    BranchOf,
    RunStatus,
)
from elcano.graphs.engine.approvals import ApproveCall, ApprovePlan, RefuseCall, RefusePlan
from elcano.graphs.engine.control_actions import AddBudget, Pause, RollBack, Stop, Unpause
from elcano.graphs.engine.steering import AnswerQuestions, Steer, Steering
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.records import ArchiveCall, ArchivedRun, ProgressPage, RunSnapshot
from elcano.graphs.run_contracts import ControlAnswer, ControlRequest, ResearchInput
from elcano.graphs.state.branches import branch_states
from elcano.graphs.state.budget import TopUp
from elcano.graphs.state.events import AgentEvent, EventType
from elcano.graphs.state.failures import Ending, Hold
from elcano.storage.store import Store
from elcano.workflows.sandbox import workflow_runner

PAGE = 3
"""Small, so that a handful of events makes several pages."""

queries: Counter[str] = Counter()
"""How often each run was asked for its progress."""
starts: Counter[str] = Counter()
"""How often a workflow of each question began."""


class ScriptedInput(ResearchInput):
    told: tuple[AgentEvent, ...] = ()
    """Events from before the run was continued as new."""


_ANSWERS: dict[str, Json] = {
    "answer_questions": {"questions": [{"id": "q1", "question": "For whom?", "answer": "Adults"}]},
    "steer": Steering(step=8).model_dump(mode="json"),
    "approve_plan": {"title": "A plan", "sections": [{"title": "Costs", "question": "What of costs?"}]},
    "refuse_plan": None,
    "approve_call": {"call": "0003-open_ticket", "server": "tickets", "tool": "open_ticket"},
    "refuse_call": {"call": "0003-open_ticket", "server": "tickets", "tool": "open_ticket"},
}
"""What the scripted run answers to actions that it has no use for."""


@workflow.defn(name=RESEARCH_WORKFLOW)
class ScriptedWorkflow:
    @workflow.init
    def __init__(self, asked: ScriptedInput) -> None:
        self._asked = asked
        self._events = list(asked.told)
        self._order = ""
        self._hold: Hold | None = None
        self._limits = asked.limits
        self._refusal = ""
        if not self._events:  # here, because a signal may be handled before `run` begins
            self._tell("started")

    @workflow.run
    async def run(self, asked: ScriptedInput) -> None:
        if not workflow.unsafe.is_replaying():
            starts[asked.question] += 1
        try:
            await workflow.wait_condition(lambda: self._order != "")
        except asyncio.CancelledError:
            await self._close("cancelled")
            raise
        if self._order == "continue":
            workflow.continue_as_new(asked.model_copy(update={"told": tuple(self._events)}))
        if self._order == "break":
            raise ApplicationError("a wheel came off", type="Broken")
        if self._order == "break at length":
            raise ApplicationError("a wheel came off", "why " * 20_000, type="Broken")
        if self._order == "vanish":
            return
        await self._close("completed")

    async def _close(self, status: RunStatus) -> None:
        self._tell("cancelled" if status == "cancelled" else "complete")
        await workflow.execute_activity(
            ARCHIVE_RUN,
            ArchiveCall(run=self._archived(status), events=tuple(self._events)),
            start_to_close_timeout=timedelta(seconds=10),
        )

    @workflow.signal(unfinished_policy=workflow.HandlerUnfinishedPolicy.ABANDON)
    async def branch(self, name: str) -> None:
        """Starts a branch; it is complete when it ends, however it does."""
        outer = self._asked.branch_of
        run_id = f"{self._asked.run_id}.{name}"
        path = f"{outer.path}/{name}" if outer else name
        self._tell("branch_started", branch=name, data={"run_id": run_id, "question": f"What of {name}?"})
        branch_of = BranchOf(run_id=outer.run_id if outer else self._asked.run_id, path=path, section=name)
        with suppress(ChildWorkflowError):
            await workflow.execute_child_workflow(
                RESEARCH_WORKFLOW,
                self._asked.model_copy(update={"run_id": run_id, "branch_of": branch_of, "told": ()}),
                id=run_id,
                parent_close_policy=workflow.ParentClosePolicy.REQUEST_CANCEL,
            )
        self._tell("branch_complete", branch=name, data={"status": "drafted"})

    @workflow.signal(unfinished_policy=workflow.HandlerUnfinishedPolicy.ABANDON)
    async def write(self, attempts: int) -> None:
        """Has an agent write, and tells of it before and after; it may try so often."""
        step = len(self._events) + 1
        self._tell("synthesizing", node="writer", step=step)
        with suppress(ActivityError):
            await workflow.execute_activity(
                "writer",
                step,
                activity_id=f"{step:04d}-writer",
                start_to_close_timeout=timedelta(minutes=5),
                heartbeat_timeout=timedelta(seconds=4),
                retry_policy=RetryPolicy(initial_interval=timedelta(seconds=1), maximum_attempts=attempts),
            )
        self._tell("synthesizing", node="writer", step=step)

    @workflow.signal
    def emit(self, count: int) -> None:
        for _ in range(count):
            self._tell("thinking")

    @workflow.signal
    def order(self, what: str) -> None:
        self._order = what

    @workflow.query(name=PROGRESS_QUERY)
    def progress(self, since: int) -> ProgressPage:
        queries[self._asked.run_id] += 1
        page = self._events[since : since + PAGE]
        last = page[-1].seq if page else since
        return ProgressPage(
            events=tuple(page), last=last, more=last < len(self._events), done=bool(page) and page[-1].terminal
        )

    @workflow.query
    def all_events(self) -> list[AgentEvent]:
        """For tests that wait until something was told."""
        return self._events

    @workflow.query(name=SNAPSHOT_QUERY)
    def snapshot(self) -> RunSnapshot:
        return RunSnapshot(
            run_id=self._asked.run_id,
            question=self._asked.question,
            mode=self._asked.mode,
            graph=self._asked.graph.name,
            node="thinking",
            stage="researching",
            step=7,
            iteration=2,
            evidence=1,
            evidence_ids=("e-1",),
            last_event=len(self._events),
            hold=self._hold,
            branches=branch_states(self._events),
        )

    @workflow.update(name=CONTROL_UPDATE)
    def control(self, request: ControlRequest) -> ControlAnswer:
        match request.action:
            case AddBudget(extra=extra):
                self._hold = None
                self._limits = extra.added_to(self._limits)
                return ControlAnswer(answer=self._limits.model_dump(mode="json"))
            case Stop(reason=reason):
                self._tell("ending_early", reason)
                self._order = "complete"
                return ControlAnswer()
            case Steer() | AnswerQuestions() | ApprovePlan() | RefusePlan() | ApproveCall() | RefuseCall() as action:
                return ControlAnswer(answer=_ANSWERS[action.kind])
            case RollBack(step=step):
                return ControlAnswer(answer={"step": step})
            case Pause() | Unpause():
                self._tell("paused" if request.action.kind == "pause" else "unpaused", request.by)
                return ControlAnswer()

    @control.validator
    def _can_be_controlled(self, request: ControlRequest) -> None:
        match request.action:
            case AddBudget(extra=TopUp(steps=1)) | Stop(reason="refuse me"):
                raise ApplicationError("the run is writing its report")
            case AddBudget() if self._refusal:
                raise ApplicationError(self._refusal)

    @workflow.signal
    def refuse(self, reason: str) -> None:
        """Has top-ups refused from now on; without a reason they are taken again."""
        self._refusal = reason

    @workflow.signal
    def pause(self, detail: str) -> None:
        ending = Ending(kind="tokens", detail=detail)
        self._hold = Hold(reason="budget", node="thinking", detail=detail, ending=ending)

    def _tell(
        self,
        kind: EventType,
        message: str = "",
        *,
        branch: str = "",
        data: JsonObject | None = None,
        node: str = "",
        step: int = 0,
    ) -> None:
        number = len(self._events) + 1
        outer = self._asked.branch_of
        event = AgentEvent(
            seq=number,
            type=kind,
            message=message or f"event {number}",
            at=workflow.time(),
            step=step or number,
            node=node,
            iteration=1,
            path="/".join(filter(None, (outer.path if outer else "", branch))),
            section=branch or (outer.section if outer else ""),
            data=data or {},
        )
        self._events.append(event)

    def _archived(self, status: RunStatus) -> ArchivedRun:
        return ArchivedRun(
            run_id=self._asked.run_id,
            question=self._asked.question,
            mode=self._asked.mode,
            tenant=self._asked.tenant,
            status=status,
            started_at=workflow.time(),
            finished_at=workflow.time(),
            branch_of=self._asked.branch_of,
            branches=branch_states(self._events),
        )


def archiving(store: Store) -> Callable[[ArchiveCall], Awaitable[None]]:
    """The activity that archives runs into `store`."""

    @activity.defn(name=ARCHIVE_RUN)
    async def archive(call: ArchiveCall) -> None:
        await store.of(call.run.tenant).runs.archive(call.run, call.events)

    return archive


def worker(client: Client, store: Store, task_queue: str, *more: Callable[..., object]) -> Worker:
    """A worker for scripted runs that archives into `store`, with `more` activities; use it with `async with`."""
    return Worker(
        client,
        task_queue=task_queue,
        workflows=[ScriptedWorkflow],
        activities=[archiving(store), *more],
        workflow_runner=workflow_runner(),
        max_heartbeat_throttle_interval=timedelta(milliseconds=100),
    )
