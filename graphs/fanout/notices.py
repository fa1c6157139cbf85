"""Notices of a branch to its run. They are persisted in histories: new fields get defaults, nothing is renamed."""

from pydantic import Field

from elcano.graphs.frozen import Frozen
from elcano.graphs.values.state import Hold
from elcano.graphs.values.waiting_call import WaitingCall


class BranchHeld(Frozen):
    """The branch is on hold, or no longer; or its calls that wait for approval have changed."""

    run_id: str
    """The branch's own."""
    hold: Hold | None
    top_ups: int = Field(default=0, ge=0)
    """How many it had received; with fewer than it was sent, a wait for budget is over already."""
    calls: tuple[WaitingCall, ...] = Field(default=(), exclude_if=lambda calls: not calls)
    """Its calls, and those of its own branches, that wait for approval."""
