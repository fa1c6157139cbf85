"""The contracts of a run: its input, its result, the messages to and from it, and what Temporal finds it by.

Names and fields here are persisted in histories. New fields get defaults; nothing is renamed.
"""

import re
from typing import Final, Literal

from pydantic import Field

from elcano.graphs.contracts import BranchOf, DiscardedWork, ForkedFrom, RunPriority
from elcano.graphs.engine.control_actions import Action
from elcano.graphs.engine.entries import Entry, RunResumed
from elcano.graphs.engine.run import Run
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.model_names import ModelChoice
from elcano.graphs.rules import RULES
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.branches import BranchInput, KeptBranch
from elcano.graphs.state.budget import Experience, Limits, Usage, usd_from_microusd
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.state.failures import Ending, Failure, Hold, WaitingCall
from elcano.graphs.state.plan import ReportForm
from elcano.graphs.state.rubric import Rubric
from elcano.graphs.state.state import MOST_ENTRIES, MOST_TAKEN_OVER, EvidenceRef, HistoryEntry, ReportRef
from elcano.graphs.tenants import DEFAULT_TENANT, NAME_CHARACTERS, Tenant
from elcano.graphs.text import shorten_text
from elcano.graphs.trust import NO_LIMITS, Trust


class JournalPages(Frozen):
    """Everything that a journal holds, as it travels from one execution of a workflow to the next."""

    run: Run
    entries: tuple[Entry, ...]
    events: tuple[AgentEvent, ...]
    started_at: float
    idle: float = 0.0
    """Seconds in which time stood still."""
    begun: bool = True
    """Whether a worker has taken the first step; the run's time counts from there."""
    still_since: float | None = None
    """Since when the clock is stopped."""
    floor: int = 0
    """The highest event number known to have been emitted; numbers continue above it."""
    elapsed: float | None = None
    """For a resumed run: seconds of work so far. Its clock continues from there, whatever time has passed in between.
    """


class FollowedRun(Frozen):
    """The run that another one follows, as that one knows it."""

    run_id: str
    question: str
    """The original question."""
    in_context: str = ""
    """The new question with what it lacks alone; empty: it lacks nothing."""
    history: tuple[HistoryEntry, ...] = Field(default=(), max_length=MOST_ENTRIES)
    """Earlier questions and answers, the oldest first."""
    evidence: tuple[EvidenceRef, ...] = Field(default=(), max_length=MOST_TAKEN_OVER)
    """Evidence that its report cites comes before the rest. A branch gets none."""
    left_out: int = Field(default=0, ge=0)
    """Number of further passages."""
    artifacts: tuple[str, ...] = Field(default=(), exclude_if=lambda artifacts: not artifacts)
    """Runs that change a report only: the report and its draft, which are copied."""

    def for_branch(self) -> "FollowedRun":
        """Returns the part for a branch: earlier questions and answers, since its question may refer to them."""
        return self.model_copy(update={"evidence": (), "in_context": "", "artifacts": ()})


class OpenBranch(Frozen):
    """A branch of the fan-out that a run continues with, which had not ended well: it resumes from its own entries."""

    run_id: str
    start: BranchInput
    graph: str
    """The name of the graph that it walks."""
    asked: "ResearchInput"
    """Its input."""
    carried: JournalPages
    resumed_from: "ResumedFrom"


class ResumedFrom(Frozen):
    """Start of a run whose earlier entries come from an execution that ended or was abandoned."""

    entry: RunResumed
    """The entry for its log, written once its record is corrected."""
    undone: tuple[DiscardedWork, ...] = ()
    kept: tuple[KeptBranch, ...] = ()
    """For the fan-out that it continues with: branches that need not be started again."""
    open: tuple[OpenBranch, ...] = ()
    """Branches that continue from their own entries."""
    evidence: tuple[str, ...] = ()
    """For a fork: the findings of the other run, in the order of finding."""
    artifacts: tuple[str, ...] = ()
    """For a fork: drafts that it shares with the other run."""


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
    output_schema: JsonObject = Field(default={}, exclude_if=lambda schema: not schema)
    """The JSON Schema of the answer that is wanted besides the report; empty: none, as of every branch."""
    review: bool = False
    """Whether the reviewer reads the report's statements against their quotes; drafts of branches are not reviewed."""
    guidance: tuple[str, ...] = ()
    """For a branch: the instructions given before it began."""
    language: str = ""
    """For a branch: the question's language, by its English name, as its run knew it."""
    form: ReportForm | Literal[""] = ""
    """For a branch: the form of its section."""
    criteria: tuple[str, ...] = ()
    """For a branch: the criteria of its answer."""
    evidence: tuple[EvidenceRef, ...] = ()
    """Branches only: passages to start with."""
    beside: tuple[str, ...] = Field(default=(), exclude_if=lambda beside: not beside)
    """Branches only: evidence ids that are off topic for the parent run."""
    today: str = ""
    """For a branch: the day in UTC on which its run began, as `2026-11-22`; a run reads its own from its journal."""
    barred: dict[str, str] = {}
    domain: str = ""
    domains: tuple[Rubric, ...] = ()
    """These three as the state has them: modes that cannot be chosen, the field judged by, and its rubric or all."""
    approve_plan: bool = False
    """Whether the run waits for plan approval before it researches the sections."""
    approvals: Literal["wait", "refuse"] = Field(default="refuse", exclude_if=lambda approvals: approvals == "refuse")
    """Whether a tool call that writes without the operator's permission waits for approval, or fails at once: as it did
    in runs older than this field."""
    api_key: str = Field(default="", exclude_if=lambda api_key: not api_key)
    """The id of the API key that the run was asked for with; empty: without one."""
    metadata: dict[str, str] = Field(default={}, exclude_if=lambda metadata: not metadata)
    """Labels that the client set. Agents do not see them."""
    notify: str = Field(default="", exclude_if=lambda notify: not notify)
    """The id of a workflow that is signalled when the run has ended; empty: none."""
    priority: RunPriority = Field(default="interactive", exclude_if=lambda priority: priority == "interactive")
    trust: Trust = Field(default=NO_LIMITS, exclude_if=NO_LIMITS.__eq__)
    """Limits on sources and hosts, shared by its branches, continuations and forks."""
    models: ModelChoice = ModelChoice()
    model_providers: dict[str, str] = {}
    """By agent, or by a model that a node names, the provider with a rate in whose queue its calls wait; others wait in
    the run's own."""
    call_seconds: float = Field(default=600.0, exclude_if=lambda seconds: seconds == 600.0)
    """Timeout of one attempt of an agent's call, in seconds."""
    tenant: Tenant = DEFAULT_TENANT
    confidential: bool = Field(default=False, exclude_if=lambda confidential: not confidential)
    """Whether search attributes hide the question, because payloads are encrypted."""
    branch_of: BranchOf | None = None
    """Set on a branch: it hands its draft to its parent instead of publishing a report."""
    rules: int = Field(default_factory=RULES.__len__, ge=1)
    """The number of the rules that the run goes by, from its start to its end (see `graphs.rules`)."""
    experience: Experience = Experience()
    """For a branch: its run's experience with models when it began."""
    address: str = ""
    """The run's address in the API, if known: for people who look at the workflow."""
    carried: JournalPages | None = None
    """Set when the run was continued as new, or is resumed: the journal so far."""
    forked_from: ForkedFrom | None = None
    searched: tuple[str, ...] = ()
    """For a fork: the first and the last day in UTC of a search among its shared steps."""
    follows: FollowedRun | None = None
    """The run that this one, or the run of this branch, follows."""
    values: dict[str, Json] = Field(default={}, exclude_if=lambda values: not values)
    """Initial `values` of its graph that are too large for an expression."""
    resumed_from: ResumedFrom | None = None
    """Set in the first execution of a run that was resumed, rolled back or forked."""


class Handover(Frozen):
    """Result of a branch. All fields empty: it leaves a gap."""

    draft: str | None = None
    """Artifact hash of its `ReportDraft`."""
    unanswered: bool = False
    """Whether it came to its end, and nothing that it found answers its question."""
    evidence: tuple[EvidenceRef, ...] = ()
    """The evidence that its draft cites; if no writer ends it, all evidence without duplicates."""
    values: JsonObject = {}
    """The values that its graph declares as its `result`, by name, without null and empty ones."""
    warnings: tuple[str, ...] = ()


class ResearchResult(Handover):
    """The result of a research workflow; only a branch hands something over."""

    run_id: str
    report: ReportRef | None
    ending: Ending | None = None
    usage: Usage = Usage()
    iterations: int = 0
    steps: int = 0
    searches: tuple[str, ...] = ()
    """For a branch: its queries."""
    failure: Failure | None = None
    """For a failed branch: carried in the details of its failure, so that its parent can charge its usage."""


class ControlRequest(Frozen):
    """Input of the `control` update, whose id is the request's, and of its signal to branches."""

    action: Action
    by: str = Field(default="", max_length=NAME_CHARACTERS)
    """The user; empty if none was named."""


class ControlAnswer(Frozen):
    """Answer of the `control` update: what the action answers."""

    answer: Json = None


class BranchHeld(Frozen):
    """The branch is on hold, or no longer; or its calls that wait for approval have changed."""

    run_id: str
    """The branch's own."""
    hold: Hold | None
    top_ups: int = Field(default=0, ge=0)
    """Number of top-ups received; if more were sent, a wait for budget is over already."""
    calls: tuple[WaitingCall, ...] = Field(default=(), exclude_if=lambda calls: not calls)
    """Its calls, and those of its own branches, that wait for approval."""


QUESTION_ATTRIBUTE: Final = "ElcanoQuestion"
SECTION_ATTRIBUTE: Final = "ElcanoSection"
RUN_ATTRIBUTE: Final = "ElcanoRun"
MODE_ATTRIBUTE: Final = "ElcanoMode"
TENANT_ATTRIBUTE: Final = "ElcanoTenant"
STAGE_ATTRIBUTE: Final = "ElcanoStage"
WAITING_ATTRIBUTE: Final = "ElcanoWaiting"
OUTCOME_ATTRIBUTE: Final = "ElcanoOutcome"
TOKENS_ATTRIBUTE: Final = "ElcanoTokens"
COST_ATTRIBUTE: Final = "ElcanoCostUsd"
SEARCH_ATTRIBUTES: Final[dict[str, Literal["Keyword", "Int", "Double"]]] = {
    QUESTION_ATTRIBUTE: "Keyword",  # the beginning of what is asked, of a section of what it asks
    SECTION_ATTRIBUTE: "Keyword",  # the title; of sections alone
    RUN_ATTRIBUTE: "Keyword",  # id of the run that someone asked for, of its sections too
    MODE_ATTRIBUTE: "Keyword",
    TENANT_ATTRIBUTE: "Keyword",
    STAGE_ATTRIBUTE: "Keyword",  # a `Stage`
    WAITING_ATTRIBUTE: "Keyword",  # a `HoldReason`; only while the run waits
    OUTCOME_ATTRIBUTE: "Keyword",  # a `RunStatus`; once the run has ended
    TOKENS_ATTRIBUTE: "Int",  # used so far: as of the last change of the others, or of a further quarter of the limit
    COST_ATTRIBUTE: "Double",  # the same in US dollars
}
"""The namespace must know all of them, with these types: the worker sees to it.

A database of Temporal has columns for ten keywords and three of each other type in a namespace. Texts are keywords:
Temporal's PostgreSQL long took the type Text unchanged for a search vector, and refused a question with a colon.
"""
QUESTION_CHARACTERS: Final = 600
"""Maximum length of a question in Markdown."""
LABEL_CHARACTERS: Final = 160
"""Maximum length of a question or title. Temporal allows a value 2 KiB, in which the rarest characters take 12 bytes
each, and its databases 255 characters."""

_SIGNS: Final = re.compile(r"([\\`*_\[\]#!|<>~])")


HIDDEN: Final = "(encrypted)"
"""The question and the title of a section if payloads are encrypted: Temporal keeps search attributes in clear."""


def at_start(asked: ResearchInput) -> dict[str, str]:
    """The search attributes, all keywords, with which a run or a section begins: a child inherits none."""
    branch = asked.branch_of
    labels = {
        QUESTION_ATTRIBUTE: HIDDEN if asked.confidential else format_label(asked.question),
        RUN_ATTRIBUTE: branch.run_id if branch else asked.run_id,
        MODE_ATTRIBUTE: asked.mode,
        TENANT_ATTRIBUTE: asked.tenant,
        STAGE_ATTRIBUTE: "researching",
    }
    if branch is None:
        return labels
    return labels | {SECTION_ATTRIBUTE: HIDDEN if asked.confidential else format_label(branch.section)}


def describe_workflow(asked: ResearchInput) -> str:
    """Describe the purpose of a run or section in Markdown, for display in the Temporal UI."""
    limits, branch = asked.limits, asked.branch_of
    money = f", ${usd_from_microusd(limits.cost_microusd):g}" if limits.cost_microusd is not None else ""
    lines = []
    if format_label(asked.question) != asked.question:  # else the workflow's summary has all of it
        lines += [escape_markdown_line(asked.question, QUESTION_CHARACTERS), ""]
    if branch is not None:
        lines.append(
            f"- {escape_markdown_line(branch.part)} **{escape_markdown_line(branch.section)}** of `{branch.run_id}`"
        )
    lines.append(f"- {asked.mode}, at most {limits.tokens:,} tokens{money}, {limits.seconds:g} s")
    lines.append(f"- searches {', '.join(f'`{name}`' for name in asked.sources) or 'nothing'}")
    if asked.address:
        lines.append(f"- [the run in the API]({asked.address}), [its report]({asked.address}/report) once it has ended")
    return "\n".join(lines)


def escape_markdown_line(text: str, most: int = LABEL_CHARACTERS) -> str:
    """Escape a text as one line in which nothing is Markdown."""
    return _SIGNS.sub(r"\\\1", shorten_text(" ".join(text.split()), most))


def format_label(text: str) -> str:
    """Format a text as one line that fits into a search attribute."""
    line = "".join(sign if sign.isprintable() else " " for sign in text)
    return shorten_text(" ".join(line.split()), LABEL_CHARACTERS)
