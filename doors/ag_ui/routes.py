"""`POST /ag-ui`: the one address that AG-UI asks of an agent. A request starts a run, or answers what one asked.

The client's own run id is an idempotency key: a client that is cut off sends its request again, and follows the run
that the first one started from its beginning. So does one that asks the same again in its thread under another id.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse
from fastapi.sse import KEEPALIVE_COMMENT
from pydantic import ValidationError

from elcano.api.events.sse import STREAM_HEADERS, ProvidedFeeds
from elcano.api.http.body_limit import CONVERSATION_BODY
from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Asker, Provided, Services
from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import ArchivedRun
from elcano.graphs.report.report import Report
from elcano.graphs.state.events import AgentEvent
from elcano.service.control.approvals import relay_decision
from elcano.service.errors import (
    FieldFault,
    KeyReused,
    RequestInvalid,
    RunNotFound,
    TemporalUnavailable,
    TooManyRuns,
    explain_invalid,
)
from elcano.service.events.feed import NumberedEvent
from elcano.service.events.journal_merge import Cursor
from elcano.service.events.watcher import Feeds
from elcano.service.reports.results import load_artifact
from elcano.service.runs.repeated_requests import build_repeated_request, note_answered
from elcano.service.runs.request_facts import judge_run_request
from elcano.service.runs.run_request import RunRequest
from elcano.service.runs.run_status import current_run, read_run
from elcano.service.runs.submission import build_request_key, submit_run

if TYPE_CHECKING:
    from ag_ui.core import BaseEvent, Message, ResumeEntry, RunAgentInput

    from elcano.doors.ag_ui.translation import Translation

SETTINGS: Final = "elcano"
"""The forwarded property that holds further fields of a run."""
REFUSED: Final = "Refused over AG-UI."

router = APIRouter(tags=["ag-ui"])


@router.post(
    "/ag-ui",
    dependencies=[requires("start_run"), CONVERSATION_BODY],
    response_class=Response,
    responses={
        200: {"description": "The events of AG-UI", "content": {"text/event-stream": {"schema": {"type": "string"}}}},
        **problem_docs(KeyReused, TooManyRuns, TemporalUnavailable, RunNotFound),
    },
)
async def run_agent(body: dict[str, Any], services: Provided, feeds: ProvidedFeeds, asker: Asker) -> Any:
    """Research the user's last message, as a `RunAgentInput` of AG-UI asks, and stream the events.

    `forwardedProps.elcano` takes further fields of `POST /v1/runs`: mode, sources, limits. A thread goes on from the
    run of its last report. Where the run needs a decision the stream ends with an interrupt; answer it with `resume`.
    """
    asked = _read_input(body)
    after = ""
    if asked.resume:
        run = await _relay_decisions(asked.resume, services, asker, asked.run_id)
        after = asked.resume[-1].interrupt_id
    else:
        run = await _start_run(asked, services)
    return StreamingResponse(
        _stream_events(asked, run, after, services, feeds), media_type="text/event-stream", headers=STREAM_HEADERS
    )


def _read_input(body: Mapping[str, Any]) -> "RunAgentInput":
    """The request as AG-UI has it.

    Raises:
        RequestInvalid: it is none.
    """
    from ag_ui.core import RunAgentInput  # takes longer to load than all else of the plugin

    try:
        return RunAgentInput.model_validate(body)
    except ValidationError as error:
        raise explain_invalid(error) from error


async def _start_run(asked: "RunAgentInput", services: Services) -> ArchivedRun:
    """The run of a request, or the one that the same request started before."""
    messages = await _leave_out_cut_answer(asked.messages, services)
    said = messages[-1] if messages else None
    if said is None or said.role != "user":
        raise RequestInvalid([FieldFault(field="messages", message="the last message has to be the user's")])
    forwarded = asked.forwarded_props
    own = forwarded.get(SETTINGS) if isinstance(forwarded, dict) else None
    fields: dict[str, Any] = {**(own if isinstance(own, dict) else {}), "question": _read_text(said.content)}
    fields.setdefault("previous_run", await _find_earlier_run(messages, services))
    try:
        request = RunRequest.model_validate(fields)
    except ValidationError as error:
        raise explain_invalid(error) from error
    key = build_request_key(asked.run_id, request, "ag-ui")
    assert key is not None, "an empty key is one"
    judge, admission = partial(judge_run_request, request, services), services.store.admission
    if await admission.find_claim(key.key) is not None:
        return (await submit_run(judge, key, services)).run
    # Some clients ask again under a new run id: within a thread that is the same run until its answer was received.
    repeated = build_repeated_request(request, "ag-ui", asked.thread_id, services, marked=False, waits=True)
    run = await repeated.submit(judge, services)
    await admission.claim(key.key, key.request_hash, run.run_id)
    return run


def _read_text(content: Any) -> str:
    """The text of a message.

    Raises:
        RequestInvalid: it has parts that are no text.
    """
    if isinstance(content, str):
        return content
    others = sorted({part.type for part in content if part.type != "text"})
    if others:
        message = f"only text is researched, and this has {', '.join(others)}"
        raise RequestInvalid([FieldFault(field="messages", message=message)])
    return "\n\n".join(part.text for part in content)


async def _leave_out_cut_answer(messages: "Sequence[Message]", services: Services) -> "Sequence[Message]":
    """The messages up to the question, if what follows is all that a client received of its run before a cut.

    Clients keep that, and send it along when they ask for the same run again.
    """
    said = [(place, one) for place, one in enumerate(messages) if one.role == "user"]
    if not said:
        return messages
    last, question = said[-1]
    for one in messages[last + 1 :]:
        if one.role == "assistant":
            run = await services.store.runs.get(one.id)
            if run is None or run.question != _read_text(question.content).strip():
                return messages
        elif one.role not in ("reasoning", "activity"):
            return messages
    return messages[: last + 1]


async def _find_earlier_run(messages: "Sequence[Message]", services: Services) -> str | None:
    """The run of the thread's last report: a message of the assistant has the id of its run."""
    for message in reversed(messages):
        if message.role == "assistant":
            run = await services.store.runs.get(message.id)
            return message.id if run is not None and run.status != "running" and run.branch_of is None else None
    return None


async def _relay_decisions(entries: "list[ResumeEntry]", services: Services, asker: str, key: str) -> ArchivedRun:
    """Pass decisions on to those who asked, and return the run.

    Raises:
        RequestInvalid: an entry answers nothing that a run asked.
        Exception: as of `decide`.
    """
    from elcano.doors.ag_ui.translation import PLAN, parse_interrupt

    run_id = ""
    for number, entry in enumerate(entries):
        asked_by, call = parse_interrupt(entry.interrupt_id) or ("", "")
        run_id = run_id or asked_by.partition(".")[0]
        if not asked_by or asked_by.partition(".")[0] != run_id:
            message = f"{entry.interrupt_id[:100]!r} is not the id of an interrupt of this run"
            raise RequestInvalid([FieldFault(field=f"resume.{number}.interruptId", message=message)])
        said = entry.payload if isinstance(entry.payload, dict) else {}
        approved = entry.status == "resolved" and said.get("approved") is True
        reason = str(said.get("reason") or REFUSED)
        decided = None if call.startswith(f"{PLAN}/") else call
        await relay_decision(asked_by, decided, approved, reason, services, asker, f"{key}-{number}")
    return await current_run(run_id, services.temporal, services.store)


async def _stream_events(
    asked: "RunAgentInput", run: ArchivedRun, after: str, services: Services, feeds: Feeds
) -> AsyncIterator[bytes]:
    """The events behind the interrupt `after`, from the first one if it is empty; comments where nothing is new."""
    from ag_ui.encoder import EventEncoder

    from elcano.doors.ag_ui.translation import Translation

    translation, encoder = Translation(asked.thread_id, asked.run_id, run.run_id, services.address), EventEncoder()
    for first in translation.open(run.status):
        yield encoder.encode(first).encode()
    async for events in _follow_run(translation, run.run_id, after, services, feeds):
        yield "".join(map(encoder.encode, events)).encode() or KEEPALIVE_COMMENT


async def _follow_run(
    translation: "Translation", run_id: str, after: str, services: Services, feeds: Feeds
) -> "AsyncIterator[list[BaseEvent]]":
    """Stream the events of a run, to its end or until it waits for a decision."""
    from elcano.doors.ag_ui.translation import name_interrupt

    async with feeds.open(services.tenant, run_id) as feed:
        async for batch in feed.follow(Cursor()):
            events = [item.event for item in batch if isinstance(item, NumberedEvent)]
            if not events:
                yield []
            for event in events:
                interrupt = name_interrupt(run_id, event)
                if event.terminal:
                    yield await _close_translation(translation, event, services)
                    await note_answered(run_id, services)
                    return
                if after:
                    translation.pass_over(event)
                    if interrupt == after:
                        after = ""
                        yield list(translation.resume())
                elif interrupt and await _still_waits(run_id, event, services):
                    yield list(translation.interrupt(event))
                    return
                else:
                    yield list(translation.tell(event))


async def _still_waits(run_id: str, event: AgentEvent, services: Services) -> bool:
    """Whether the run's question is still undecided."""
    view = await read_run(run_id, services.temporal, services.store, pending=False)
    if event.type == "approval_requested":
        return any(call.call == event.data["call"] for call in view.approvals)
    return view.hold is not None and view.hold.reason == "approval" and view.hold.node == event.node


async def _close_translation(translation: "Translation", last: AgentEvent, services: Services) -> "list[BaseEvent]":
    reference = last.data.get("report")
    report: Report | None = None
    citations: list[JsonObject] = []
    if isinstance(reference, dict):
        report = Report.model_validate_json(await load_artifact(str(reference["artifact"]), services.store))
        citations = [
            {"number": one.number, "title": one.title, "locators": list(one.locators)} for one in report.references
        ]
    return list(translation.close(last, report, citations))
