"""Every refusal of the service: its class says what kind of problem it is, its title, and whether it passes.

Programs act on the kind; over HTTP each becomes a problem document (`api.http.problems`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from pydantic import Field, ValidationError

from elcano.graphs.errors import (
    CypherRefused,
    ElcanoError,
    GraphInvalid,
    InputInvalid,
    KnowledgeDisabled,
    RunOpen,
    SealedDataUnreadable,
    TooManyAgents,
    TooManyGraphs,
)
from elcano.graphs.frozen import Frozen
from elcano.service.fields import word_fault


class FieldFault(Frozen):
    """One part of a request that cannot work."""

    field: str = Field(description="Where it is in the request.", examples=["budget.tokens"])
    message: str = Field(description="What is wrong and what to do.", examples=["must be at least 1000"])
    pointer: str | None = Field(
        default=None,
        description="Of a graph: where in the body it is, as a JSON pointer (RFC 6901); empty: all of it.",
        examples=["/nodes/3/inputs/question"],
    )


Kind: TypeAlias = Literal[
    "malformed",
    "unauthenticated",
    "unpaid",
    "forbidden",
    "missing",
    "not_acceptable",
    "conflict",
    "gone",
    "too_large",
    "unsupported",
    "misdirected",
    "invalid",
    "exhausted",
    "broken",
    "not_installed",
    "upstream",
    "unavailable",
]
"""Kind of a problem. `api.http.errors` has the HTTP status of each."""


@dataclass(frozen=True)
class ProblemKind:
    """Which problem an error is."""

    kind: Kind
    name: str
    title: str
    retry_after: int | None = None
    """Seconds after which the same request is worth another try."""

    @property
    def type(self) -> str:
        """The URI that programs compare."""
        return f"urn:elcano:{self.name}"

    @property
    def is_fault(self) -> bool:
        """Whether the service, or what it needs, is at fault: the same request may work later."""
        return self.kind in ("broken", "upstream", "unavailable")


PROBLEMS: Final[dict[type[Exception], ProblemKind]] = {
    RunOpen: ProblemKind("conflict", "run-open", "The run has not ended"),
    TooManyGraphs: ProblemKind("conflict", "too-many-graphs", "No more graphs can be kept"),
    TooManyAgents: ProblemKind("conflict", "too-many-agents", "No more agents can be kept"),
    KnowledgeDisabled: ProblemKind("conflict", "knowledge-disabled", "There is no knowledge graph here"),
    InputInvalid: ProblemKind("invalid", "request-invalid", "The request cannot work"),
    CypherRefused: ProblemKind("invalid", "cypher-refused", "The query cannot be run"),
    GraphInvalid: ProblemKind("invalid", "graph-invalid", "The graph has faults"),
    SealedDataUnreadable: ProblemKind("broken", "sealed-data-unreadable", "Encrypted data cannot be read here"),
}
"""By error: those of other rooms; each `Refusal` adds itself."""


class Refusal(ElcanoError):
    """A refused request. The class says which problem it is; its name is the type: `run-not-found`."""

    retry_after: int | None = None
    """Seconds until the request may work, where this one knows better than its class."""

    def __init_subclass__(cls, *, kind: Kind, title: str, retry_after: int | None = None) -> None:
        name = re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__).lower()
        PROBLEMS[cls] = ProblemKind(kind, name, title, retry_after)


class RequestInvalid(Refusal, kind="invalid", title="The request cannot work"):
    """Parts of a request cannot work; `faults` names all that were found."""

    def __init__(self, faults: Sequence[FieldFault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{fault.field}: {fault.message}" for fault in faults))


class Unauthenticated(Refusal, kind="unauthenticated", title="Authentication required"):
    """A request does not say whose it is, where it has to. `challenge` becomes its `WWW-Authenticate`."""

    def __init__(self, text: str, challenge: str = 'Proxy realm="elcano"') -> None:
        self.challenge = challenge
        super().__init__(text)


class Forbidden(Refusal, kind="forbidden", title="Not allowed"):
    """The principal of a request may not do what its route does."""


class LastEventIdInvalid(Refusal, kind="malformed", title="Not an event's id"):
    """A stream was requested after an id that is no event's."""


class RunNotFound(Refusal, kind="missing", title="No such run"):
    """No run has this id."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"there is no run {run_id!r}; `GET /v1/runs` lists them")


class StepNotFound(Refusal, kind="missing", title="No such step"):
    """A run has no step with this number, or not yet."""

    def __init__(self, run_id: str, step: int, steps: int) -> None:
        there = f"it has {steps} step{'' if steps == 1 else 's'}, numbered from 1" if steps else "it has none yet"
        super().__init__(f"the run {run_id!r} has no step {step}: {there}")


class GraphNotFound(Refusal, kind="missing", title="No such graph"):
    """No graph has this name, or this version."""


class AgentNotFound(Refusal, kind="missing", title="No such agent"):
    """No agent has this name, or this version."""


class SourceNotFound(Refusal, kind="missing", title="No such source"):
    """No source has this name."""


class NodeNotFound(Refusal, kind="missing", title="No such node"):
    """The knowledge graph has no node with this id."""


class SourceClosed(Refusal, kind="conflict", title="The source cannot be searched here"):
    """A source cannot be searched here; the text says what has to be done first."""


class SourceCheckFailed(Refusal, kind="upstream", title="The source did not answer"):
    """A source was searched and did not answer, or refused; the text is the reason."""


class DatabaseNotFound(Refusal, kind="missing", title="No such database"):
    """No database has this name."""


class DatabaseUnavailable(Refusal, kind="upstream", title="The database did not answer"):
    """A database was looked into and did not answer, or refused; the text is the reason."""


class ToolServerNotFound(Refusal, kind="missing", title="No such server of tools"):
    """No server of tools has this name."""


class ToolServersUnavailable(Refusal, kind="upstream", title="No worker listed the tools in time"):
    """No worker said in time what servers of tools offer; the text is the reason."""


class KeyReused(Refusal, kind="invalid", title="The idempotency key belongs to another request"):
    """An idempotency key came a second time with another request."""


class TooManyRuns(Refusal, kind="exhausted", title="Too many runs are open", retry_after=30):
    """The maximum number of runs is open."""


class QuotaUsedUp(Refusal, kind="exhausted", title="A quota is used up", retry_after=60):
    """The tenant, or its API key, has no runs or no tokens left; the text says when there are more."""


class MoneyUsedUp(Refusal, kind="unpaid", title="A quota of money is used up", retry_after=60):
    """The same of money."""


class ReportNotReady(Refusal, kind="conflict", title="The run has no report"):
    """A run has no report, or not yet; `what` is asked for besides: "result and no "."""

    def __init__(self, run_id: str, status: str, what: str = "") -> None:
        found = f"; what it found is at `/v1/runs/{run_id}/evidence`" if status != "running" else ""
        super().__init__(f"the run {run_id!r} has no {what}report; its status is {status!r}{found}")


class AnalysisNotFound(Refusal, kind="missing", title="The run has no such analysis"):
    """A run has no such figures: its report has no analysis, or the analysis no such plot."""


class ResultNotFound(Refusal, kind="missing", title="The run has no such result"):
    """A run has no such result: its answer rests on none, or there is none of this number, or no chart."""


class NotCertifiable(Refusal, kind="conflict", title="There is no certificate of this run"):
    """A run has nothing that could be certified, or not yet."""


class ReportLost(Refusal, kind="broken", title="The report is missing from the store"):
    """A run has a report that the store does not have: a damaged data directory."""


class RunEnded(Refusal, kind="conflict", title="The run has ended"):
    """A run cannot be controlled any more."""


class UpdateRefused(ElcanoError):
    """A run refused a request; the text is its reason. No route responds with it: each raises an error of its own."""


class ControlRefused(Refusal, kind="conflict", title="The run cannot do this now"):
    """The run is open and refused the request."""


class ResumeRefused(Refusal, kind="conflict", title="The run cannot be resumed so"):
    """A run cannot be resumed, rolled back or forked so; the text says why, and what would help."""


class DeleteRefused(Refusal, kind="conflict", title="The run cannot be deleted now"):
    """A run cannot be deleted, or not yet."""


class StoreUnavailable(Refusal, kind="unavailable", title="The store cannot be used", retry_after=10):
    """The store cannot be read or written: a full disk, a lock, a damaged file."""


class TemporalUnavailable(Refusal, kind="unavailable", title="Temporal cannot be reached", retry_after=5):
    """Temporal cannot be reached or is overloaded; the same request may work later."""


class TemporalRefused(Refusal, kind="upstream", title="Temporal refused the request"):
    """Temporal answered that it will not do this: credentials, namespace, a missing search attribute."""


class WorkerUnavailable(Refusal, kind="unavailable", title="No worker answers", retry_after=5):
    """Temporal answers, but no worker does."""


class RunBlocked(WorkerUnavailable, kind="conflict", title="The run cannot continue"):
    """A run takes no requests until someone acts: it is paused in Temporal, or no worker can continue its workflow."""


class OutcomeUnknown(Refusal, kind="unavailable", title="It is unknown whether the request was applied", retry_after=5):
    """A control request was sent and no answer came: it may be applied yet, or was. `key` is what to ask again with."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(
            f"no answer came in time; the request may still be applied. Send it again with `Idempotency-Key: {key}` to "
            "learn: it is applied once"
        )


class RunUnreadable(Refusal, kind="upstream", title="The worker cannot read the run"):
    """A worker answered but cannot replay or continue the run's workflow, or the stored data of the run is missing."""


class RunForgotten(Refusal, kind="missing", title="Temporal does not know the run"):
    """Temporal has no such workflow: it never started, or its retention is over."""


def find_problem(error: Exception) -> ProblemKind | None:
    """Return the problem that an error is; None: it is none that is expected."""
    return next((PROBLEMS[cls] for cls in type(error).__mro__ if cls in PROBLEMS), None)


def field_faults(errors: Iterable[Mapping[str, Any]], *, skip: int = 0) -> tuple[FieldFault, ...]:
    """Pydantic's errors as faults; the first `skip` parts of each place (`body`, `query`) are left out."""
    return tuple(
        FieldFault(field=".".join(str(part) for part in error["loc"][skip:]) or "body", message=word_fault(error))
        for error in errors
    )


def explain_invalid(error: ValidationError) -> RequestInvalid:
    """The refusal of what a client sent and a model did not take, with all faults and nothing of what was sent."""
    return RequestInvalid(field_faults(error.errors(include_url=False, include_context=False, include_input=False)))


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
