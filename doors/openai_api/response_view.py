"""The object of a response: what was asked, its status, and what the checks of its report found."""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from ulid import ULID

from elcano.doors.openai_api.output_items import Item
from elcano.graphs.records import ArchivedRun
from elcano.graphs.report.report import Report
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.events import AgentEvent
from elcano.service.errors import RunNotFound

Response: TypeAlias = dict[str, Any]

PREFIX: Final = "resp_"
"""Prefix of a response's id, before the id of its run."""
_BUDGETS: Final = frozenset({"time", "tokens", "cost", "iterations", "steps"})
"""Outcomes of runs that ended early because a limit was used up."""


def read_response_id(text: str) -> str:
    """The id of the run of a response; the id of a run means that run.

    Raises:
        RunNotFound: it is no such id.
    """
    run_id = text.removeprefix(PREFIX)
    if not run_id:
        raise RunNotFound(text)
    return run_id


@dataclass(frozen=True)
class ResponseHead:
    """Fields of a response that stay the same from its first event to its last."""

    run_id: str
    model: str
    created_at: int
    previous_run: str
    metadata: dict[str, str]
    address: str
    """Address at which clients reach the API."""

    @classmethod
    def of(cls, run: ArchivedRun, address: str) -> "ResponseHead":
        """The head of a run's response."""
        return cls(run.run_id, run.mode, _read_creation_time(run), run.previous_run, run.metadata, address)

    @property
    def evidence_address(self) -> str:
        """Return the address of the passages that the run found."""
        return f"{self.address}/v1/runs/{self.run_id}/evidence"

    @property
    def id(self) -> str:
        """The response's id."""
        return f"{PREFIX}{self.run_id}"

    def build(self, status: str, **facts: Any) -> Response:
        """The current object, with every field that the open specification requires."""
        return {
            "id": self.id,
            "object": "response",
            "created_at": self.created_at,
            "completed_at": None,
            "status": status,
            "background": True,
            "store": True,
            "error": None,
            "incomplete_details": None,
            "model": self.model,
            "previous_response_id": f"{PREFIX}{self.previous_run}" if self.previous_run else None,
            "instructions": None,
            "output": [],
            "usage": None,
            "metadata": {**self.metadata, "elcano_run": self.run_id},
            "tools": [],
            "tool_choice": "auto",
            "parallel_tool_calls": True,
            "text": {"format": {"type": "text"}},
            "truncation": "disabled",
            "temperature": 1.0,
            "top_p": 1.0,
            "presence_penalty": 0.0,
            "frequency_penalty": 0.0,
            "top_logprobs": 0,
            "reasoning": None,
            "user": None,
            "max_output_tokens": None,
            "max_tool_calls": None,
            "service_tier": "default",
            "safety_identifier": None,
            "prompt_cache_key": None,
            **facts,
        }


def build_outcome(
    head: ResponseHead, terminal: AgentEvent, report: Report | None, usage: Usage, output: list[Item]
) -> Response:
    """The response of a run that has ended, by its last event."""
    status = str(terminal.data.get("status") or "")
    partial = terminal.data.get("partial")
    facts: dict[str, Any] = {
        "completed_at": int(terminal.at),
        "output": list(output),
        "usage": build_usage(usage),
        "metadata": {**head.metadata, "elcano_run": head.run_id, "elcano_status": status, **list_verdicts(report)},
    }
    if terminal.type == "failed":
        return head.build("failed", **facts, error={"code": "server_error", "message": terminal.message})
    if terminal.type == "cancelled":
        return head.build("cancelled", **facts, error={"code": "cancelled", "message": terminal.message})
    if status in ("partial", "stopped"):
        reason = "max_output_tokens" if partial in _BUDGETS else "steered" if status == "stopped" else str(partial)
        facts["incomplete_details"] = {"reason": reason}
        facts["metadata"]["elcano_ending"] = terminal.message
        return head.build("incomplete", **facts)
    return head.build("completed", **facts)


def list_verdicts(report: Report | None) -> dict[str, str]:
    """List the results of a report's checks as metadata: nothing of a run without one."""
    if report is None:
        return {}
    counts = report.support
    found = {
        "citations_verified": len(report.citations),
        "citations_unverified": len(report.unverified),
        "statements_supported": counts.supported,
        "statements_partly_supported": counts.partly + counts.in_passage,
        "statements_not_supported": counts.not_supported,
        "statements_unchecked": counts.unchecked,
    }
    return {
        "elcano_answered": "true" if report.answered else "false",
        **{f"elcano_{name}": str(count) for name, count in found.items()},
    }


def build_usage(usage: Usage) -> dict[str, Any]:
    """Build the usage of all model calls of the run and its sections."""
    return {
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.tokens,
    }


def _read_creation_time(run: ArchivedRun) -> int:
    """When the run was accepted, by its id: its record has that time only until it has begun."""
    try:
        return int(ULID.from_str(run.run_id.rpartition("-")[2].upper()).timestamp)
    except ValueError:  # a run that was not named here
        return int(run.started_at)
