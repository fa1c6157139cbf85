"""Chat completions: one question, one report. Progress is reported as reasoning, and the report follows as the answer.

The last line of an answer names its run. A client sends it back with the conversation, and so the next question follows
that run, with its evidence, without anything that had to be stored for the chat.
"""

from collections.abc import AsyncIterator
from typing import Any, Final

from fastapi import APIRouter, Request, Response

from elcano.api.events.sse import ProvidedFeeds
from elcano.api.http.body_limit import CONVERSATION_BODY
from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.runs.routes import IdempotencyKey
from elcano.api.services import Provided
from elcano.doors.openai_api.conversation import format_run_line, read_conversation
from elcano.doors.openai_api.following import (
    DONE,
    KEEP_ALIVE,
    FollowedResponse,
    format_message,
    stream_response,
)
from elcano.doors.openai_api.output_items import Item, list_annotations, write_text
from elcano.doors.openai_api.parameters import ChatRequest
from elcano.doors.openai_api.response_log import DELTA_CHARACTERS, StreamEvent
from elcano.doors.openai_api.response_view import Response as ResponseObject
from elcano.doors.openai_api.run_start import ModelNotFound, RetryCount, start_run
from elcano.doors.openai_api.slow_answer import send_answer
from elcano.graphs.added_steps import ATTACHED
from elcano.graphs.report.report import Report
from elcano.service.errors import KeyReused, Refusal, TemporalUnavailable, TooManyRuns

WAITS: Final = (
    "The research waits for approval. Decide with `POST /v1/runs/{run_id}/approve` or `/refuse` (for a call of a tool "
    "`/approve-call` or `/refuse-call`), and ask again in this chat when it has ended."
)


class RunFailed(Refusal, kind="broken", title="The run failed"):
    """The run of a chat ended without a report; the text is its last event's."""


router = APIRouter(prefix="/openai/v1/chat", tags=["openai"])


@router.post(
    "/completions",
    dependencies=[requires("start_run"), CONVERSATION_BODY],
    response_class=Response,
    responses={
        200: {
            "description": "The report, or with `stream` its chunks",
            "content": {
                "application/json": {"schema": {"type": "object"}},
                "text/event-stream": {"schema": {"type": "string"}},
            },
        },
        **problem_docs(ModelNotFound, KeyReused, TooManyRuns, TemporalUnavailable, RunFailed),
    },
)
async def create_chat_completion(
    body: ChatRequest,
    request: Request,
    services: Provided,
    feeds: ProvidedFeeds,
    idempotency_key: IdempotencyKey = None,
    retry_count: RetryCount = 0,
) -> Any:
    """Ask the last question of a conversation. Stream it: research takes longer than gateways wait.

    If the client leaves, the research continues; `GET /openai/v1/responses/{run_id}` has what becomes of it.
    """
    said = read_conversation(body.messages, "messages")
    run = await start_run(
        body,
        said,
        services,
        asks_in="messages",
        key=idempotency_key,
        retry=retry_count,
    )
    followed = FollowedResponse(run, services, feeds)
    completion = ChatCompletion(followed, services.address)
    if body.stream:
        usage = bool((body.stream_options or {}).get("include_usage"))
        return stream_response(completion.stream(with_usage=usage))
    return await send_answer(
        completion.wait(), request, explain=completion.explain_failure, sent=followed.note_answered
    )


class ChatCompletion:
    """A run as a chat completion, whole or in chunks."""

    def __init__(self, followed: FollowedResponse, address: str) -> None:
        self._followed = followed
        self._address = address
        self._head = followed.log.head

    async def wait(self) -> Item:
        """The whole completion once the run has ended, or waits for approval.

        Raises:
            RunFailed: there is no report.
        """
        async for _ in self._followed.follow():
            if await self._followed.waits_for_approval():
                break
        final = self._followed.final
        if final is not None and final["error"] is not None:
            raise RunFailed(self._explain_error(final))
        message: Item = {"role": "assistant", "content": self._write_answer(), "refusal": None}
        if self._followed.report is not None:
            message["annotations"] = self._nest_annotations(self._followed.report)
        return self._complete(message)

    def explain_failure(self, error: Exception) -> Item:
        """The completion that says why there is no report, where the status of an error can be sent no more."""
        text = str(error)
        reply: Item = {"role": "assistant", "content": text, "refusal": text}
        return {
            **self._complete(reply),
            "error": {"message": text, "type": "server_error", "param": None, "code": None},
        }

    def _complete(self, message: Item) -> Item:
        choice = {"index": 0, "message": message, "finish_reason": self._finish_reason(), "logprobs": None}
        return {**self._describe("chat.completion"), "choices": [choice], "usage": self._count_usage()}

    async def stream(self, *, with_usage: bool) -> AsyncIterator[bytes]:
        """The chunks: what happens as reasoning, then the report."""
        yield self._chunk({"role": "assistant", "content": ""})
        async for events in self._followed.follow():
            lines = "".join(f"{text}\n" for event in events if (text := _read_progress(event)))
            yield self._chunk({"reasoning_content": lines}) if lines else KEEP_ALIVE
            if await self._followed.waits_for_approval():
                break
        final = self._followed.final
        if final is None and self._followed.waiting is None:
            return  # this process is about to stop; the client sees that the stream is not complete
        if final is not None and final["error"] is not None:
            error = {"message": self._explain_error(final), "type": "server_error", "param": None, "code": "run-failed"}
            yield format_message({"error": error})
            yield DONE
            await self._followed.note_answered()
            return
        answer = self._write_answer()
        for start in range(0, len(answer), DELTA_CHARACTERS):
            yield self._chunk({"content": answer[start : start + DELTA_CHARACTERS]})
        if self._followed.report is not None and (annotations := self._nest_annotations(self._followed.report)):
            yield self._chunk({"annotations": annotations})
        yield self._chunk({}, self._finish_reason())
        if with_usage:
            told_last: Item = {"choices": [], "usage": self._count_usage()}
            yield format_message({**self._describe("chat.completion.chunk"), **told_last})
        yield DONE
        await self._followed.note_answered()

    def _chunk(self, delta: Item, finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": None}
        return format_message({**self._describe("chat.completion.chunk"), "choices": [choice]})

    def _describe(self, kind: str) -> Item:
        final = self._followed.final
        metadata = self._head.build("in_progress")["metadata"] if final is None else final["metadata"]
        return {
            "id": f"chatcmpl-{self._head.run_id}",
            "object": kind,
            "created": self._head.created_at,
            "model": self._head.model,
            "metadata": metadata,
        }

    def _write_answer(self) -> str:
        report = self._followed.report
        if report is not None and ATTACHED in report.attachments:
            return write_text(report)
        text = WAITS.format(run_id=self._head.run_id) if report is None else report.markdown.rstrip()
        return f"{text}\n\n---\n\n{format_run_line(self._head.run_id, self._address)}"

    def _nest_annotations(self, report: Report) -> list[Item]:
        """The citations in the form that chat completions have."""
        return [
            {"type": "url_citation", "url_citation": {name: one[name] for name in one if name != "type"}}
            for one in list_annotations(report, self._head.evidence_address)
        ]

    def _finish_reason(self) -> str:
        final = self._followed.final
        return "length" if final is not None and final["status"] == "incomplete" else "stop"

    def _count_usage(self) -> Item | None:
        usage = (self._followed.final or {}).get("usage")
        if usage is None:
            return None
        return {
            "prompt_tokens": usage["input_tokens"],
            "completion_tokens": usage["output_tokens"],
            "total_tokens": usage["total_tokens"],
        }

    def _explain_error(self, final: ResponseObject) -> str:
        return f"{final['error']['message']} (run {self._head.run_id})"


def _read_progress(event: StreamEvent) -> str:
    """Render an event of a response as progress for readers."""
    if event["type"] == "response.reasoning_summary_text.done":
        return str(event["text"])
    if event["type"] == "response.output_item.added" and event["item"]["type"] == "web_search_call":
        return f"Searching: {event['item']['action']['query']}"
    return ""
