"""Runs in responses; these descriptions and examples are the API's manual. Times are RFC 3339 in UTC."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

from pydantic import Field

from elcano.graphs.contracts import Awaited, Engine, ForkedFrom, RunPriority, RunStatus, Stage
from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import ArchivedRun, RunSnapshot
from elcano.graphs.state.branches import BranchState
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.failures import Ending, Failure, HoldReason, WaitingCall
from elcano.graphs.state.plan import ClarifyingQuestion
from elcano.graphs.state.state import Choice, ReportRef
from elcano.graphs.trust import NO_LIMITS, Trust
from elcano.service.fields import Described, Moment, WorkflowData
from elcano.service.runs.budget_view import BudgetView
from elcano.service.runs.ledger_view import LedgerView
from elcano.service.runs.section_view import SectionsView, add_progress
from elcano.service.temporal.executions import Execution, PendingActivity
from elcano.storage.ledger import BranchProgress

CALL = "0003-open_ticket"
"""An example."""


class WaitingCallView(WorkflowData):
    """A pending call of a tool that writes, waiting for approval or refusal."""

    call: str = Field(examples=[CALL])
    """Its id, which a decision names."""
    run_id: str = Field(examples=["default-01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """The run, or the section, that makes it: a decision is sent to that one."""
    section: str = Field(default="", examples=[""])
    """The section's title; empty for the run itself."""
    step: int = Field(examples=[3])
    """Its step."""
    node: str = Field(examples=["open_ticket"])
    """Its node."""
    server: str = Field(examples=["tickets"])
    """The server, by the name that the operator gave it."""
    tool: str = Field(examples=["open_ticket"])
    """The tool of that server."""
    arguments: str = Field(examples=['{"title": "The harbour light is out"}'])
    """The arguments, as JSON; at most 2,000 characters of them, and 200 for a call of a section."""
    whole: bool = Field(default=True, examples=[True])
    """False: there is more of the arguments; `GET /v1/runs/{run_id}/steps/{step}?whole=true` has all as its input."""
    since: Moment = Field(examples=["2026-11-18T08:26:40.250000Z"])
    """When it was asked about. Its arguments fit the tool's schema then."""
    until: Moment = Field(examples=["2026-11-25T08:26:40.250000Z"])
    """When its node, or its item, fails with `ApprovalNeeded` unless a decision is made."""

    @classmethod
    def of(cls, call: WaitingCall) -> "WaitingCallView":
        """A call as its run knows it."""
        return cls.from_record(call, call=call.id)


Link: TypeAlias = Literal["events", "report", "temporal_ui"]
"""The content at an address of a run."""
_LINKS: Final[dict[Link, str]] = {
    "events": "/v1/runs/default-01kb1q3yw5v7c8m2n4p6r8t0vx/events",
    "report": "/v1/runs/default-01kb1q3yw5v7c8m2n4p6r8t0vx/report",
    "temporal_ui": "http://127.0.0.1:8233/namespaces/default/workflows/default-01kb1q3yw5v7c8m2n4p6r8t0vx",
}


class HoldView(WorkflowData):
    """The reason that a run is on hold."""

    reason: HoldReason = Field(examples=["provider"])
    """`budget`: a top-up. `provider`: one that is down, overloaded or out of quota. `person`: a person has to fix a
    key, a name or a setting. `pause`: it was paused, and has to be unpaused. `approval`: the plan, or tool calls
    (`approvals`), need approval. `answers`: what it asked back (`questions`) waits for answers."""
    node: str = Field(default="", examples=["judge"])
    """The node that waits; empty where the reason is all that is known, as in lists."""
    agent: str = Field(default="", examples=["judge"])
    """The agent that it calls; empty for a search."""
    source: str = Field(default="", examples=[""])
    """The source that it searches; empty for an agent."""
    type: str = Field(default="", examples=["ProviderUnavailable"])
    """The error's name; of a budget the limit that is used up."""
    detail: str = Field(default="", examples=["HTTP 503: overloaded"])
    """The provider's message, the limit that is used up, or the reason of a pause."""
    by: str = Field(default="", examples=[""])
    """The user who paused it; empty if none was named."""
    tries: int = Field(default=0, examples=[3])
    """Failed attempts of the call since the run was last resumed or unpaused. 0 for a run whose sections wait: each has
    its own."""
    since: Moment | None = Field(default=None, examples=["2026-11-18T08:26:40.250000Z"])
    """When it began."""
    until: Moment | None = Field(default=None, examples=["2026-11-18T08:26:48.250000Z"])
    """When the call is retried, or the wait ends; null: after a person has acted, or when a section says so."""


class PlannedSection(Described):
    """One section of a plan."""

    title: str = Field(examples=["Costs"])
    """Its heading in the report."""
    question: str = Field(examples=["What does it cost to run?"])
    """Question that its research answers."""
    criteria: tuple[str, ...] = Field(default=(), examples=[("Names the price of each plan, with its date",)])
    """Requirements of its answer."""


class Spent(Described):
    """Usage of a run by the ledger so far, with its sections and calls under way."""

    tokens: int = Field(examples=[12_400])
    """Input and output tokens of all model calls together."""
    cost_usd: float = Field(examples=[0.012])
    """US dollars."""


class RunView(Described):
    """A run: its status, or how it ended."""

    run_id: str = Field(examples=["default-01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """Names the run everywhere; also the id of its Temporal workflow."""
    question: str = Field(examples=["Which Python packages here can read PDF files?"])
    """The question."""
    mode: str = Field(examples=["iterative"])
    """The graph that works on it."""
    choice: Choice | None = Field(default=None, examples=[{"mode": "deep", "reason": "It compares three things."}])
    """For a run of mode `auto`: the mode that it picked, and why (in lists only once it has ended); null until then."""
    domain: str = Field(default="", examples=["biomedical"])
    """The field by whose rubric its evidence is judged; empty: that of none, or its question has not been read yet."""
    engine: Engine = Field(default="graph", examples=["graph"])
    """`chain`: the mode runs as plain code, without the graph engine."""
    priority: RunPriority = Field(default="interactive", examples=["interactive"])
    """`batch`: it gets what interactive runs leave of workers and providers."""
    status: RunStatus = Field(examples=["running"])
    """`terminated`: ended from outside, without a report."""
    forked_from: ForkedFrom | None = Field(default=None, examples=[None])
    """The run whose steps it began with, and its first step of its own; null if it began by itself."""
    api_key: str = Field(default="", examples=["7q2mz0v1k3xc"])
    """The id of the API key that it was asked for with; empty: without one."""
    metadata: dict[str, str] = Field(default={}, examples=[{"ticket": "4711"}])
    """Labels that the client set."""
    trust: Trust = Field(default=NO_LIMITS, examples=[{"blocked_kinds": ["preprint"], "egress": "private"}])
    """Limits on sources and hosts, spelled as hosts and journals are compared."""
    output_schema: JsonObject | None = Field(default=None, examples=[None])
    """The JSON Schema of the answer that is wanted besides the report; null: none, or in a list."""
    previous_run: str = Field(default="", examples=[""])
    """The run that it follows: it knows what was asked and answered there, and before. Empty: none."""
    started_at: Moment = Field(examples=["2026-11-18T08:26:40.250000Z"])
    """When it was accepted."""
    finished_at: Moment | None = Field(default=None, examples=["2026-11-18T08:27:22.500000Z"])
    """When it ended; null while it runs."""
    stage: Stage | None = Field(default=None, examples=["researching"])
    """The stage of a running run; null if no worker answers."""
    node: str = Field(default="", examples=["judge"])
    """The node that a running run is at."""
    iterations: int | None = Field(default=None, examples=[2])
    """Turns of its own research loop; null if unknown, as for a running run in a list."""
    steps: int | None = Field(default=None, examples=[17])
    """Nodes that it visited itself; null likewise."""
    evidence: int | None = Field(default=None, examples=[12])
    """Passages that it found, or that ended sections handed over; null likewise."""
    sources: tuple[str, ...] = Field(default=(), examples=[["packages"]])
    """The sources."""
    budget: BudgetView | None = None
    """Per limit what it is, what is used and what remains; null until the run reported it."""
    spent: Spent | None = Field(default=None, examples=[None])
    """For a running run in a list, whose budget is not asked for there: what it has used so far; null otherwise."""
    ending: Ending | None = Field(default=None, examples=[{"kind": "stopped", "detail": "We know enough."}])
    """Why it left its graph early; null if it did not."""
    hold: HoldView | None = None
    """Set while it waits: to be continued, for a top-up, for approval, or with a call, its own or a section's, for a
    provider or for a person. In lists, and while no worker answers, only its reason."""
    awaits: Awaited = Field(default="", examples=[""])
    """Input that a running run needs from a person, also while it is paused: approval of its plan, or answers to its
    questions; not in lists."""
    approvals: tuple[WaitingCallView, ...] = ()
    """Tool calls that need approval, including the first 20 of each section; the run may work meanwhile. Not in lists.
    """
    questions: tuple[ClarifyingQuestion, ...] = ()
    """Questions that a running run asked back (`clarify`), with the answers; not in lists."""
    plan: tuple[PlannedSection, ...] = ()
    """The sections that a running run has planned; not in lists."""
    branches: tuple[BranchState, ...] = ()
    """State of the sections that are researched in parallel, the last 200; not in lists. Figures of open sections count
    ended calls and all passages found."""
    sections: SectionsView | None = None
    """Rounds, steps and passages of the sections together, which are not among those of the run; null: it has no
    sections, or in a list."""
    ledger: LedgerView | None = None
    """For a run with a manager (`magentic`): facts, plan, turns, stalls and resets; not in lists."""
    failure: Failure | None = None
    """The node that failed for good, if one did; without a node: why the run failed, or was ended from outside."""
    knowledge_error: str = Field(default="", examples=[""])
    """For an ended run: why its findings could not be added to the knowledge graph; empty if they were."""
    report: ReportRef | None = None
    """The report's figures; `GET /v1/runs/{run_id}/report` has its text."""
    last_event: int | None = Field(default=None, examples=[23])
    """Number of a running run's last event."""
    blocked: str = Field(default="", examples=[""])
    """Why a running run cannot continue until someone acts: it was paused in Temporal, workers fail to continue it, or
    none of its calls is taken by a worker. With the title in front: so for a section. Empty: nothing of this kind is
    known."""
    actions: tuple[str, ...] = Field(default=(), examples=[["stop", "top-up", "pause", "steer", "cancel"]])
    """Control actions that a running run takes now (`POST /v1/runs/{run_id}/<action>`); not in lists. A run that is
    `blocked` may take none but `cancel`, and one that writes its report takes no other either."""
    worker: Literal["answering", "not answering"] | None = None
    """Whether a worker reported its state; null for ended runs and in lists."""
    stale: bool = False
    """True: only what was stored at the start is shown, because nothing more is known."""
    pending: tuple[PendingActivity, ...] = ()
    """Calls that Temporal is waiting for, in the run and its sections, each with its attempts, while it runs."""
    links: dict[Link, str] = Field(default={}, examples=[_LINKS])
    """Related resources: paths of this API, and its page in the Temporal UI if the server knows that one's address
    (`ELCANO_TEMPORAL_UI_URL`)."""

    @classmethod
    def of(cls, run: ArchivedRun, *, evidence: int | None = None) -> "RunView":
        """A run as it is stored; `evidence` is how many passages it found, if `run` comes without their ids."""
        found = len(run.evidence) if evidence is None else evidence
        own: dict[str, object] = {
            "budget": BudgetView.of(run.budget),
            "evidence": found,
            "output_schema": run.output_schema or None,
        }
        if run.status == "running":  # what is stored is how it began
            own |= {"iterations": None, "steps": None, "evidence": None}
        return cls.from_record(run, choice=_get_made_choice(run.choice), ledger=LedgerView.of(run.ledger), **own)

    def at(self, snapshot: RunSnapshot, spent: Usage, pending: tuple[PendingActivity, ...], now: float) -> "RunView":
        """Shows a running run as its workflow sees it; `spent` is newer than the usage the workflow knows.

        `now` is in seconds since the epoch: the workflow's clock moves only when something happens to the run itself.
        """
        budget = BudgetView.of(snapshot.budget)
        return self.model_copy(
            update={
                "pending": pending,
                "stage": snapshot.stage,
                "choice": _get_made_choice(snapshot.choice),
                "domain": snapshot.domain,
                "node": snapshot.node,
                "iterations": snapshot.iteration,
                "steps": snapshot.step - 1,
                "evidence": snapshot.evidence,
                "budget": budget and budget.spent(spent).until(snapshot.counting_since, now),
                "ending": snapshot.ending,
                "hold": HoldView.from_record(snapshot.hold) if snapshot.hold else None,
                "awaits": snapshot.awaits,
                "approvals": tuple(WaitingCallView.of(call) for call in snapshot.calls),
                "branches": snapshot.branches,
                "sources": snapshot.sources or self.sources,
                "questions": snapshot.questions,
                "plan": tuple(
                    PlannedSection(title=section.title, question=section.key_question, criteria=section.criteria)
                    for section in snapshot.plan
                ),
                "ledger": LedgerView.of(snapshot.ledger),
                "failure": snapshot.failure,
                "report": snapshot.report,
                "last_event": snapshot.last_event,
                "worker": "answering",
            }
        )

    def with_spent(self, spent: Usage) -> "RunView":
        """An ended run with what the ledger says; the calls of one that was ended from outside report after its end."""
        return self.model_copy(update={"budget": self.budget and self.budget.spent(spent)})

    def with_sections(self, done: Mapping[str, BranchProgress], evidence: Mapping[str, int]) -> "RunView":
        """Add the progress of its sections, and the passages that they found, by run id; under its own id the total."""
        branches = tuple(add_progress(branch, done, evidence) for branch in self.branches)
        view = SectionsView.of(branches, done, evidence.get(self.run_id, 0))
        return self.model_copy(update={"branches": branches, "sections": view})

    def with_links(self, workflows_page: str) -> "RunView":
        """Adds where more of it is: paths of this API, and its page among the Temporal UI's `workflows_page`."""
        links: dict[Link, str] = {name: f"/v1/runs/{self.run_id}/{name}" for name in ("events", "report")}
        if workflows_page:
            links["temporal_ui"] = f"{workflows_page}/{self.run_id}"
        return self.model_copy(update={"links": links})

    def at_a_glance(self, execution: Execution) -> "RunView":
        """A running run as Temporal's server knows it without a worker: where it is, and what it waits for."""
        mode, stage = execution.mode, execution.stage if execution.status == "running" else "closed"
        chosen = mode.removeprefix(f"{self.mode}/") if mode.startswith(f"{self.mode}/") else ""
        waits = execution.waiting in get_args(HoldReason) and stage != "closed"
        return self.model_copy(
            update={
                "choice": _get_made_choice(Choice(mode=chosen)),
                "stage": stage if stage in get_args(Stage) else None,
                "hold": HoldView.model_validate({"reason": execution.waiting}) if waits else None,
            }
        )


def _get_made_choice(choice: Choice) -> Choice | None:
    return choice if choice.mode else None


class RunList(Described):
    """One page of runs."""

    runs: tuple[RunView, ...]
    """The runs as stored; the stage of a running one comes from Temporal, at most three seconds old. A run about which
    Temporal does not answer at once is `stale`; one whose workflow is over, and whose end is about to be stored, is
    `closed`."""
    next: str | None = Field(default=None, examples=["default-01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """Pass it as `cursor` for the next page; null on the last one."""
