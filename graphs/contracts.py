"""The contracts between workflows and activities: activity names, and one input and one output model each.

Names and fields here are persisted in histories. New fields get defaults; nothing is renamed.
"""

from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.model_names import ModelChoice
from elcano.graphs.spec.own_agent import OwnAgent
from elcano.graphs.state.budget import Allowance, Usage
from elcano.graphs.state.failures import Ending, Failure
from elcano.graphs.state.plan import SectionResult
from elcano.graphs.state.rubric import RubricScores
from elcano.graphs.state.state import Choice, HistoryEntry, ToolCallRecord
from elcano.graphs.tenants import RunScoped
from elcano.graphs.trust import NO_LIMITS, Trust

RESEARCH_WORKFLOW: Final = "research"
CHAIN_WORKFLOW: Final = "research_chain"
"""The same research as plain code, without a graph engine (`USE_GRAPH_EXECUTION=false`)."""
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
BACKGROUND_QUEUE: Final = "elcano-background"
"""For work that is not part of a run: batches, schedules, webhooks."""
SCHEDULE: Final = "elcano_schedule"
"""The metadata of a run that says which schedule started it."""
MOST_DEATHS: Final = 8
"""Maximum number of workers that may die during a call, or stand still for too long, in addition to its attempts. It
ends a call that kills each worker that makes it, instead of killing the next one forever."""

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
"""A mark in the metadata of a large answer to a query, on its way to where payloads are stored. Temporal's command line
prints the content of payloads without other metadata than the SDK's, and all others in base64."""
MARKED_BYTES: Final = 31 * 1024
"""Answers of this size on are marked: a little below the size from which payloads are stored, which encryption adds to.
"""
CARRIED_EVENTS: Final = "elcano-events"
"""Name of the events in a run's history: a header of its calls and sections, metadata of its result."""
MOST_CARRIED_BYTES: Final = 16 * 1024
"""Events that take more are queried: histories stay small."""
TOO_EARLY: Final = "ask again: something has happened that the run has yet to hear of"
"""The error of a query that would deliver events out of turn."""
TASK_FAILED: Final = "Workflow Task in failed state"
"""Temporal's message for a query to a workflow whose last task failed."""
CONTROL_UPDATE: Final = "control"
WAKE_SIGNAL: Final = "wake"
"""Tells a background workflow that there may be something to do: a run has ended, a batch was topped up."""
CONTROL_SIGNAL: Final = "control_branch"
"""Goes from a run to its branches; people use the update, which answers."""
BRANCH_HELD_SIGNAL: Final = "branch_held"
"""Goes from a branch to its run."""

Stage: TypeAlias = Literal["researching", "paused", "held", "approval", "answers", "writing", "closed"]
"""`held`: a call of the run cannot be answered now and is retried. `approval`: its plan, or a tool call, waits for
approval."""
Awaited: TypeAlias = Literal["", "approval", "answers"]
"""Input that a run needs from a person, also while it is paused: approval of its plan, or answers to its questions."""
Engine: TypeAlias = Literal["graph", "chain"]
"""The engine that chooses the next step: a graph, or plain code."""
RunPriority: TypeAlias = Literal["interactive", "batch"]
"""Which runs a free worker, or a provider's next call, goes to first: batch runs get what interactive ones leave."""
RunStatus: TypeAlias = Literal[
    "running", "completed", "partial", "unanswered", "stopped", "failed", "cancelled", "terminated"
]
"""Status of a run. With a report end `completed` (its graph came to its end), `unanswered` (it did, and the sources do
not answer), `partial` (it ended early or lacks a part) and `stopped` (a person did); without one `failed`, `cancelled`
and `terminated`: ended from outside (the Temporal UI, a server limit) without a chance to say so."""
REPORTED: Final[frozenset[RunStatus]] = frozenset({"completed", "unanswered", "partial", "stopped"})
"""Runs that ended by themselves, with a report."""


class BranchOf(Frozen):
    """The run that a branch belongs to."""

    run_id: str
    """The top-level run, however deep the branch is."""
    path: str
    """`parallel_path_id`, from the outermost branch inwards, joined by `/`."""
    section: str
    part: str = "section"
    """Noun for a branch: `section`, or the branch's name in a graph without a plan, such as `path`."""


class ForkedFrom(Frozen):
    """The run that a fork began as."""

    run_id: str
    step: int
    """The first step that is its own."""


class DiscardedWork(Frozen):
    """Work of one execution of a run that is discarded; the run's record is corrected by it when the run resumes."""

    run_id: str
    """The run, or a branch of it that continues."""
    step: int
    """Its first undone step, with the branches that were started in that step and later."""
    evidence: tuple[str, ...] = ()
    """Findings that remain, in the order of finding."""


class AgentCall(RunScoped):
    """Input of every agent's activity."""

    step: int
    node: str
    agent: str
    input: JsonObject
    """Fits the agent's input model."""
    own: OwnAgent | None = Field(default=None, exclude_if=lambda own: own is None)
    """The definition of one of the graph's custom agents; otherwise it is built in."""
    models: ModelChoice = ModelChoice()
    progress: JsonObject = {}
    """Progress of an earlier attempt of this call."""
    today: str = ""
    """The day in UTC on which the run began, as `2026-11-22`: the same in every attempt; empty: unknown."""
    last_event: int = Field(default=0, ge=0)
    """The highest number of an event that the run had emitted; handed back, so that the history has it."""
    allowance: Allowance = Allowance()
    """Allowance of all attempts of the call together; enforced before each request to a model."""
    history: tuple[HistoryEntry, ...] = Field(default=(), exclude_if=lambda history: not history)
    """Earlier questions and answers."""
    evidence_tokens: int | None = Field(default=None, ge=0)
    """The most that the passages may take which the model is shown; None: what the agent's definition says."""
    at_exit: bool = Field(default=False, exclude_if=lambda at_exit: not at_exit)
    """Whether the call is an exit of its graph, for which something was kept."""
    may_wait: bool = Field(default=False, exclude_if=lambda may_wait: not may_wait)
    """Whether its run waits, for days if need be, rather than do less."""
    trust: Trust = Field(default=NO_LIMITS, exclude_if=NO_LIMITS.__eq__)
    """The hosts at which its models may be."""


class AgentResult(Frozen):
    """Output of every agent's activity."""

    output: JsonObject
    """Fits the agent's output model."""
    usage: Usage = Usage()
    waited: float = 0.0
    """Seconds for which no worker was free to begin it."""
    model: str = ""
    """The model that answered, as the provider names it."""
    last_event: int = 0
    """Copied from the call."""


class ToolCall(RunScoped):
    """Input of every tool's activity."""

    step: int
    node: str
    item: int = 0
    """Index within a `for_each`."""
    tool: str
    input: JsonObject
    last_event: int = Field(default=0, ge=0)
    """The highest number of an event that the run had emitted; handed back, so that the history has it."""
    approval: str = Field(default="", exclude_if=lambda approval: not approval)
    """The id of the approved call; empty: no approval was requested."""
    seconds: float | None = Field(default=None, exclude_if=lambda seconds: seconds is None)
    """Timeout set by its node, in seconds of its worker's clock, which stops while the worker does."""
    trust: Trust = Field(default=NO_LIMITS, exclude_if=NO_LIMITS.__eq__)
    """Limits on sources and hosts."""


class ToolResult(Frozen):
    """Output of every tool's activity."""

    output: JsonObject
    waited: float = 0.0
    """Seconds for which no worker was free to begin it."""
    last_event: int = 0
    """Copied from the call."""


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
    iterations: int = 0
    usage: Usage = Usage()
    sections: tuple[SectionResult, ...] = ()
    """Deep research only: the report names every section with a gap."""
    warnings: tuple[str, ...] = ()
    records: tuple[ToolCallRecord, ...] = ()
    """Every search of the run itself and its outcome; those of its sections are in `sections`."""
    kept: tuple[str, ...] = ()
    """Ids of the evidence that repeats no older one."""
    searched: tuple[str, ...] = ()
    """For a fork: the first and the last day of the searches in its shared steps."""
    choice: Choice = Choice()
    follows: str = ""
    follows_question: str = ""
    """The run that it follows, and what that was asked; empty: none."""
    scored: RubricScores | None = None
    output_schema: JsonObject = Field(default={}, exclude_if=lambda schema: not schema)
    """The JSON Schema of the answer that is wanted besides the report; empty: none."""
    appended: Json = Field(default=None, exclude_if=lambda appended: appended is None)
    """Result of the appendix of its graph; None: there is none, or it did not run."""
    attachments: dict[str, str] = {}
    """Artifact hashes of what steps attach to the report, by name; see `ToolSpec.attaches`."""
    searchable: tuple[str, ...] = Field(default=(), exclude_if=lambda searchable: not searchable)
    """The sources that the run searches at its end; none of `sources` that was removed from it is contacted."""
    trust: Trust = Field(default=NO_LIMITS, exclude_if=NO_LIMITS.__eq__)
    """Limits on the hosts that the run may contact."""


SHOWN_CHARACTERS: Final = 2_000
"""Maximum length of the text shown: its end. In a heartbeat it takes 12 kB at worst (each character escaped), which is
below the size that is stored outside Temporal's own database."""
BEAT_SECONDS: Final = 0.5
"""Seconds between two heartbeats of an activity, and so the maximum age of its live text."""
WORKER_BEAT_SECONDS: Final = 2.0
"""Seconds between two heartbeats of a worker. The API notices a killed worker after three missed beats; the SDK's
default is a minute."""


class Words(Frozen):
    """Live text of an agent. Travels: new fields get defaults."""

    step: int = Field(ge=0)
    node: str
    attempt: int = Field(ge=1)
    """The attempt of the activity: the text of a failed attempt is void."""
    text: str = Field(max_length=SHOWN_CHARACTERS)
    """The end of it."""
    characters: int = Field(ge=0)
    """The length of the whole text so far."""


class UsageQuestion(RunScoped):
    """Input of `read_usage`: what the ledger has of calls that could not say themselves what they used."""

    activity: str = ""
    """One activity of this execution; empty: the whole run with its branches."""


class ReopenCall(RunScoped):
    """Input of `reopen_run`: marks the run's record as resumed and strikes out what was undone."""

    step: int
    """For a run that was reset in Temporal: it was rolled back to before this step."""
    resumed: bool = False
    """Set if it was not reset, but continues in a new execution: the work to undo."""
    undone: tuple[DiscardedWork, ...] = ()
    kept: tuple[str, ...] = ()
    """Branches that stay as they are, though they were started in an undone step."""
    from_run: str = ""
    """For a fork: the run whose evidence and drafts it shares."""
    evidence: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()


class Reopened(Frozen):
    """Output of `reopen_run`."""

    last_event: int = 0
    """The highest event number that any client can have seen before the reset."""


def model_queue(provider: str) -> str:
    """The task queue of calls of models of a provider whose rate is set."""
    return f"elcano-model-{provider}"
