"""Request and response bodies for steering, for approving plans and for approving tool calls."""

from typing import Annotated

from pydantic import AfterValidator, Field

from elcano.api.http.fields import Accepted, Request, Spoken, Text
from elcano.api.runs.run_view import CALL, PlannedSection
from elcano.graphs.engine.approvals import (
    BY_CHARACTERS,
    REASON_CHARACTERS,
    REPORT_TITLE_CHARACTERS,
    ApproveCall,
    ApprovePlan,
    RefuseCall,
    RefusePlan,
)
from elcano.graphs.engine.steering import (
    GUIDANCE_CHARACTERS,
    MOST_CHANGES,
    QUESTION_CHARACTERS,
    SOURCE_CHARACTERS,
    TITLE_CHARACTERS,
    SectionsWhen,
    Steer,
)
from elcano.graphs.errors import InputInvalid
from elcano.graphs.state.holds import CALL_CHARACTERS
from elcano.graphs.state.plan import CRITERION_CHARACTERS, MOST_CRITERIA, SectionPlan, normalize_criteria, plan_fault

MOST_SECTIONS = 200

SourceName = Annotated[Spoken, Field(max_length=SOURCE_CHARACTERS)]
Criterion = Annotated[Spoken, Field(max_length=CRITERION_CHARACTERS)]
Title = Annotated[Spoken, Field(max_length=TITLE_CHARACTERS)]


class SectionBody(Request):
    """One section of a plan."""

    title: Title = Field(examples=["Costs"])
    """Its heading in the report; no two of a plan are the same."""
    question: Annotated[Text, AfterValidator(str.strip)] = Field(
        default="", max_length=QUESTION_CHARACTERS, examples=["What does it cost to run?"]
    )
    """What its research is to find out, understood without the other sections; left out: its title."""
    criteria: list[Criterion] = Field(
        default=[], max_length=MOST_CRITERIA, examples=[["Names the price of each plan, with its date"]]
    )
    """What its answer has to have, each so that it can be checked; left out: its research says that itself."""

    def planned(self) -> SectionPlan:
        """The section as a plan has it."""
        return SectionPlan(
            title=self.title, key_question=self.question or self.title, criteria=normalize_criteria(self.criteria)
        )


class SteerBody(Request):
    """Changes to apply from now on; at least one is required."""

    instruction: Annotated[Text, AfterValidator(str.strip)] = Field(
        default="", max_length=GUIDANCE_CHARACTERS, examples=["Look at what it costs above all."]
    )
    """What you want of the research: shown to every agent that is called from now on, in sections too."""
    add_sources: list[SourceName] = Field(default=[], max_length=MOST_CHANGES)
    """Sources to search as well; `GET /v1/sources` lists them."""
    drop_sources: list[SourceName] = Field(default=[], max_length=MOST_CHANGES)
    """Sources to search no more. What was found in them stays."""
    add_sections: list[SectionBody] = Field(default=[], max_length=MOST_CHANGES)
    """Sections to research as well, up to the limit that the run has."""
    drop_sections: list[Title] = Field(default=[], max_length=MOST_CHANGES)
    """Titles of sections to leave out, whether or not their research has begun."""

    def action(self) -> Steer:
        """The change as a run takes it.

        Raises:
            InputInvalid: nothing is to change.
        """
        if not any(self.model_dump().values()):
            raise InputInvalid("body", "nothing is to change: give an instruction, or name a source or a section")
        return Steer(
            instruction=self.instruction,
            add_sources=tuple(self.add_sources),
            drop_sources=tuple(self.drop_sources),
            add_sections=tuple(section.planned() for section in self.add_sections),
            drop_sections=tuple(self.drop_sections),
        )


class SteerAccepted(Accepted):
    """The run goes on so."""

    step: int = Field(examples=[7])
    """From which step on: the agent that is called in it, and every one after it, is shown the instruction, and it
    searches the sources. Sections under way are told at once, and heed it with their next call."""
    sections: SectionsWhen | None = Field(default=None, examples=["while the sections run"])
    """When the change of sections came: the plan that is made takes them over, has changed, or has changed while it is
    worked on. Then new sections begin when there is room, and those that were left out are given up. Null: none was
    changed."""


class ApproveBody(Request):
    """The plan, if it is not to be as it was proposed."""

    sections: list[SectionBody] | None = Field(default=None, min_length=1, max_length=MOST_SECTIONS)
    """The sections to research, in the order of the report; left out: those that were proposed."""
    title: Text = Field(default="", max_length=REPORT_TITLE_CHARACTERS, examples=["What it costs to run a kitchen"])
    """The report's title; left out: as it was proposed."""
    by: Text = Field(default="", max_length=BY_CHARACTERS, examples=["Elvira"])
    """Who approved it; told in the events."""

    def action(self) -> ApprovePlan:
        """The approval as a run takes it.

        Raises:
            InputInvalid: the plan cannot be researched.
        """
        sections = None if self.sections is None else tuple(section.planned() for section in self.sections)
        if sections is not None and (fault := plan_fault(sections, MOST_SECTIONS)) is not None:
            raise InputInvalid("sections", fault)
        return ApprovePlan(sections=sections, title=self.title.strip(), by=self.by)


class PlanApproved(Accepted):
    """The run researches its plan."""

    title: str = Field(examples=["What it costs to run a kitchen"])
    """The report's title."""
    sections: tuple[PlannedSection, ...]
    """What is researched now."""


class RefuseBody(Request):
    """Why the plan is not to be researched."""

    reason: Spoken = Field(max_length=REASON_CHARACTERS, examples=["Too broad."])
    """Shown in the report's head and in the events."""
    by: Text = Field(default="", max_length=BY_CHARACTERS, examples=["Elvira"])
    """Who refused it; told in the events."""

    def action(self) -> RefusePlan:
        """The refusal as a run takes it."""
        return RefusePlan(reason=self.reason, by=self.by)


class PlanRefused(Accepted):
    """The run accepted the request to end; its report has the results of the first search."""

    reason: str = Field(examples=["Too broad."])
    """What it was told."""


class ApproveCallBody(Request):
    """Which call is to be made."""

    call: Spoken = Field(max_length=CALL_CHARACTERS, examples=[CALL])
    """Its id; the run's `approvals` has those that wait."""
    by: Text = Field(default="", max_length=BY_CHARACTERS, examples=["Elvira"])
    """Who approved it; told in the events."""

    def action(self) -> ApproveCall:
        """The approval as a run takes it."""
        return ApproveCall(call=self.call, by=self.by)


class CallApproved(Accepted):
    """The call is made, once."""

    call: str = Field(examples=[CALL])
    """Its id."""
    server: str = Field(examples=["tickets"])
    """The server."""
    tool: str = Field(examples=["open_ticket"])
    """The tool."""


class RefuseCallBody(Request):
    """Which call is not to be made, and why."""

    call: Spoken = Field(max_length=CALL_CHARACTERS, examples=[CALL])
    """Its id; the run's `approvals` has those that wait."""
    reason: Spoken = Field(max_length=REASON_CHARACTERS, examples=["There is a ticket for that."])
    """Shown in the events, and in the failure of its node."""
    by: Text = Field(default="", max_length=BY_CHARACTERS, examples=["Elvira"])
    """Who refused it; told in the events."""

    def action(self) -> RefuseCall:
        """The refusal as a run takes it."""
        return RefuseCall(call=self.call, reason=self.reason, by=self.by)


class CallRefused(Accepted):
    """The call is not made; its node, or its item, has failed by `ApprovalRefused`."""

    call: str = Field(examples=[CALL])
    """Its id."""
    server: str = Field(examples=["tickets"])
    """The server."""
    tool: str = Field(examples=["open_ticket"])
    """The tool."""
