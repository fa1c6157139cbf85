"""How a run goes on from entries that were made before: resumed, taken back, or as a run of its own."""

from typing import Literal, TypeAlias

from elcano.graphs.frozen import Frozen
from elcano.graphs.values.branch import BranchInput, BranchOutcome

ResumeReason: TypeAlias = Literal["resumed", "rolled_back", "forked"]
"""`resumed`: it had ended and goes on. `rolled_back`: what came after a step is undone. `forked`: it is another run,
which begins with steps of the first."""


class ReusedWork(Frozen):
    """What need not be done and paid for again."""

    steps: int = 0
    calls: int = 0
    """Of agents and tools, those of sections too."""
    sections: int = 0
    """That have ended; of one that goes on its calls count."""
    tokens: int = 0
    cost_microusd: int = 0

    def __add__(self, other: "ReusedWork") -> "ReusedWork":
        return ReusedWork(**{name: getattr(self, name) + getattr(other, name) for name in ReusedWork.model_fields})


class KeptBranch(Frozen):
    """A branch of the fan-out that a run goes on with, which had ended well: it is not started again."""

    run_id: str
    start: BranchInput
    """What it was started with: a branch of the same is not started again."""
    graph: str
    """The name of the graph that it walked."""
    outcome: BranchOutcome
