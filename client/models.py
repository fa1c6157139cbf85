"""The API's responses about runs and uploaded documents. The API's manual (`/docs`) describes every field.

A model keeps fields that it does not know: a newer server may send more.
"""

from datetime import datetime
from typing import Final, TypeAlias

from pydantic import BaseModel, ConfigDict, JsonValue

Json: TypeAlias = JsonValue
JsonObject: TypeAlias = dict[str, JsonValue]
TERMINAL: Final = frozenset({"complete", "failed", "cancelled"})
"""Types of events after which nothing comes. `error` is not among them: a node can fail and the run still reports."""


class Model(BaseModel):
    """The base of all answers: immutable."""

    model_config = ConfigDict(frozen=True, extra="allow")


class AgentEvent(Model):
    """One event of a run."""

    seq: int
    type: str
    message: str
    at: datetime
    step: int
    node: str = ""
    iteration: int
    path: str = ""
    section: str = ""
    data: JsonObject = {}

    @property
    def terminal(self) -> bool:
        """Whether it is the last event of the run."""
        return self.type in TERMINAL


class ForkedFrom(Model):
    """The run that a fork began as, and its first step of its own."""

    run_id: str
    step: int


class Amounts(Model):
    """An amount of each thing that a run may use up."""

    tokens: int
    cost_usd: float | None
    seconds: float
    iterations: int
    steps: int


class RunLimits(Amounts):
    """The limits of a run, top-ups included."""

    sections: int
    stalls: int = 3
    resets: int = 2
    when_exhausted: str | None = None
    hold_seconds: float | None = None


class ResearchBudget(Model):
    """The part of what remains that is not reserved for the report."""

    tokens: int | None = None
    cost_usd: float | None = None


class BudgetView(Model):
    """The budget of a run."""

    exceeded: bool
    reason: str | None = None
    limits: RunLimits
    used: Amounts
    remaining: Amounts
    for_research: ResearchBudget
    affordable_sections: int | None = None


class Spent(Model):
    """Usage so far of a running run in a list."""

    tokens: int
    cost_usd: float


class Choice(Model):
    """The mode that `auto` picked, and why."""

    mode: str = ""
    reason: str = ""


class Ending(Model):
    """Why a run left its graph early."""

    kind: str
    detail: str = ""
    type: str = ""


class HoldView(Model):
    """Why a run waits."""

    reason: str
    node: str = ""
    agent: str = ""
    source: str = ""
    type: str = ""
    detail: str = ""
    by: str = ""
    tries: int = 0
    since: datetime | None = None
    until: datetime | None = None


class WaitingCallView(Model):
    """A call of a tool that needs approval."""

    call: str
    run_id: str
    section: str = ""
    step: int
    node: str
    server: str
    tool: str
    arguments: str
    whole: bool = True
    since: datetime
    until: datetime


class ClarifyingQuestion(Model):
    """A question that a run asked back, and its answer."""

    id: str
    question: str
    options: tuple[str, ...] = ()
    recommended: str = ""
    answer: str | None = None


class PlannedSection(Model):
    """One section of a plan."""

    title: str
    question: str
    criteria: tuple[str, ...] = ()


class BranchState(Model):
    """One section that is researched."""

    run_id: str
    path: str
    section: str
    status: str
    iterations: int | None = None
    evidence: int | None = None
    tokens: int | None = None
    reason: str = ""


class SectionsView(Model):
    """Progress of all sections of a run."""

    open: int
    ended: int
    iterations: int
    steps: int
    evidence: int


class Failure(Model):
    """A node that failed for good."""

    node: str
    type: str
    message: str
    attempts: int = 1
    exhausted: str | None = None
    fatal: bool = False


class ReportRef(Model):
    """The figures of a report."""

    artifact: str
    title: str
    answered: bool
    partial: str | None
    words: int
    references: int
    verified: int
    unverified: int


class RunView(Model):
    """A run: its status, or how it ended."""

    run_id: str
    question: str
    mode: str
    choice: Choice | None = None
    domain: str = ""
    engine: str = "graph"
    priority: str = "interactive"
    status: str
    forked_from: ForkedFrom | None = None
    api_key: str = ""
    metadata: dict[str, str] = {}
    trust: JsonObject = {}
    output_schema: JsonObject | None = None
    previous_run: str = ""
    started_at: datetime
    finished_at: datetime | None = None
    stage: str | None = None
    node: str = ""
    iterations: int | None = None
    steps: int | None = None
    evidence: int | None = None
    sources: tuple[str, ...] = ()
    budget: BudgetView | None = None
    spent: Spent | None = None
    ending: Ending | None = None
    hold: HoldView | None = None
    awaits: str = ""
    approvals: tuple[WaitingCallView, ...] = ()
    questions: tuple[ClarifyingQuestion, ...] = ()
    plan: tuple[PlannedSection, ...] = ()
    branches: tuple[BranchState, ...] = ()
    sections: SectionsView | None = None
    ledger: JsonObject | None = None
    failure: Failure | None = None
    knowledge_error: str = ""
    report: ReportRef | None = None
    last_event: int | None = None
    blocked: str = ""
    actions: tuple[str, ...] = ()
    worker: str | None = None
    stale: bool = False
    pending: tuple[JsonObject, ...] = ()
    links: dict[str, str] = {}


class RunList(Model):
    """One page of runs, the newest first."""

    runs: tuple[RunView, ...]
    next: str | None = None


class CollectionView(Model):
    """A collection of uploaded documents, and how far it is read."""

    name: str
    source: str
    documents: int
    unread: int
    indexed: int
    refused: int
    incomplete: int
    outdated: int
    bytes: int


class DocumentGap(Model):
    """Something of a document that was not read."""

    reason: str
    pages: tuple[int, ...]
    unread: bool


class DocumentView(Model):
    """An uploaded document."""

    path: str
    sha256: str
    bytes: int
    state: str
    reason: str
    title: str
    media_type: str
    gaps: tuple[DocumentGap, ...]
    uploaded_at: datetime
    uploaded_by: str


class DocumentPage(Model):
    """Some documents of a collection."""

    documents: tuple[DocumentView, ...]
    next: str | None
