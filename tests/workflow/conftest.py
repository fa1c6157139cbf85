"""Running the research workflow on the real server with scripted activities."""

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Protocol

import pytest
from temporalio.client import Client, WorkflowHandle
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from elcano import testing
from elcano.activities.calls.heartbeats import CountTries
from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.contracts import CHAIN_WORKFLOW, RESEARCH_WORKFLOW
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import ResearchInput, ResearchResult
from elcano.graphs.spec.graph import ParallelNode, ResearchGraph
from elcano.graphs.state.budget import Limits
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.worker import HEARTBEAT_THROTTLE
from elcano.workflows.chain import ChainWorkflow
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner
from tests.workflow.replayed import read_back

Handle = WorkflowHandle[Any, ResearchResult]

KEPT = 100
"""Runs that a worker keeps in memory; more than most tests have."""


class Start(Protocol):
    """Starts a run of a script."""

    def __call__(
        self,
        *,
        mode: str = "iterative",
        graph: ResearchGraph | None = None,
        limits: Limits | None = None,
        question: str = "What is it?",
        chain: bool = False,
        approve_plan: bool = False,
    ) -> Awaitable[Handle]: ...


@asynccontextmanager
async def worker_for(
    client: Client,
    queue: str,
    activities: Sequence[Callable[..., Any]],
    *,
    cached_workflows: int = KEPT,
    side_by_side: int = 100,
) -> AsyncIterator[Worker]:
    """A worker that keeps so many runs in memory; what it ran is replayed in the end, so hidden nondeterminism shows.

    With 0 each task replays from the start instead.
    """
    async with AsyncExitStack() as stack:
        runner = await stack.enter_async_context(read_back(client)) if cached_workflows else workflow_runner()
        yield await stack.enter_async_context(
            Worker(
                client,
                task_queue=queue,
                workflows=[ResearchWorkflow, ChainWorkflow],
                activities=list(activities),
                workflow_runner=runner,
                max_cached_workflows=cached_workflows,
                max_concurrent_activities=side_by_side,
                max_heartbeat_throttle_interval=HEARTBEAT_THROTTLE,
                interceptors=[CountTries(client)],
            )
        )


def deep_with(mode: str = "deep", **changes: object) -> ResearchGraph:
    """The graph of `mode`, a deep one, with its parallel node changed."""
    graph = MODES[mode]
    nodes = tuple(node.model_copy(update=changes) if isinstance(node, ParallelNode) else node for node in graph.nodes)
    return graph.model_copy(update={"nodes": nodes})


def asking(
    run_id: str,
    *,
    mode: str = "iterative",
    graph: ResearchGraph | None = None,
    limits: Limits | None = None,
    question: str = "What is it?",
    approve_plan: bool = False,
) -> ResearchInput:
    """The input of a run that the script can answer."""
    return ResearchInput(
        run_id=run_id,
        question=question,
        mode=mode,
        graph=graph or MODES[mode],
        limits=limits or (default_limits(graph or MODES[mode]) if mode.startswith("deep") else Limits()),
        sources=("library",),
        approve_plan=approve_plan,
    )


@pytest.fixture(scope="session")
async def skipping(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[WorkflowEnvironment]:
    """A server whose workflows' clocks jump over waiting."""
    payloads = tmp_path_factory.mktemp("payloads")
    async with testing.temporal_environment(payloads, skip_time=True) as environment:
        yield environment


@pytest.fixture(scope="session")
async def short_histories(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    """A server that suggests to continue as new after 60 events."""
    config = {"limit.historyCount.suggestContinueAsNew": "60"}
    async with testing.temporal_environment(tmp_path_factory.mktemp("payloads"), config=config) as environment:
        yield environment.client


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
async def queue() -> str:
    return f"test-{uuid.uuid4()}"


@pytest.fixture
def cached_workflows() -> int:
    return KEPT


@pytest.fixture
async def start(temporal: Client, script: Script, queue: str, cached_workflows: int) -> AsyncIterator[Start]:
    async def begin(
        *,
        mode: str = "iterative",
        graph: ResearchGraph | None = None,
        limits: Limits | None = None,
        question: str = "What is it?",
        chain: bool = False,
        approve_plan: bool = False,
    ) -> Handle:
        run_id = f"run-{uuid.uuid4()}"
        asked = asking(run_id, mode=mode, graph=graph, limits=limits, question=question, approve_plan=approve_plan)
        workflow = CHAIN_WORKFLOW if chain else RESEARCH_WORKFLOW
        return await temporal.start_workflow(workflow, asked, id=run_id, task_queue=queue, result_type=ResearchResult)

    async with worker_for(temporal, queue, scripted_activities(script), cached_workflows=cached_workflows):
        yield begin
