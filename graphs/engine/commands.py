"""What the engine wants done, and what is reported back to it: commands out, entries in.

Entries are the log of a run. They are all that is needed to rebuild it.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.values.branch import BranchInput
from elcano.graphs.values.budget import Allowance, Estimate, Limits, Usage
from elcano.graphs.values.state import Ending, Failure, Hold


class StepCompleted(Frozen):
    """A node did what it is there for."""

    kind: Literal["step_completed"] = "step_completed"
    step: int
    node: str
    at: float
    """Seconds since the run's start."""
    output: Json = None
    usage: Usage = Usage()
    waited: float = Field(default=0.0, ge=0)
    """Seconds for which no worker was free to begin it; they are nobody's research time."""
    model: str = ""
    """Who answered, for an agent."""


class StepFailed(Frozen):
    """A node failed for good, after all its attempts."""

    kind: Literal["step_failed"] = "step_failed"
    step: int
    node: str
    at: float
    failure: Failure
    usage: Usage = Usage()
    waited: float = Field(default=0.0, ge=0)


class StepAbandoned(Frozen):
    """The call of a node had begun and was given up: the run was stopped or cancelled, or a limit was reached.

    A step like any other, with a number of its own and with what it used; if its node is visited again, that is a step
    more. At an exit node it is the end, without a draft.
    """

    kind: Literal["step_abandoned"] = "step_abandoned"
    step: int
    node: str
    at: float
    ending: Ending | None = None
    """Why the run leaves; None: the run itself was cancelled, and nothing follows."""
    usage: Usage = Usage()


class Held(Frozen):
    """A try of a call failed because somebody cannot answer now; the same call is made again when its hold is over."""

    kind: Literal["held"] = "held"
    step: int
    node: str
    at: float
    hold: Hold
    usage: Usage = Usage()
    """What the try used all the same."""


class Resumed(Frozen):
    """The time of the next try has come."""

    kind: Literal["resumed"] = "resumed"
    at: float
    over: bool = False
    """Nobody is waited for any more: of branches, which make their calls themselves."""


class RolledBack(Frozen):
    """The run was taken back to before its next step; what had come after that is undone."""

    kind: Literal["rolled_back"] = "rolled_back"
    at: float
    told: int = Field(ge=0)
    """The highest number of an event that was told before; numbers go on from there."""


class Diverted(Frozen):
    """The run has to leave early: somebody stopped it, or a limit was reached. No call is under way."""

    kind: Literal["diverted"] = "diverted"
    at: float
    ending: Ending


class ToppedUp(Frozen):
    """Somebody raised the limits; a run that had paused goes on."""

    kind: Literal["topped_up"] = "topped_up"
    at: float
    limits: Limits


class Warned(Frozen):
    """Expressions of the node that comes next asked for too much, and the report has to say so."""

    kind: Literal["warned"] = "warned"
    at: float
    warnings: tuple[str, ...]


Entry: TypeAlias = Annotated[
    StepCompleted | StepFailed | StepAbandoned | Held | Resumed | Diverted | ToppedUp | RolledBack | Warned,
    Field(discriminator="kind"),
]


class CallAgent(Frozen):
    """Call one agent."""

    step: int
    node: str
    agent: str
    input: JsonObject
    estimate: Estimate = Estimate()
    tries: int = 0
    """How often it was tried in vain; each try is an activity of its own."""
    progress: JsonObject = {}
    """What these tries have finished."""
    allowance: Allowance = Allowance()
    """What it may use, however much that is beyond the estimate."""


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
    """With fewer a branch could not go round once."""


class Immediate(Frozen):
    """Nothing has to be done outside: this entry can be applied as it is."""

    entry: Entry


class Finish(Frozen):
    """The run is over."""


class Wait(Frozen):
    """A budget is exhausted, and whoever asked for the run wants to be asked for more before it ends."""

    ending: Ending
    """How the run will end if it is told to."""


class Retry(Frozen):
    """The call of the run's node is made again when its hold is over."""

    hold: Hold


Call: TypeAlias = CallAgent | CallTool

Work: TypeAlias = Call | RunBranches
"""What somebody outside the engine has to perform."""

Command: TypeAlias = Work | Immediate | Wait | Retry | Finish
