"""Inputs, results and states of branches of a parallel node, and what a resumed run keeps of them."""

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

from pydantic import Field, ValidationError

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.state.plan import ReportForm, SectionGap
from elcano.graphs.state.state import EvidenceRef

SHOWN_BRANCHES: Final = 200
"""Branches that are listed of a run, the last ones."""

Ended: TypeAlias = Literal["drafted", "done", "unanswered", "gap"]
"""Outcome of a branch: with a draft; with evidence or values, if no writer ends it; with nothing that answers; or
without handing anything over."""
BranchStatus: TypeAlias = Literal["running", "left_out"] | Ended
SUCCEEDED: Final[frozenset[BranchStatus]] = frozenset({"drafted", "done"})
"""The statuses that count for `must_succeed`."""


class BranchInput(Frozen):
    """The input of a branch of a parallel node."""

    question: str = Field(min_length=1)
    title: str = ""
    """The section's title; the question if there is none."""
    background: str = ""
    criteria: tuple[str, ...] = ()
    """The criteria of its answer."""
    form: ReportForm | Literal[""] = ""
    wish: str = ""
    """The user's wishes for it; empty: those for the whole."""
    evidence: tuple[EvidenceRef, ...] = ()
    """Passages that it begins with: what was found before it."""
    beside: tuple[str, ...] = Field(default=(), exclude_if=lambda beside: not beside)
    """Ids of those among them that are off topic for the whole question: no one is shown them."""


class BranchOutcome(Frozen):
    """The outcome of one branch: what it handed over, or why it handed over nothing."""

    index: int = Field(ge=0)
    """Place in the plan; drafts are joined in this order, whenever they came."""
    parallel_path_id: str
    """Unique in the run: `{step:04d}.{branch}` or `{step:04d}.{branch}-{number}`. In a resumed run the number of the
    last event before follows the step: `{step:04d}r{event}.{branch}`."""
    title: str
    question: str
    draft: str | None = None
    """Artifact hash of its `ReportDraft`; None also if no writer ends it."""
    unanswered: bool = False
    """Whether it came to its end, and nothing that it found answers its question."""
    evidence: tuple[EvidenceRef, ...] = ()
    """The evidence that the draft cites, other findings stay with the branch; without a writer all of it."""
    values: JsonObject = {}
    """The values that its graph declares as its `result`, by name."""
    ending: str = ""
    """Why it ended early, in words; empty if it did not."""
    ended_by: str = ""
    """The kind of that ending, for programs; empty also of branches of older programs."""
    gap: SectionGap | None = None
    """Set if it handed over nothing."""
    searches: tuple[str, ...] = ()
    """The queries that it made."""
    warnings: tuple[str, ...] = ()
    usage: Usage = Usage()
    iterations: int = 0
    """Turns of its research loop; 0 if it was cut off."""

    @property
    def status(self) -> Ended:
        """Outcome."""
        if self.gap is not None:
            return "gap"
        if self.unanswered:
            return "unanswered"
        return "done" if self.draft is None else "drafted"


class BranchOutcomes(Frozen):
    """The output of a parallel node, in the order of the plan."""

    branches: tuple[BranchOutcome, ...] = ()
    dropped: Usage = Usage()
    """The usage of branches that were dropped on request: they have no outcome, but were paid for."""

    @classmethod
    def of(cls, output: object) -> "BranchOutcomes":
        """Parses the output of a parallel node; empty if it is anything else, which its run could not use either."""
        try:
            return cls.model_validate(output)
        except ValidationError:
            return cls()


class BranchState(Frozen):
    """State of one branch, as its run knows it."""

    run_id: str
    """The id of its workflow."""
    path: str
    """Its `parallel_path_id`, from the outermost branch inwards, joined by `/`."""
    section: str
    status: BranchStatus
    """`drafted`: it wrote its section; `done`: no writer ends it, and it returned evidence or values; `unanswered`: no
    source answers its question; `gap`: it ended with nothing; `left_out`: it was dropped on request while it ran."""
    iterations: int | None = None
    """Turns of its research loop; None while it runs: its own workflow counts them."""
    evidence: int | None = None
    """Passages that it handed over; None while it runs."""
    tokens: int | None = None
    """Its usage; None while it runs."""
    reason: str = ""
    """Why there is a gap."""


def branch_states(events: Iterable[AgentEvent]) -> tuple[BranchState, ...]:
    """Return the state of a run's branches according to its events, in the order of starting."""
    states: dict[str, BranchState] = {}
    for event in events:
        if event.type == "branch_started":
            run_id = str(event.data.get("run_id", ""))
            states[event.path] = BranchState(run_id=run_id, path=event.path, section=event.section, status="running")
        elif event.type == "branch_complete" and event.path in states:
            states[event.path] = _apply_branch_end(states[event.path], event)
        elif event.type in ("rolled_back", "run_resumed"):
            states = {path: state for path, state in states.items() if not _is_undone_branch(path, state, event)}
    return tuple(states.values())[-SHOWN_BRANCHES:]


def step_of(path: str) -> int:
    """The step that started a branch, by its path."""
    return int(path.rpartition("/")[2][:4])


def _is_undone_branch(path: str, state: BranchState, event: AgentEvent) -> bool:
    """Return whether a branch was undone by a resume, that is, belongs to the step that the run resumes with."""
    kept = event.data.get("kept")
    return step_of(path) >= event.step and not (isinstance(kept, list) and state.run_id in kept)


def _apply_branch_end(state: BranchState, event: AgentEvent) -> BranchState:
    gap = event.data.get("gap")
    figures = {name: event.data.get(name) for name in ("status", "iterations", "evidence", "tokens")}
    return BranchState.model_validate(
        {
            **state.model_dump(),
            **figures,
            "reason": gap.get("reason", "") if isinstance(gap, dict) else "",
        }
    )


ResumeReason: TypeAlias = Literal["resumed", "rolled_back", "forked"]
"""`resumed`: it had ended and continues. `rolled_back`: the steps after a point are undone. `forked`: it is another
run, which begins with steps of the first."""


class ReusedWork(Frozen):
    """Work that need not be done and paid for again."""

    steps: int = 0
    calls: int = 0
    """Calls of agents and tools, including those of sections."""
    sections: int = 0
    """Sections that have ended; for one that continues, its calls count."""
    tokens: int = 0
    cost_microusd: int = 0

    def __add__(self, other: "ReusedWork") -> "ReusedWork":
        return ReusedWork(**{name: getattr(self, name) + getattr(other, name) for name in ReusedWork.model_fields})


class KeptBranch(Frozen):
    """A branch of the fan-out that a run continues with, which had ended well: it is not started again."""

    run_id: str
    start: BranchInput
    """Its inputs: a branch with the same inputs is not started again."""
    graph: str
    """The name of the graph that it walked."""
    outcome: BranchOutcome
