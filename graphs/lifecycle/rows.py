"""The rows of a step list: the steps of a run, and what came between them, in the order of the log."""

from typing import Literal, TypeAlias

from elcano.graphs.frozen import Frozen
from elcano.graphs.state.branches import BranchState
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.holds import HoldReason

StepKind: TypeAlias = Literal["agent", "tool", "state", "decision", "parallel"]
"""What a node is."""
StepOutcome: TypeAlias = Literal["completed", "failed", "abandoned", "running", "waiting"]
"""What became of a step. `abandoned`: its call was given up; `waiting`: for somebody who cannot answer or has to do
something."""


class HeldTry(Frozen):
    """A try of a call that could not be answered; the same call was made again."""

    at: float
    """Seconds of the run's own time."""
    reason: HoldReason
    detail: str
    usage: Usage
    """What it used all the same."""


class StepRow(Frozen):
    """One step."""

    number: int
    node: str
    """Empty if the run waits on its way to a node that is not known yet."""
    kind: StepKind | None
    """None if the node is not known yet."""
    name: str
    """The agent, tool or reducer; empty for decisions and parallel nodes."""
    limits: str = ""
    """What its node says of its calls, in short; empty if it says nothing."""
    iteration: int
    began: float
    """Seconds of the run's own time, in which it neither paused nor waited for a worker."""
    ended: float | None = None
    """None while it goes on."""
    began_at: float | None = None
    """Seconds since the epoch; None if nothing was told of it."""
    ended_at: float | None = None
    waited: float = 0.0
    """Seconds for which no worker was free to begin it."""
    usage: Usage = Usage()
    """With what its tries in vain used; of a parallel node, with what its branches used that have ended."""
    model: str = ""
    outcome: StepOutcome
    reason: str = ""
    """In words, why it did not complete or does not go on."""
    error: str = ""
    """The error's name, if it failed."""
    summary: str = ""
    """What came of it, in a sentence."""
    held: tuple[HeldTry, ...] = ()
    branches: tuple[BranchState, ...] = ()
    """Of a parallel node."""
    next: str = ""
    """The node that the run went on to; empty at its end, or while that is not known."""

    @property
    def took(self) -> float | None:
        """Seconds from its beginning to its end by the calendar, or by the run's own time if that is not known."""
        if self.ended is None:
            return None
        if self.began_at is None or self.ended_at is None:
            return max(0.0, self.ended - self.began)
        return max(0.0, self.ended_at - self.began_at)


class BetweenRow(Frozen):
    """An event between two steps of a run, or during one: a request or a limit."""

    before: int
    """The step that had not ended by then."""
    during: bool
    """That step was under way."""
    kind: str
    """The kind of the entry, and of the action if it is one (`add_budget`)."""
    at: float
    """Seconds of the run's own time."""
    at_epoch: float | None = None
    text: str
    """What happened, in a sentence."""


Row: TypeAlias = StepRow | BetweenRow
