"""The public record of a run: its state, its events, its log, and its archived form.

Answers of queries and what the archive is handed are persisted. New fields get defaults; nothing is renamed.
"""

import operator
from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.contracts import Awaited, BranchOf, Engine, ForkedFrom, RunPriority, RunStatus, Stage
from elcano.graphs.engine.entries import Entry
from elcano.graphs.engine.run import Run
from elcano.graphs.frozen import Answer, Frozen, JsonObject
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.state.branches import BranchState
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.state.failures import Ending, Failure, Hold, WaitingCall
from elcano.graphs.state.plan import ClarifyingQuestion, SectionPlan
from elcano.graphs.state.state import Choice, ReportRef
from elcano.graphs.state.team import Ledger
from elcano.graphs.tenants import DEFAULT_TENANT, Tenant
from elcano.graphs.trust import NO_LIMITS, Trust


class ArchivedRun(Frozen):
    """A run as it is kept after it ended. Times are seconds since the epoch."""

    run_id: str
    execution: str = ""
    """Temporal's id of the execution that ended so; another one means that the run was reset since."""
    question: str
    mode: str
    tenant: Tenant = DEFAULT_TENANT
    status: RunStatus
    started_at: float
    finished_at: float | None = None
    ending: Ending | None = None
    failure: Failure | None = None
    report: ReportRef | None = None
    budget: JsonObject = {}
    """`Budget.view()` at the end."""
    iterations: int = 0
    steps: int = 0
    sources: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    """Ids of all evidence of the run, in the order of finding."""
    branch_of: BranchOf | None = None
    branches: tuple[BranchState, ...] = ()
    """The branches that it ran itself."""
    ledger: Ledger | None = None
    """For a team with a manager: its ledger at the end."""
    engine: Engine = "graph"
    priority: RunPriority = "interactive"
    api_key: str = ""
    """The id of the API key that it was asked for with; empty: without one."""
    metadata: dict[str, str] = {}
    """Labels that the client set."""
    notify: str = Field(default="", exclude_if=operator.not_)
    """The id of a workflow that is signalled when it has ended; empty: none."""
    trust: Trust = Field(default=NO_LIMITS, exclude_if=NO_LIMITS.__eq__)
    """Limits on sources and hosts."""
    output_schema: JsonObject = Field(default={}, exclude_if=operator.not_)
    """The JSON Schema of the answer that is wanted besides the report; empty: none."""
    log: str = ""
    """Artifact hash of its `RunLog`."""
    forked_from: ForkedFrom | None = None
    """The run whose steps it began with."""
    previous_run: str = ""
    """The run that it follows, whose conversation it knows; empty: none."""
    choice: Choice = Choice()
    """For a run that picks its mode: the mode, and why."""
    domain: str = ""
    """The field by whose rubric its evidence is judged."""
    knowledge_error: str = ""
    """Why the knowledge graph could not be given what it found; empty if it was, or if there is none."""

    def without_end(self) -> "ArchivedRun":
        """The same run while it is running again."""
        ended = {"finished_at", "ending", "failure", "report", "budget", "evidence", "branches"}
        return ArchivedRun.model_validate({**self.model_dump(exclude=ended), "status": "running"})


def build_accepted_run(asked: ResearchInput, engine: Engine, at: float) -> ArchivedRun:
    """The record of a run or section that was accepted at a time, in seconds since the epoch."""
    return ArchivedRun(
        run_id=asked.run_id,
        question=asked.question,
        mode=asked.mode,
        tenant=asked.tenant,
        status="running",
        started_at=at,
        sources=asked.sources,
        branch_of=asked.branch_of,
        engine=engine,
        priority=asked.priority,
        api_key=asked.api_key,
        metadata=asked.metadata,
        notify=asked.notify,
        trust=asked.trust,
        output_schema=asked.output_schema,
        forked_from=asked.forked_from,
        previous_run=asked.follows.run_id if asked.follows else "",
        domain=asked.domain,
    )


class RunLog(Frozen):
    """The complete record of a run: its input, and all entries in order, of which `fold` makes `run`."""

    asked: ResearchInput
    entries: tuple[Entry, ...]
    run: Run
    """The run at its end."""


class LogPage(Answer):
    """Answer of the `log` query: the entries from a position on, of which `fold` makes the run."""

    asked: ResearchInput | None = None
    """The request, without what it was continued from; only in the first page."""
    entries: tuple[Entry, ...]
    more: bool = False
    """There are further entries already."""


class ArchiveCall(Frozen):
    """Input of `archive_run`."""

    run: ArchivedRun
    events: tuple[AgentEvent, ...]
    log: RunLog | None = None
    """None: of a workflow that keeps none."""


class ProgressPage(Answer):
    """Answer of the `progress` query: the events after a number."""

    events: tuple[AgentEvent, ...]
    last: int = Field(ge=0)
    """Number of the last event in this page; ask for what is after it."""
    more: bool = False
    """There are further events already."""
    done: bool = False
    """The last event of this page is the terminal one."""


PROGRESS_PAGE: Final = 200
"""Events a page: 200 of at most 2 kB stay far below the 2 MiB limit of a query result."""


class RunSnapshot(Frozen):
    """Answer of the `snapshot` query: where a run is now. It is plain JSON, for people with Temporal's own tools."""

    run_id: str
    question: str
    mode: str
    graph: str
    node: str
    stage: Stage
    step: int
    iteration: int
    evidence: int
    """Number of passages found."""
    evidence_ids: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    """The current sources."""
    plan: tuple[SectionPlan, ...] = ()
    """The sections that are to be researched, once they are planned."""
    questions: tuple[ClarifyingQuestion, ...] = ()
    """Clarifying questions, with the answers."""
    budget: JsonObject = {}
    counting_since: float | None = None
    """The moment that the seconds of `budget` were counted up to, in seconds since the epoch; None: the clock is
    stopped. A workflow's clock moves with its history alone, and a run that waits for its sections has none to move
    it."""
    ending: Ending | None = None
    hold: Hold | None = None
    """Set while it waits: for budget, for approval, or with a call of its own or a section's for a provider or a
    person."""
    awaits: Awaited = ""
    calls: tuple[WaitingCall, ...] = ()
    """Tool calls that wait for approval, including those of its branches; it may work meanwhile."""
    failure: Failure | None = None
    report: ReportRef | None = None
    last_event: int = 0
    status: RunStatus = "running"
    """Final status, once reported."""
    branches: tuple[BranchState, ...] = ()
    """The branches that it runs itself or has run."""
    choice: Choice = Choice()
    """For a run that picks its mode: the mode, and why."""
    domain: str = ""
    """The field by whose rubric its evidence is judged."""
    ledger: Ledger | None = None
    """For a team with a manager."""

    @property
    def paused(self) -> Ending | None:
        """The ending of the run if it is stopped while it waits for a top-up."""
        return self.hold.ending if self.hold is not None else None


RunOrder: TypeAlias = Literal["newest", "oldest", "cost"]
"""Which runs come first in a list: the latest accepted, the first, or those that cost most by their end."""


class RunFilter(Frozen):
    """Filters of a list of runs; None: no filter. Times are seconds since the epoch."""

    id_part: str | None = None
    """A part of their ids."""
    mode: str | None = None
    """The requested mode, or the one that an ended run picked."""
    question: str | None = None
    """Has this in it, in capitals or not."""
    api_key: str | None = None
    """The id of the API key that they were asked for with; empty: without one."""
    created_after: float | None = None
    """Accepted later than that."""
    created_before: float | None = None
    """Accepted earlier than that."""
