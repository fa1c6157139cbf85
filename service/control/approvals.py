"""Control actions for a run that waits for approval of its plan, or of a tool call that writes."""

from typing import Annotated

from pydantic import AfterValidator, Field

from elcano.graphs.engine.approvals import (
    BY_CHARACTERS,
    REASON_CHARACTERS,
    REPORT_TITLE_CHARACTERS,
    ApproveCall,
    ApprovePlan,
    RefuseCall,
    RefusePlan,
)
from elcano.graphs.engine.control_actions import Action
from elcano.graphs.engine.steering import QUESTION_CHARACTERS, TITLE_CHARACTERS
from elcano.graphs.errors import InputInvalid
from elcano.graphs.state.failures import CALL_CHARACTERS
from elcano.graphs.state.plan import CRITERION_CHARACTERS, MOST_CRITERIA, SectionPlan, normalize_criteria, plan_fault
from elcano.service.control.requests import ControlBody, request_control
from elcano.service.errors import Forbidden
from elcano.service.fields import Accepted, Request, Spoken, Text
from elcano.service.process import Services
from elcano.service.runs.run_view import CALL, PlannedSection, RunView

MOST_SECTIONS = 200

Criterion = Annotated[Spoken, Field(max_length=CRITERION_CHARACTERS)]
Title = Annotated[Spoken, Field(max_length=TITLE_CHARACTERS)]


class SectionBody(Request):
    """One section of a plan."""

    title: Title = Field(examples=["Costs"])
    """Its heading in the report; no two of a plan are the same."""
    question: Annotated[Text, AfterValidator(str.strip)] = Field(
        default="", max_length=QUESTION_CHARACTERS, examples=["What does it cost to run?"]
    )
    """Question that its research answers, readable without the other sections; default: its title."""
    criteria: list[Criterion] = Field(
        default=[], max_length=MOST_CRITERIA, examples=[["Names the price of each plan, with its date"]]
    )
    """Checkable requirements of its answer; default: its research sets them."""

    def planned(self) -> SectionPlan:
        """The section as a plan has it."""
        return SectionPlan(
            title=self.title, key_question=self.question or self.title, criteria=normalize_criteria(self.criteria)
        )


class PlanApproved(Accepted):
    """The run researches its plan."""

    title: str = Field(examples=["What it costs to run a kitchen"])
    """The report's title."""
    sections: tuple[PlannedSection, ...]
    """The sections that are researched now."""


class ApproveBody(ControlBody):
    """The plan, if it is not to be as it was proposed."""

    path = "approve"
    manual = "Approve the plan that a run waits with (`approve_plan`), as it is or with sections of your own."
    answer = PlanApproved
    is_required = False

    @classmethod
    def is_offered(cls, run: RunView) -> bool:
        """While its plan waits for approval."""
        return run.awaits == "approval"

    sections: list[SectionBody] | None = Field(default=None, min_length=1, max_length=MOST_SECTIONS)
    """The sections to research, in the order of the report; left out: those that were proposed."""
    title: Text = Field(default="", max_length=REPORT_TITLE_CHARACTERS, examples=["What it costs to run a kitchen"])
    """The report's title; left out: as it was proposed."""
    by: Text = Field(default="", max_length=BY_CHARACTERS, examples=["Elvira"])
    """The name of the approver; shown in the events."""

    def build_action(self) -> Action:
        """The approval as a run takes it.

        Raises:
            InputInvalid: the plan cannot be researched.
        """
        sections = None if self.sections is None else tuple(section.planned() for section in self.sections)
        if sections is not None and (fault := plan_fault(sections, MOST_SECTIONS)) is not None:
            raise InputInvalid("sections", fault)
        return ApprovePlan(sections=sections, title=self.title.strip(), by=self.by)


class PlanRefused(Accepted):
    """The run accepted the request to end; its report has the results of the first search."""

    reason: str = Field(examples=["Too broad."])
    """The reason."""


class RefuseBody(ControlBody):
    """Why the plan is not to be researched."""

    path = "refuse"
    manual = "Refuse the plan that a run waits with: it ends without having researched it."
    answer = PlanRefused
    action = RefusePlan

    @classmethod
    def is_offered(cls, run: RunView) -> bool:
        """While its plan waits for approval."""
        return run.awaits == "approval"

    reason: Spoken = Field(max_length=REASON_CHARACTERS, examples=["Too broad."])
    """Shown in the report's head and in the events."""
    by: Text = Field(default="", max_length=BY_CHARACTERS, examples=["Elvira"])
    """The name of the person who refuses it; shown in the events."""


class CallDecided(Accepted):
    """A decision on a pending call."""

    call: str = Field(examples=[CALL])
    """Its id."""
    server: str = Field(examples=["tickets"])
    """The server."""
    tool: str = Field(examples=["open_ticket"])
    """The tool."""


class CallApproved(CallDecided):
    """The call is made, once."""


class ApproveCallBody(ControlBody):
    """Which call is to be made."""

    path = "approve-call"
    permission = "approve"
    manual = "Approve a call of a tool that writes, and that a run waits with (`approvals` of the run): it is made."
    answer = CallApproved
    action = ApproveCall
    for_sections = True

    @classmethod
    def is_offered(cls, run: RunView) -> bool:
        """While calls wait for approval."""
        return bool(run.approvals)

    call: Spoken = Field(max_length=CALL_CHARACTERS, examples=[CALL])
    """Its id; the run's `approvals` has those that wait."""
    by: Text = Field(default="", max_length=BY_CHARACTERS, examples=["Elvira"])
    """The name of the approver; shown in the events."""


class CallRefused(CallDecided):
    """The call is not made; its node, or its item, has failed by `ApprovalRefused`."""


class RefuseCallBody(ControlBody):
    """Which call is not to be made, and why."""

    path = "refuse-call"
    permission = "approve"
    manual = "Refuse a pending tool call: its node fails, and the run continues as its graph says."
    answer = CallRefused
    action = RefuseCall
    for_sections = True

    @classmethod
    def is_offered(cls, run: RunView) -> bool:
        """While calls wait for approval."""
        return bool(run.approvals)

    call: Spoken = Field(max_length=CALL_CHARACTERS, examples=[CALL])
    """Its id; the run's `approvals` has those that wait."""
    reason: Spoken = Field(max_length=REASON_CHARACTERS, examples=["There is a ticket for that."])
    """Shown in the events, and in the failure of its node."""
    by: Text = Field(default="", max_length=BY_CHARACTERS, examples=["Elvira"])
    """The name of the person who refuses it; shown in the events."""


async def relay_decision(
    asked_by: str, call: str | None, approved: bool, reason: str, services: Services, by: str, request_id: str
) -> None:
    """Pass a decision on to the run, or the section, that asked for it, for routes of another form than ours.

    Args:
        asked_by: the run or the section.
        call: the call of a tool that waits; None: the plan does.
        approved: whether it may continue.
        reason: why not, if not.
        services: of who decides.
        by: who that is.
        request_id: the same decision under the same id is made once.

    Raises:
        Forbidden: the one who decides may not.
        Exception: as of `request_control`.
    """
    control: ControlBody
    if call is None:
        control = ApproveBody() if approved else RefuseBody(reason=reason)
    else:
        control = ApproveCallBody(call=call) if approved else RefuseCallBody(call=call, reason=reason)
    if (why := services.principal.explain_refusal(control.permission)) is not None:
        raise Forbidden(why)
    await request_control(asked_by, control, request_id, services, by)
