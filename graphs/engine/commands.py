"""The commands of the engine: each is performed by a caller with a clock, and its outcome is an entry."""

from typing import TypeAlias

from elcano.graphs.engine.entries import Entry
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.spec.own_agent import OwnAgent
from elcano.graphs.state.branches import BranchInput
from elcano.graphs.state.budget import Allowance, Estimate
from elcano.graphs.state.holds import Hold


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
    """Number of failed attempts; each attempt is an activity of its own."""
    progress: JsonObject = {}
    """What the earlier attempts have finished."""
    allowance: Allowance = Allowance()
    """What it may use, which can be far more than the estimate."""
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
