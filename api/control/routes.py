"""Runs that are in progress: a route for each of `CONTROLS`."""

from typing import Annotated, Any, Final, TypeAlias

from fastapi import APIRouter, Body, Depends, Header, Response

from elcano.api.control.actions import CONTROLS
from elcano.api.control.requests import ControlBody, new_request_id, request_control
from elcano.api.http.errors import (
    BodyTooLarge,
    BodyUnreadable,
    ControlRefused,
    KeyReused,
    OutcomeUnknown,
    RequestInvalid,
    RunEnded,
    RunNotFound,
    TemporalRefused,
    TemporalUnavailable,
    problem_docs,
)
from elcano.api.http.fields import Accepted
from elcano.api.services import Asker, Provided

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
        status_code=202,
        response_model=control.answer,
        description=control.manual + _SENT_AGAIN,
        responses=problem_docs(*COMMON),
    )


for _control in CONTROLS:
    _add_action_route(_control)
