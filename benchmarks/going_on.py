"""How soon a run goes on, and how long one takes to be read by a worker that has forgotten it.

From a request to the first new call, of runs that are resumed, taken back and forked.

A run of 25 iterations with three searches each, some 1,000 history events, whose writer fails. Targets: 2 s to the
first new call, 1 s for a cold read.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import uvloop
from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError
from temporalio.worker import Worker

from benchmarks.history import size
from benchmarks.scripted import Scripted
from benchmarks.server import publish_nothing, temporal_server
from elcano.activities.calls.ledger_lines import BookActivities
from elcano.activities.calls.names import agent_activities, tool_activities
from elcano.activities.report.publishing import ReportActivities
from elcano.api.app import create_app
from elcano.graphs.contracts import AgentCall, AgentResult, ToolCall, ToolResult
from elcano.graphs.state.failures import FailureType
from elcano.graphs.state.state import EvidenceRef
from elcano.graphs.text import ensure_list
from elcano.settings.settings import Settings
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.store import Store, open_store
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner

ITERATIONS = 25
REPEATED = 5
QUEUE = "benchmark"


class Answering:
    """The scripted answers, but for a writer that fails as long as it is told to; notes when it is asked."""

    def __init__(self) -> None:
        self.fails = True
        self.asked = asyncio.Event()
        self._scripted = Scripted(iterations=ITERATIONS)

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

        return Worker(
            client,
            task_queue=QUEUE,
            workflows=[ResearchWorkflow],
            activities=[
                *agent_activities(self._answered),
                *tool_activities(searched),
                books.read_usage,
                books.reopen_run,
                publish_nothing,
                reports.archive_run,
            ],
            workflow_runner=workflow_runner(),
            max_cached_workflows=cached,
        )


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


@asynccontextmanager
async def served(client: Client, store: Store, folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    """The API over a store, in this process."""

    async def connected() -> Client:
        return client

    settings = Settings(_env_file=None, data_dir=folder, collections={"library": folder}, package_readmes=False)
    app = create_app(settings, store=store, client=connected, task_queue=QUEUE)
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as api,
    ):
        yield api


async def until_asked(api: httpx.AsyncClient, path: str, body: dict[str, Any], answering: Answering) -> float:
    """Seconds from a request to the first call that follows from it."""
    answering.asked.clear()
    begun = time.perf_counter()
    answer = await api.post(path, json=body)
    if not answer.is_success:
        raise RuntimeError(answer.text)
    await answering.asked.wait()
    return time.perf_counter() - begun


async def ended(client: Client, run_id: str) -> None:
    """Returns once the run's last execution has ended, however it did."""
    with suppress(WorkflowFailureError):
        await client.get_workflow_handle(run_id).result()


async def main() -> None:
    """Measures and prints."""
    answering = Answering()
    with TemporaryDirectory() as kept:
        folder = Path(kept)
        async with (
            temporal_server() as client,
            open_store(folder) as store,
            served(client, store, folder) as api,
        ):
            async with answering.worker(client, store):
                asked = {
                    "question": "How do the parts belong together?",
                    "budget": {"iterations": 50, "tokens": 10**7, "steps": 999},
                }
                run_id = (await api.post("/v1/runs", json=asked)).json()["run_id"]
                await ended(client, run_id)
                print(f"a run of {await size(client, run_id)}")
                step = (await api.get(f"/v1/runs/{run_id}")).json()["steps"]
                resumed = []
                for _ in range(REPEATED):
                    resumed.append(await until_asked(api, f"/v1/runs/{run_id}/resume", {}, answering))
                    await ended(client, run_id)
                print(f"resume      {_shown(resumed)}")
                answering.fails = False
                for what in ("rollback", "fork"):
                    took = []
                    for _ in range(REPEATED):
                        path, body = f"/v1/runs/{run_id}/{what}", {"step": step}
                        took.append(await until_asked(api, path, body, answering))
                        await ended(client, run_id)
                    print(f"{what:<11} {_shown(took)}")
            async with answering.worker(client, store, cached=0):
                handle = client.get_workflow_handle(run_id, run_id=await _longest(client, run_id))
                took = []
                for _ in range(REPEATED):
                    begun = time.perf_counter()
                    await handle.query("snapshot")
                    took.append(time.perf_counter() - begun)
                print(f"cold read   {sorted(took)[REPEATED // 2]:.2f} s, at most {max(took):.2f} s (target <= 1 s)")
    await asyncio.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it


async def _longest(client: Client, run_id: str) -> str:
    """The execution with the longest history: the first, before anything was kept of it."""
    executions = [found async for found in client.list_workflows(f"WorkflowId = '{run_id}'")]
    first = min(executions, key=lambda found: found.start_time)
    return first.run_id


def _shown(seconds: list[float]) -> str:
    median = sorted(seconds)[len(seconds) // 2]
    return f"{median:.2f} s to the first new call, at most {max(seconds):.2f} s (target <= 2 s)"


if __name__ == "__main__":
    uvloop.run(main())
