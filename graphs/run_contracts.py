"""What a run is started with, what it returns, and what is asked of it or told by it while it goes on.

Names and fields here are persisted in histories. New fields get defaults; nothing is renamed.
"""

from typing import Literal

from pydantic import Field

from elcano.graphs.contracts import BranchOf, DiscardedWork, ForkedFrom, ModelChoice
from elcano.graphs.engine.control_actions import Action
from elcano.graphs.engine.entries import Entry, RunResumed
from elcano.graphs.engine.run import Run
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.identity import DEFAULT_TENANT, NAME_CHARACTERS, Tenant
from elcano.graphs.report.draft import ReportRef
from elcano.graphs.rules import get_newest_rules_number
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.branches import BranchInput, KeptBranch
from elcano.graphs.state.budget import Experience, Limits, Usage
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.state.failures import Ending, Failure
from elcano.graphs.state.holds import Hold, WaitingCall
from elcano.graphs.state.plan import ReportForm
from elcano.graphs.state.rubric import Rubric
from elcano.graphs.state.state import MOST_ENTRIES, MOST_EVIDENCE, EvidenceRef, HistoryEntry


class JournalPages(Frozen):
    """Everything that a journal holds, as it travels from one execution of a workflow to the next."""

    run: Run
    entries: tuple[Entry, ...]
    events: tuple[AgentEvent, ...]
    started_at: float
    idle: float = 0.0
    """Seconds in which time stood still."""
    begun: bool = True
    """A worker has taken up the first step; its time counts from there."""
    still_since: float | None = None
    """Since when time stands still."""
    floor: int = 0
    """The highest event number that is known to have been told; numbers go on above it."""
    elapsed: float | None = None
    """Of a run that is taken up: seconds of work so far. Its clock goes on from there, whatever passed in between."""


class FollowedRun(Frozen):
    """The run that another one follows, as that one knows it."""

    run_id: str
    question: str
    """As it was asked."""
    in_context: str = ""
    """The new question with what it lacks alone; empty: it lacks nothing."""
    history: tuple[HistoryEntry, ...] = Field(default=(), max_length=MOST_ENTRIES)
    """What was asked and answered before, the oldest first."""
    evidence: tuple[EvidenceRef, ...] = Field(default=(), max_length=MOST_EVIDENCE)
    """What its report cites goes before what it does not. A branch gets none."""
    left_out: int = Field(default=0, ge=0)
    """How many more passages it had."""

    def for_branch(self) -> "FollowedRun":
        """Returns the part for a branch: earlier questions and answers, since its question may refer to them."""
        return self.model_copy(update={"evidence": (), "in_context": ""})


class OpenBranch(Frozen):
    """A branch of the fan-out that a run goes on with, which had not ended well: it goes on from its own entries."""

    run_id: str
    start: BranchInput
    graph: str
    """The name of the graph that it walks."""
    asked: "ResearchInput"
    """What it was started with, and goes on with."""
    carried: JournalPages
    resumed_from: "ResumedFrom"


class ResumedFrom(Frozen):
    """How a run begins whose entries up to there are carried from an execution that had ended or was left."""

    entry: RunResumed
    """What is written into its log once its record is put right."""
    undone: tuple[DiscardedWork, ...] = ()
    kept: tuple[KeptBranch, ...] = ()
    """Of the fan-out that it goes on with: branches that need not be started again."""
    open: tuple[OpenBranch, ...] = ()
    """Those that go on from their own entries."""
    evidence: tuple[str, ...] = ()
    """Of a fork: what the other run had found, in the order of finding."""
    artifacts: tuple[str, ...] = ()
    """Of a fork: drafts of the other run that it has as well."""


class ResearchInput(Frozen):
    """The input of a research workflow."""

    run_id: str
    """Also the workflow id, and the key of everything that is stored."""
    question: str
    mode: str
    graph: ResearchGraph
    limits: Limits = Limits()
    sources: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()
    tool_servers: tuple[str, ...] = ()
    background: str = ""
    instructions: str = ""
    review: bool = False
    """Whether the reviewer reads the report's statements against their quotes; drafts of branches are not reviewed."""
    guidance: tuple[str, ...] = ()
    """Of a branch: what somebody had said of the research when it began."""
    language: str = ""
    """Of a branch: the question's, by its English name, as its run knew it."""
    form: ReportForm | Literal[""] = ""
    """Of a branch: that of its section."""
    criteria: tuple[str, ...] = ()
    """Of a branch: what the answer to its question has to meet."""
    evidence: tuple[EvidenceRef, ...] = ()
    """Of a branch: passages that it begins with."""
    today: str = ""
    """Of a branch: the day in UTC on which its run began, as `2026-11-22`; a run's own is read off its journal."""
    barred: dict[str, str] = {}
    domain: str = ""
    domains: tuple[Rubric, ...] = ()
    """These three as the state has them: modes that cannot be chosen, the field judged by, and its rubric or all."""
    approve_plan: bool = False
    """The run waits for somebody to approve its plan before it researches the sections."""
    approvals: Literal["wait", "refuse"] = Field(default="refuse", exclude_if=lambda approvals: approvals == "refuse")
    """Whether a call waits for somebody that writes and that the operator has not allowed, or fails at once: as it did
    in runs that are older than this."""
    models: ModelChoice = ModelChoice()
    model_providers: dict[str, str] = {}
    """By agent, or by the model that a node names for itself, where calls wait in the queue of a provider whose rate is
    set; others wait in the run's own."""
    tenant: Tenant = DEFAULT_TENANT
    branch_of: BranchOf | None = None
    """Set on a branch: it hands its draft to its parent instead of publishing a report."""
    rules: int = Field(default_factory=get_newest_rules_number, ge=1)
    """The number of the rules that the run goes by, from its start to its end (see `graphs.rules`)."""
    experience: Experience = Experience()
    """Of a branch: what its run had learnt of its models when it began."""
    address: str = ""
    """Where the API shows the run, if its starter knows: for people who look at the workflow."""
    carried: JournalPages | None = None
    """Set when the run was continued as new, or is taken up: the journal so far."""
    forked_from: ForkedFrom | None = None
    searched: tuple[str, ...] = ()
    """Of a fork: the first and the last day in UTC on which there was a search among the steps that it shares."""
    follows: FollowedRun | None = None
    """The run that this one, or the run of this branch, follows."""
    resumed_from: ResumedFrom | None = None
    """Set in the first execution of a run that was resumed, rolled back or forked."""


class ResearchResult(Frozen):
    """The result of a research workflow."""

    run_id: str
    report: ReportRef | None
    ending: Ending | None = None
    usage: Usage = Usage()
    iterations: int = 0
    steps: int = 0
    draft: str | None = None
    """Of a branch: artifact hash of its `ReportDraft`."""
    unanswered: bool = False
    """Of a branch: it came to its end, and nothing that it found answers its question."""
    evidence: tuple[EvidenceRef, ...] = ()
    """Of a branch: what its draft cites; if no writer ends it, all evidence without repetitions."""
    values: JsonObject = {}
    """Of a branch: what its graph declares as its `result`, by name, without what is null or empty."""
    searches: tuple[str, ...] = ()
    """Of a branch: the queries that it made."""
    warnings: tuple[str, ...] = ()
    failure: Failure | None = None
    """Of a branch that failed; carried in the details of its failure, so that its parent can charge what it used."""


class ControlRequest(Frozen):
    """Input of the `control` update, whose id is the request's, and of its signal to branches."""

    action: Action
    by: str = Field(default="", max_length=NAME_CHARACTERS)
    """Who asks; empty if nobody was named."""


class ControlAnswer(Frozen):
    """Answer of the `control` update: what the action answers."""

    answer: Json = None


class BranchHeld(Frozen):
    """The branch is on hold, or no longer; or its calls that wait for approval have changed."""

    run_id: str
    """The branch's own."""
    hold: Hold | None
    top_ups: int = Field(default=0, ge=0)
    """How many it had received; with fewer than it was sent, a wait for budget is over already."""
    calls: tuple[WaitingCall, ...] = Field(default=(), exclude_if=lambda calls: not calls)
    """Its calls, and those of its own branches, that wait for approval."""
