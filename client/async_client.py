"""Research from asynchronous programs: `AsyncElcano` is the API, `AsyncRun` one run of it."""

import os
from collections.abc import AsyncIterator, Iterable, Mapping
from types import TracebackType
from typing import Any, Final
from urllib.parse import quote

from elcano.client.batches import AsyncBatch, start_batch
from elcano.client.collections import AsyncCollection, list_collections
from elcano.client.connection import Connection, LiveText, Notice, Streamed
from elcano.client.models import AgentEvent, CollectionView, JsonObject, RunList, RunView
from elcano.client.passages import AsyncPassage
from elcano.client.report_models import EvidencePage, Report

LOCAL_API: Final = "http://127.0.0.1:8000"
RUNS: Final = "/v1/runs"
EVIDENCE_PAGE: Final = 200
"""Passages that are asked for at a time."""
SETTLE_SECONDS: Final = 0.2
"""Interval of looks at a run whose last event has arrived and whose end is about to be stored."""


class AsyncElcano:
    """The API at `base_url`, asked with `api_key`; by default as the environment says.

    `ELCANO_API_KEY` is sent to the address in `ELCANO_API_URL`, and to no other.
    Use it as a context manager, or call `close`. Its methods raise what `Connection` does.
    """

    def __init__(self, base_url: str = "", *, headers: Mapping[str, str] | None = None, api_key: str = "") -> None:
        if not base_url:
            base_url, configured_key = _read_configured_api()
            api_key = api_key or configured_key
        self.connection = Connection(base_url, headers=headers, api_key=api_key)
        """For requests that have no method here."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.connection.base_url!r})"

    async def __aenter__(self) -> "AsyncElcano":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self.connection.close()

    async def research(self, question: str, *, key: str = "", **request: Any) -> "AsyncRun":
        """Start a run and return it at once.

        Args:
            question: what is to be found out.
            key: an idempotency key: with it the same request never starts a second run, also in another program.
            request: further fields of `POST /v1/runs`: `mode`, `sources`, `budget`, `instructions` and so on.
        """
        view = await self.connection.post_with_key(RUNS, {"question": question, **request}, key)
        return AsyncRun(self, view["run_id"])

    def run(self, run_id: str) -> "AsyncRun":
        """The run with this id; nothing is asked yet."""
        return AsyncRun(self, run_id)

    async def list_runs(self, /, **filters: str | int) -> RunList:
        """One page of runs, the newest first; `filters` are the parameters of `GET /v1/runs`."""
        return RunList.model_validate(await self.connection.get(RUNS, **filters))

    def collection(self, name: str) -> AsyncCollection:
        """The collection of uploaded documents with this name, be it there or not; nothing is asked yet."""
        return AsyncCollection(self.connection, name)

    async def batch(self, questions: Iterable[str | Mapping[str, Any]], *, key: str = "", **request: Any) -> AsyncBatch:
        """Start a run for each question, all under one budget, and return the batch at once.

        Args:
            questions: texts, or objects with fields of `POST /v1/runs`; see also `client.batches.read_questions`.
            key: an idempotency key: with it the same request never starts a second batch.
            request: further fields of `POST /v1/batches`: `defaults`, `budget`, `at_once` and so on.
        """
        return await start_batch(self.connection, questions, key, request)

    async def list_collections(self) -> tuple[CollectionView, ...]:
        """Your collections of uploaded documents, with how far each is read."""
        return await list_collections(self.connection)


class AsyncRun:
    """One run."""

    def __init__(self, elcano: AsyncElcano, run_id: str) -> None:
        self.run_id = run_id
        self._elcano = elcano
        self._connection = elcano.connection
        self._path = f"{RUNS}/{quote(run_id, safe='')}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.run_id!r})"

    async def view(self) -> RunView:
        """Return its status."""
        return RunView.model_validate(await self._connection.get(self._path))

    def stream(self, after: str = "") -> AsyncIterator[Streamed]:
        """Yield its stream, including notices and the words that are being written; see `Connection`."""
        return self._connection.stream_run(self.run_id, after)

    async def events(self, after: str = "") -> AsyncIterator[AgentEvent]:
        """Its events, from the first or from `after` the one with this id, to the terminal one."""
        async for one in self.stream(after):
            if not isinstance(one, Notice | LiveText):
                yield one

    async def wait(self) -> "AsyncRun":
        """Return it once it has ended, however it did."""
        async for _ in self.events():
            pass
        await self._connection.poll(self.view, lambda view: view.status != "running", every=SETTLE_SECONDS)
        return self

    async def report(self) -> Report:
        """Its report, with every statement, citation and verdict as data, and as `markdown`."""
        return Report.model_validate_json(await self.report_as("application/json"))

    async def report_as(self, media_type: str) -> str:
        """Its report, or the references of it, in a form that the API serves: `text/html`, `application/x-bibtex`."""
        return await self._connection.get_text(f"{self._path}/report", media_type)

    async def answer(self) -> JsonObject:
        """Its answer in the form of `output_schema`: `answer`, and `fields` with the quotes of each."""
        found: JsonObject = await self._connection.get(f"{self._path}/answer")
        return found

    async def evidence(self) -> AsyncIterator[AsyncPassage]:
        """The passages that it found, in the order of finding; each can `show` its page."""
        cursor: str | None = ""
        while cursor is not None:
            answer = await self._connection.get(f"{self._path}/evidence", limit=EVIDENCE_PAGE, cursor=cursor)
            page = EvidencePage.model_validate(answer)
            for passage in page.evidence:
                yield AsyncPassage.of(passage, self._connection, self._path)
            cursor = page.next

    async def control(self, /, action: str, *, key: str = "", **body: Any) -> dict[str, Any]:
        """Ask something of it: `pause`, `unpause`, `steer`, `top-up`, `approve`, `stop`, `cancel` and so on.

        Args:
            action: the last part of the path of the API.
            key: an idempotency key; one is made if it is empty.
            body: the fields of the request.
        """
        answer: dict[str, Any] = await self._connection.post_with_key(f"{self._path}/{action}", body, key)
        return answer

    async def pause(self) -> None:
        """Pause it once the calls that are under way are done."""
        await self.control("pause")

    async def unpause(self) -> None:
        """Continue it."""
        await self.control("unpause")

    async def stop(self, reason: str = "") -> None:
        """End its research now; it writes its report from what it has."""
        await self.control("stop", reason=reason)

    async def cancel(self) -> None:
        """End it without a report."""
        await self.control("cancel")

    async def steer(self, /, **changes: Any) -> dict[str, Any]:
        """Give it other instructions, sources or sections: `instruction`, `add_sources`, `drop_sections` and so on."""
        return await self.control("steer", **changes)

    async def top_up(self, /, **amounts: Any) -> dict[str, Any]:
        """Raise its limits by `tokens`, `cost_usd`, `seconds`, `iterations` or `steps`."""
        return await self.control("top-up", **amounts)

    async def resume(self, /, **request: Any) -> dict[str, Any]:
        """Resume it after its end where it left off; nothing that was done is done, or paid for, again."""
        return await self.control("resume", **request)

    async def roll_back(self, /, step: int, **request: Any) -> dict[str, Any]:
        """Continue it from before `step`; the steps after that are undone."""
        return await self.control("rollback", step=step, **request)

    async def fork(self, step: int, *, key: str = "", **changes: Any) -> "AsyncRun":
        """Start a run that begins with its steps before `step` and differs from there on."""
        answer = await self.control("fork", key=key, step=step, **changes)
        return AsyncRun(self._elcano, answer["run_id"])

    async def edit(self, instruction: str, *, key: str = "", **request: Any) -> "AsyncRun":
        """Start a run that changes its report as `instruction` says, from the same passages, and checks it again."""
        answer = await self.control("edits", key=key, instruction=instruction, **request)
        return AsyncRun(self._elcano, answer["run_id"])

    async def update(self, *, key: str = "", **request: Any) -> "AsyncRun":
        """Start a run that brings its report up to date: it searches again, and writes anew what has changed."""
        answer = await self.control("updates", key=key, **request)
        return AsyncRun(self._elcano, answer["run_id"])

    async def delete(self) -> None:
        """Delete it with all that it left; it must have ended."""
        await self._connection.delete(self._path)


def _read_configured_api() -> tuple[str, str]:
    """The address and the key in the environment."""
    return os.environ.get("ELCANO_API_URL", "") or LOCAL_API, os.environ.get("ELCANO_API_KEY", "")
