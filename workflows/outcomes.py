"""The outcome of an activity, as data: its result or why there is none, and the entry that it becomes.

All paid usage is counted: an activity reports its usage however it ends, and if it could not (it was cut off, or did
not answer in time) the ledger is asked.
"""

from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar

from temporalio import workflow
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    CancelledError,
    RetryState,
    TimeoutError,
    TimeoutType,
)

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.catalogue.tools import ItemOutcome, ItemOutcomes
    from elcano.graphs.contracts import ToolResult
    from elcano.graphs.engine.entries import Call, CallTool, Held, StepAbandoned, StepCompleted, StepFailed
    from elcano.graphs.frozen import Json, JsonObject
    from elcano.graphs.state.budget import Usage
    from elcano.graphs.state.failures import Failure, FailureDetails, FailureType
    from elcano.workflows import retry_policies

Result = TypeVar("Result")
Outcome: TypeAlias = StepCompleted | StepFailed | StepAbandoned | Held
"""The possible outcomes of a call."""


@dataclass(frozen=True)
class LostCall:
    """A call that ended without an answer."""

    failure: Failure
    usage: Usage | None = None
    """The usage of its attempts; None: it could not be reported."""
    retry_after: float | None = None
    progress: JsonObject = field(default_factory=dict)
    abandoned: bool = False
    """Whether it was abandoned, and did not fail by itself."""


async def await_outcome(node: str, activity: Awaitable[Result], policy: retry_policies.Policy) -> Result | LostCall:
    """The result of an activity, or why there is none. It ends only when the activity has, also if it is given up."""
    try:
        return await activity
    except ActivityError as error:
        cause = error.cause
        if isinstance(cause, ApplicationError):
            if cause.type == FailureType.TIMEOUT:  # its last try was too slow, as the attempt after that says
                return _build_timeout_loss(node, cause.message, error, policy)
            lost = _loss_from_error(node, cause)
            if error.retry_state != RetryState.TIMEOUT:
                return lost
            return replace(lost, failure=lost.failure.model_copy(update={"type": FailureType.TIMEOUT}))
        if isinstance(cause, TimeoutError):
            lost = _build_timeout_loss(node, f"no answer in time ({cause.message})", error, policy)
            if cause.type != TimeoutType.SCHEDULE_TO_START:
                return lost
            message = f"no worker began the call ({cause.message}): all are busy, or none has what it takes"
            never = {"type": FailureType.PROVIDER, "message": message, "attempts": 0}
            return replace(lost, failure=lost.failure.model_copy(update=never))
        if isinstance(cause, CancelledError):
            return LostCall(Failure(node=node, type=FailureType.ABANDONED, message="it was given up"), abandoned=True)
        raise


def _build_timeout_loss(node: str, message: str, error: ActivityError, policy: retry_policies.Policy) -> LostCall:
    """Build the failure of a call whose usage is unknown."""
    spent = error.retry_state == RetryState.MAXIMUM_ATTEMPTS_REACHED or isinstance(error.cause, ApplicationError)
    attempts = retry_policies.count_allowed_attempts(policy) if spent else 1
    if isinstance(error.cause, ApplicationError) and error.cause.details:
        attempts = _read_details(error.cause).attempt
    return LostCall(
        Failure(node=node, type=FailureType.TIMEOUT, message=message, attempts=attempts),
        abandoned=error.retry_state == RetryState.CANCEL_REQUESTED,
    )


def failure_from_error(node: str, error: BaseException) -> Failure:
    """An exception that ended the run, as data."""
    cause = error.cause if isinstance(error, ActivityError) and error.cause else error
    kind = cause.type if isinstance(cause, ApplicationError) and cause.type else type(cause).__name__
    return Failure(node=node, type=kind, message=str(cause)[:2_000])


def _loss_from_error(node: str, cause: ApplicationError) -> LostCall:
    """Our own activities say in the details how often they were tried and what that used."""
    kind = cause.type or "ApplicationError"
    details = _read_details(cause)
    failure = Failure(
        node=node,
        type=kind,
        message=cause.message[:2_000],
        attempts=details.attempt,
        exhausted=details.exhausted,
        fatal=kind == FailureType.MODEL_REFUSED,
    )
    return LostCall(
        failure, details.usage, details.retry_after, details.progress, abandoned=kind == FailureType.ABANDONED
    )


def _read_details(cause: ApplicationError) -> FailureDetails:
    """The details of a failure; a call that someone failed with Temporal's tools has others, or none."""
    with suppress(IndexError, ValueError):
        return FailureDetails.model_validate(cause.details[0])
    return FailureDetails(attempt=1)


def build_completed_step(work: Call, elapsed: float, waited: float, output: Json, last_event: int) -> StepCompleted:
    """Return the entry of a call that was answered; time spent waiting for a worker does not count as research time."""
    at = max(0.0, elapsed - waited)
    return StepCompleted(step=work.step, node=work.node, at=at, waited=waited, output=output, last_event=last_event)


def build_failed_outcome(work: Call, elapsed: float, lost: LostCall, usage: Usage) -> Outcome:
    """The entry of a call that was not answered: it failed, or was given up."""
    if lost.abandoned:
        return StepAbandoned(step=work.step, node=work.node, at=elapsed, usage=usage)
    return StepFailed(
        step=work.step, node=work.node, at=elapsed, failure=lost.failure, usage=usage, progress=lost.progress
    )


def mention_possible_write(work: CallTool, result: ToolResult | LostCall) -> ToolResult | LostCall:
    """Add to a lost tool call what its failure means: an earlier attempt may have reached the tool."""
    if work.tool != "call_tool" or isinstance(result, ToolResult) or result.failure.type != FailureType.TIMEOUT:
        return result
    message = f"{result.failure.message}; if the tool writes, it is unknown whether the write happened"
    return replace(result, failure=result.failure.model_copy(update={"message": message}))


def build_item_outcome(work: CallTool, item: int, result: ToolResult | LostCall) -> ItemOutcome:
    """Return the outcome of one item of a tool's step; its failure is data."""
    given = work.inputs[item]
    if isinstance(result, LostCall):
        return ItemOutcome(index=item, input=given, error=result.failure.message, error_type=result.failure.type)
    return ItemOutcome(index=item, input=given, output=result.output)


def build_item_progress(outcomes: dict[int, ItemOutcome]) -> JsonObject:
    """Return the outcomes of items in their order, as the output of their node and as what a hold keeps."""
    items = tuple(outcomes[item] for item in sorted(outcomes))
    return ItemOutcomes(items=items).model_dump(mode="json")
