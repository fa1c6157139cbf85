"""Plan approval: a plan is proposed before its sections are researched, then approved, edited or refused."""

from typing import ClassVar, Final, Literal

from pydantic import Field

from elcano.graphs.engine.run import Run
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.state.events import EventType
from elcano.graphs.state.failures import Ending
from elcano.graphs.state.holds import NAMED, list_undecided_calls
from elcano.graphs.state.plan import SectionPlan, open_sections, plan_fault

REPORT_TITLE_CHARACTERS: Final = 300
REASON_CHARACTERS: Final = 500
BY_CHARACTERS: Final = 100


class ApprovePlan(Frozen):
    """The run researches its plan, as it is or as it was edited."""

    kind: Literal["approve_plan"] = "approve_plan"
    halts: ClassVar[bool] = False
    too_late: ClassVar[str] = "its plan was researched, or never will be"
    sections: tuple[SectionPlan, ...] | None = Field(default=None, max_length=200)
    """The plan in place of the proposed one; None: that one."""
    title: str = Field(default="", max_length=REPORT_TITLE_CHARACTERS)
    """The report's; empty: as it was planned."""
    by: str = Field(default="", max_length=BY_CHARACTERS)
    """Who approved it, in their own words."""

    def refusal(self, run: Run, owner: str) -> str | None:
        """Only a plan that waits can be approved, and only as one that can be researched."""
        if (reason := _not_waiting(run)) is not None:
            return reason
        return None if self.sections is None else plan_fault(self.sections, run.budget.limits.sections)

    def applied(self, run: Run) -> Run:
        """The run that goes on, with its plan."""
        plan = run.state.plan if self.sections is None else self.sections
        known = run.knowing(run.state.model_copy(update={"plan": plan, "title": self.title or run.state.title}))
        return known.model_copy(update={"hold": None, "approval": "given"})

    def answer(self, run: Run) -> Json:
        """The plan that is researched now."""
        return describe_proposed_plan(run)

    def told(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """An event's type, its text and its figures."""
        how = "as it is" if self.sections is None else "with changes"
        text = f"The plan was approved {how}{f' by {self.by}' if self.by else ''}: {join_plan_titles(run)}"
        return "plan_approved", text, {**describe_proposed_plan(run), "by": self.by}


class RefusePlan(Frozen):
    """Refuses the plan: the run ends, and nothing of the plan is researched."""

    kind: Literal["refuse_plan"] = "refuse_plan"
    halts: ClassVar[bool] = True
    too_late: ClassVar[str] = "its plan was researched, or never will be"
    reason: str = Field(min_length=1, max_length=REASON_CHARACTERS)
    by: str = Field(default="", max_length=BY_CHARACTERS)
    """Who refused it, in their own words."""

    def refusal(self, run: Run, owner: str) -> str | None:
        """Only a plan that waits can be refused."""
        return _not_waiting(run)

    def applied(self, run: Run) -> Run:
        """The run is to leave for its report, as one that is stopped does."""
        ending = Ending(kind="stopped", detail=f"the plan was refused{self._by}: {self.reason}")
        return run.model_copy(update={"stopping": ending, "approval": "refused"})

    def answer(self, run: Run) -> Json:
        """Nothing is to be said."""
        return None

    def told(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """An event's type, its text and its figures."""
        return "plan_refused", f"The plan was refused{self._by}: {self.reason}", {"by": self.by}

    @property
    def _by(self) -> str:
        return f" by {self.by}" if self.by else ""


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


def _not_waiting(run: Run) -> str | None:
    """Explain why there is no plan to decide on; None if one waits. Sections never ask for approval."""
    match run.approval:
        case "asked" if run.stopping is None and run.hold is not None:
            return None
        case "asked":
            return "the run was stopped and goes to its report"
        case _ if calls := list_undecided_calls(run.calls):
            named = ", ".join(call.id for call in calls[:NAMED])
            return f"the run waits with no plan, but with calls of tools, which are approved by their ids: {named}"
        case "not needed":
            return "the run does not wait for approval of its plan: it was not asked for (`approve_plan`)"
        case "needed":
            return "the run has not proposed a plan yet: wait for the event `plan_proposed`"
        case "given":
            return "the plan was approved already"
        case "refused":
            return "the plan was refused already"
