"""What the log says of an activity that failed: one line if the reason is known, the cause's traceback if it is not.

The SDK logs a traceback for every failed attempt. Of a refused key or a provider that is busy it tells nothing, and it
is that of the sorted failure, not of what went wrong.
"""

import logging
from typing import Final

from pydantic import ValidationError
from pydantic_ai.exceptions import AgentRunError, FallbackExceptionGroup, UserError
from temporalio import activity
from temporalio.exceptions import ApplicationError

from elcano.graphs.errors import ElcanoError

KNOWN: Final = (ElcanoError, AgentRunError, UserError, FallbackExceptionGroup, ValidationError)
"""What sources, models and inputs say themselves; anything else is a bug or a broken machine."""


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
