"""Research from programs that wait: `Elcano` is the API, `Run` one run of it, which displays itself in a notebook.

Both are `AsyncElcano` and `AsyncRun`, waited for; what methods do is told there.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from elcano.client.async_client import AsyncElcano, AsyncRun
from elcano.client.batches import Batch
from elcano.client.blocking import EventLoopThread
from elcano.client.collections import Collection
from elcano.client.connection import Streamed
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import Report
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.text import shorten_text

if TYPE_CHECKING:
    from elcano.api.runs.run_view import RunList, RunView
    from elcano.api.uploaded_documents import CollectionView
    from elcano.storage.evidence import Evidence

QUESTION_CHARACTERS: Final = 200
"""A longer question is shortened where a run is displayed."""


class Elcano:
    """The API at `base_url`, asked with `api_key`; by default those that the settings name (see `AsyncElcano`)."""

    def __init__(self, base_url: str = "", *, headers: Mapping[str, str] | None = None, api_key: str = "") -> None:
        self._loop = EventLoopThread()
        self.asynchronous = AsyncElcano(base_url, headers=headers, api_key=api_key)

    def __enter__(self) -> "Elcano":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._loop.call(self.asynchronous.close)
        self._loop.close()

    def research(self, question: str, *, key: str = "", **request: Any) -> "Run":
        """Start a run and return it at once; `request` are further fields of `POST /v1/runs`."""
        return Run(self._loop.call(self.asynchronous.research, question, key=key, **request), self._loop)

    def run(self, run_id: str) -> "Run":
        """The run with this id; nothing is asked yet."""
        return Run(self.asynchronous.run(run_id), self._loop)

    def list_runs(self, **filters: str | int) -> "RunList":
        """One page of runs, the newest first; `filters` are the parameters of `GET /v1/runs`."""
        return self._loop.call(self.asynchronous.list_runs, **filters)

    def collection(self, name: str) -> Collection:
        """The collection of uploaded documents with this name, be it there or not; nothing is asked yet."""
        return Collection(self.asynchronous.collection(name), self._loop)

    def batch(self, questions: Iterable[str | Mapping[str, Any]], *, key: str = "", **request: Any) -> Batch:
        """Start a run for each question, all under one budget; see `AsyncElcano.batch`."""
        return Batch(self._loop.call(self.asynchronous.batch, questions, key=key, **request), self._loop)

    def list_collections(self) -> "tuple[CollectionView, ...]":
        """Your collections of uploaded documents, with how far each is read."""
        return self._loop.call(self.asynchronous.list_collections)


class Run:
    """One run."""

    def __init__(self, run: AsyncRun, loop: EventLoopThread) -> None:
        self.asynchronous = run
        self._loop = loop

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.run_id!r})"

    def _repr_markdown_(self) -> str:
        """How it stands, and its report once there is one: notebooks show this."""
        view = self.view()
        return describe_run(view, self.report().markdown if view.report else "")

    @property
    def run_id(self) -> str:
        """Its id, which is also that of its Temporal workflow."""
        return self.asynchronous.run_id

    def view(self) -> "RunView":
        """How it stands."""
        return self._loop.call(self.asynchronous.view)

    def stream(self, after: str = "") -> Iterator[Streamed]:
        """All that is told of it, also notices on the stream and the words that are being written."""
        return self._loop.iterate(self.asynchronous.stream(after))

    def events(self, after: str = "") -> Iterator[AgentEvent]:
        """Its events, from the first or from `after` the one with this id, to the terminal one."""
        return self._loop.iterate(self.asynchronous.events(after))

    def wait(self) -> "Run":
        """Return it once it has ended, however it did."""
        self._loop.call(self.asynchronous.wait)
        return self

    def report(self) -> Report:
        """Its report, with every statement, citation and verdict as data, and as `markdown`."""
        return self._loop.call(self.asynchronous.report)

    def report_as(self, media_type: str) -> str:
        """Its report, or the references of it, in a form that the API serves."""
        return self._loop.call(self.asynchronous.report_as, media_type)

    def answer(self) -> JsonObject:
        """Its answer in the form of `output_schema`: `answer`, and `fields` with the quotes of each."""
        return self._loop.call(self.asynchronous.answer)

    def evidence(self) -> Iterator["Evidence"]:
        """The passages that it found, in the order of finding."""
        return self._loop.iterate(self.asynchronous.evidence())

    def control(self, action: str, *, key: str = "", **body: Any) -> dict[str, Any]:
        """Ask something of it, by the last part of the path of the API; see `AsyncRun.control`."""
        return self._loop.call(self.asynchronous.control, action, key=key, **body)

    def pause(self) -> None:
        """Pause it once the calls that are under way are done."""
        self._loop.call(self.asynchronous.pause)

    def unpause(self) -> None:
        """Continue it."""
        self._loop.call(self.asynchronous.unpause)

    def stop(self, reason: str = "") -> None:
        """End its research now; it writes its report from what it has."""
        self._loop.call(self.asynchronous.stop, reason)

    def cancel(self) -> None:
        """End it without a report."""
        self._loop.call(self.asynchronous.cancel)

    def steer(self, **changes: Any) -> dict[str, Any]:
        """Give it other instructions, sources or sections from its next step on."""
        return self._loop.call(self.asynchronous.steer, **changes)

    def top_up(self, **amounts: Any) -> dict[str, Any]:
        """Raise its limits."""
        return self._loop.call(self.asynchronous.top_up, **amounts)

    def resume(self, **request: Any) -> dict[str, Any]:
        """Resume it after its end where it left off."""
        return self._loop.call(self.asynchronous.resume, **request)

    def roll_back(self, step: int, **request: Any) -> dict[str, Any]:
        """Continue it from before `step`; the steps after that are undone."""
        return self._loop.call(self.asynchronous.roll_back, step, **request)

    def fork(self, step: int, *, key: str = "", **changes: Any) -> "Run":
        """Start a run that begins with its steps before `step` and differs from there on."""
        return Run(self._loop.call(self.asynchronous.fork, step, key=key, **changes), self._loop)

    def edit(self, instruction: str, *, key: str = "", **request: Any) -> "Run":
        """Start a run that changes its report as `instruction` says, from the same passages, and checks it again."""
        return Run(self._loop.call(self.asynchronous.edit, instruction, key=key, **request), self._loop)

    def update(self, *, key: str = "", **request: Any) -> "Run":
        """Start a run that brings its report up to date: it searches again, and writes anew what has changed."""
        return Run(self._loop.call(self.asynchronous.update, key=key, **request), self._loop)

    def delete(self) -> None:
        """Delete it with all that it left; it must have ended."""
        self._loop.call(self.asynchronous.delete)


def describe_run(view: "RunView", report: str = "") -> str:
    """Describe a run in Markdown: how it stands, what it used, its sections; then its `report`, if there is one."""
    return "\n\n".join((*_describe_state(view), *((report,) if report else ())))


def _describe_state(view: "RunView") -> Iterator[str]:
    where = f", {view.stage}" if view.stage else ""
    step = f" at `{view.node}`" if view.node and view.status == "running" else ""
    question = _escape_markdown(shorten_text(view.question, QUESTION_CHARACTERS))
    yield f"**{view.status}**{where}{step} · `{view.run_id}` · {question}"
    if view.budget is not None:
        used = [f"{view.budget.tokens.used:,} of {view.budget.tokens.limit:,} tokens"]
        if view.iterations is not None:
            used.append(f"turn {view.iterations}")
        if view.evidence is not None:
            used.append(f"{view.evidence} passages")
        yield " · ".join(used)
    if view.hold is not None:
        yield f"Waiting: {_escape_markdown(view.hold.detail or view.hold.reason)}"
    if view.branches:
        yield "\n".join(f"- {_escape_markdown(branch.section)}: {branch.status}" for branch in view.branches)
    if view.failure is not None:
        yield f"Failed: {_escape_markdown(view.failure.message)}"


def _escape_markdown(text: str) -> str:
    """Keep text from being taken for Markdown or HTML."""
    return "".join(f"\\{one}" if one in "\\`*_{}[]<>#|" else one for one in text)
