"""Pause and continue: a run rests on request, for as long as it takes.

What is under way is finished, for it is paid for; nothing is begun, and time stands still. It is kept apart from what
else a run waits for (`Run.hold`), so a run that is short of budget, or of an answer, and paused needs both to go on.
"""

from typing import ClassVar, Literal

from pydantic import Field

from elcano.graphs.engine.run import Run
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.state.events import EventType
from elcano.graphs.state.holds import Hold


class Pause(Frozen):
    """Pauses a run until it is continued or stopped."""

    kind: Literal["pause"] = "pause"
    halts: ClassVar[bool] = True
    too_late: ClassVar[str] = "there is nothing to pause"
    reason: str = Field(default="", max_length=500)

    def refusal(self, run: Run, owner: str) -> str | None:
        """Refuses to pause a section by itself, and a run that is stopping and still has to write its report."""
        if owner:
            return f"a section is paused with its run: pause {owner}"
        if run.pause is not None:
            return "the run is paused already; continue it, or stop it"
        if run.stopping is not None:
            return "the run was told to stop and is on its way to its report"
        if run.going_back is not None:
            return f"the run is going back to before step {run.going_back}; pause it when it has"
        return None

    def applied(self, run: Run) -> Run:
        """The run begins nothing more."""
        pause = Hold(reason="pause", node=run.node, detail=self.reason)
        return run.model_copy(update={"pause": pause})

    def answer(self, run: Run) -> Json:
        """Nothing is to be said."""
        return None

    def told(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """An event's type, its text and its figures."""
        return "paused", f"Paused: {self.reason}" if self.reason else "Paused", {"reason": "pause"}


class Unpause(Frozen):
    """A run that was paused goes on where it was."""

    kind: Literal["unpause"] = "unpause"
    halts: ClassVar[bool] = True
    """With the pause that it ends: a run that is taken up goes on in any case."""
    too_late: ClassVar[str] = "there is nothing to continue"

    def refusal(self, run: Run, owner: str) -> str | None:
        """Refuses to continue a run that was not paused, and says what it waits for instead."""
        if owner:
            return f"a section goes on with its run: continue {owner}"
        if run.pause is None:
            return f"the run is not paused{_what_helps(run)}"
        return None

    def applied(self, run: Run) -> Run:
        """The run rests no more; what else it waits for, it waits for."""
        return run.model_copy(update={"pause": None})

    def answer(self, run: Run) -> Json:
        """Nothing is to be said."""
        return None

    def told(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """An event's type, its text and its figures."""
        return "unpaused", "Unpaused", {}


def _what_helps(run: Run) -> str:
    """Explain what a run that was not paused is waiting for."""
    if run.hold is None:
        return "; it goes on"
    return {
        "budget": ": it waits for a top-up",
        "provider": f": {run.hold.node} waits for its provider, and is tried again by itself",
        "approval": ": it waits for somebody to approve or refuse something",
        "person": f": {run.hold.node} waits for somebody to mend a key, a name or a setting",
    }.get(run.hold.reason, "")
