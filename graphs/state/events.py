"""The events that a run emits while it works, numbered in order.

The first thirteen types are those of the DeepCritical project; the others came with durable control. A run's events are
numbered from 1 without gaps, and exactly one of them, the last, is terminal. A run that continues after its end keeps
its numbers: its former last event is then an `execution_ended`.
"""

from typing import Literal, TypeAlias, get_args

from pydantic import Field

from elcano.graphs.frozen import Epoch, Frozen, JsonObject

EventType: TypeAlias = Literal[
    "started",
    "searching",
    "search_complete",
    "judging",
    "judge_complete",
    "looping",
    "hypothesizing",
    "analyzing",
    "analysis_complete",
    "synthesizing",
    "complete",
    "error",
    "streaming",
    # control
    "thinking",
    "routed",
    "state_updated",
    "branch_started",
    "branch_complete",
    "ending_early",
    "paused",
    "unpaused",
    "topped_up",
    "stopping",
    "held",
    "hold_cleared",
    "rolling_back",
    "rolled_back",
    "run_resumed",
    "forked",
    "execution_ended",
    "steered",
    "questions_asked",
    "questions_answered",
    "plan_proposed",
    "plan_approved",
    "plan_refused",
    "approval_requested",
    "call_approved",
    "call_refused",
    "approval_expired",
    "report_ready",
    "failed",
    "cancelled",
]

TERMINAL: frozenset[EventType] = frozenset({"complete", "failed", "cancelled"})
"""`error` is not among them: a node can fail and the run still writes its report."""

EVENT_TYPES: tuple[str, ...] = get_args(EventType)


class AgentEvent(Frozen):
    """One event of a run."""

    seq: int = Field(ge=1)
    """Its number among the events of the run, or of the branch, that it is an event of."""
    type: EventType
    message: str
    """One sentence for people."""
    at: Epoch
    """Seconds since the epoch, by the workflow's clock. The API answers it as RFC 3339, which is read here too."""
    step: int = Field(ge=0)
    node: str = ""
    iteration: int = Field(ge=0)
    path: str = ""
    """`parallel_path_id` of the branch that it comes from, or that begins or ends with it; empty for the run itself."""
    section: str = ""
    """The branch's title."""
    data: JsonObject = {}
    """Figures for programs: counts, queries, tokens."""

    @property
    def terminal(self) -> bool:
        """Whether the run's story ends here."""
        return self.type in TERMINAL
