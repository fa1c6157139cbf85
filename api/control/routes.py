"""Runs that are in progress: a route for each of `CONTROLS`, and one that cancels."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from fastapi import APIRouter, Body, Depends, Header, Response
from pydantic import Field

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Asker, Provided
from elcano.graphs.state.failures import REASON_CHARACTERS, Cancellation
from elcano.service.control.actions import CONTROLS
from elcano.service.control.requests import ControlBody, cancel_open_run, new_request_id, request_control
from elcano.service.errors import (
    ControlRefused,
    KeyReused,
    OutcomeUnknown,
    RunBlocked,
    RunEnded,
    RunNotFound,
    TemporalRefused,
    TemporalUnavailable,
)
from elcano.service.fields import Accepted, Request, Text

_SENT_AGAIN: Final = """

If no worker answers within ten seconds, it is not known whether the request will be applied: send it again with the
`Idempotency-Key` of the answer to learn. However often it is sent, it counts once."""

COMMON = (
    RunNotFound,
    RunEnded,
    RunBlocked,
    ControlRefused,
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
    """The request's id: the client's, or a new one, which the response contains."""
    chosen = idempotency_key if idempotency_key is not None else new_request_id()
    response.headers["Idempotency-Key"] = chosen
    return chosen


RequestId: TypeAlias = Annotated[str, Depends(request_id)]


def _add_action_route(control: type[ControlBody]) -> None:
    """Adds the route of one action."""

    async def route(run_id: str, services: Provided, asker: Asker, request_id: RequestId, body: Any = None) -> Accepted:
        sent: ControlBody = control() if body is None else body
        return sent.build_answer(run_id, await request_control(run_id, sent, request_id, services, asker))

    route.__name__ = f"{control.path.replace('-', '_')}_run"
    body: Any = Annotated[control if control.is_required else control | None, Body()]
    route.__annotations__["body"] = body
    route.__defaults__ = () if control.is_required else (None,)
    router.add_api_route(
        f"/{control.path}",
        route,
        methods=["POST"],
        dependencies=[requires(control.permission)],
        status_code=202,
        response_model=control.answer,
        description=control.manual + _SENT_AGAIN,
        responses=problem_docs(*COMMON),
    )


for _control in CONTROLS:
    _add_action_route(_control)


class CancelBody(Request):
    """Why a run is to end without a report."""

    reason: Text = Field(default="", max_length=REASON_CHARACTERS, examples=["The question was wrong."])
    """Shown in the last event."""


class CancelAccepted(Accepted):
    """The run was cancelled; it ends without a report, and its findings stay readable."""

    reason: str = Field(examples=["The question was wrong."])
    """Why."""
    worker: Literal["polling", "not polling"] = Field(examples=["polling"])
    """`not polling`: no worker asked for work lately; the run ends when one does."""


@router.post(
    "/cancel",
    dependencies=[requires("control_run")],
    status_code=202,
    responses=problem_docs(
        RunNotFound,
        RunEnded,
        TemporalRefused,
        TemporalUnavailable,
    ),
)
async def cancel_run(
    run_id: str, services: Provided, asker: Asker, body: Annotated[CancelBody | None, Body()] = None
) -> CancelAccepted:
    """Cancel a run: it ends at once, without a report, and frees everything that was running for it.

    What it found stays readable. It can be cancelled whatever it does or waits for, and as often as you like. A run
    that has just written its last words may still end as it would have.
    """
    sent = body or CancelBody()
    cancellation = Cancellation(by=asker, reason=sent.reason)
    polled = await cancel_open_run(run_id, cancellation, services.temporal, services.store)
    return CancelAccepted(run_id=run_id, reason=sent.reason, worker="polling" if polled else "not polling")
