"""How soon a run goes on, and how long one takes to be read by a worker that has forgotten it.

From a request to the first new call, of runs that are resumed, taken back and forked. And how long its steps take to be
listed; target 200 ms for 400 of them.

A run of 25 iterations with three searches each, some 1,000 history events, whose writer fails. Targets: 2 s to the
first new call, 1 s for a cold read. Compared within one run: with the time that a new run takes to its first call.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from statistics import median
from typing import Any

import httpx
from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError
from temporalio.worker import Worker

from benchmarks.bench import Bench
from benchmarks.scripted import Scripted
from benchmarks.server import measure_history, publish_nothing, research_worker, served_here
from elcano.activities.agents.agent_activity import agent_activities
from elcano.activities.calls.usage import BookActivities
from elcano.activities.report.publishing import ReportActivities
from elcano.activities.tools.tool_activities import tool_activities
from elcano.graphs.contracts import AgentCall, AgentResult, ToolCall, ToolResult
from elcano.graphs.state.failures import FailureType
from elcano.graphs.state.state import EvidenceRef
from elcano.graphs.text import ensure_list
from elcano.settings.settings import Settings
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.store import Store, open_store

QUEUE = "benchmark-going-on"


class Answering:
    """The scripted answers, but for a writer that fails as long as it is told to; notes when it is asked."""

    def __init__(self, iterations: int) -> None:
        self.fails = True
        self.asked = asyncio.Event()
        self._scripted = Scripted(iterations=iterations)

    async def _answered(self, call: AgentCall) -> AgentResult:
        self.asked.set()
        if self.fails and call.agent == "writer":
            raise ApplicationError("refused", type=FailureType.MODEL_REFUSED, non_retryable=True)
        return await self._scripted.ask(call)

    def worker(self, client: Client, store: Store, *, cached: int = 100) -> Worker:
        """A worker over a store, in which what was found is kept; it remembers so many workflows."""
        books, reports = BookActivities(store), ReportActivities(store)

        async def searched(call: ToolCall) -> ToolResult:
            result = await self._scripted.use(call)
            found = [EvidenceRef.model_validate(one) for one in ensure_list(result.output.get("evidence"))]
            texts = [_text(one.id) for one in found]
            passages = [_passage(one, text) for one, text in zip(found, texts, strict=True)]
            await store.of(call.tenant).evidence.add(call.run_id, passages, texts)
            return result

        activities: list[Callable[..., Any]] = [
            *agent_activities(self._answered),
            *tool_activities(searched),
            books.read_usage,
            books.reopen_run,
            publish_nothing,
            reports.archive_run,
        ]
        return research_worker(client, QUEUE, activities, cached=cached)


def _text(name: str) -> StoredText:
    text = f"The text of {name}."
    return StoredText(content_hash=sha256(text.encode()).hexdigest(), document=name, title=name, text=text)


def _passage(found: EvidenceRef, text: StoredText) -> Evidence:
    return Evidence(
        id=found.id,
        source=found.source,
        document=text.document,
        content_hash=text.content_hash,
        title=found.title,
        locator=found.locator,
        text=text.text,
        start=0,
        end=len(text.text),
    )


async def until_asked(
    api: httpx.AsyncClient, path: str, body: dict[str, Any], answering: Answering
) -> tuple[str, float]:
    """The run that a request is about, and seconds from it to the first call that follows."""
    answering.asked.clear()
    begun = time.perf_counter()
    answer = await api.post(path, json=body)
    if not answer.is_success:
        raise RuntimeError(answer.text)
    await answering.asked.wait()
    return str(answer.json()["run_id"]), time.perf_counter() - begun


async def ended(client: Client, run_id: str) -> None:
    """Returns once the run's last execution has ended, however it did."""
    with suppress(WorkflowFailureError):
        await client.get_workflow_handle(run_id).result()


async def main(bench: Bench) -> None:
    """Measures and tells."""
    iterations, repeated = bench.choose(25, 2), bench.choose(5, 1)
    answering = Answering(iterations)
    settings = Settings(_env_file=None, data_dir=bench.folder, collections={"library": bench.folder})
    async with (
        bench.temporal() as client,
        open_store(bench.folder) as store,
        served_here(settings, store, client, QUEUE) as api,
    ):
        async with answering.worker(client, store):
            asked = {
                "question": "How do the parts belong together?",
                "mode": "iterative",
                "budget": {"iterations": 50, "tokens": 10**7, "steps": 999},
            }
            run_id, _ = await until_asked(api, "/v1/runs", asked, answering)
            await ended(client, run_id)
            took = []
            for _ in range(repeated):
                short, seconds = await until_asked(api, "/v1/runs", {**asked, "budget": {"iterations": 1}}, answering)
                took.append(seconds)
                await ended(client, short)
            beginning = median(took)
            length = await measure_history(client, run_id)
            bench.say(f"a run of {length}; a new one makes its first call after {beginning:.2f} s")
            step = (await api.get(f"/v1/runs/{run_id}")).json()["steps"]
            for what in ("resume", "rollback", "fork"):
                body: dict[str, Any] = {} if what == "resume" else {"step": step}
                answering.fails = what == "resume"
                took = []
                for _ in range(repeated):
                    took.append((await until_asked(api, f"/v1/runs/{run_id}/{what}", body, answering))[1])
                    await ended(client, run_id)
                bench.say(f"{what}: {median(took):.2f} s to the first new call, at most {max(took):.2f} s")
                bench.tell(f"first call, {what} / new run", median(took) / beginning)
            pages = {limit: f"/v1/runs/{run_id}/steps?limit={limit}" for limit in range(500 - repeated, 501)}
            steps = await bench.milliseconds(lambda number: api.get(pages[500 - number]), repeated)  # each is kept
            bench.say(f"its {step} steps are listed in {steps:.0f} ms")
        async with answering.worker(client, store, cached=0):
            handle = client.get_workflow_handle(run_id, run_id=await _longest(client, run_id))
            events = (await handle.describe()).history_length
            cold = await bench.milliseconds(lambda _: handle.query("snapshot"), repeated)
            bench.say(f"a cold read of {events} events: {cold / 1_000:.2f} s (target at most 1 s)")
            bench.tell("cold read / first call of a new run", cold / 1_000 / beginning)
            bench.tell("steps listed / cold read", steps / cold)


async def _longest(client: Client, run_id: str) -> str:
    """The execution with the longest history: the first, before anything was kept of it."""
    executions = [found async for found in client.list_workflows(f"WorkflowId = '{run_id}'")]
    first = min(executions, key=lambda found: found.start_time)
    return first.run_id
