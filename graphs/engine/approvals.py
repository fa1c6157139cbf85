"""Approval of plans and of tool calls: each is approved, edited or refused, once.

A plan is proposed before its sections are researched. A call is decided on while its step is in progress: the code that
makes the calls asks (`ApprovalRequested`) and stops asking (`ApprovalExpired`). A decision ends the hold of a run that
was only waiting; a run that still waits for other calls is held again by the code that makes them.
"""

from typing import ClassVar, Final, Literal

from pydantic import Field

from elcano.graphs.engine.run import ControlAction, Run
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.events import EventType
from elcano.graphs.state.failures import (
    CALL_CHARACTERS,
    NAMED,
    Decision,
    Ending,
    Hold,
    WaitingCall,
    list_undecided_calls,
)
from elcano.graphs.state.plan import SectionPlan, open_sections, plan_fault

REPORT_TITLE_CHARACTERS: Final = 300
REASON_CHARACTERS: Final = 500
BY_CHARACTERS: Final = 100


class _Approval(ControlAction):
    """A decision of a person."""

    by: str = Field(default="", max_length=BY_CHARACTERS)
    """The name of the person who decided, as given in the request."""

    @property
    def _by(self) -> str:
        return f" by {self.by}" if self.by else ""


class ApprovePlan(_Approval):
    """The run researches its plan, as it is or as it was edited."""

    kind: Literal["approve_plan"] = "approve_plan"
    too_late: ClassVar[str] = "its plan can no longer be decided on"
    sections: tuple[SectionPlan, ...] | None = Field(default=None, max_length=200)
    """The plan in place of the proposed one; None: that one."""
    title: str = Field(default="", max_length=REPORT_TITLE_CHARACTERS)
    """The report's; empty: as it was planned."""

    def refusal(self, graph: ResearchGraph, run: Run, owner: str) -> str | None:
        """Only a plan that waits can be approved, and only as one that can be researched."""
        if (reason := _explain_no_waiting_plan(run)) is not None:
            return reason
        return None if self.sections is None else plan_fault(self.sections, run.budget.limits.sections)

    def apply(self, run: Run) -> Run:
        """Continue the run with its plan."""
        plan = run.state.plan if self.sections is None else self.sections
        known = run.knowing(run.state.model_copy(update={"plan": plan, "title": self.title or run.state.title}))
        return known.model_copy(update={"hold": None, "approval": "given"})

    def answer(self, graph: ResearchGraph, run: Run) -> Json:
        """The plan that is researched now."""
        return describe_proposed_plan(run)

    def describe(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """Report it as `plan_approved`."""
        how = "as it is" if self.sections is None else "with changes"
        text = f"The plan was approved {how}{self._by}: {join_plan_titles(run)}"
        return "plan_approved", text, {**describe_proposed_plan(run), "by": self.by}


class RefusePlan(_Approval):
    """Refuses the plan: the run ends, and nothing of the plan is researched."""

    kind: Literal["refuse_plan"] = "refuse_plan"
    halts: ClassVar[bool] = True
    too_late: ClassVar[str] = "its plan can no longer be decided on"
    reason: str = Field(min_length=1, max_length=REASON_CHARACTERS)

    def refusal(self, graph: ResearchGraph, run: Run, owner: str) -> str | None:
        """Only a plan that waits can be refused."""
        return _explain_no_waiting_plan(run)

    def apply(self, run: Run) -> Run:
        """The run is to leave for its report, as one that is stopped does."""
        ending = Ending(kind="stopped", detail=f"the plan was refused{self._by}: {self.reason}")
        return run.model_copy(update={"stopping": ending, "approval": "refused"})

    def describe(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """Report it as `plan_refused`."""
        return "plan_refused", f"The plan was refused{self._by}: {self.reason}", {"by": self.by}


def describe_proposed_plan(run: Run) -> JsonObject:
    """The plan of a run as events and answers have it."""
    sections = open_sections(run.state.plan)
    return {
        "title": run.state.title,
        "sections": [
            {
                "title": section.title,
                "question": section.key_question,
                **({"criteria": [*section.criteria]} if section.criteria else {}),
            }
            for section in sections
        ],
    }


def join_plan_titles(run: Run) -> str:
    """The plan of a run in one line."""
    return " · ".join(section.title for section in open_sections(run.state.plan))


def awaits_plan_approval(run: Run) -> bool:
    """Whether its plan can be decided on now; also while it is paused."""
    return run.approval == "asked" and run.stopping is None and run.hold is not None


def _explain_no_waiting_plan(run: Run) -> str | None:
    """Explain why there is no plan to decide on; None if one waits. Sections never ask for approval."""
    if awaits_plan_approval(run):
        return None
    match run.approval:
        case "asked":
            return "the run was stopped and goes to its report"
        case _ if calls := list_undecided_calls(run.calls):
            named = ", ".join(call.id for call in calls[:NAMED])
            return f"no plan is pending, but tool calls are, which are approved by their ids: {named}"
        case "not needed":
            return "the run needs no plan approval: it was not requested (`approve_plan`)"
        case "needed":
            return "the run has not proposed a plan yet: wait for the event `plan_proposed`"
        case "given":
            return "the plan was approved already"
        case "refused":
            return "the plan was refused already"


class _CallApproval(_Approval):
    """A decision on a call that waits."""

    halts: ClassVar[bool] = True
    """Applies only to this request: a run that is resumed before the call asks anew."""
    too_late: ClassVar[str] = "none of its calls waits for approval"
    call: str = Field(min_length=1, max_length=CALL_CHARACTERS)

    def refusal(self, graph: ResearchGraph, run: Run, owner: str) -> str | None:
        """Only a call that waits can be decided on."""
        return _explain_no_waiting_call(run, self.call)

    def answer(self, graph: ResearchGraph, run: Run) -> Json:
        """Return the call."""
        call = find_waiting_call(run, self.call)
        return {"call": call.id, "server": call.server, "tool": call.tool}


class ApproveCall(_CallApproval):
    """The call is made as it was asked about."""

    kind: Literal["approve_call"] = "approve_call"

    def apply(self, run: Run) -> Run:
        """The run that makes the call."""
        return record_call_decision(run, self.call, "approved", by=self.by)

    def describe(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """Report it as `call_approved`."""
        text = f"The call of {find_waiting_call(run, self.call).called} was approved{self._by}"
        return "call_approved", text, {"call": self.call, "by": self.by}


class RefuseCall(_CallApproval):
    """The call is not made: its node, or its item, fails by `ApprovalRefused`."""

    kind: Literal["refuse_call"] = "refuse_call"
    reason: str = Field(min_length=1, max_length=REASON_CHARACTERS)

    def apply(self, run: Run) -> Run:
        """Continue the run without the call."""
        return record_call_decision(run, self.call, "refused", by=self.by, reason=self.reason)

    def describe(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """Report it as `call_refused`."""
        text = f"The call of {find_waiting_call(run, self.call).called} was refused{self._by}: {self.reason}"
        return "call_refused", text, {"call": self.call, "by": self.by, "reason": self.reason}


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
        return "approval_expired", f"The call of {call.called} was not approved in time", {"call": call.id}
    text = f"Waiting for approval to call {call.called}: {call.arguments}"
    return "approval_requested", text, call.figures()


def release_waiting_calls(run: Run) -> dict[str, object]:
    """Return the changes of a run whose calls no longer wait: its step is over, or starts anew."""
    calls: dict[str, object] = {"calls": ()} if run.calls else {}
    return calls | ({"hold": None} if _waits_for_calls(run) else {})


def hold_of(run: Run) -> Hold:
    """Return the hold of a run that only waits for decisions on its calls."""
    calls = list_undecided_calls(run.calls)
    named = ", ".join(dict.fromkeys(call.called for call in calls))
    return Hold(
        reason="approval",
        node=run.node,
        detail=f"{named} needs approval"[:2_000],
        since=min(call.since for call in calls),
        until=min(call.until for call in calls),
    )


def find_waiting_call(run: Run, id: str) -> WaitingCall:
    """A call that was asked about in the step that is under way."""
    return next(call for call in run.calls if call.id == id)


def _waits_for_calls(run: Run) -> bool:
    """Whether it waits for calls of its own or of its branches; otherwise its plan waits for approval."""
    return run.hold is not None and run.hold.reason == "approval" and run.approval != "asked"


def _explain_no_waiting_call(run: Run, id: str) -> str | None:
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
            return f"the call {id!r} has expired: it was not decided on in time"
        case made:
            return f"the call {id!r} was {made} already{f' by {call.by}' if call.by else ''}"
