"""A run between two steps, as one frozen value, and what expressions see of it."""

from graphs.budget import Budget, Limits
from graphs.frozen import Frozen, JsonObject
from graphs.safety import stalled
from graphs.spec import ResearchGraph
from graphs.state import Ending, Failure, Hold, ResearchState


class Run(Frozen):
    """A run between two steps."""

    state: ResearchState
    budget: Budget
    node: str
    """Where the token is: the node that comes next."""
    ending: Ending | None = None
    """Set once the run is on its way out early."""
    paused: Ending | None = None
    """Set while the run waits for a top-up: how it ends if it is told to."""
    hold: Hold | None = None
    """Set once the call of its node was tried in vain, until the node is done with."""
    trying: bool = False
    """The held call is being made again."""
    routing: bool = False
    """The node that a paused run is at is done; only the way on from it is open."""
    failure: Failure | None = None
    """Set if the run cannot end well: its exit failed, or nothing can go on."""
    finished: bool = False

    @property
    def step(self) -> int:
        """The number of the step that comes next, from 1."""
        return self.budget.steps + 1


def start(graph: ResearchGraph, state: ResearchState, limits: Limits) -> Run:
    """A run before its first step; its first iteration has begun."""
    return Run(state=state, budget=Budget(limits=limits, iterations=1), node=graph.entry_node)


def view(run: Run) -> JsonObject:
    """What expressions see: every field of the state by its name, `budget`, and whether the research is `stalled`."""
    return {**run.state.model_dump(mode="json"), "budget": run.budget.view(), "stalled": stalled(run.state)}
