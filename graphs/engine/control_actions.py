"""Control actions on a running run, as data: each says when it is refused, what it does and what it answers.

`ControlAction` in `run.py` says what each method is for. Approvals and steering are in files of their own; `Action`
names all.
"""

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.engine.approvals import ApproveCall, ApprovePlan, RefuseCall, RefusePlan
from elcano.graphs.engine.run import ControlAction, Run
from elcano.graphs.engine.steering import AnswerQuestions, Steer
from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.budget import TopUp
from elcano.graphs.state.events import EventType
from elcano.graphs.state.failures import Ending, Hold


class Pause(ControlAction):
    """Pauses a run until it is continued or stopped."""

    kind: Literal["pause"] = "pause"
    halts: ClassVar[bool] = True
    too_late: ClassVar[str] = "there is nothing to pause"
    reason: str = Field(default="", max_length=500)

    def refusal(self, graph: ResearchGraph, run: Run, owner: str) -> str | None:
        """Refuses to pause a section by itself, and a run that is stopping and still has to write its report."""
        if owner:
            return f"a section is paused with its run: pause {owner}"
        if run.pause is not None:
            return "the run is already paused; unpause it, or stop it"
        if run.stopping is not None:
            return "the run was stopped and is going to its report"
        if run.going_back is not None:
            return f"the run is going back to before step {run.going_back}; pause it when it has"
        return None

    def apply(self, run: Run) -> Run:
        """The run begins nothing more."""
        pause = Hold(reason="pause", node=run.node, detail=self.reason)
        return run.model_copy(update={"pause": pause})

    def describe(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """Report it as `paused`."""
        return "paused", f"Paused: {self.reason}" if self.reason else "Paused", {"reason": "pause"}


class Unpause(ControlAction):
    """Continues a paused run where it was."""

    kind: Literal["unpause"] = "unpause"
    halts: ClassVar[bool] = True
    """Like the pause that it ends: a resumed run continues in any case."""
    too_late: ClassVar[str] = "there is nothing to unpause"
    retry_now: bool = False
    """Whether a held call is tried at once, and its delays begin anew; logs of before that do not have it."""

    def refusal(self, graph: ResearchGraph, run: Run, owner: str) -> str | None:
        """Refuses to continue a run that was not paused, and says what it waits for instead."""
        if owner:
            return f"a section continues with its run: unpause {owner}"
        if run.pause is None:
            return f"the run is not paused{_what_helps(run)}"
        return None

    def apply(self, run: Run) -> Run:
        """The run rests no more; what else it waits for, it waits for."""
        return run.model_copy(update={"pause": None})

    def describe(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """Report it as `unpaused`."""
        return "unpaused", "Unpaused", {}


class Stop(ControlAction):
    """Ends the research of a run, which then writes its report from what it has."""

    kind: Literal["stop"] = "stop"
    halts: ClassVar[bool] = True
    """A run that is resumed from before the stop does not stop again."""
    too_late: ClassVar[str] = "there is nothing to stop"
    reason: str = Field(default="", max_length=500)

    def apply(self, run: Run) -> Run:
        """Sets the run to leave as soon as its current work can be given up, even if it was paused."""
        ending = Ending(kind="stopped", detail=self.reason or "the run was stopped on request")
        return run.model_copy(update={"stopping": ending, "pause": None})

    def describe(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """Report it as `stopping`."""
        return "stopping", f"Asked to stop: {self.reason}" if self.reason else "Asked to stop", {}


class AddBudget(ControlAction):
    """Raises the run's limits; a run that waits for budget continues."""

    kind: Literal["add_budget"] = "add_budget"
    too_late: ClassVar[str] = "more budget would not be used"
    extra: TopUp

    def refusal(self, graph: ResearchGraph, run: Run, owner: str) -> str | None:
        """A branch has its part from its owner; and limits have limits."""
        if owner:
            return f"a section uses a share of the budget of {owner}: top up that run"
        try:
            self.extra.added_to(run.budget.limits)
        except InputInvalid as error:
            return str(error)
        return None

    def apply(self, run: Run) -> Run:
        """The run with more to spend, which waits for that no more."""
        budget = run.budget.model_copy(update={"limits": self.extra.added_to(run.budget.limits)})
        waits = run.hold is not None and run.hold.reason == "budget"
        return run.model_copy(update={"budget": budget, **({"hold": None} if waits else {})})

    def answer(self, graph: ResearchGraph, run: Run) -> Json:
        """The limits that hold now, with the names of `Limits`."""
        return run.budget.limits.model_dump(mode="json")

    def describe(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """Report it as `topped_up`."""
        return "topped_up", "The limits were raised", run.budget.view()


class RollBack(ControlAction):
    """The run goes back to before one of its steps; what came after that is undone."""

    kind: Literal["roll_back"] = "roll_back"
    halts: ClassVar[bool] = True
    too_late: ClassVar[str] = "roll it back once it has ended"
    step: int = Field(ge=1)
    reason: str = Field(default="", max_length=500)

    def refusal(self, graph: ResearchGraph, run: Run, owner: str) -> str | None:
        """Refuses a step that the run has not begun, and a second rollback at the same time."""
        if owner:
            return f"a section is rolled back with its run: roll back {owner}"
        if run.going_back is not None:
            return f"the run is going back to before step {run.going_back} already"
        if self.step > run.step:
            return f"step {self.step} does not exist: the run is at step {run.step}"
        return None

    def apply(self, run: Run) -> Run:
        """Sets the run to roll back as soon as its current work can be given up."""
        return run.model_copy(update={"going_back": self.step})

    def answer(self, graph: ResearchGraph, run: Run) -> Json:
        """The step that comes next."""
        return {"step": self.step}

    def describe(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """Report it as `rolling_back`."""
        return "rolling_back", f"Asked to go back to before step {self.step}", {"step": self.step}


Action: TypeAlias = Annotated[
    Stop
    | AddBudget
    | RollBack
    | Pause
    | Unpause
    | Steer
    | AnswerQuestions
    | ApprovePlan
    | RefusePlan
    | ApproveCall
    | RefuseCall,
    Field(discriminator="kind"),
]


def at_exit(graph: ResearchGraph, run: Run) -> bool:
    """Whether the run is at an exit node, at its appendix, or through."""
    return run.finished or graph.is_closing(run.node)


def refuse_control(graph: ResearchGraph, run: Run, action: Action, *, closing: bool, owner: str = "") -> str | None:
    """Return why an action cannot be applied any more, or at all; None if it can.

    Args:
        graph: the run's graph.
        run: the current run.
        action: the requested action.
        closing: whether the run has ended and is being archived.
        owner: for a branch that gets a request from elsewhere than its parent run: that run's id.
    """
    writing = at_exit(graph, run) and run.hold is None and run.pause is None and not run.calls
    if closing or run.finished or (writing and not isinstance(action, RollBack)):
        return f"the run is writing its report or has ended; {action.too_late}"
    return action.refusal(graph, run, owner)


def _what_helps(run: Run) -> str:
    """Explain the wait of a run that was not paused."""
    if run.hold is None:
        return "; it continues"
    return {
        "budget": ": it waits for a top-up",
        "provider": f": {run.hold.node} waits for its provider and is retried automatically",
        "store": ": it waits until the store can be used and is retried automatically",
        "approval": ": it waits for an approval",
        "answers": ": it waits for answers to its questions",
        "person": f": {run.hold.node} waits for a person to fix a key, a name or a setting",
    }.get(run.hold.reason, "")
