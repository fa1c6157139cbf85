"""Runs that go on: over the API, the real workflow, activities and store, with a model that answers by a script."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

import httpx
import pytest
from temporalio.client import Client
from temporalio.service import RPCError

from elcano.activities.background_work import BackgroundWork, working_in_background
from elcano.activities.sources.registry import open_sources
from elcano.api.app import create_app
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.lifecycle.start_and_fold import fold
from elcano.graphs.records import ArchivedRun, RunLog
from elcano.service.temporal import background_starts
from elcano.service.temporal.background_starts import empty_outbox
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.subjects.uploads import background
from elcano.testing import Failing, Reply, ScriptedModel
from elcano.testing.default_answers import build_plain_answer
from elcano.testing.model import Answer
from elcano.worker import build_worker
from tests.api.serving import connecting, speaking

Json = dict[str, Any]

QUESTION = "To whom do retries belong?"
JOINING = frozenset({"long_writer_section", "long_writer_summary", "proofreader", "reviewer"})
"""Who makes the report of a run with sections; each part of it is an answer of its own."""


class Provider:
    """Answers plainly, but for the sections and agents that are switched off."""

    def __init__(self, sections: int = 3) -> None:
        self.sections = tuple(f"Section {number}" for number in range(1, sections + 1))
        self.off: set[tuple[str, str]] = set()
        """Agent and question that are refused; an empty question means all."""
        self.broken: set[tuple[str, str]] = set()
        """The same, whose answers are of no use."""
        self.slow: dict[tuple[str, str], float] = {}
        """The same, with the seconds that an answer takes."""
        self.input_tokens: int | None = None
        """What each call uses; None: by its length."""
        self.answers: dict[str, Json] = {}
        self.model = ScriptedModel(default=self._answer)

    def calls(self) -> Counter[tuple[str, str, int]]:
        """How often each agent was asked, by its question and iteration."""
        return Counter((task.kind, task.question, task.iteration) for task in self.model.tasks)

    async def asked(self, who: tuple[str, str]) -> None:
        """Returns once this agent was asked this question."""

        async def was() -> bool:
            return any((task.kind, task.question) == who for task in self.model.tasks)

        await until(was)

    def _answer(self, task: TaskEnvelope) -> Answer:
        names = {(task.kind, task.question), (task.kind, "")}
        if self.off & names:
            return Failing(401, "the key was refused")
        if self.broken & names:
            return "of no use"
        seconds = max((self.slow.get(name, 0.0) for name in names), default=0.0)
        return Reply(self._output(task), seconds=seconds, input_tokens=self.input_tokens)

    def _output(self, task: TaskEnvelope) -> Mapping[str, object]:
        if task.kind in self.answers:
            return self.answers[task.kind]
        if task.kind == "planner":
            outline = [{"title": title, "key_question": f"What of {title} and retries?"} for title in self.sections]
            return {"report_title": "Retries", "report_outline": outline}
        return build_plain_answer(task)


@asynccontextmanager
async def working(
    temporal: Client, store: Store, settings: Settings, provider: Provider | None = None
) -> AsyncIterator[None]:
    """A worker whose agents ask the provider, or else the models that the settings name."""
    resolve = None if provider is None else provider.model.resolve
    async with open_sources(settings) as sources, build_worker(temporal, store, sources, settings, resolve=resolve):
        yield


@asynccontextmanager
async def serving_alone(
    temporal: Client, store: Store, settings: Settings, provider: Provider | None = None
) -> AsyncIterator[httpx.AsyncClient]:
    """An API with such a worker beside it, on a task queue that is only theirs."""
    queue = f"alone-{uuid4().hex}"

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("elcano.worker.TASK_QUEUE", queue)
        async with (
            working(temporal, store, settings, provider),
            speaking(create_app(settings, store=store, client=connecting(temporal), task_queue=queue)) as api,
        ):
            yield api


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Returns once something holds."""
    for _ in range(800):
        if await holds():
            return
        await asyncio.sleep(0.25)
    raise TimeoutError("it does not come to hold")


async def ended(api: httpx.AsyncClient, run_id: str) -> Json:
    """The run's view once it has ended."""
    for _ in range(1_200):
        view: Json = (await api.get(f"/v1/runs/{run_id}")).json()
        if view["status"] != "running":
            return view
        await asyncio.sleep(0.25)
    raise TimeoutError(f"the run has not ended: {view}")


async def asked(api: httpx.AsyncClient, run_id: str, what: str, status: int = 202, **body: Any) -> Json:
    """The answer to something that is asked of a run."""
    answer = await api.post(f"/v1/runs/{run_id}/{what}", json=body)
    assert answer.status_code == status, answer.text
    told: Json = answer.json()
    return told


def chosen_steps(count: int, *, each: bool = False) -> list[int]:
    """Each step of so many, last ones first; or else the last, the middle and the first."""
    return [*range(count, 0, -1)] if each else sorted({count, (count + 1) // 2, 1}, reverse=True)


async def log_of(store: Store, run_id: str) -> RunLog:
    """The archived log of a run, which gives the run that it says."""
    kept = await kept_run(store, run_id)
    text = await store.of("default").artifacts.get(kept.log)
    assert text is not None
    log = RunLog.model_validate_json(text)
    assert fold(log.asked, log.entries) == log.run
    return log


async def kept_run(store: Store, run_id: str) -> ArchivedRun:
    """The run as it is archived."""
    kept = await store.of("default").runs.get(run_id)
    assert kept is not None
    return kept


async def tokens(store: Store, run_id: str) -> int:
    """What the ledger says that the run has used, without what was undone."""
    return (await store.of("default").ledger.used(run_id)).tokens


@asynccontextmanager
async def leaving_no_readings(client: Client) -> AsyncIterator[None]:
    """End the readings that the worker of a test leaves open.

    A reading is one workflow per collection: the next test that uploads to a collection of the same name would wait for
    it, and nobody polls its queue any more.
    """
    yield
    queues = [getattr(background, name) for name in ("TASK_QUEUE", "OUTDATED_QUEUE")]  # replaced in each test
    query = " OR ".join(f"TaskQueue = '{queue}'" for queue in queues)
    async for one in client.list_workflows(f"ExecutionStatus = 'Running' AND ({query})"):
        with suppress(RPCError):  # it has ended by itself
            await client.get_workflow_handle(one.id, run_id=one.run_id).terminate("its test is over")


def put_background_on(queue: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the background work of a test a queue of its own."""
    for module in ("service.temporal.background_starts", "doors.schedules.temporal_schedules"):
        monkeypatch.setattr(f"elcano.{module}.BACKGROUND_QUEUE", queue)
    monkeypatch.setattr("elcano.doors.webhooks.webhook_store.BACKGROUND_QUEUE", queue)


@asynccontextmanager
async def doing(client: Client, store: Store, part: BackgroundWork, outbox_every: float = 0.2) -> AsyncIterator[None]:
    """A worker of background work, on the queue of the test, that also empties the outbox."""
    outbox = ("workflows to start", partial(empty_outbox, client, store.outbox), outbox_every)
    queue = getattr(background_starts, "BACKGROUND_QUEUE")  # noqa: B009 - replaced in each test
    on_queue = replace(part, queue=queue, at_once=20)
    async with working_in_background(client, [on_queue, BackgroundWork(looks=[outbox])]):
        yield
