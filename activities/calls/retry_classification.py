"""Turns every exception of an activity into one classified `ApplicationError`: final, retryable, or held.

Retries belong to Temporal alone, so this is the only place that decides about them. What a provider cannot answer now
(it is down, overloaded, asks to wait) is no failure of the call: it goes back to the run, which is held by it. So does
a store that cannot be used, once Temporal has retried the call for a while.
Exceptions are distinguished by their class; `refusals` has made them of what providers say. Raise the result `from
None`: Temporal writes causes into the history word for word, and a cause has neither been shortened nor cleaned of
keys.

The log has one line for a failure whose reason is known, and the cause's traceback for any other; the SDK would log the
traceback of the classified error for every attempt.
"""

import logging
from datetime import timedelta
from typing import Final

from pydantic import ValidationError
from pydantic_ai.exceptions import AgentRunError, FallbackExceptionGroup, UserError
from temporalio import activity
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from elcano.activities.calls.heartbeats import this_try
from elcano.activities.calls.model_failures import fault_of
from elcano.graphs.errors import (
    AnswerCutOff,
    AnswerDeclined,
    AnswerUnusable,
    ApprovalNeeded,
    BudgetExhausted,
    ElcanoError,
    InputInvalid,
    ModelBusy,
    ModelRefused,
    OutcomeUnknown,
    PromptTooLong,
    RequestRefused,
    SourceBusy,
    SourceRefused,
    ToolRefused,
    ToolUnavailable,
)
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.failures import FailureDetails, FailureType
from elcano.graphs.text import shorten_text
from elcano.redaction import without_secrets
from elcano.storage.health import STORE_OUTAGES, store_trouble

MESSAGE_CHARACTERS: Final = 1_000
OUTPUT_ATTEMPTS: Final = 2
"""Tries in which a model may answer in the wrong form, each of several requests: more only cost more."""
LONGEST_WAIT: Final = timedelta(days=1)
"""A provider that asks for more is asked again anyway."""
SHORT_WAIT: Final = timedelta(seconds=30)
"""Longest `Retry-After` that a search sleeps through, shown among what the run waits for. A longer one puts the run on
hold."""

_NEVER: Final = (
    (InputInvalid, FailureType.INPUT_INVALID),
    (BudgetExhausted, FailureType.BUDGET),
    (SourceRefused, FailureType.SOURCE_REFUSED),
    (ApprovalNeeded, FailureType.APPROVAL_NEEDED),
    (ToolRefused, FailureType.TOOL_REFUSED),
    (OutcomeUnknown, FailureType.OUTCOME_UNKNOWN),
    (ModelRefused, FailureType.MODEL_REFUSED),
    (PromptTooLong, FailureType.PROMPT_TOO_LONG),
    (RequestRefused, FailureType.REQUEST_REFUSED),
    (AnswerCutOff, FailureType.MODEL_CUT_OFF),
    (AnswerDeclined, FailureType.MODEL_DECLINED),
)
"""Failures after which the same call can never succeed; the last four were already repeated in other forms, if
possible."""


def classify_failure(
    error: Exception, usage: Usage | None = None, progress: JsonObject | None = None
) -> ApplicationError:
    """`error` as what Temporal should make of it; an `ApplicationError` is returned as it is.

    Within an activity its details are `FailureDetails`: which try failed, the `usage` of all attempts so far,
    and the `progress` that another try can continue with.
    """
    if isinstance(error, ApplicationError):
        return error
    sorted_error = _map_to_application_error(error)
    if not activity.in_activity():
        return sorted_error
    attempt = this_try()
    malformed_again = sorted_error.type == FailureType.MODEL_OUTPUT and attempt >= OUTPUT_ATTEMPTS
    wait = sorted_error.next_retry_delay
    details = FailureDetails(
        attempt=attempt,
        usage=usage or Usage(),
        retry_after=wait.total_seconds() if wait is not None else None,
        progress=progress or {},
        exhausted=error.exhausted if isinstance(error, BudgetExhausted) else None,
    )
    return ApplicationError(
        sorted_error.message,
        details.model_dump(mode="json"),
        type=sorted_error.type,
        non_retryable=sorted_error.non_retryable or malformed_again,
        next_retry_delay=sorted_error.next_retry_delay,
    )


def build_abandoned_error(usage: Usage) -> ApplicationError:
    """Return the error of a call that its run gave up, with the usage of all its attempts."""
    details = FailureDetails(attempt=this_try(), usage=usage)
    return ApplicationError(
        "the run gave the call up",
        details.model_dump(mode="json"),
        type=FailureType.ABANDONED,
        non_retryable=True,
        category=ApplicationErrorCategory.BENIGN,
    )


def safe_text(text: str) -> str:
    """`text` without keys, cut to 1,000 characters."""
    return shorten_text(without_secrets(text), MESSAGE_CHARACTERS)


def _map_to_application_error(error: Exception) -> ApplicationError:
    if isinstance(error, FallbackExceptionGroup):
        return _of_fallback(error)
    if isinstance(error, ValidationError):
        return _build_permanent_error(_format_validation_faults(error), FailureType.INPUT_INVALID)
    if isinstance(error, STORE_OUTAGES) and (outage := store_trouble(error)) is not None:
        return _build_retryable_error(outage, FailureType.STORE_DOWN)
    if isinstance(error, SourceBusy):
        return _build_busy_error(str(error), error.retry_after)
    fault = fault_of(error) or error
    for kind, name in _NEVER:
        if isinstance(fault, kind):
            return _build_permanent_error(str(fault), name)
    if isinstance(fault, AnswerUnusable):  # models vary, so one more attempt is worth it
        return _build_retryable_error(str(fault), FailureType.MODEL_OUTPUT)
    if isinstance(fault, ToolUnavailable):
        return _build_retryable_error(str(fault), FailureType.TOOL_UNAVAILABLE)
    if isinstance(fault, ModelBusy):
        return _build_hold_error(str(fault), fault.retry_after)
    name, text = type(error).__name__, str(error)
    if not isinstance(error, KNOWN):  # the text of a bug alone says little: that of a missing key is the key
        text = f"{name}: {text}" if text else name
    return _build_retryable_error(text or name, name)


def _of_fallback(group: FallbackExceptionGroup) -> ApplicationError:
    """All models of a fallback list failed: worth another try if it is for one of them, at the earliest time named.

    If it is for none, it is named after the first that could be asked at all.
    """
    members = [_map_to_application_error(error) for error in group.exceptions]
    each = MESSAGE_CHARACTERS // (len(members) + 1)
    message = "Every model of the fallback list failed: "
    message += "; ".join(shorten_text(member.message, each) for member in members)
    if busy := [member for member in members if member.type == FailureType.PROVIDER]:
        waits = [member.next_retry_delay for member in busy]
        known = [wait.total_seconds() for wait in waits if wait is not None]
        return _build_hold_error(message, min(known) if len(known) == len(waits) else None)
    kinds = [member.type or "" for member in members]
    if FailureType.MODEL_OUTPUT in kinds:
        return _build_retryable_error(message, FailureType.MODEL_OUTPUT)
    return _build_permanent_error(
        message, next((kind for kind in kinds if kind != FailureType.MODEL_REFUSED), kinds[0])
    )


def _build_permanent_error(message: str, kind: str) -> ApplicationError:
    return ApplicationError(safe_text(message), type=kind, non_retryable=True)


def _build_retryable_error(message: str, kind: str) -> ApplicationError:
    return ApplicationError(safe_text(message), type=kind)


def _build_hold_error(message: str, after: float | None) -> ApplicationError:
    """Return an error that Temporal does not retry: the run learns of it at once, shows a hold, and retries itself."""
    wait = None if after is None else timedelta(seconds=min(after, LONGEST_WAIT.total_seconds()))
    return ApplicationError(safe_text(message), type=FailureType.PROVIDER, non_retryable=True, next_retry_delay=wait)


def _build_busy_error(message: str, after: float | None) -> ApplicationError:
    """Retried by Temporal after the provider's delay if that is short; else, or if that fails, the run is held."""
    if after is not None and after > SHORT_WAIT.total_seconds():
        return _build_hold_error(message, after)
    wait = None if after is None else timedelta(seconds=after)
    return ApplicationError(safe_text(message), type=FailureType.PROVIDER, next_retry_delay=wait)


def _format_validation_faults(error: ValidationError) -> str:
    """Describe the faults of an input, field by field, without repeating the values."""
    faults = [
        f"{'.'.join(str(part) for part in fault['loc']) or 'input'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_input=False)
    ]
    return f"{error.title} is not valid: " + "; ".join(faults)


KNOWN: Final = (ElcanoError, AgentRunError, UserError, FallbackExceptionGroup, ValidationError, *STORE_OUTAGES)
"""Errors that sources, models, inputs and the store raise themselves; anything else is a bug or a broken machine."""


class FailureLines(logging.Filter):
    """Rewrites the SDK's records of failed activities; lets every record pass."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Gives a failed activity one log line, and keeps the traceback only for unexpected failures."""
        failure = record.exc_info[1] if record.exc_info else None
        if not isinstance(failure, ApplicationError):
            return True
        cause = failure.__context__
        record.msg = f"{_describe_failed_attempt(record)} failed ({failure.type}): {failure.message}"
        record.args = ()
        unexpected = cause is not None and not isinstance(cause, KNOWN)
        record.exc_info = (type(cause), cause, cause.__traceback__) if cause is not None and unexpected else None
        return True


def tell_failures_in_lines() -> None:
    """Has this process log failed activities so; doing it twice changes nothing."""
    log = activity.logger.base_logger
    if not any(isinstance(one, FailureLines) for one in log.filters):
        log.addFilter(FailureLines())


def _describe_failed_attempt(record: logging.LogRecord) -> str:
    """Which attempt of what failed, by the run, the step and the node."""
    info = getattr(record, "temporal_activity", {})
    step, _, node = str(info.get("activity_id", "")).partition("-")
    where = f"step {int(step)}, node {node}" if step.isdigit() else str(info.get("activity_id", "an activity"))
    return f"run {info.get('workflow_id', 'unknown')}, {where}, attempt {info.get('attempt', 1)}"
