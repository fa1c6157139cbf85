"""The Responses API: a response is a run, under another name and in another form.

Nothing of a response is stored besides its run. So what OpenAI calls background mode is the only one there is: a client
that waits may leave, or be cut off, and find the response under its id.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response

from elcano.api.events.sse import ProvidedFeeds
from elcano.api.http.body_limit import CONVERSATION_BODY
from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.runs.routes import IdempotencyKey
from elcano.api.services import Asker, Provided, Services
from elcano.doors.openai_api.conversation import Approval, read_conversation
from elcano.doors.openai_api.following import (
    DONE,
    KEEP_ALIVE,
    FollowedResponse,
    JsonResponse,
    format_message,
    stream_response,
)
from elcano.doors.openai_api.output_items import APPROVAL, PLAN_CALL, read_approval_id
from elcano.doors.openai_api.parameters import ResponseRequest
from elcano.doors.openai_api.response_view import PREFIX, read_response_id
from elcano.doors.openai_api.run_start import ModelNotFound, RetryCount, start_run
from elcano.doors.openai_api.slow_answer import send_answer
from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.failures import Cancellation
from elcano.service.control.approvals import relay_decision
from elcano.service.control.requests import cancel_open_run, new_request_id
from elcano.service.errors import (
    DeleteRefused,
    FieldFault,
    KeyReused,
    RequestInvalid,
    RunEnded,
    RunNotFound,
    TemporalUnavailable,
    TooManyRuns,
)
from elcano.service.runs.deletion import delete_run
from elcano.service.runs.run_log import read_log
from elcano.service.runs.run_status import current_run

REFUSED: Final = "Refused."
"""The reason of a refusal that gives none."""
_OBJECT: Final = {"application/json": {"schema": {"type": "object"}}}
_EITHER: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The response, or with `stream` its events",
        "content": {**_OBJECT, "text/event-stream": {"schema": {"type": "string"}}},
    }
}

router = APIRouter(prefix="/openai/v1/responses", tags=["openai"])


@router.post(
    "",
    dependencies=[requires("start_run"), CONVERSATION_BODY],
    response_class=Response,
    responses={**_EITHER, **problem_docs(ModelNotFound, KeyReused, TooManyRuns, TemporalUnavailable)},
)
async def create_response(
    body: ResponseRequest,
    request: Request,
    services: Provided,
    feeds: ProvidedFeeds,
    asker: Asker,
    idempotency_key: IdempotencyKey = None,
    retry_count: RetryCount = 0,
) -> Any:
    """Ask a question: the research is a durable run, whose id is in the response's.

    With `background` the answer comes at once; with `stream` as events; else when the research has ended, or waits for
    approval. A client that is cut off loses nothing: `GET /openai/v1/responses/{run_id}` has it.
    """
    said = read_conversation(body.input, "input")
    previous = None if body.previous_response_id is None else read_response_id(body.previous_response_id)
    if said.approvals and not said.faults:
        run = await _relay_decisions(said.approvals, previous, services, asker, idempotency_key)
    else:
        run = await start_run(
            body,
            said,
            services,
            asks_in="input",
            previous_run=previous,
            instructions=body.instructions or "",
            key=idempotency_key,
            retry=retry_count,
            waits=not body.background or bool(body.stream),
        )
    followed = FollowedResponse(run, services, feeds)
    if body.stream:
        return stream_response(_stream_response(followed, -1))
    if body.background:
        new = run.status == "running" and not said.approvals
        return JsonResponse(followed.log.head.build("queued") if new else await followed.look())

    def explain(error: Exception) -> dict[str, Any]:
        return followed.log.head.build("in_progress", error={"code": "server_error", "message": str(error)})

    return await send_answer(_wait_for_end(followed), request, explain=explain, sent=followed.note_answered)


async def _wait_for_end(followed: FollowedResponse) -> dict[str, Any]:
    """The response once it has ended, or waits for approval."""
    async for _ in followed.follow():
        if await followed.waits_for_approval():
            break
    reached = followed.final or followed.waiting
    return followed.log.head.build("in_progress", output=followed.log.output) if reached is None else reached


async def _stream_response(followed: FollowedResponse, after: int) -> AsyncIterator[bytes]:
    """The events after that number, to the last, or to the request for approval with which the run waits.

    Clients read a stream to its end before they look at what is asked of them. One that comes again after the request
    receives what follows the decision.
    """
    asked = after < 0
    async for events in followed.follow():
        wanted = [event for event in events if event["sequence_number"] > after]
        yield b"".join(format_message(event, event["type"]) for event in wanted) or KEEP_ALIVE
        asked = asked or any(event.get("item", {}).get("type") == APPROVAL for event in wanted)
        if asked and await followed.waits_for_approval():
            break
    if followed.final is not None or followed.waiting is not None:
        yield DONE
        await followed.note_answered()


async def _relay_decisions(
    approvals: Sequence[Approval], response: str | None, services: Services, asker: str, key: str | None
) -> ArchivedRun:
    """Passes decisions on to the run of a response, which the ids of its requests name too; returns the run."""
    asked_by = (read_approval_id(approvals[0].request) or ("", ""))[0]
    run = await current_run(response or asked_by.partition(".")[0], services.temporal, services.store)
    for approval in approvals:
        await _relay_decision(run.run_id, approval, services, asker, key)
    return run


async def _relay_decision(run_id: str, approval: Approval, services: Services, asker: str, key: str | None) -> None:
    """Passes a decision on to the run, or the section, that asked.

    Raises:
        RequestInvalid: nothing of this response has asked.
        Exception: as of `decide`.
    """
    found = read_approval_id(approval.request)
    asked_by, call = found or ("", "")
    if asked_by != run_id and not asked_by.startswith(f"{run_id}."):
        message = f"{approval.request[:100]!r} is not the id of an approval request of this response"
        raise RequestInvalid([FieldFault(field="input.approval_request_id", message=message)])
    decided = None if call.startswith(f"{PLAN_CALL}/") else call
    reason = approval.reason.strip() or REFUSED
    await relay_decision(asked_by, decided, approval.approve, reason, services, asker, key or new_request_id())


@router.get(
    "/{run_id}",
    dependencies=[requires("read_run")],
    response_class=Response,
    responses={**_EITHER, **problem_docs(RunNotFound)},
)
async def retrieve_response(
    run_id: str,
    services: Provided,
    feeds: ProvidedFeeds,
    stream: Annotated[bool, Query(description="Whether to follow its events, from the first or the next one.")] = False,
    starting_after: Annotated[
        int, Query(ge=-1, description="Follow the events after the one with this `sequence_number`.")
    ] = -1,
    include: Annotated[list[str] | None, Query(description="Accepted, and changes nothing.")] = None,
    includes: Annotated[list[str] | None, Query(alias="include[]", include_in_schema=False)] = None,
    include_obfuscation: Annotated[bool, Query(description="Accepted, and changes nothing.")] = False,
) -> Any:
    """Read a response, or follow it, by its id or that of its run."""
    run = await current_run(read_response_id(run_id), services.temporal, services.store)
    followed = FollowedResponse(run, services, feeds)
    if stream:
        return stream_response(_stream_response(followed, starting_after))
    return JsonResponse(await followed.look())


@router.post(
    "/{run_id}/cancel",
    dependencies=[requires("control_run")],
    response_class=Response,
    responses={
        200: {"description": "The response", "content": _OBJECT},
        **problem_docs(RunNotFound, TemporalUnavailable),
    },
)
async def cancel_response(run_id: str, services: Provided, feeds: ProvidedFeeds, asker: Asker) -> Any:
    """Cancel a response: its run ends at once, without a report. One that has ended stays as it is."""
    run = await current_run(read_response_id(run_id), services.temporal, services.store)
    followed = FollowedResponse(run, services, feeds)
    try:
        await cancel_open_run(run.run_id, Cancellation(by=asker), services.temporal, services.store)
    except RunEnded:
        return JsonResponse(await followed.look())
    seen = await followed.look()
    return JsonResponse({**seen, "status": "cancelled"} if seen["status"] in ("queued", "in_progress") else seen)


@router.delete(
    "/{run_id}",
    dependencies=[requires("delete_run")],
    response_class=Response,
    responses={200: {"description": "It is deleted", "content": _OBJECT}, **problem_docs(RunNotFound, DeleteRefused)},
)
async def delete_response(run_id: str, services: Provided) -> Any:
    """Delete a response that has ended, with its run and everything that it left."""
    known = read_response_id(run_id)
    await delete_run(known, services.temporal, services.store)
    services.forget_run(known)
    return JsonResponse({"id": f"{PREFIX}{known}", "object": "response.deleted", "deleted": True})


@router.get(
    "/{run_id}/input_items",
    dependencies=[requires("inspect_run")],
    response_class=Response,
    responses={200: {"description": "The items", "content": _OBJECT}, **problem_docs(RunNotFound)},
)
async def list_input_items(
    run_id: str,
    services: Provided,
    limit: Annotated[int, Query(ge=1, le=100, description="Items at most.")] = 20,
    order: Annotated[str, Query(pattern="^(asc|desc)$", description="`desc`: the question first.")] = "desc",
    after: Annotated[str | None, Query(max_length=200, description="The `last_id` of the page before.")] = None,
) -> Any:
    """List the input of the run: instructions, what it was given besides, and the question."""
    run = await current_run(read_response_id(run_id), services.temporal, services.store)
    asked = (await read_log(run, services.temporal, services.store)).asked
    texts = {"instructions": asked.instructions, "background": asked.background, "question": asked.question}
    items = [_build_input(run.run_id, name, text) for name, text in texts.items() if text]
    if order == "desc":
        items.reverse()
    known = [item["id"] for item in items]
    page = items[known.index(after) + 1 :] if after in known else items
    shown = page[:limit]
    return JsonResponse(
        {
            "object": "list",
            "data": shown,
            "first_id": shown[0]["id"] if shown else None,
            "last_id": shown[-1]["id"] if shown else None,
            "has_more": len(page) > limit,
        }
    )


def _build_input(run_id: str, name: str, text: str) -> dict[str, Any]:
    role = "user" if name == "question" else "developer"
    content = [{"type": "input_text", "text": text}]
    return {"id": f"in_{run_id}_{name}", "type": "message", "role": role, "status": "completed", "content": content}
