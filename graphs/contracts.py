"""Where workflows and activities meet: activity names, and one input and one output model each.

Names and fields here are persisted in histories. New fields get defaults; nothing is renamed.
"""

from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.agents.own import OwnAgent
from elcano.graphs.engine.control_actions import Action
from elcano.graphs.engine.entries import RunResumed
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.journal.journal import JournalPages
from elcano.graphs.rules import get_newest_rules_number
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.values.asker import NAME_CHARACTERS
from elcano.graphs.values.branch import BranchInput
from elcano.graphs.values.budget import Allowance, Limits, Usage
from elcano.graphs.values.choice import Choice
from elcano.graphs.values.experience import Experience
from elcano.graphs.values.followed import FollowedRun
from elcano.graphs.values.form import ReportForm
from elcano.graphs.values.history import HistoryEntry
from elcano.graphs.values.report import ReportRef
from elcano.graphs.values.resume_record import KeptBranch
from elcano.graphs.values.rubric import Rubric, RubricScores
from elcano.graphs.values.state import Ending, EvidenceRef, Failure, SectionResult, ToolCallRecord
from elcano.graphs.values.tenant import DEFAULT_TENANT, RunScoped, Tenant

RESEARCH_WORKFLOW: Final = "research"
CHAIN_WORKFLOW: Final = "research_chain"
"""The same research as plain code, without a graph engine (`USE_GRAPH_EXECUTION=false`)."""
LITERATURE_REVIEW: Final = "literature_review"
"""The mode whose report counts records and lists studies."""
CHAIN_MODES: Final = (
    "auto",
    "simple",
    "iterative",
    "deep",
    "deep_brief",
    "literature_review",
    "magentic",
    "hierarchical",
)
"""The graphs that are written out as chains."""
TASK_QUEUE: Final = "elcano"
MOST_DEATHS: Final = 8
"""So many workers may die in the midst of a call, or stand still for too long, beyond the tries that it has. A call
that kills each worker that makes it ends with that, instead of killing the next one for ever."""

OWN_AGENT: Final = "own_agent"
"""The activity of every agent that is a graph's own."""
READ_USAGE: Final = "read_usage"
REOPEN_RUN: Final = "reopen_run"
PUBLISH_REPORT: Final = "publish_report"
ARCHIVE_RUN: Final = "archive_run"
"""The activities of agents and tools have the names that these have in the catalogue."""

PROGRESS_QUERY: Final = "progress"
SNAPSHOT_QUERY: Final = "snapshot"
LOG_QUERY: Final = "log"
ANSWER_MARK: Final = "elcano-answer"
"""In the metadata of the answer to a query."""
CONTROL_UPDATE: Final = "control"
CONTROL_SIGNAL: Final = "control_branch"
"""Goes from a run to its branches; people use the update, which answers."""
BRANCH_HELD_SIGNAL: Final = "branch_held"
"""Goes from a branch to its run."""

Stage: TypeAlias = Literal["researching", "paused", "held", "approval", "writing", "closed"]
"""`held`: a call of the run cannot be answered now and is tried again. `approval`: its plan, or a call of a tool, waits
for somebody."""
Engine: TypeAlias = Literal["graph", "chain"]
"""What decides the way from one step to the next: a graph, or plain code."""
RunStatus: TypeAlias = Literal[
    "running", "completed", "partial", "unanswered", "stopped", "failed", "cancelled", "terminated"
]
"""How a run stands. With a report end `completed` (its graph came to its end), `unanswered` (it did, and the sources do
not answer), `partial` (it ended early or lacks a part) and `stopped` (a person did); without one `failed`, `cancelled`
and `terminated`: ended from outside (the Temporal UI, a server limit) without a chance to say so."""
REPORTED: Final[frozenset[RunStatus]] = frozenset({"completed", "unanswered", "partial", "stopped"})
"""Runs that ended by themselves, with a report."""


class ModelChoice(Frozen):
    """Which model answers: one for all agents, and exceptions by agent name. Empty: the worker's setting."""

    default: str = ""
    """`offline`, a provider string (`openai:gpt-5.1`), or several separated by commas: a fallback list."""
    by_agent: dict[str, str] = {}


class BranchOf(Frozen):
    """Which run a branch belongs to."""

    run_id: str
    """The run that somebody asked for, however deep the branch is."""
    path: str
    """`parallel_path_id`, from the outermost branch inwards, joined by `/`."""
    section: str
    part: str = "section"
    """What it is called: `section`, or the branch's name in a graph that researches no plan with it, as `path`."""


class ForkedFrom(Frozen):
    """Which run another one began as."""

    run_id: str
    step: int
    """The first step that is its own."""


class DiscardedWork(Frozen):
    """Work of one execution of a run that is discarded; the run's record is corrected by it when the run resumes."""

    run_id: str
    """The run, or a branch of it that goes on."""
    step: int
    """Its first step that is undone; with it the branches that were started in that step and later."""
    evidence: tuple[str, ...] = ()
    """What it has found all the same, in the order of finding."""


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


class AgentCall(RunScoped):
    """Input of every agent's activity."""

    step: int
    node: str
    agent: str
    input: JsonObject
    """Fits the agent's input model."""
    own: OwnAgent | None = Field(default=None, exclude_if=lambda own: own is None)
    """What the agent is, if it is the graph's own; else it is built in."""
    models: ModelChoice = ModelChoice()
    progress: JsonObject = {}
    """What an earlier try of this call had finished."""
    today: str = ""
    """The day in UTC on which the run began, as `2026-11-22`: the same in every attempt; empty: none is told."""
    told: int = Field(default=0, ge=0)
    """The highest number of an event that the run had told; handed back, so that the history has it."""
    allowance: Allowance = Allowance()
    """What all attempts of the call together may use; enforced before each request to a model."""
    history: tuple[HistoryEntry, ...] = Field(default=(), exclude_if=lambda history: not history)
    """What was asked and answered before."""
    evidence_tokens: int | None = Field(default=None, ge=0)
    """The most that the passages may take which the model is shown; None: what the agent's definition says."""


class AgentResult(Frozen):
    """Output of every agent's activity."""

    output: JsonObject
    """Fits the agent's output model."""
    usage: Usage = Usage()
    waited: float = 0.0
    """Seconds for which no worker was free to begin it."""
    model: str = ""
    """Who answered, as the provider names it."""
    told: int = 0
    """As the call had it."""


class ToolCall(RunScoped):
    """Input of every tool's activity."""

    step: int
    node: str
    item: int = 0
    """Index within a `for_each`."""
    tool: str
    input: JsonObject
    told: int = Field(default=0, ge=0)
    """The highest number of an event that the run had told; handed back, so that the history has it."""
    approval: str = Field(default="", exclude_if=lambda approval: not approval)
    """The id of the call that somebody approved; empty: nobody was asked."""
    seconds: float | None = Field(default=None, exclude_if=lambda seconds: seconds is None)
    """How long it may take by its node, by the clock of its worker, which stands still while the worker does."""


class ToolResult(Frozen):
    """Output of every tool's activity."""

    output: JsonObject
    waited: float = 0.0
    """Seconds for which no worker was free to begin it."""
    told: int = 0
    """As the call had it."""


class PublishCall(RunScoped):
    """Input of `publish_report`: everything that the report is made of, by reference."""

    question: str
    mode: str
    draft: str | None
    """Artifact hash of the `ReportDraft`; None if the writer failed: the evidence is then listed as it is."""
    evidence: tuple[str, ...]
    """Ids that the writer was given; anything else it cites is unknown."""
    ending: Ending | None = None
    failure: Failure | None = None
    """Why there is no draft, if a node failed."""
    models: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    """The queries that were made, for a reader who asks what was looked for."""
    iterations: int = 0
    usage: Usage = Usage()
    sections: tuple[SectionResult, ...] = ()
    """Of deep research: every section with a gap is named in the report."""
    warnings: tuple[str, ...] = ()
    records: tuple[ToolCallRecord, ...] = ()
    """Of a literature review: every search and what came of it."""
    kept: tuple[str, ...] = ()
    """Of a literature review: ids of the evidence that repeats no older one."""
    searched: tuple[str, ...] = ()
    """Of a fork: the first and the last day on which what it shares was searched."""
    choice: Choice = Choice()
    follows: str = ""
    follows_question: str = ""
    """The run that it follows, and what that was asked; empty: none."""
    scored: RubricScores | None = None
    analysis: str | None = None
    """Artifact hash of the `Analysis`, of a run that analyzed numbers."""


class ControlRequest(Frozen):
    """Input of the `control` update, whose id is the request's, and of its signal to branches."""

    action: Action
    by: str = Field(default="", max_length=NAME_CHARACTERS)
    """Who asks; empty if nobody was named."""


class ControlAnswer(Frozen):
    """Answer of the `control` update: what the action answers."""

    answer: Json = None
