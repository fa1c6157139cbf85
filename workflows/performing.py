"""From a command of the engine to activities, and from what became of them to an entry of the log."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, RetryState, TimeoutError

with workflow.unsafe.imports_passed_through():
    from graphs.budget import Usage
    from graphs.commands import Call, CallAgent, CallTool, Entry, StepCompleted, StepFailed
    from graphs.contracts import (
        RUN_AGENT,
        RUN_TOOL,
        AgentCall,
        AgentResult,
        FailureDetails,
        FailureType,
        ResearchInput,
        ToolCall,
        ToolResult,
    )
    from graphs.frozen import JsonObject
    from graphs.journal import Journal
    from graphs.safety import broken_sources
    from graphs.state import Failure
    from graphs.tools import ItemOutcome, ItemOutcomes
    from workflows import policies

Result = TypeVar("Result")


@dataclass(frozen=True)
class Lost:
    """A call that failed for good, and what its attempts used."""

    failure: Failure
    usage: Usage


class Performer:
    """Performs the calls of agents and tools for one run."""

    def __init__(self, asked: ResearchInput, journal: Journal) -> None:
        self._asked = asked
        self._journal = journal

    async def perform(self, work: Call) -> Entry:
        """Does what `work` says; a failure for good is an entry too, never an exception."""
        match work:
            case CallAgent():
                return await self._call_agent(work)
            case CallTool():
                return await self._call_tool(work)

    async def _call_agent(self, work: CallAgent) -> Entry:
        call = AgentCall(
            run_id=self._asked.run_id,
            step=work.step,
            node=work.node,
            agent=work.agent,
            input=work.input,
            models=self._asked.models,
        )
        activity = workflow.execute_activity(
            RUN_AGENT,
            call,
            result_type=AgentResult,
            activity_id=f"{work.step:04d}-{work.node}",
            summary=f"{work.agent} agent, iteration {work.input.get('iteration', 1)}",
            **policies.AGENT,
        )
        result = await _outcome(work.node, activity, policies.AGENT)
        if isinstance(result, Lost):
            return self._failed(work, result)
        return self._completed(work, result.output, usage=result.usage, model=result.model)

    async def _call_tool(self, work: CallTool) -> Entry:
        """All items at once; with `for_each` an item that fails is data, without it fails the node."""
        results = await asyncio.gather(*(self._call_item(work, item) for item in range(len(work.inputs))))
        if not work.for_each:
            (only,) = results
            return self._failed(work, only) if isinstance(only, Lost) else self._completed(work, only.output)
        outcomes = [
            ItemOutcome(index=index, input=given, error=result.failure.message, error_type=result.failure.type)
            if isinstance(result, Lost)
            else ItemOutcome(index=index, input=given, output=result.output)
            for index, (given, result) in enumerate(zip(work.inputs, results, strict=True))
        ]
        return self._completed(work, ItemOutcomes(items=tuple(outcomes)).model_dump(mode="json"))

    async def _call_item(self, work: CallTool, item: int) -> ToolResult | Lost:
        given = work.inputs[item]
        if (source := given.get("source")) in broken_sources(self._journal.run.state):
            message = f"{source!r} failed too often in this run"
            return Lost(Failure(node=work.node, type="CircuitOpen", message=message, attempts=0), Usage())
        call = ToolCall(
            run_id=self._asked.run_id, step=work.step, node=work.node, item=item, tool=work.tool, input=given
        )
        described = given.get("query") or work.tool
        activity = workflow.execute_activity(
            RUN_TOOL,
            call,
            result_type=ToolResult,
            activity_id=f"{work.step:04d}-{work.node}" + (f"-{item + 1}" if work.for_each else ""),
            summary=str(described)[:200],
            **policies.TOOL,
        )
        return await _outcome(work.node, activity, policies.TOOL)

    def _completed(self, work: Call, output: JsonObject, *, usage: Usage | None = None, model: str = "") -> Entry:
        return StepCompleted(
            step=work.step, node=work.node, at=self._elapsed(), output=output, usage=usage or Usage(), model=model
        )

    def _failed(self, work: Call, lost: Lost) -> Entry:
        return StepFailed(step=work.step, node=work.node, at=self._elapsed(), failure=lost.failure, usage=lost.usage)

    def _elapsed(self) -> float:
        return self._journal.elapsed(workflow.time())


async def _outcome(node: str, activity: Awaitable[Result], policy: policies.Policy) -> Result | Lost:
    """The result of an activity, or why it failed for good. A cancellation stays an exception."""
    try:
        return await activity
    except ActivityError as error:
        cause = error.cause
        if isinstance(cause, ApplicationError):
            return _given_up(node, cause)
        if isinstance(cause, TimeoutError):
            spent = error.retry_state == RetryState.MAXIMUM_ATTEMPTS_REACHED
            attempts = policy["retry_policy"].maximum_attempts if spent else 1
            message = f"no answer in time ({cause.message})"
            return Lost(Failure(node=node, type="Timeout", message=message, attempts=attempts), Usage())
        raise


def failure(node: str, error: BaseException) -> Failure:
    """An exception that ended the run, as data."""
    cause = error.cause if isinstance(error, ActivityError) and error.cause else error
    kind = cause.type if isinstance(cause, ApplicationError) and cause.type else type(cause).__name__
    return Failure(node=node, type=kind, message=str(cause)[:2_000])


def _given_up(node: str, cause: ApplicationError) -> Lost:
    """Our own activities say in the details how often they were tried and what that used."""
    kind = cause.type or "ApplicationError"
    details = FailureDetails.model_validate(cause.details[0]) if cause.details else FailureDetails(attempt=1)
    failure = Failure(
        node=node,
        type=kind,
        message=cause.message[:2_000],
        attempts=details.attempt,
        fatal=kind == FailureType.MODEL_REFUSED,
    )
    return Lost(failure, details.usage)
