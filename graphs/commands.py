"""What the engine wants done, and what is reported back to it: commands out, entries in.

Entries are the log of a run. They are all that is needed to rebuild it.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from graphs.branches import BranchInput
from graphs.budget import Estimate, Limits, Usage
from graphs.frozen import Frozen, Json, JsonObject
from graphs.state import Ending, Failure


class StepCompleted(Frozen):
    """A node did what it is there for."""

    kind: Literal["step_completed"] = "step_completed"
    step: int
    node: str
    at: float
    """Seconds since the run's start."""
    output: Json = None
    usage: Usage = Usage()
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


class Diverted(Frozen):
    """The run has to leave early: somebody stopped it, or a limit was reached."""

    kind: Literal["diverted"] = "diverted"
    at: float
    ending: Ending
    given_up: bool = False
    """The call of its node had begun and was given up. At an exit node that is the end, without a draft."""


class ToppedUp(Frozen):
    """Somebody raised the limits; a run that had paused goes on."""

    kind: Literal["topped_up"] = "topped_up"
    at: float
    limits: Limits


Entry: TypeAlias = Annotated[StepCompleted | StepFailed | Diverted | ToppedUp, Field(discriminator="kind")]


class CallAgent(Frozen):
    """Call one agent."""

    step: int
    node: str
    agent: str
    input: JsonObject
    estimate: Estimate = Estimate()


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


Call: TypeAlias = CallAgent | CallTool

Work: TypeAlias = Call | RunBranches
"""What somebody outside the engine has to perform."""

Command: TypeAlias = Work | Immediate | Wait | Finish
