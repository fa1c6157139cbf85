"""What answers look like; these descriptions and examples are the API's manual.

Times are RFC 3339 in UTC.
"""

from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import Field, WrapSerializer

from elcano.api.http.approvals import WaitingCallView
from elcano.api.http.budgets import BudgetView, Described, WorkflowData
from elcano.api.http.errors import FieldFault
from elcano.api.http.ledgers import LedgerView
from elcano.api.http.times import Moment, datetime_from_seconds, with_moments
from elcano.graphs.contracts import Engine, ForkedFrom, RunStatus, Stage
from elcano.graphs.records import ArchivedRun, RunSnapshot
from elcano.graphs.report.draft import ReportRef
from elcano.graphs.spec.graph import AgentNode, NodeId, ResearchGraph
from elcano.graphs.state.branches import BranchState
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.failures import Ending, Failure
from elcano.graphs.state.holds import HoldReason
from elcano.graphs.state.state import Choice
from elcano.storage.evidence import Evidence

Link: TypeAlias = Literal["events", "report", "temporal_ui"]
"""What of a run is at an address."""
_LINKS: Final[dict[Link, str]] = {
    "events": "/v1/runs/default-01kb1q3yw5v7c8m2n4p6r8t0vx/events",
    "report": "/v1/runs/default-01kb1q3yw5v7c8m2n4p6r8t0vx/report",
    "temporal_ui": "http://127.0.0.1:8233/namespaces/default/workflows/default-01kb1q3yw5v7c8m2n4p6r8t0vx",
}


class PendingActivity(Described):
    """An activity that Temporal is waiting for."""

    activity_id: str = Field(examples=["0004-judge"])
    """Step and node."""
    activity: str = Field(examples=["judge"])
    """The activity's name, which is that of its agent or tool."""
    attempt: int = Field(examples=[2])
    """How often it was tried, this time included."""
    last_failure: str = Field(default="", examples=["the provider did not answer in 120 s"])
    """Why it failed the last time; empty if it did not."""
    next_try: Moment | None = Field(default=None, examples=["2026-11-18T08:27:30Z"])
    """When it is tried again; null while it is being tried."""
    section: str = Field(default="", examples=["Costs"])
    """The section that it belongs to; empty for the run itself."""
    queue: str = Field(default="", examples=["elcano-source-pubmed"])
    """The task queue in which it waits for a worker; empty while it is being tried, or is to be tried later."""
    unserved: bool = False
    """Whether no worker polls that queue: it waits until one is started."""


class HoldView(WorkflowData):
    """The reason that a run is on hold."""

    reason: HoldReason = Field(examples=["provider"])
    """`budget`: a top-up. `provider`: one that is down, overloaded or out of quota. `person`: somebody has to mend a
    key, a name or a setting. `pause`: somebody paused it, and has to continue it. `approval`: somebody has to
    approve or refuse the plan, or calls of tools (`approvals`)."""
    node: str = Field(examples=["judge"])
    """The node that waits."""
    agent: str = Field(default="", examples=["judge"])
    """The agent that it calls; empty for a search."""
    source: str = Field(default="", examples=[""])
    """The source that it searches; empty for an agent."""
    type: str = Field(default="", examples=["ProviderUnavailable"])
    """The error's name; of a budget the limit that is used up."""
    detail: str = Field(examples=["HTTP 503: overloaded"])
    """What the provider said, which limit is used up, or why somebody paused it."""
    by: str = Field(default="", examples=[""])
    """Who paused it; empty if nobody was named."""
    tries: int = Field(default=0, examples=[3])
    """How often the call was tried in vain."""
    since: Moment | None = Field(default=None, examples=["2026-11-18T08:26:40.250000Z"])
    """When it began."""
    until: Moment | None = Field(default=None, examples=["2026-11-18T08:26:48.250000Z"])
    """When the call is tried again, or not waited for any more; null: once somebody has done something."""


class PlannedSection(Described):
    """One section of a plan."""

    title: str = Field(examples=["Costs"])
    """Its heading in the report."""
    question: str = Field(examples=["What does it cost to run?"])
    """What its research is to find out."""
    criteria: tuple[str, ...] = Field(default=(), examples=[("Names the price of each plan, with its date",)])
    """What its answer has to have."""


class RunView(Described):
    """A run: how it stands, or how it ended."""

    run_id: str = Field(examples=["default-01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """Names the run everywhere; also the id of its Temporal workflow."""
    question: str = Field(examples=["Which Python packages here can read PDF files?"])
    """What is to be found out."""
    mode: str = Field(examples=["iterative"])
    """The graph that works on it."""
    choice: Choice | None = Field(default=None, examples=[{"mode": "deep", "reason": "It compares three things."}])
    """Of a run asked for as `auto`: the mode by which it goes on, and why (in lists only once it has ended); null until
    it has chosen."""
    domain: str = Field(default="", examples=["biomedical"])
    """The field by whose rubric its evidence is judged; empty: that of none, or its question has not been read yet."""
    engine: Engine = Field(default="graph", examples=["graph"])
    """`chain`: the mode runs as plain code, without the graph engine."""
    status: RunStatus = Field(examples=["running"])
    """`terminated`: ended from outside, without a report."""
    forked_from: ForkedFrom | None = Field(default=None, examples=[None])
    """The run whose steps it began with, and its first step of its own; null if it began by itself."""
    previous_run: str = Field(default="", examples=[""])
    """The run that it follows: it knows what was asked and answered there, and before. Empty: none."""
    started_at: Moment = Field(examples=["2026-11-18T08:26:40.250000Z"])
    """When it was accepted."""
    finished_at: Moment | None = Field(default=None, examples=["2026-11-18T08:27:22.500000Z"])
    """When it ended; null while it runs."""
    stage: Stage | None = Field(default=None, examples=["researching"])
    """Where a running run is; null if nobody answers."""
    node: str = Field(default="", examples=["judge"])
    """The node that a running run is at."""
    iterations: int | None = Field(default=None, examples=[2])
    """Turns of the research loop; null while nobody told, as of a running run in a list."""
    steps: int | None = Field(default=None, examples=[17])
    """Nodes visited; null likewise."""
    evidence: int | None = Field(default=None, examples=[12])
    """Passages found; null likewise."""
    sources: tuple[str, ...] = Field(default=(), examples=[["packages"]])
    """What is searched."""
    budget: BudgetView | None = None
    """Per limit what it is, what is used and what remains; null until the run told."""
    ending: Ending | None = Field(default=None, examples=[{"kind": "stopped", "detail": "We know enough."}])
    """Why it left its graph early; null if it did not."""
    hold: HoldView | None = None
    """Set while it waits: to be continued, for a top-up, for approval, or with a call, its own or a section's, for a
    provider or for a person."""
    approvals: tuple[WaitingCallView, ...] = ()
    """Calls of tools that somebody has to approve or refuse, also the first 20 of each section; the run may work
    meanwhile. Not in lists."""
    plan: tuple[PlannedSection, ...] = ()
    """The sections that a running run has planned; not in lists."""
    branches: tuple[BranchState, ...] = ()
    """How the sections stand that are researched side by side, the last 200; not in lists."""
    ledger: LedgerView | None = None
    """Of a run that a manager leads (`magentic`): facts, plan, turns, stalls and resets; not in lists."""
    failure: Failure | None = None
    """The node that failed for good, if one did."""
    knowledge_error: str = Field(default="", examples=[""])
    """Of a run that has ended: why the knowledge graph could not be given what it found; empty if it was."""
    report: ReportRef | None = None
    """The report's figures; `GET /v1/runs/{run_id}/report` has its text."""
    last_event: int | None = Field(default=None, examples=[23])
    """Number of a running run's last event."""
    worker: Literal["answering", "not answering"] | None = None
    """Whether a worker told how it stands; null for ended runs and in lists."""
    stale: bool = False
    """True: only what was stored at the start is shown, because nobody could tell more."""
    pending: tuple[PendingActivity, ...] = ()
    """What Temporal is waiting for, in the run and in its sections: each call with its tries, while the run runs."""
    links: dict[Link, str] = Field(default={}, examples=[_LINKS])
    """Where more of it is: paths of this API, and its page in the Temporal UI if the server knows that one's address
    (`ELCANO_TEMPORAL_UI_URL`)."""

    @classmethod
    def of(cls, run: ArchivedRun, *, evidence: int | None = None) -> "RunView":
        """A run as it is stored; `evidence` is how many passages it found, if `run` comes without their ids."""
        shared = run.model_dump(include=cls.model_fields.keys() - {"evidence", "budget", "choice", "ledger"})
        found = len(run.evidence) if evidence is None else evidence
        own = {"budget": BudgetView.of(run.budget), "evidence": found, "choice": _get_made_choice(run.choice)}
        if run.status == "running":  # what is stored is how it began
            own |= {"iterations": None, "steps": None, "evidence": None}
        return cls.model_validate({**shared, **own, "ledger": LedgerView.of(run.ledger)})

    def at(self, snapshot: RunSnapshot, spent: Usage, pending: tuple[PendingActivity, ...]) -> "RunView":
        """Shows a running run as its workflow sees it; `spent` is newer than the usage the workflow knows."""
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
                "budget": budget and budget.spent(spent),
                "ending": snapshot.ending,
                "hold": HoldView.model_validate(snapshot.hold.model_dump()) if snapshot.hold else None,
                "approvals": tuple(WaitingCallView.of(call) for call in snapshot.calls),
                "branches": snapshot.branches,
                "sources": snapshot.sources or self.sources,
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

    def at_a_glance(self, mode: str, stage: str) -> "RunView":
        """A running run in a list: where it is, and `mode` as it is shown, with the one that it chose (`auto/deep`)."""
        chosen = mode.removeprefix(f"{self.mode}/") if mode.startswith(f"{self.mode}/") else ""
        known = stage if stage in get_args(Stage) else None
        return self.model_copy(update={"choice": _get_made_choice(Choice(mode=chosen)), "stage": known})


def _get_made_choice(choice: Choice) -> Choice | None:
    return choice if choice.mode else None


class RunList(Described):
    """One page of runs, newest first."""

    runs: tuple[RunView, ...]
    """As they are stored; of a running one Temporal says where it is, at most two seconds ago. One of which it
    says nothing at once is `stale`; one whose workflow is over, and whose end is about to be stored, is `closed`."""
    next: str | None = Field(default=None, examples=["default-01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """Pass it as `before` for the next page; null on the last one."""


class EvidencePage(Described):
    """One page of what a run found, in the order of finding."""

    run_id: str = Field(examples=["default-01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """The run."""
    total: int = Field(examples=[12])
    """Passages found so far."""
    next: int | None = Field(default=None, examples=[50])
    """Pass it as `offset` for the next page; null on the last one."""
    evidence: tuple[Annotated[Evidence, WrapSerializer(lambda one, write: with_moments(write(one)))], ...]
    """Whole passages, each with its place in the stored text."""


class GraphCard(Described):
    """A graph in a list."""

    name: NodeId = Field(examples=["iterative"])
    """Pass it as `mode`."""
    version: int | None = Field(default=None, ge=1, examples=[3])
    """Of a graph of your own the number of its latest version, which `mode` means unless it names another (`name@2`);
    null: it is built in."""
    at: Moment | None = Field(default=None, examples=["2026-01-01T00:00:00Z"])
    """When that was kept."""
    description: str = Field(examples=["Think, find the gap, search for it, judge."])
    """What it does."""
    nodes: int = Field(examples=[9])
    """How many nodes it has."""
    agents: tuple[str, ...] = Field(examples=[["judge", "thinking", "writer"]])
    """The agents that it calls."""

    @classmethod
    def of(cls, graph: ResearchGraph, version: int | None = None, at: float | None = None) -> "GraphCard":
        """A graph, of one's own with its version and when that was kept."""
        agents = {node.agent for node in graph.nodes if isinstance(node, AgentNode)}
        return cls(
            name=graph.name,
            version=version,
            at=datetime_from_seconds(at),
            description=graph.description,
            nodes=len(graph.nodes),
            agents=tuple(sorted(agents)),
        )


class GraphVersionCard(Described):
    """A version of a graph of your own."""

    version: int = Field(ge=1, examples=[2])
    """Its number; `mode` names it as `name@2`."""
    at: Moment = Field(examples=["2026-01-01T00:00:00Z"])
    """When it was kept."""


class GraphVerdict(Described):
    """Whether a graph can run."""

    valid: bool = Field(examples=[False])
    """True if it has no faults."""
    faults: tuple[str, ...] = Field(default=(), examples=[["node 'judge' cannot be reached from 'thinking'"]])
    """Every fault, each naming its node, edge or field."""
    errors: tuple[FieldFault, ...] = ()
    """The same faults, each with the JSON pointer of its place in the graph that was sent."""


class Welcome(Described):
    """What this is, and where to go on."""

    name: str = Field(examples=["Elcano"])
    """The program."""
    description: str
    """What it does."""
    version: str = Field(examples=["0.1.0"])
    """Its version."""
    links: dict[Literal["manual", "openapi", "runs", "modes", "graphs", "domains", "health", "readiness"], str] = {
        "manual": "/docs",
        "openapi": "/openapi.json",
        "runs": "/v1/runs",
        "modes": "/v1/modes",
        "graphs": "/v1/graphs",
        "domains": "/v1/domains",
        "health": "/healthz",
        "readiness": "/readyz",
    }
    """Places to look at, by what is there."""


class Health(Described):
    """The process answers."""

    status: Literal["ok"] = "ok"
    """Nothing else was checked."""


class Check(Described):
    """One thing that the API needs."""

    ok: bool = Field(examples=[True])
    """Whether it works."""
    detail: str = Field(default="", examples=["no worker polls the task queue 'elcano'"])
    """What is wrong, if something is."""


class Readiness(Described):
    """Whether a run that is asked for now would be worked on."""

    ready: bool
    """True if every check passed."""
    checks: dict[Literal["temporal", "store", "worker"], Check]
    """Each check's result."""
