"""The base of all control actions: what each has to say about itself.

A new action is a class with a `kind` of its own that `Action` in `control_actions.py` names, and a body in
`api/control/actions.py`. It stands in the log of a run, so an action that was ever accepted has to be applied in the
same way for as long as there are runs: it is a pure function of the run, and its fields keep their names.
"""

from typing import ClassVar

from elcano.graphs.engine.run import Run
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.events import EventType


class ControlAction(Frozen):
    """A request to a run in progress, as data."""

    halts: ClassVar[bool] = False
    """Whether it interrupts or ends the run: a run that is resumed or rolled back drops it if nothing follows it in the
    log, so that the run is not halted again."""
    too_late: ClassVar[str]
    """What is said to a run that writes its report or has ended, after a semicolon: `there is nothing to pause`."""

    def refusal(self, graph: ResearchGraph, run: Run, owner: str) -> str | None:
        """Explain why the run refuses it; None if it does not.

        Args:
            graph: The graph of the run.
            run: The run before the action.
            owner: For a section that is asked by itself: the id of the run that it belongs to; else empty.
        """
        return None

    def apply(self, run: Run) -> Run:
        """Return the run after the action; other state is set with `run.knowing(state)`, which checks its size."""
        raise NotImplementedError

    def answer(self, graph: ResearchGraph, run: Run) -> Json:
        """Return the part of the client's answer that its request does not have; `run` is the run after the action.

        An object is merged into the answer model of the body; anything else is read by its `build_answer`.
        """
        return None

    def describe(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """Return the type, the text and the data of the event that reports it; `run` is the run after the action.

        The text says first what was asked, and after a colon in which words: who asked is put before the colon.
        """
        raise NotImplementedError
