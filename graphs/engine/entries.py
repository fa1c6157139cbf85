"""The log of a run, and the commands of the engine whose outcomes are its entries.

An entry is the outcome of a step, or a control action that was accepted. A command is performed by a caller with a
clock.

Entries and what a run began with are all that is needed to rebuild it. They are in histories and archives: new fields
get defaults, nothing is renamed.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.engine.control_actions import Action
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.spec.own_agent import OwnAgent
from elcano.graphs.state.branches import BranchInput, ResumeReason, ReusedWork
from elcano.graphs.state.budget import Allowance, Estimate, Limits, Usage
from elcano.graphs.state.failures import Ending, Failure, Hold, WaitingCall
from elcano.graphs.state.plan import SectionPlan


class StepCompleted(Frozen):
    """A node completed its work."""

    kind: Literal["step_completed"] = "step_completed"
    step: int
    node: str
    at: float
    """Seconds since the run's start."""
    output: Json = None
    usage: Usage = Usage()
    waited: float = Field(default=0.0, ge=0)
    """Seconds for which no worker was free to begin it; they do not count as research time."""
    model: str = ""
    """The model that answered, for an agent."""
    last_event: int = Field(default=0, ge=0)
    """The highest number of an event that had been emitted when the call was made, as the history has it."""
    onward: bool = True
    """Whether the graph's edges choose the next node; otherwise an entry `NodeChosen` does."""


class StepFailed(Frozen):
    """A node failed for good, after all its attempts."""

    kind: Literal["step_failed"] = "step_failed"
    step: int
    node: str
    at: float
    failure: Failure
    usage: Usage = Usage()
    waited: float = Field(default=0.0, ge=0)
    progress: JsonObject = {}
    """Progress of the call: it is not repeated if the run is resumed."""


class StepAbandoned(Frozen):
    """The call of a node had begun and was abandoned: the run was stopped or cancelled, or a limit was reached.

    A step like any other, with its own number and usage; another visit of its node is another step. At an exit node it
    is the end, without a draft.
    """

    kind: Literal["step_abandoned"] = "step_abandoned"
    step: int
    node: str
    at: float
    ending: Ending | None = None
    """Why the run leaves; None: the run itself was cancelled, and nothing follows."""
    usage: Usage = Usage()


class Held(Frozen):
    """An attempt of a call failed because it cannot be answered now; the same call is made again after the hold."""

    kind: Literal["held"] = "held"
    step: int
    node: str
    at: float
    hold: Hold
    progress: JsonObject = {}
    """Progress of the call."""
    usage: Usage = Usage()
    """Usage of the failed attempt."""


class HoldCleared(Frozen):
    """The time of the next try has come."""

    kind: Literal["hold_cleared"] = "hold_cleared"
    at: float
    over: bool = False
    """Branches only: no call is pending any more; branches make their calls themselves."""


class RolledBack(Frozen):
    """The run was taken back to before its next step by a reset in Temporal; what had come after that is undone."""

    kind: Literal["rolled_back"] = "rolled_back"
    at: float
    last_event: int = Field(ge=0)
    """The highest event number emitted before; numbers continue from there."""


class RunResumed(Frozen):
    """The run continues from here in a new execution: it had ended, was rolled back, or is a fork of another."""

    kind: Literal["run_resumed"] = "run_resumed"
    at: float
    why: ResumeReason
    last_event: int = Field(default=0, ge=0)
    """The highest event number emitted before; numbers continue from there."""
    by: str = ""
    """The user who requested it, if known."""
    reason: str = ""
    saved: ReusedWork = ReusedWork()
    """The reused work."""
    kept: tuple[str, ...] = ()
    """For the fan-out that it continues: the run ids of branches that are not started again."""
    open: tuple[str, ...] = ()
    """And of those whose entries other branches continue."""
    from_run: str = ""
    """For a fork: the run whose steps it begins with."""
    limits: Limits | None = None
    """The limits from here on, if they changed. A fork pays for nothing that was done before."""
    plan: tuple[SectionPlan, ...] | None = None
    """For a fork: the plan from here on, in place of the existing one."""
    retry_now: bool = False
    """Whether the delays of a held call begin anew; logs of before that do not have it."""


class Diverted(Frozen):
    """The run has to leave early: it was stopped or reached a limit. No call is under way."""

    kind: Literal["diverted"] = "diverted"
    at: float
    ending: Ending


class Controlled(Frozen):
    """A control request was accepted."""

    kind: Literal["controlled"] = "controlled"
    at: float
    action: Action
    by: str = ""
    """The user, as named to the API; empty if none was named."""
    when: float | None = None
    """The time, in seconds since the epoch: while the clock is stopped, `at` does not tell it."""
    request_id: str = ""
    """The id of the request; empty if it came from the parent run."""
    answer: Json = None
    """The answer, which a repeated request gets again."""


class NodeChosen(Frozen):
    """The next node, chosen by the caller: for runs whose graph does not choose it."""

    kind: Literal["node_chosen"] = "node_chosen"
    at: float
    to: str
    """The node that comes next."""
    loop: bool = False
    """Whether it leads back, which begins an iteration."""
    ending: Ending | None = None
    """Set if it leaves the research early, for an exit other than the nearest."""


class PlanProposed(Frozen):
    """The plan is ready, and has to be approved before its sections are researched."""

    kind: Literal["plan_proposed"] = "plan_proposed"
    at: float


class ApprovalRequested(Frozen):
    """A call of the current step waits for approval; other calls of it continue."""

    kind: Literal["approval_requested"] = "approval_requested"
    step: int
    node: str
    at: float
    call: WaitingCall


class ApprovalExpired(Frozen):
    """The time to decide on a call ran out, and the call is no longer waited for."""

    kind: Literal["approval_expired"] = "approval_expired"
    at: float
    call: str
    """The id of the call."""


class WarningAdded(Frozen):
    """Expressions of the node that comes next asked for too much, and the report has to say so."""

    kind: Literal["warning_added"] = "warning_added"
    at: float
    warnings: tuple[str, ...]


Entry: TypeAlias = Annotated[
    StepCompleted
    | StepFailed
    | StepAbandoned
    | Held
    | HoldCleared
    | Diverted
    | Controlled
    | NodeChosen
    | RolledBack
    | PlanProposed
    | RunResumed
    | ApprovalRequested
    | ApprovalExpired
    | WarningAdded,
    Field(discriminator="kind"),
]


class CallAgent(Frozen):
    """Call one agent."""

    step: int
    node: str
    agent: str
    own: OwnAgent | None = None
    """The definition of one of the graph's custom agents."""
    input: JsonObject
    estimate: Estimate = Estimate()
    tries: int = 0
    """Number of all failed attempts; each attempt is an activity of its own."""
    progress: JsonObject = {}
    """Progress of earlier attempts."""
    allowance: Allowance = Allowance()
    """Allowance, which can be far more than the estimate."""
    evidence_tokens: int | None = None
    """The most that the passages may take which it is shown; None: what its definition says."""
    own_tokens: int | None = None
    """The node's token limit, if it is lower than what the run would allow."""


class CallTool(Frozen):
    """Run one tool on every input, all at once, each failing alone; without `for_each` there is exactly one."""

    step: int
    node: str
    tool: str
    inputs: tuple[JsonObject, ...]
    for_each: bool = False


class BranchStart(Frozen):
    """One branch to start."""

    index: int
    parallel_path_id: str
    branch: str
    input: BranchInput

    @property
    def title(self) -> str:
        """The section's name for people."""
        return self.input.title or self.input.question


class RunBranches(Frozen):
    """Run graphs side by side."""

    step: int
    node: str
    branches: tuple[BranchStart, ...]
    minimum_tokens: int = 0
    """The least tokens with which a branch can complete one round."""


class ApplyEntry(Frozen):
    """Nothing has to be done outside: this entry can be applied as it is."""

    entry: Entry


class Finish(Frozen):
    """The run is over."""


class Wait(Frozen):
    """Wait until the hold is over: at its time, or once its cause is resolved."""

    hold: Hold


class ChooseNode(Frozen):
    """The node is done, and the caller has to choose the next one: the edges of the graph do not say."""


Call: TypeAlias = CallAgent | CallTool

Work: TypeAlias = Call | RunBranches
"""Commands that code outside the engine has to perform."""

Command: TypeAlias = Work | ApplyEntry | Wait | ChooseNode | Finish
