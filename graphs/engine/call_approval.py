"""Tool call approval: a call is approved or refused, once, while its step is under way.

Whoever makes the calls asks (`ApprovalRequested`) and stops asking (`ApprovalExpired`). A decision ends the hold of a
run that did nothing but wait; one that goes on waiting for other calls is held again by whoever makes them.
"""

from typing import ClassVar, Final, Literal

from pydantic import Field

from elcano.graphs.engine.run import Run
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.state.events import EventType
from elcano.graphs.state.holds import CALL_CHARACTERS, NAMED, Decision, Hold, WaitingCall, list_undecided_calls

REASON_CHARACTERS: Final = 500
BY_CHARACTERS: Final = 100


class ApproveCall(Frozen):
    """The call is made as it was asked about."""

    kind: Literal["approve_call"] = "approve_call"
    halts: ClassVar[bool] = True
    """Of this one asking: a run that is taken up before the call asks anew."""
    too_late: ClassVar[str] = "none of its calls waits for approval"
    call: str = Field(min_length=1, max_length=CALL_CHARACTERS)
    by: str = Field(default="", max_length=BY_CHARACTERS)
    """Who approved it, in their own words."""

    def refusal(self, run: Run, owner: str) -> str | None:
        """Only a call that waits can be approved."""
        return _not_waiting(run, self.call)

    def applied(self, run: Run) -> Run:
        """The run that makes the call."""
        return record_call_decision(run, self.call, "approved", by=self.by)

    def answer(self, run: Run) -> Json:
        """Which call that is."""
        return _build_call_answer(run, self.call)

    def told(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """An event's type, its text and its figures."""
        call = find_waiting_call(run, self.call)
        who = f" by {self.by}" if self.by else ""
        return "call_approved", f"The call of {call.called} was approved{who}", {"call": call.id, "by": self.by}


class RefuseCall(Frozen):
    """The call is not made: its node, or its item, fails by `ApprovalRefused`."""

    kind: Literal["refuse_call"] = "refuse_call"
    halts: ClassVar[bool] = True
    too_late: ClassVar[str] = "none of its calls waits for approval"
    call: str = Field(min_length=1, max_length=CALL_CHARACTERS)
    reason: str = Field(min_length=1, max_length=REASON_CHARACTERS)
    by: str = Field(default="", max_length=BY_CHARACTERS)
    """Who refused it, in their own words."""

    def refusal(self, run: Run, owner: str) -> str | None:
        """Only a call that waits can be refused."""
        return _not_waiting(run, self.call)

    def applied(self, run: Run) -> Run:
        """The run that goes on without the call."""
        return record_call_decision(run, self.call, "refused", by=self.by, reason=self.reason)

    def answer(self, run: Run) -> Json:
        """Which call that is."""
        return _build_call_answer(run, self.call)

    def told(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """An event's type, its text and its figures."""
        call = find_waiting_call(run, self.call)
        who = f" by {self.by}" if self.by else ""
        figures: JsonObject = {"call": call.id, "by": self.by, "reason": self.reason}
        return "call_refused", f"The call of {call.called} was refused{who}: {self.reason}", figures


def add_waiting_call(run: Run, call: WaitingCall) -> Run:
    """Add a call that waits for a decision; the run's other work continues."""
    return run.model_copy(update={"calls": (*run.calls, call)})


def record_call_decision(run: Run, id: str, decision: Decision, *, by: str = "", reason: str = "") -> Run:
    """The run with a decision on a call that waits; one that is decided on stays as it is."""
    made = {"decision": decision, "by": by, "reason": reason}
    calls = tuple(call.model_copy(update=made) if call.id == id and not call.decision else call for call in run.calls)
    return run.model_copy(update={"calls": calls, "hold": None if _waits_for_calls(run) else run.hold})


def sign_latest_decision(earlier: Run, run: Run, by: str, when: float | None) -> Run:
    """Add the date to the latest decision, and the author as the API knows it, unless one was named."""
    known = {call.id: call for call in earlier.calls}
    if all(known[call.id] is call for call in run.calls):
        return run
    calls = tuple(
        call if known[call.id] is call else call.model_copy(update={"by": call.by or by, "decided_at": when})
        for call in run.calls
    )
    return run.model_copy(update={"calls": calls})


def describe_waiting_call(run: Run, id: str) -> tuple[EventType, str, JsonObject]:
    """Return the event of a call that waits for approval, or that lapsed: its type, text and data."""
    call = find_waiting_call(run, id)
    if call.decision == "lapsed":
        return "approval_expired", f"Nobody approved the call of {call.called} in time", {"call": call.id}
    text = f"Waiting for somebody to approve the call of {call.called}: {call.arguments}"
    return "approval_requested", text, call.figures()


def release_waiting_calls(run: Run) -> dict[str, object]:
    """What changes of a run whose calls are not waited for any more: its step is over, or is done anew."""
    calls: dict[str, object] = {"calls": ()} if run.calls else {}
    return calls | ({"hold": None} if _waits_for_calls(run) else {})


def hold_of(run: Run) -> Hold:
    """Return the hold of a run that only waits for decisions on its calls."""
    calls = list_undecided_calls(run.calls)
    named = ", ".join(dict.fromkeys(call.called for call in calls))
    return Hold(
        reason="approval",
        node=run.node,
        detail=f"somebody has to approve or refuse {named}"[:2_000],
        since=min(call.since for call in calls),
        until=min(call.until for call in calls),
    )


def find_waiting_call(run: Run, id: str) -> WaitingCall:
    """A call that was asked about in the step that is under way."""
    return next(call for call in run.calls if call.id == id)


def _waits_for_calls(run: Run) -> bool:
    """Its own, or those of its branches; else it is its plan that has to be approved."""
    return run.hold is not None and run.hold.reason == "approval" and run.approval != "asked"


def _build_call_answer(run: Run, id: str) -> Json:
    call = find_waiting_call(run, id)
    return {"call": call.id, "server": call.server, "tool": call.tool}


def _not_waiting(run: Run, id: str) -> str | None:
    """Why there is no such call to decide on; None if one waits."""
    if run.stopping is not None:
        return "the run was stopped and goes to its report"
    if run.going_back is not None:
        return f"the run is going back to before step {run.going_back}"
    call = next((one for one in run.calls if one.id == id), None)
    if call is None:
        others = [one.id for one in list_undecided_calls(run.calls)]
        there = f"waiting are: {', '.join(others[:NAMED])}" if others else "none of its calls waits"
        return f"no call {id!r} of this run waits for approval; {there}"
    match call.decision:
        case "":
            return None
        case "lapsed":
            return f"the call {id!r} is not waited for any more: nobody decided on it in time"
        case made:
            return f"the call {id!r} was {made} already{f' by {call.by}' if call.by else ''}"
