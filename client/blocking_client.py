"""Research from programs that wait: `Elcano` is the API, `Run` one run of it, which displays itself in a notebook.

Both are `AsyncElcano` and `AsyncRun`, waited for; what methods do is documented there. A notebook shows a run as
Markdown that is true when it is shown, and that says when that was.
"""

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from importlib import import_module
from types import TracebackType
from typing import Any, Final

from elcano.client.async_client import AsyncElcano, AsyncRun
from elcano.client.batches import Batch
from elcano.client.blocking import Blocking, EventLoopThread, make_blocking, make_blocking_iterator
from elcano.client.collections import Collection
from elcano.client.connection import Notice
from elcano.client.errors import ClientError
from elcano.client.models import RunView, WaitingCallView
from elcano.client.passages import Passage

QUESTION_CHARACTERS: Final = 200
"""A longer question is shortened where a run is displayed."""


class LiveDisplay:
    """One output of a notebook's cell, whose text is replaced.

    Raises:
        RuntimeError: this program is no notebook.
    """

    def __init__(self) -> None:
        try:
            library = import_module("IPython.display")
        except ImportError:
            library = None
        self._markdown = library.Markdown if library is not None else str
        self._handle: Any = library.display(self._markdown(""), display_id=True) if library is not None else None
        if self._handle is None:  # so IPython says that nothing would show it
            raise RuntimeError("only notebooks can show a run: elsewhere, iterate over its `events()`")

    def replace(self, text: str) -> None:
        """Show this Markdown from now on."""
        self._handle.update(self._markdown(text))


def describe_run(view: RunView, report: str = "") -> str:
    """Describe a run in Markdown: how it stands, what it used, its sections; then its `report`, if there is one."""
    return "\n\n".join((*_describe_state(view), *((report,) if report else ())))


def describe_unknown(run_id: str, reason: str) -> str:
    """Describe a run of which nothing can be learned now, and why."""
    return f"**unknown** · `{run_id}` · {escape_markdown(reason)}"


def describe_notice(shown: str, notice: str) -> str:
    """Describe a run that cannot be followed now: how it stood last, and why that may no longer be so."""
    return f"{shown}\n\n*How it stands now is not known: {escape_markdown(notice)}*"


def _describe_state(view: RunView) -> Iterator[str]:
    where = f", {view.stage}" if view.stage else ""
    step = f" at `{view.node}`" if view.node and view.status == "running" else ""
    moment = f" · as of {datetime.now(UTC):%H:%M:%S} UTC" if view.status == "running" else ""
    question = escape_markdown(textwrap.shorten(view.question, QUESTION_CHARACTERS, placeholder="…"))
    yield f"**{view.status}**{where}{step}{moment} · `{view.run_id}` · {question}"
    if view.blocked:
        yield f"It cannot continue: {escape_markdown(view.blocked)}"
    elif view.stale:
        yield "More is not known now; this is what was stored when it began."
    if view.budget is not None:
        used = [f"{view.budget.used.tokens:,} of {view.budget.limits.tokens:,} tokens"]
        if view.iterations is not None:
            used.append(f"turn {view.iterations}")
        if view.evidence is not None:
            used.append(f"{view.evidence} passages")
        yield " · ".join(used)
    yield from _describe_waiting(view)
    if view.branches:
        yield "\n".join(f"- {escape_markdown(branch.section)}: {branch.status}" for branch in view.branches)
    if view.ending is not None:
        yield f"Ended early: {escape_markdown(view.ending.detail)}"
    if view.failure is not None:
        yield f"Failed: {escape_markdown(view.failure.message)}"


def _describe_waiting(view: RunView) -> Iterator[str]:
    """Describe what it waits for, and how to decide that."""
    if view.hold is not None:
        yield f"Waiting: {escape_markdown(view.hold.detail or view.hold.reason)}"
    if view.approvals:
        yield "\n".join(map(_describe_call, view.approvals))
    elif view.hold is not None and view.hold.reason == "approval":
        lines = (f"- {escape_markdown(one.title)}: {escape_markdown(one.question)}" for one in view.plan)
        yield "\n".join(lines)
        yield 'Decide with `run.control("approve")`, or `run.control("refuse", reason="...")`.'


def _describe_call(call: WaitingCallView) -> str:
    called = escape_markdown(f"{call.server}/{call.tool} {call.arguments}")
    run = f"elcano.run({json.dumps(call.run_id)})"
    return f'- {called}\n  Decide with `{run}.control("approve-call", call={json.dumps(call.call)})`, or `refuse-call`.'


def escape_markdown(text: str) -> str:
    """Keep text from being taken for Markdown or HTML."""
    return "".join(f"\\{one}" if one in "\\`*_{}[]<>#|" else one for one in text)


class Elcano(Blocking[AsyncElcano]):
    """The API at `base_url`, asked with `api_key`; by default those that the settings name (see `AsyncElcano`)."""

    def __init__(self, base_url: str = "", *, headers: Mapping[str, str] | None = None, api_key: str = "") -> None:
        super().__init__(AsyncElcano(base_url, headers=headers, api_key=api_key), EventLoopThread())

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

    def collection(self, name: str) -> Collection:
        """The collection of uploaded documents with this name, be it there or not; nothing is asked yet."""
        return Collection(self.asynchronous.collection(name), self._loop)

    def batch(self, questions: Iterable[str | Mapping[str, Any]], *, key: str = "", **request: Any) -> Batch:
        """Start a run for each question, all under one budget; see `AsyncElcano.batch`."""
        return Batch(self._loop.call(self.asynchronous.batch, questions, key=key, **request), self._loop)

    list_runs = make_blocking(AsyncElcano.list_runs)
    list_collections = make_blocking(AsyncElcano.list_collections)


class Run(Blocking[AsyncRun]):
    """One run."""

    view = make_blocking(AsyncRun.view)
    stream = make_blocking_iterator(AsyncRun.stream)
    events = make_blocking_iterator(AsyncRun.events)
    states = make_blocking_iterator(AsyncRun.states)
    report = make_blocking(AsyncRun.report)
    report_as = make_blocking(AsyncRun.report_as)
    answer = make_blocking(AsyncRun.answer)
    control = make_blocking(AsyncRun.control)
    pause = make_blocking(AsyncRun.pause)
    unpause = make_blocking(AsyncRun.unpause)
    stop = make_blocking(AsyncRun.stop)
    cancel = make_blocking(AsyncRun.cancel)
    steer = make_blocking(AsyncRun.steer)
    top_up = make_blocking(AsyncRun.top_up)
    resume = make_blocking(AsyncRun.resume)
    roll_back = make_blocking(AsyncRun.roll_back)
    delete = make_blocking(AsyncRun.delete)

    def _repr_markdown_(self) -> str:
        """Return its status, and its report once there is one: notebooks show this."""
        try:
            view = self.view()
            return describe_run(view, self.report().markdown if view.report else "")
        except ClientError as error:  # what a notebook shows instead is a traceback
            return describe_unknown(self.run_id, str(error))

    def show(self) -> None:
        """Show in a notebook how it stands, in place, until it has ended; then its report.

        Raises:
            RuntimeError: this program is no notebook.
        """
        display, shown = LiveDisplay(), ""
        for told in self.states():
            if isinstance(told, Notice):
                display.replace(describe_notice(shown, told.text))
            else:
                shown = describe_run(told)
                display.replace(shown)
        display.replace(self._repr_markdown_())

    def evidence(self) -> Iterator[Passage]:
        """The passages that it found, in the order of finding; each can `show` its page."""
        for passage in self._loop.iterate(self.asynchronous.evidence()):
            yield Passage.of(passage, self._loop)

    @property
    def run_id(self) -> str:
        """Its id, which is also that of its Temporal workflow."""
        return self.asynchronous.run_id

    def wait(self) -> "Run":
        """Return it once it has ended, however it did."""
        self._loop.call(self.asynchronous.wait)
        return self

    def fork(self, step: int, *, key: str = "", **changes: Any) -> "Run":
        """Start a run that begins with its steps before `step` and differs from there on."""
        return Run(self._loop.call(self.asynchronous.fork, step, key=key, **changes), self._loop)

    def edit(self, instruction: str, *, key: str = "", **request: Any) -> "Run":
        """Start a run that changes its report as `instruction` says, from the same passages, and checks it again."""
        return Run(self._loop.call(self.asynchronous.edit, instruction, key=key, **request), self._loop)

    def update(self, *, key: str = "", **request: Any) -> "Run":
        """Start a run that brings its report up to date: it searches again, and writes anew what has changed."""
        return Run(self._loop.call(self.asynchronous.update, key=key, **request), self._loop)
