"""From a command of the engine to activities, and from what became of them to an entry of the log.

Nothing that was paid for goes uncounted: an activity says what it used however it ends, and of one that could not say
it (it was cut off, or nobody answered in time) the ledger is asked.
"""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final, Literal, TypeAlias, TypedDict, TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, CancelledError, RetryState, TimeoutError

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.catalogue.tools import ItemOutcome, ItemOutcomes
    from elcano.graphs.contracts import (
        READ_USAGE,
        RUN_AGENT,
        RUN_TOOL,
        AgentCall,
        AgentResult,
        ResearchInput,
        ToolCall,
        ToolResult,
        UsageQuestion,
    )
    from elcano.graphs.engine.commands import Call, CallAgent, CallTool
    from elcano.graphs.engine.entries import Held, StepAbandoned, StepCompleted, StepFailed
    from elcano.graphs.engine.safety import broken_sources
    from elcano.graphs.frozen import JsonObject
    from elcano.graphs.journal.journal import Journal
    from elcano.graphs.values.budget import Usage
    from elcano.graphs.values.failures import FailureDetails, FailureType
    from elcano.graphs.values.state import Ending, Failure, Hold
    from elcano.workflows import policies

Result = TypeVar("Result")
Outcome: TypeAlias = StepCompleted | StepFailed | StepAbandoned | Held
"""What can become of a call."""

TIMEOUT: Final = "Timeout"
_TOO_SLOW: Final = "TemporalTimeout:StartToClose"
"""How Temporal's server names the failure of an activity that a worker began and did not end in time."""


class Place(TypedDict):
    """The fields of an entry that say which step is done."""

    step: int
    node: str
    at: float
    waited: float


@dataclass(frozen=True)
class Lost:
    """A call that ended without an answer."""

    failure: Failure
    usage: Usage | None = None
    """What its attempts used; None: it could not say."""
    retry_after: float | None = None
    progress: JsonObject = field(default_factory=dict)
    abandoned: bool = False
    """It was given up, and did not fail by itself."""


class Performer:
    """Performs the calls of agents and tools for one run."""

    def __init__(self, asked: ResearchInput, journal: Journal) -> None:
        self._asked = asked
        self._journal = journal

    async def perform(self, work: Call) -> Outcome:
        """Does what `work` says; a failure is an entry too, never an exception, also if the call is given up."""
        match work:
            case CallAgent():
                return self._in_time(await self._call_agent(work))
            case CallTool():
                return self._in_time(await self._call_tool(work))

    async def given_up(self, task: "asyncio.Task[Outcome]", work: Call, ending: Ending | None) -> Outcome:
        """What became of a call that is cut off now. It may say what it used; an answer that came after all is kept."""
        task.cancel()
        patience = asyncio.create_task(workflow.sleep(policies.PARTING, summary="for what the call used"))
        await workflow.wait_condition(lambda: task.done() or patience.done())
        patience.cancel()
        usage = Usage()
        if not task.done():  # nobody knows: its estimate is charged
            guess = work.estimate.tokens if isinstance(work, CallAgent) else 0
            usage = Usage(input_tokens=guess, estimated=bool(guess))
        elif not task.cancelled():
            entry = task.result()
            if isinstance(entry, StepCompleted):
                return entry
            usage = entry.usage
        return StepAbandoned(step=work.step, node=work.node, at=self._elapsed(), ending=ending, usage=usage)

    async def _call_agent(self, work: CallAgent) -> Outcome:
        call = AgentCall(
            run_id=self._asked.run_id,
            step=work.step,
            node=work.node,
            agent=work.agent,
            input=work.input,
            models=self._asked.models,
            progress=work.progress,
            told=self._journal.last,
            allowance=work.allowance,
        )
        activity_id = f"{work.step:04d}-{work.node}" + (f".{work.tries + 1}" if work.tries else "")
        summary = f"{work.agent} agent, iteration {work.input.get('iteration', 1)}"
        activity = workflow.execute_activity(
            RUN_AGENT,
            call,
            result_type=AgentResult,
            activity_id=activity_id,
            summary=summary + (f", try {work.tries + 1}" if work.tries else ""),
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
            **self._bound(policies.AGENT),
        )
        result = await _outcome(work.node, activity, policies.AGENT)
        if isinstance(result, AgentResult):
            return StepCompleted(
                **self._place(work, result.waited),
                output=result.output,
                usage=result.usage,
                model=result.model,
                told=result.told,
            )
        usage = await self.used(activity_id) if result.usage is None else result.usage
        if (reason := self._held_for(result)) is not None:
            return self._held(work, result, reason, usage)
        return self._failed(work, result, usage)

    async def _call_tool(self, work: CallTool) -> Outcome:
        """All items at once; with `for_each` an item that fails is data, without it fails the node."""
        try:
            results = await asyncio.gather(*(self._call_item(work, item) for item in range(len(work.inputs))))
        except asyncio.CancelledError:  # each item has ended nevertheless
            return StepAbandoned(step=work.step, node=work.node, at=self._elapsed())
        if any(isinstance(result, Lost) and result.abandoned for result in results):
            return StepAbandoned(step=work.step, node=work.node, at=self._elapsed())
        answered = [result for result in results if isinstance(result, ToolResult)]
        place = self._place(work, min((result.waited for result in answered), default=0.0))
        told = max((result.told for result in answered), default=0)
        if not work.for_each:
            (only,) = results
            if isinstance(only, Lost):
                return self._failed(work, only, Usage())
            return StepCompleted(**place, output=only.output, told=told)
        outcomes = [
            ItemOutcome(index=index, input=given, error=result.failure.message, error_type=result.failure.type)
            if isinstance(result, Lost)
            else ItemOutcome(index=index, input=given, output=result.output)
            for index, (given, result) in enumerate(zip(work.inputs, results, strict=True))
        ]
        return StepCompleted(**place, output=ItemOutcomes(items=tuple(outcomes)).model_dump(mode="json"), told=told)

    async def _call_item(self, work: CallTool, item: int) -> ToolResult | Lost:
        given = work.inputs[item]
        if (source := given.get("source")) in broken_sources(self._journal.run.state, self._journal.run.figures):
            message = f"{source!r} failed too often in this run"
            return Lost(Failure(node=work.node, type="CircuitOpen", message=message, attempts=0))
        call = ToolCall(
            run_id=self._asked.run_id,
            step=work.step,
            node=work.node,
            item=item,
            tool=work.tool,
            input=given,
            told=self._journal.last,
        )
        described = given.get("query") or work.tool
        activity = workflow.execute_activity(
            RUN_TOOL,
            call,
            result_type=ToolResult,
            activity_id=f"{work.step:04d}-{work.node}" + (f"-{item + 1}" if work.for_each else ""),
            summary=str(described)[:200],
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
            **self._bound(policies.TOOL),
        )
        return await _outcome(work.node, activity, policies.TOOL)

    async def used(self, activity_id: str = "", *, run_id: str = "") -> Usage:
        """What the ledger has of an activity of this run, or of a whole branch."""
        usage: Usage = await workflow.execute_activity(
            READ_USAGE,
            UsageQuestion(run_id=run_id or self._asked.run_id, activity=activity_id),
            result_type=Usage,
            summary=f"what {activity_id or run_id} used",
            **policies.BOOKS,
        )
        return usage

    def _in_time(self, entry: Outcome) -> Outcome:
        """If the first call took all the time that there is for research, that is up."""
        budget = self._journal.run.budget
        if self._journal.begun or not isinstance(entry, StepFailed) or entry.failure.type != TIMEOUT:
            return entry
        at = budget.research_seconds()
        ending = Ending(kind="time", detail=f"the first call took longer than the {at:g} s that there are for research")
        return StepAbandoned(step=entry.step, node=entry.node, at=at, ending=ending, usage=entry.usage)

    def _bound(self, policy: policies.Policy) -> policies.Policy:
        """The first call ends with the time for research, whoever waits for a worker: until then no clock runs."""
        if self._journal.begun:
            return policy
        seconds = timedelta(seconds=self._journal.run.budget.research_seconds())
        retries = policy["retry_policy"]
        return policies.Policy(
            schedule_to_close_timeout=seconds + policies.WORKER_GRACE,
            start_to_close_timeout=min(policy["start_to_close_timeout"], seconds),
            heartbeat_timeout=policy["heartbeat_timeout"],
            retry_policy=replace(
                retries, non_retryable_error_types=[*(retries.non_retryable_error_types or ()), _TOO_SLOW]
            ),
        )

    def _held_for(self, lost: Lost) -> Literal["provider", "person"] | None:
        """Why the call is made again later; None if it is not."""
        if lost.abandoned:
            return None
        if lost.failure.type == FailureType.PROVIDER:
            return "provider"
        waits = self._journal.run.budget.limits.when_exhausted == "pause"
        return "person" if lost.failure.type == FailureType.MODEL_REFUSED and waits else None

    def _held(self, work: CallAgent, lost: Lost, reason: Literal["provider", "person"], usage: Usage) -> Held:
        now = workflow.time()
        earlier = self._journal.run.tried
        tries = work.tries + 1
        seconds = policies.hold_seconds(reason, tries, lost.retry_after)
        hold = Hold(
            reason=reason,
            node=work.node,
            agent=work.agent,
            type=lost.failure.type,
            detail=lost.failure.message,
            tries=tries,
            since=now if earlier is None else earlier.since,
            until=now + seconds,
            seconds=seconds,
        )
        return Held(step=work.step, node=work.node, at=self._elapsed(), hold=hold, progress=lost.progress, usage=usage)

    def _place(self, work: Call, waited: float) -> Place:
        """Which step is done and when; what nobody was free to do is nobody's research time."""
        at = max(0.0, self._elapsed() - waited)
        return {"step": work.step, "node": work.node, "at": at, "waited": waited}

    def _failed(self, work: Call, lost: Lost, usage: Usage) -> Outcome:
        if lost.abandoned:
            return StepAbandoned(step=work.step, node=work.node, at=self._elapsed(), usage=usage)
        return StepFailed(step=work.step, node=work.node, at=self._elapsed(), failure=lost.failure, usage=usage)

    def _elapsed(self) -> float:
        return self._journal.elapsed(workflow.time())


async def _outcome(node: str, activity: Awaitable[Result], policy: policies.Policy) -> Result | Lost:
    """The result of an activity, or why there is none. It ends only when the activity has, also if it is given up."""
    try:
        return await activity
    except ActivityError as error:
        cause = error.cause
        if isinstance(cause, ApplicationError):
            lost = _lost(node, cause)
            if error.retry_state != RetryState.TIMEOUT:
                return lost
            return replace(lost, failure=lost.failure.model_copy(update={"type": TIMEOUT}))
        if isinstance(cause, TimeoutError):
            spent = error.retry_state == RetryState.MAXIMUM_ATTEMPTS_REACHED
            attempts = policy["retry_policy"].maximum_attempts if spent else 1
            message = f"no answer in time ({cause.message})"
            return Lost(
                Failure(node=node, type=TIMEOUT, message=message, attempts=attempts),
                abandoned=error.retry_state == RetryState.CANCEL_REQUESTED,
            )
        if isinstance(cause, CancelledError):
            return Lost(Failure(node=node, type=FailureType.ABANDONED, message="it was given up"), abandoned=True)
        raise


def failure(node: str, error: BaseException) -> Failure:
    """An exception that ended the run, as data."""
    cause = error.cause if isinstance(error, ActivityError) and error.cause else error
    kind = cause.type if isinstance(cause, ApplicationError) and cause.type else type(cause).__name__
    return Failure(node=node, type=kind, message=str(cause)[:2_000])


def _lost(node: str, cause: ApplicationError) -> Lost:
    """Our own activities say in the details how often they were tried and what that used."""
    kind = cause.type or "ApplicationError"
    details = FailureDetails.model_validate(cause.details[0]) if cause.details else FailureDetails(attempt=1)
    failure = Failure(
        node=node,
        type=kind,
        message=cause.message[:2_000],
        attempts=details.attempt,
        exhausted=details.exhausted,
        fatal=kind == FailureType.MODEL_REFUSED,
    )
    return Lost(failure, details.usage, details.retry_after, details.progress, abandoned=kind == FailureType.ABANDONED)
