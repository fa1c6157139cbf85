"""Every refusal of the API, and the one table that says which problem document (RFC 9457) an error becomes.

A route never builds an error response: it raises, and the table says status, title and type. `problems` writes the
documents.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pydantic import Field

from elcano.graphs.errors import (
    CypherRefused,
    ElcanoError,
    GraphInvalid,
    InputInvalid,
    KnowledgeDisabled,
    RunOpen,
    TooManyAgents,
    TooManyGraphs,
)
from elcano.graphs.frozen import Frozen

PROBLEM_MEDIA_TYPE = "application/problem+json"


class FieldFault(Frozen):
    """One part of a request that cannot work."""

    field: str = Field(description="Where it is in the request.", examples=["budget.tokens"])
    message: str = Field(description="What is wrong and what to do.", examples=["must be at least 1000"])
    pointer: str | None = Field(
        default=None,
        description="Of a graph: where in the body it is, as a JSON pointer (RFC 6901); empty: all of it.",
        examples=["/nodes/3/inputs/question"],
    )


class Problem(Frozen):
    """Why a request was not done (RFC 9457)."""

    type: str = Field(description="Names the kind of problem, for programs.", examples=["urn:elcano:run-not-found"])
    title: str = Field(description="The kind of problem in words.", examples=["No such run"])
    status: int = Field(description="The HTTP status.", examples=[404])
    detail: str = Field(default="", description="What happened here and what to do about it.")
    instance: str = Field(default="", description="The path that was asked for.", examples=["/v1/runs/run-1"])
    errors: tuple[FieldFault, ...] = Field(default=(), description="Every part of the request that cannot work.")


class RequestInvalid(ElcanoError):
    """Parts of a request cannot work; `faults` names all that were found."""

    def __init__(self, faults: Sequence[FieldFault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{fault.field}: {fault.message}" for fault in faults))


class HostRefused(ElcanoError):
    """A request was meant for a name that this server does not have."""


class CrossOriginRefused(ElcanoError):
    """A page of another site asked for a change."""


class Unauthenticated(ElcanoError):
    """A request does not say whose it is, where it has to."""


class BodyUnreadable(ElcanoError):
    """A body is not JSON, or JSON that cannot be read."""


class MediaTypeUnsupported(ElcanoError):
    """A body says that it is something else than JSON."""


class BodyTooLarge(ElcanoError):
    """A body is over the size that the API reads."""


class LastEventIdInvalid(ElcanoError):
    """A stream was asked to go on after something that is no event's id."""


class NotAcceptable(ElcanoError):
    """None of the forms that the client accepts can be made."""


class RunNotFound(ElcanoError):
    """No run has this id."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"there is no run {run_id!r}; `GET /v1/runs` lists them")


class StepNotFound(ElcanoError):
    """A run has no step with this number, or not yet."""

    def __init__(self, run_id: str, step: int, steps: int) -> None:
        there = f"it has {steps} step{'' if steps == 1 else 's'}, numbered from 1" if steps else "it has none yet"
        super().__init__(f"the run {run_id!r} has no step {step}: {there}")


class GraphNotFound(ElcanoError):
    """No graph has this name, or this version."""


class AgentNotFound(ElcanoError):
    """No agent has this name, or this version."""


class SourceNotFound(ElcanoError):
    """No source has this name."""


class NodeNotFound(ElcanoError):
    """The knowledge graph has no node with this id."""


class SourceClosed(ElcanoError):
    """A source cannot be searched here; the text says what has to be done first."""


class SourceCheckFailed(ElcanoError):
    """A source was searched and did not answer, or refused; the text is the reason."""


class DatabaseNotFound(ElcanoError):
    """No database has this name."""


class DatabaseUnavailable(ElcanoError):
    """A database was looked into and did not answer, or refused; the text is the reason."""


class ToolServerNotFound(ElcanoError):
    """No server of tools has this name."""


class ToolServersUnavailable(ElcanoError):
    """No worker said in time what servers of tools offer; the text is the reason."""


class KeyReused(ElcanoError):
    """An idempotency key came a second time with another request."""


class TooManyRuns(ElcanoError):
    """As many runs are open as may be at once."""


class ReportNotReady(ElcanoError):
    """A run has no report, or not yet; `what` is asked for besides: "result and no "."""

    def __init__(self, run_id: str, status: str, what: str = "") -> None:
        found = f"; what it found is at `/v1/runs/{run_id}/evidence`" if status != "running" else ""
        super().__init__(f"the run {run_id!r} has no {what}report; its status is {status!r}{found}")


class AnalysisNotFound(ElcanoError):
    """A run has no such figures: its report has no analysis, or the analysis no such plot."""


class ResultNotFound(ElcanoError):
    """A run has no such result: its answer rests on none, or there is none of this number, or no chart."""


class NotCertifiable(ElcanoError):
    """A run has nothing that could be certified, or not yet."""


class ReportLost(ElcanoError):
    """A run has a report that the store does not have: a damaged data directory."""


class RunEnded(ElcanoError):
    """A run cannot be controlled any more."""


class UpdateRefused(ElcanoError):
    """A run refused a request; the text is its reason. No route responds with it: each raises an error of its own."""


class ControlRefused(ElcanoError):
    """The run is open and refused the request."""


class ResumeRefused(ElcanoError):
    """A run cannot be resumed, rolled back or forked so; the text says why, and what would help."""


class DeleteRefused(ElcanoError):
    """A run cannot be deleted, or not yet."""


class StoreUnavailable(ElcanoError):
    """The store cannot be read or written: a full disk, a lock, a damaged file."""


class TemporalUnavailable(ElcanoError):
    """Temporal cannot be reached or is overloaded; the same request may work later."""


class TemporalRefused(ElcanoError):
    """Temporal answered that it will not do this: credentials, namespace, a missing search attribute."""


class WorkerUnavailable(ElcanoError):
    """Temporal answers, but no worker does."""


class OutcomeUnknown(ElcanoError):
    """A control request was sent and no answer came: it may be applied yet, or was. `key` is what to ask again with."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(
            f"no answer came in time; the request may still be applied. Send it again with `Idempotency-Key: {key}` to "
            "learn: it is applied once"
        )


class RunUnreadable(ElcanoError):
    """A worker answered but cannot replay the run's workflow, or the stored data of the run is missing."""


class RunForgotten(ElcanoError):
    """Temporal has no such workflow: it never started, or its retention is over."""


@dataclass(frozen=True)
class ProblemKind:
    """One line of the table."""

    status: int
    name: str
    title: str
    retry_after: int | None = None
    """Seconds after which the same request is worth another try."""

    @property
    def type(self) -> str:
        """The URI that programs compare."""
        return f"urn:elcano:{self.name}"


PROBLEMS: Mapping[type[Exception], ProblemKind] = {
    BodyUnreadable: ProblemKind(400, "body-unreadable", "The body cannot be read"),
    LastEventIdInvalid: ProblemKind(400, "last-event-id-invalid", "Not an event's id"),
    Unauthenticated: ProblemKind(401, "unauthenticated", "Authentication required"),
    CrossOriginRefused: ProblemKind(403, "cross-origin-refused", "Cross-origin request refused"),
    RunNotFound: ProblemKind(404, "run-not-found", "No such run"),
    RunForgotten: ProblemKind(404, "run-forgotten", "Temporal does not know the run"),
    StepNotFound: ProblemKind(404, "step-not-found", "No such step"),
    GraphNotFound: ProblemKind(404, "graph-not-found", "No such graph"),
    AgentNotFound: ProblemKind(404, "agent-not-found", "No such agent"),
    DatabaseNotFound: ProblemKind(404, "database-not-found", "No such database"),
    SourceNotFound: ProblemKind(404, "source-not-found", "No such source"),
    ToolServerNotFound: ProblemKind(404, "tool-server-not-found", "No such server of tools"),
    NodeNotFound: ProblemKind(404, "node-not-found", "No such node"),
    NotAcceptable: ProblemKind(406, "not-acceptable", "No acceptable representation"),
    AnalysisNotFound: ProblemKind(404, "analysis-not-found", "The run has no such analysis"),
    ResultNotFound: ProblemKind(404, "result-not-found", "The run has no such result"),
    ReportNotReady: ProblemKind(409, "report-not-ready", "The run has no report"),
    NotCertifiable: ProblemKind(409, "not-certifiable", "There is no certificate of this run"),
    RunEnded: ProblemKind(409, "run-ended", "The run has ended"),
    ControlRefused: ProblemKind(409, "control-refused", "The run cannot do this now"),
    ResumeRefused: ProblemKind(409, "resume-refused", "The run cannot be resumed so"),
    RunOpen: ProblemKind(409, "run-open", "The run has not ended"),
    DeleteRefused: ProblemKind(409, "delete-refused", "The run cannot be deleted now"),
    TooManyGraphs: ProblemKind(409, "too-many-graphs", "No more graphs can be kept"),
    TooManyAgents: ProblemKind(409, "too-many-agents", "No more agents can be kept"),
    SourceClosed: ProblemKind(409, "source-closed", "The source cannot be searched here"),
    KnowledgeDisabled: ProblemKind(409, "knowledge-disabled", "There is no knowledge graph here"),
    BodyTooLarge: ProblemKind(413, "body-too-large", "The body is too large"),
    MediaTypeUnsupported: ProblemKind(415, "media-type-unsupported", "The body must be JSON"),
    HostRefused: ProblemKind(421, "host-refused", "Unknown host name"),
    RequestInvalid: ProblemKind(422, "request-invalid", "The request cannot work"),
    InputInvalid: ProblemKind(422, "request-invalid", "The request cannot work"),
    CypherRefused: ProblemKind(422, "cypher-refused", "The query cannot be run"),
    GraphInvalid: ProblemKind(422, "graph-invalid", "The graph has faults"),
    KeyReused: ProblemKind(422, "key-reused", "The idempotency key belongs to another request"),
    TooManyRuns: ProblemKind(429, "too-many-runs", "Too many runs are open", retry_after=30),
    ReportLost: ProblemKind(500, "report-lost", "The report is missing from the store"),
    TemporalRefused: ProblemKind(502, "temporal-refused", "Temporal refused the request"),
    DatabaseUnavailable: ProblemKind(502, "database-unavailable", "The database did not answer"),
    SourceCheckFailed: ProblemKind(502, "source-check-failed", "The source did not answer"),
    ToolServersUnavailable: ProblemKind(502, "tool-servers-unavailable", "No worker listed the tools in time"),
    RunUnreadable: ProblemKind(502, "run-unreadable", "The worker cannot read the run"),
    StoreUnavailable: ProblemKind(503, "store-unavailable", "The store cannot be used", retry_after=10),
    TemporalUnavailable: ProblemKind(503, "temporal-unavailable", "Temporal cannot be reached", retry_after=5),
    WorkerUnavailable: ProblemKind(503, "worker-unavailable", "No worker answers", retry_after=5),
    OutcomeUnknown: ProblemKind(503, "outcome-unknown", "It is unknown whether the request was applied", retry_after=5),
}


RETRY_AFTER: Mapping[str, Any] = {
    "Retry-After": {
        "description": "Seconds after which the same request is worth another try.",
        "schema": {"type": "integer", "minimum": 1},
    }
}


def problem_docs(*errors: type[Exception]) -> dict[int | str, dict[str, Any]]:
    """Build the `responses` of a route: the problems that it can respond with, by status."""
    docs: dict[int | str, dict[str, Any]] = {}
    content = {PROBLEM_MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for status, kinds in groupby(
        sorted((PROBLEMS[error] for error in errors), key=_get_problem_status), key=_get_problem_status
    ):
        alike = tuple(dict.fromkeys(kinds))
        described = "; ".join(f"{kind.title} (`{kind.type}`)" for kind in alike)
        docs[status] = {"description": described, "content": content}
        if any(kind.retry_after is not None for kind in alike):
            docs[status]["headers"] = dict(RETRY_AFTER)
    return docs


def _get_problem_status(kind: ProblemKind) -> int:
    return kind.status


def field_faults(errors: Iterable[Mapping[str, Any]], *, skip: int = 0) -> tuple[FieldFault, ...]:
    """Pydantic's errors as faults; the first `skip` parts of each place (`body`, `query`) are left out."""
    return tuple(
        FieldFault(field=".".join(str(part) for part in error["loc"][skip:]) or "body", message=error["msg"])
        for error in errors
    )


def list_request_faults(error: Exception) -> tuple[FieldFault, ...]:
    """The parts of a request that an error is about; none of most errors."""
    if isinstance(error, RequestInvalid):
        return error.faults
    if isinstance(error, InputInvalid):
        return (FieldFault(field=error.field, message=str(error)),)
    if isinstance(error, GraphInvalid):
        placed = zip(error.faults, error.pointers, strict=True)
        return tuple(FieldFault(field="graph", message=fault, pointer=place) for fault, place in placed)
    return ()
