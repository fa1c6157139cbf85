"""Logs as JSON: one object a line, with the run, tenant and trace that an entry belongs to, and without secrets."""

import json
import logging
import time
from typing import Any, Final

from opentelemetry import trace  # its interface alone, which pydantic-ai imports too
from temporalio import activity
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from elcano.graphs.tenants import RunScoped
from elcano.measures import TENANT
from elcano.redaction import SafeFormatter, without_secrets

_EMPTY: Final = ""


class JsonFormatter(logging.Formatter):
    """Formats entries as JSON."""

    def __init__(self, program: str) -> None:
        super().__init__()
        self._program = program
        self._text = SafeFormatter("%(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        entry: dict[str, Any] = {
            "time": f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z",
            "level": record.levelname,
            "logger": record.name,
            "program": self._program,
            "message": without_secrets(record.getMessage()),
            **describe_context(),
        }
        if record.exc_info:
            entry["exception"] = without_secrets(self._text.formatException(record.exc_info))
        return json.dumps(entry, ensure_ascii=False)


def describe_context() -> dict[str, str]:
    """Describe whose work this task does: its run, tenant, step and trace, as far as they are known."""
    found = {"tenant": TENANT.get()}
    if activity.in_activity():
        info = activity.info()
        found |= {"run": info.workflow_id or _EMPTY, "activity": info.activity_id}
    context = trace.get_current_span().get_span_context()
    if context.is_valid:
        found |= {"trace_id": f"{context.trace_id:032x}", "span_id": f"{context.span_id:016x}"}
    return {name: value for name, value in found.items() if value}


class WorkNames(Interceptor):
    """Notes whose work an activity does; without traces and metrics, which do the same."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Note it before each attempt."""
        return _NamedAttempt(next)


class _NamedAttempt(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        if input.args and isinstance(given := input.args[0], RunScoped):
            TENANT.set(given.tenant)
        return await super().execute_activity(input)


def log_as_json(program: str) -> None:
    """Make all handlers of this process write JSON."""
    for handler in logging.getLogger().handlers:
        handler.setFormatter(JsonFormatter(program))
