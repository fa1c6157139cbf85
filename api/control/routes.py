"""Runs that are under way: what may be asked of them. Each action is a body, an answer and a row of `CONTROLS`.

What an action does is said by its class in `elcano.graphs.engine.control_actions`.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final, Generic, TypeAlias, TypeVar

from fastapi import APIRouter, Body, Depends, Header, Response
from pydantic import Field

from elcano.api.control.bodies import (
    ApproveBody,
    ApproveCallBody,
    CallApproved,
    CallRefused,
    PlanApproved,
    PlanRefused,
    RefuseBody,
    RefuseCallBody,
    SteerAccepted,
    SteerBody,
)
from elcano.api.control.requests import new_request_id, request_control
from elcano.api.http.errors import (
    BodyTooLarge,
    BodyUnreadable,
    ControlRefused,
    FieldFault,
    KeyReused,
    OutcomeUnknown,
    RequestInvalid,
    RunEnded,
    RunNotFound,
    TemporalRefused,
    TemporalUnavailable,
    problem_docs,
)
from elcano.api.http.fields import Accepted, Request, Text
from elcano.api.runs.budget_view import LimitsView
from elcano.api.runs.source_availability import find_source_faults, survey_sources
from elcano.api.services import Asker, Provided, Services
from elcano.graphs.engine.control_actions import Action, AddBudget, Pause, Stop, Unpause
from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.state.budget import Limits, TopUp, microusd_from_usd

Sent = TypeVar("Sent", bound=Request)


class StopBody(Request):
    """Why a run is to end now."""

    reason: Text = Field(default="", max_length=500, examples=["We know enough."])
    """Shown in the report's head and in the events."""


class StopAccepted(Accepted):
    """The run was asked to end; it still writes its report, from what it has."""

    reason: str = Field(examples=["We know enough."])
    """What it was told."""


class TopUpBody(Request):
    """The amounts to add to the limits of a run."""

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

    def added(self) -> TopUp:
        """The addition as a run takes it.

        Raises:
            InputInvalid: nothing is added.
        """
        if not any(self.model_dump().values()):
            raise InputInvalid("body", "nothing is added: name at least one limit and by how much to raise it")
        return TopUp(**self.model_dump(exclude={"cost_usd"}), cost_microusd=microusd_from_usd(self.cost_usd))


class TopUpAccepted(Accepted):
    """The run's limits were raised; if it waited for that it goes on."""

    limits: LimitsView
    """What it may spend now."""


class PauseBody(Request):
    """Why a run is to rest."""

    reason: Text = Field(default="", max_length=500, examples=["Over the weekend."])
    """Shown while it is paused, and in the events."""


class PauseAccepted(Accepted):
    """The run starts nothing new; work in progress is finished, and the run's clock stands still from now on."""

    reason: str = Field(examples=["Over the weekend."])
    """Why."""


class UnpauseBody(Request):
    """Nothing has to be said."""


class UnpauseAccepted(Accepted):
    """The run goes on where it was, unless it waits for something else too."""


@dataclass(frozen=True)
class Control(Generic[Sent]):
    """One thing that may be asked of a run under way: `POST /v1/runs/{run_id}/<path>`."""

    path: str
    manual: str
    """What the API's description says of it, its first line as the title."""
    body: type[Sent]
    action: Callable[[Sent], Action]
    accepted: Callable[[str, Sent, Json], Accepted]
    """The answer, from the run's id, the body and what the run answered."""
    answer: type[Accepted]
    required: bool = True
    """Whether a body has to be sent."""
    judge: Callable[[Sent, Services], Awaitable[list[FieldFault]]] | None = None
    """What of it this server cannot do, whatever the run would say."""


async def _judge_steering(body: SteerBody, services: Services) -> list[FieldFault]:
    if not body.add_sources:
        return []
    survey = await survey_sources(services.sources, services.temporal, services.settings, body.add_sources)
    return find_source_faults("add_sources", body.add_sources, survey)


def _require_object(answer: Json) -> JsonObject:
    assert isinstance(answer, dict), "this action answers an object"
    return answer


CONTROLS: Final[tuple[Control[Any], ...]] = (
    Control(
        path="stop",
        manual="Stop a run: it ends its research and writes the report from what it has.",
        body=StopBody,
        action=lambda body: Stop(reason=body.reason),
        accepted=lambda run_id, body, _: StopAccepted(run_id=run_id, reason=body.reason),
        answer=StopAccepted,
        required=False,
    ),
    Control(
        path="top-up",
        manual="Raise a run's limits; a run that is paused because they were used up continues.",
        body=TopUpBody,
        action=lambda body: AddBudget(extra=body.added()),
        accepted=lambda run_id, _, answer: TopUpAccepted(
            run_id=run_id, limits=LimitsView.of(Limits.model_validate(answer))
        ),
        answer=TopUpAccepted,
    ),
    Control(
        path="pause",
        manual="Pause a run: it finishes the calls under way and rests, for days if need be, until it is continued.",
        body=PauseBody,
        action=lambda body: Pause(reason=body.reason),
        accepted=lambda run_id, body, _: PauseAccepted(run_id=run_id, reason=body.reason),
        answer=PauseAccepted,
        required=False,
    ),
    Control(
        path="unpause",
        manual="Unpause a run that was paused.",
        body=UnpauseBody,
        action=lambda _: Unpause(),
        accepted=lambda run_id, *_: UnpauseAccepted(run_id=run_id),
        answer=UnpauseAccepted,
        required=False,
    ),
    Control(
        path="steer",
        manual="Steer a run: another instruction, other sources, other sections, from now on.",
        body=SteerBody,
        action=SteerBody.action,
        accepted=lambda run_id, _, answer: SteerAccepted.model_validate({"run_id": run_id, **_require_object(answer)}),
        answer=SteerAccepted,
        judge=_judge_steering,
    ),
    Control(
        path="approve",
        manual="Approve the plan that a run waits with (`approve_plan`), as it is or with sections of your own.",
        body=ApproveBody,
        action=ApproveBody.action,
        accepted=lambda run_id, _, answer: PlanApproved.model_validate({"run_id": run_id, **_require_object(answer)}),
        answer=PlanApproved,
        required=False,
    ),
    Control(
        path="refuse",
        manual="Refuse the plan that a run waits with: it ends without having researched it.",
        body=RefuseBody,
        action=RefuseBody.action,
        accepted=lambda run_id, body, _: PlanRefused(run_id=run_id, reason=body.reason),
        answer=PlanRefused,
    ),
    Control(
        path="approve-call",
        manual="Approve a call of a tool that writes, and that a run waits with (`approvals` of the run): it is made.",
        body=ApproveCallBody,
        action=ApproveCallBody.action,
        accepted=lambda run_id, _, answer: CallApproved.model_validate({"run_id": run_id, **_require_object(answer)}),
        answer=CallApproved,
    ),
    Control(
        path="refuse-call",
        manual="Refuse a pending tool call: its node fails, and the run continues as its graph says.",
        body=RefuseCallBody,
        action=RefuseCallBody.action,
        accepted=lambda run_id, _, answer: CallRefused.model_validate({"run_id": run_id, **_require_object(answer)}),
        answer=CallRefused,
    ),
)

_SENT_AGAIN: Final = """

If no worker answers within ten seconds, it is not known whether the request will be applied: send it again with the
`Idempotency-Key` of the answer to learn. However often it is sent, it counts once."""

COMMON = (
    BodyUnreadable,
    RunNotFound,
    RunEnded,
    ControlRefused,
    BodyTooLarge,
    RequestInvalid,
    KeyReused,
    TemporalRefused,
    TemporalUnavailable,
    OutcomeUnknown,
)

router = APIRouter(prefix="/v1/runs/{run_id}", tags=["runs"])


async def request_id(
    response: Response,
    idempotency_key: Annotated[
        str | None,
        Header(
            min_length=1,
            max_length=255,
            description="A text of your own for this request to this run: sent again with it, the request is done once "
            "and gets its first answer. Left out, the server makes one; the answer has it under the same name.",
            examples=["3f0c6f5e-more-tokens"],
        ),
    ] = None,
) -> str:
    """The request's id: the client's, or a new one, which the answer tells."""
    chosen = idempotency_key if idempotency_key is not None else new_request_id()
    response.headers["Idempotency-Key"] = chosen
    return chosen


RequestId: TypeAlias = Annotated[str, Depends(request_id)]


def _add_action_route(control: Control[Sent]) -> None:
    """Adds the route of one action."""

    async def route(run_id: str, services: Provided, asker: Asker, request_id: RequestId, body: Any = None) -> Accepted:
        sent = control.body() if body is None else body
        action = control.action(sent)
        judged = None if control.judge is None else partial(control.judge, sent, services)
        answer = await request_control(
            run_id, action, request_id, temporal=services.temporal, store=services.store, judged=judged, by=asker
        )
        return control.accepted(run_id, sent, answer)

    route.__name__ = f"{control.path.replace('-', '_')}_run"
    body: Any = Annotated[control.body if control.required else control.body | None, Body()]
    route.__annotations__["body"] = body
    route.__defaults__ = () if control.required else (None,)
    router.add_api_route(
        f"/{control.path}",
        route,
        methods=["POST"],
        status_code=202,
        response_model=control.answer,
        description=control.manual + _SENT_AGAIN,
        responses=problem_docs(*COMMON),
    )


for _control in CONTROLS:
    _add_action_route(_control)
