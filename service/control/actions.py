"""The control actions for a running run: one class per action, which `CONTROLS` lists, and the class of its answer.

The class in `elcano.graphs.engine.control_actions` defines what an action does.
"""

from typing import Annotated, Final

from pydantic import AfterValidator, Field

from elcano.graphs.engine.control_actions import Action, AddBudget, Pause, Stop, Unpause
from elcano.graphs.engine.steering import (
    GUIDANCE_CHARACTERS,
    MOST_CHANGES,
    SOURCE_CHARACTERS,
    AnswerQuestions,
    SectionsWhen,
    Steer,
)
from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Json
from elcano.graphs.state.budget import Limits, TopUp, microusd_from_usd
from elcano.graphs.state.plan import ANSWER_CHARACTERS, MOST_QUESTIONS, ClarifyingQuestion
from elcano.service.control.approvals import (
    ApproveBody,
    ApproveCallBody,
    RefuseBody,
    RefuseCallBody,
    SectionBody,
    Title,
)
from elcano.service.control.requests import ControlBody
from elcano.service.errors import FieldFault
from elcano.service.fields import Accepted, Spoken, Text
from elcano.service.process import Services
from elcano.service.runs.budget_view import RunLimits
from elcano.service.runs.run_status import SECTION
from elcano.service.runs.run_view import RunView
from elcano.service.source_survey import add_own_sources, find_source_faults, survey_sources

SourceName = Annotated[Spoken, Field(max_length=SOURCE_CHARACTERS)]


class StopAccepted(Accepted):
    """The run was asked to end; it still writes its report, from what it has."""

    reason: str = Field(examples=["We know enough."])
    """The reason."""


class StopBody(ControlBody):
    """Why a run is to end now."""

    path = "stop"
    manual = "Stop a run: it ends its research and writes the report from what it has."
    answer = StopAccepted
    action = Stop
    is_required = False

    reason: Text = Field(default="", max_length=500, examples=["We know enough."])
    """Shown in the report's head and in the events."""


class TopUpAccepted(Accepted):
    """The run's limits were raised; a run that was waiting for budget continues."""

    limits: RunLimits
    """The new limits."""


class TopUpBody(ControlBody):
    """The amounts to add to the limits of a run."""

    path = "top-up"
    manual = "Raise a run's limits; a run that is paused because they were used up continues."
    answer = TopUpAccepted

    tokens: int = Field(default=0, ge=0, le=100_000_000, examples=[50_000])
    """Tokens to add."""
    cost_usd: float = Field(default=0.0, ge=0, le=10_000, allow_inf_nan=False, examples=[0.5])
    """US dollars to add; a run whose cost is not limited stays so."""
    seconds: float = Field(default=0.0, ge=0, le=30 * 86_400, allow_inf_nan=False, examples=[600])
    """Seconds to add."""
    iterations: int = Field(default=0, ge=0, le=50, examples=[2])
    """Turns of the research loop to add."""
    steps: int = Field(default=0, ge=0, le=2_000, examples=[50])
    """Nodes to add."""

    def build_top_up(self) -> TopUp:
        """The addition as a run takes it.

        Raises:
            InputInvalid: nothing is added.
        """
        if not any(self.model_dump().values()):
            raise InputInvalid("body", "nothing is added: name at least one limit and by how much to raise it")
        return TopUp(**self.model_dump(exclude={"cost_usd"}), cost_microusd=microusd_from_usd(self.cost_usd))

    def build_action(self) -> Action:
        """Raises its limits."""
        return AddBudget(extra=self.build_top_up())

    def build_answer(self, run_id: str, said: Json) -> Accepted:
        """Its limits now."""
        return TopUpAccepted(run_id=run_id, limits=RunLimits.of(Limits.model_validate(said)))


class PauseAccepted(Accepted):
    """The run starts nothing new; work in progress is finished, and the run's clock stops from now on."""

    reason: str = Field(examples=["Over the weekend."])
    """Why."""


class PauseBody(ControlBody):
    """Why a run is to rest."""

    path = "pause"
    manual = "Pause a run: it finishes the calls under way and rests, for days if need be, until it is continued."
    answer = PauseAccepted
    action = Pause
    is_required = False

    @classmethod
    def is_offered(cls, run: RunView) -> bool:
        """Unless it is paused."""
        return run.stage != "paused"

    reason: Text = Field(default="", max_length=500, examples=["Over the weekend."])
    """Shown while it is paused, and in the events."""


class UnpauseAccepted(Accepted):
    """The run continues where it was, unless it waits for something else too."""


class UnpauseBody(ControlBody):
    """Nothing has to be said."""

    path = "unpause"
    manual = "Unpause a run that was paused."
    answer = UnpauseAccepted
    is_required = False

    @classmethod
    def is_offered(cls, run: RunView) -> bool:
        """While it is paused."""
        return run.stage == "paused"

    def build_action(self) -> Action:
        """Continues it."""
        return Unpause(retry_now=True)


class SteerAccepted(Accepted):
    """The change was accepted."""

    step: int = Field(examples=[7])
    """The step from which the change applies: every agent called in that step or later sees the instruction, and
    searches the sources available then. Open sections are notified at once, and follow it with their next call."""
    sections: SectionsWhen | None = Field(default=None, examples=["while the sections run"])
    """When the change of sections came: the plan that is made takes them over, has changed, or has changed while it is
    worked on. Then new sections begin when there is room, and those that were left out are given up. Null: none was
    changed."""


class SteerBody(ControlBody):
    """Changes to apply from now on; at least one is required."""

    path = "steer"
    manual = "Steer a run: another instruction, other sources, other sections, from now on."
    answer = SteerAccepted

    instruction: Annotated[Text, AfterValidator(str.strip)] = Field(
        default="", max_length=GUIDANCE_CHARACTERS, examples=["Look at what it costs above all."]
    )
    """Instruction for the research, sent to every agent that is called from now on, also in sections."""
    add_sources: list[SourceName] = Field(default=[], max_length=MOST_CHANGES)
    """Sources to search as well; `GET /v1/sources` lists them."""
    drop_sources: list[SourceName] = Field(default=[], max_length=MOST_CHANGES)
    """Sources to search no more. What was found in them stays."""
    add_sections: list[SectionBody] = Field(default=[], max_length=MOST_CHANGES)
    """Sections to research as well, up to the limit that the run has."""
    drop_sections: list[Title] = Field(default=[], max_length=MOST_CHANGES)
    """Titles of sections to leave out, whether or not their research has begun."""

    def build_action(self) -> Action:
        """The change as a run takes it.

        Raises:
            InputInvalid: nothing is to change.
        """
        if not any(self.model_dump().values()):
            raise InputInvalid("body", "nothing to change: give an instruction, or name a source or a section")
        return Steer(
            instruction=self.instruction,
            add_sources=tuple(self.add_sources),
            drop_sources=tuple(self.drop_sources),
            add_sections=tuple(section.planned() for section in self.add_sections),
            drop_sections=tuple(self.drop_sections),
        )

    async def find_faults(self, services: Services) -> list[FieldFault]:
        """Sources that cannot be searched here."""
        if not self.add_sources:
            return []
        known = await add_own_sources(services.sources, services.store)
        survey = await survey_sources(known, services.temporal.workers, services.settings, self.add_sources)
        return find_source_faults("add_sources", self.add_sources, survey)


class ClarificationsAccepted(Accepted):
    """The run begins, with the answers."""

    questions: tuple[ClarifyingQuestion, ...]
    """Questions with their answers; an empty answer was skipped."""


class ClarificationsBody(ControlBody):
    """Answers to what a run asked back (`questions` of the run); those left out are skipped."""

    path = "clarifications"
    manual = "Answer what a run asked back before it begins (`clarify`); without a body, all of it is skipped."
    answer = ClarificationsAccepted
    action = AnswerQuestions
    is_required = False

    @classmethod
    def is_offered(cls, run: RunView) -> bool:
        """While its questions wait for answers."""
        return run.awaits == "answers"

    answers: dict[Spoken, Annotated[Text, Field(max_length=ANSWER_CHARACTERS)]] = Field(
        default={}, max_length=MOST_QUESTIONS, examples=[{"q1": "Adults", "q2": "Since 2020"}]
    )
    """By the ids of the questions: one of the `options`, or other words."""


CONTROLS: Final[tuple[type[ControlBody], ...]] = (
    StopBody,
    TopUpBody,
    PauseBody,
    UnpauseBody,
    SteerBody,
    ClarificationsBody,
    ApproveBody,
    RefuseBody,
    ApproveCallBody,
    RefuseCallBody,
)


def add_offered_actions(run: RunView) -> RunView:
    """Name the actions that a run takes now, by the last part of their paths."""
    if run.status != "running":
        return run
    if run.blocked and run.stale:
        return run.model_copy(update={"actions": (CANCEL,)})
    is_section = SECTION in run.run_id
    is_writing = run.stage == "writing" and run.hold is None and not run.approvals
    offered = [
        one.path for one in CONTROLS if not is_writing and one.is_offered(run) and (one.for_sections or not is_section)
    ]
    return run.model_copy(update={"actions": (*offered, *([] if is_section else [CANCEL]))})


CANCEL: Final = "cancel"
"""The path of a cancellation, which a run takes whatever it does."""
