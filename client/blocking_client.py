"""Research from programs that wait: `Elcano` is the API, `Run` one run of it.

Both are `AsyncElcano` and `AsyncRun`, waited for; methods are documented there.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any

from elcano.client.async_client import AsyncElcano, AsyncRun
from elcano.client.batches import Batch
from elcano.client.blocking import Blocking, EventLoopThread, make_blocking, make_blocking_iterator
from elcano.client.collections import Collection
from elcano.client.passages import Passage


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
