"""Follows a run as a response, its events as they come and what there is of it now, and sends it as clients read it.

Streams are server-sent events of JSON, with `[DONE]` as the last. While nothing is new a comment goes out every 15
seconds, so that no gateway takes the connection for dead.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Final

from fastapi.responses import Response as HttpResponse
from fastapi.responses import StreamingResponse
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event

from elcano.api.events.sse import STREAM_HEADERS
from elcano.doors.openai_api.output_items import build_call_approval
from elcano.doors.openai_api.response_log import ResponseLog, StreamEvent
from elcano.doors.openai_api.response_view import Response, ResponseHead
from elcano.graphs.records import ArchivedRun
from elcano.graphs.report.report import Report
from elcano.service.events.feed import NumberedEvent, Waiting
from elcano.service.events.journal_merge import Cursor
from elcano.service.events.watcher import Feeds
from elcano.service.process import Services
from elcano.service.reports.results import load_artifact
from elcano.service.runs.repeated_requests import note_answered
from elcano.service.runs.run_status import read_run
from elcano.service.runs.run_view import RunView

DONE: Final = b"data: [DONE]\n\n"

KEEP_ALIVE: Final = KEEPALIVE_COMMENT


class JsonResponse(HttpResponse):
    """An answer in one piece, whose letters stay readable."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The content as UTF-8."""
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def stream_response(messages: AsyncIterator[bytes]) -> StreamingResponse:
    """The response that sends these messages."""
    return StreamingResponse(messages, media_type="text/event-stream", headers=STREAM_HEADERS)


def format_message(data: dict[str, Any], name: str | None = None) -> bytes:
    """One message; the events of a response are named, the chunks of a chat are not."""
    return format_sse_event(data_str=json.dumps(data, ensure_ascii=False, separators=(",", ":")), event=name)


LOOK_SECONDS: Final = 2.0
"""Seconds to wait for the events of a running run where only its present state is wanted."""


class FollowedResponse:
    """A run that is followed from its first event."""

    def __init__(self, run: ArchivedRun, services: Services, feeds: Feeds) -> None:
        self.log = ResponseLog(ResponseHead.of(run, services.address))
        self.final: Response | None = None
        """The response once the run has ended."""
        self.report: Report | None = None
        """Its report then, if it has one."""
        self.waiting: Response | None = None
        """The response as it waits for approval, once `waits_for_approval` has found that it does."""
        self._run_id = run.run_id
        self._services = services
        self._feeds = feeds

    async def follow(self) -> AsyncIterator[list[StreamEvent]]:
        """The events, as they come, to the last; an empty list says that nothing is new, or that no worker answers.

        If it ends without the last one, this process is about to stop: the client comes again.
        """
        yield list(self.log.open())
        async with self._feeds.open(self._services.tenant, self._run_id) as feed:
            async for batch in feed.follow(Cursor()):
                events = [event for item in batch if isinstance(item, NumberedEvent) for event in self.log.add(item)]
                if events or not batch or any(isinstance(item, Waiting) for item in batch):
                    yield events
                if self.log.terminal is not None:
                    yield await self._close()
                    return

    async def note_answered(self) -> None:
        """Note that a client has received the end, if it has come: what only waits is no answer yet."""
        if self.final is not None:
            await note_answered(self._run_id, self._services)

    async def look(self) -> Response:
        """The response as it is now; of a run that works with what it did so far, as far as a worker reports it."""
        view = await read_run(self._run_id, self._services.temporal, self._services.store, pending=False)
        if view.status != "running":
            async for _ in self.follow():
                pass
        elif view.last_event:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    async for events in self.follow():
                        if self.log.last_event >= view.last_event or not events:
                            break
        if self.final is not None:
            return self.final
        return self._build_open(view)

    async def waits_for_approval(self) -> bool:
        """Whether it waits for a person's decision now.

        The events so far may end where approval was asked for that was given long ago, so the run itself decides.
        """
        if not self.log.asks_for_approval:
            return False
        view = await read_run(self._run_id, self._services.temporal, self._services.store, pending=False)
        if view.approvals or (view.hold is not None and view.hold.reason == "approval"):
            self.waiting = self._build_open(view)
        return self.waiting is not None

    def _build_open(self, view: RunView) -> Response:
        known = {item["id"] for item in self.log.output}
        asked = [build_call_approval(call.model_dump()) for call in view.approvals]  # those of sections too
        output = [*self.log.output, *(item for item in asked if item["id"] not in known)]
        return self.log.head.build("in_progress" if self.log.last_event else "queued", output=output)

    async def _close(self) -> list[StreamEvent]:
        assert self.log.terminal is not None, "it has ended"
        store = self._services.store
        reference = self.log.terminal.data.get("report")
        if isinstance(reference, dict):
            stored = await load_artifact(str(reference["artifact"]), store)
            self.report = await asyncio.to_thread(Report.model_validate_json, stored)
        events = list(self.log.close(self.report, await store.ledger.used(self._run_id)))
        self.final = events[-1]["response"]
        return events
