"""Runs under Temporal's own tools: paused there, or stuck with a worker that cannot continue them; seen and ended."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from uuid import uuid4

import httpx
import pytest
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import EventType, IndexedValueType, ResetReapplyExcludeType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, RemoveSearchAttributesRequest
from temporalio.api.workflowservice.v1 import (
    DeleteWorkflowExecutionRequest,
    PauseActivityRequest,
    PauseWorkflowExecutionRequest,
    ResetWorkflowExecutionRequest,
)
from temporalio.client import Client, WorkflowFailureError
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.worker import HandleSignalInput, WorkflowInboundInterceptor

from elcano.graphs.contracts import CONTROL_SIGNAL
from elcano.graphs.run_contracts import SEARCH_ATTRIBUTES
from elcano.service.runs import endings
from elcano.service.temporal import cancelled_runs
from elcano.service.temporal.blocked_runs import ATTRIBUTES_BACK
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.workflows.sandbox import DropUnfitSignals
from tests.api.again.going_on import QUESTION, Provider, ended, tokens, until, working
from tests.api.again.test_temporal_commands import Operator
from tests.api.asking import start
from tests.api.sse import following

Json = dict[str, Any]


async def pause(client: Client, run_id: str) -> None:
    await client.workflow_service.pause_workflow_execution(
        PauseWorkflowExecutionRequest(
            namespace=client.namespace, workflow_id=run_id, identity="ops", reason="moving", request_id=str(uuid4())
        )
    )


@asynccontextmanager
async def thinking(
    api: httpx.AsyncClient, temporal: Client, store: Store, settings: Settings
) -> AsyncIterator[tuple[str, Provider]]:
    """A run whose first answer takes its time."""
    provider = Provider()
    provider.slow[("thinking", "")] = 2.0
    async with working(temporal, store, settings, provider):
        run_id = await start(api, QUESTION)
        await provider.asked(("thinking", QUESTION))
        yield run_id, provider


async def read(api: httpx.AsyncClient, run_id: str) -> Json:
    found: Json = (await api.get(f"/v1/runs/{run_id}")).json()
    return found


async def read_steps(api: httpx.AsyncClient, run_id: str) -> Json:
    """The steps of an ended run, which cost what the run did."""
    answer = await api.get(f"/v1/runs/{run_id}/steps")
    assert answer.status_code == 200, answer.text
    steps: Json = answer.json()
    used = sum(row["usage"]["input_tokens"] + row["usage"]["output_tokens"] for row in steps["rows"])
    assert used == (await read(api, run_id))["budget"]["used"]["tokens"]
    return steps


async def first_notice(address: str, run_id: str, wanted: str) -> str:
    async with asyncio.timeout(60), following(f"{address}/v1/runs/{run_id}/events") as messages:
        async for message in messages:
            if message.event == "waiting" and wanted in message.data["message"]:
                return str(message.data["message"])
    raise AssertionError("the stream ended")


async def test_a_run_that_is_paused_in_temporal_says_so_everywhere_and_can_be_cancelled(
    api: httpx.AsyncClient, served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    async with thinking(api, temporal, store, api_settings) as (run_id, _):
        await pause(temporal, run_id)
        view = await read(api, run_id)
        assert "paused in Temporal" in view["blocked"]
        assert "ops, moving" in view["blocked"]
        (listed,) = [one for one in (await api.get("/v1/runs")).json()["runs"] if one["run_id"] == run_id]
        assert listed["blocked"] == view["blocked"]
        for part in ("steps", "graph"):
            answer = await api.get(f"/v1/runs/{run_id}/{part}")
            assert (answer.status_code, answer.json()["type"]) == (409, "urn:elcano:run-blocked")
        page = (await api.get(f"/runs/{run_id}", headers={"accept": "text/html"})).text
        assert "paused in Temporal" in page
        assert "</span>Blocked</span>" in page
        stopped = await api.post(f"/v1/runs/{run_id}/stop", json={})
        assert (stopped.status_code, stopped.json()["type"]) == (409, "urn:elcano:run-blocked")
        assert await first_notice(served, run_id, "Temporal") == view["blocked"]
        assert (await api.post(f"/v1/runs/{run_id}/cancel")).status_code == 202
        assert (await ended(api, run_id))["status"] == "cancelled"


async def find_blocked(api: httpx.AsyncClient, served: str, run_id: str) -> str:
    """Why a run is blocked: its view, the list and the stream say the same."""

    async def is_listed() -> bool:
        runs = (await api.get("/v1/runs")).json()["runs"]
        return any(one["blocked"] for one in runs if one["run_id"] == run_id)

    await until(is_listed)
    blocked = str((await read(api, run_id))["blocked"])
    (listed,) = [one for one in (await api.get("/v1/runs")).json()["runs"] if one["run_id"] == run_id]
    assert listed["blocked"] == blocked
    assert await first_notice(served, run_id, "Temporal") == blocked
    return blocked


async def test_a_run_says_which_section_is_paused_in_temporal(
    api: httpx.AsyncClient, served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider(sections=2)
    provider.slow[("thinking", "What of Section 2 and retries?")] = 3.0
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep")
        await provider.asked(("thinking", "What of Section 2 and retries?"))
        branches = (await read(api, run_id))["branches"]
        (section,) = [one["run_id"] for one in branches if one["section"] == "Section 2"]
        await pause(temporal, section)
        blocked = await find_blocked(api, served, run_id)
        assert blocked.startswith("Section 2: the run is paused in Temporal")
        assert blocked.endswith("(by ops, moving)")
        assert (await read(api, section))["blocked"] == blocked.removeprefix("Section 2: ")
        assert (await api.post(f"/v1/runs/{run_id}/cancel")).status_code == 202
        assert (await ended(api, run_id))["status"] == "cancelled"


async def test_a_section_that_is_terminated_in_temporal_says_so_and_the_run_goes_on(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider(sections=2)
    provider.slow[("thinking", "What of Section 2 and retries?")] = 3.0
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep")
        await provider.asked(("thinking", "What of Section 2 and retries?"))
        section = f"{run_id}.0004.loop-2"
        await temporal.get_workflow_handle(section).terminate(reason="no use")
        view = await read(api, section)
        over = await ended(api, run_id)
    assert (view["status"], view["question"]) == ("terminated", "What of Section 2 and retries?")
    assert "no use" in view["failure"]["message"]
    assert over["status"] == "partial"


async def test_a_section_that_is_deleted_in_temporal_is_terminated_and_its_run_goes_on(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider(sections=2)
    provider.slow[("thinking", "What of Section 2 and retries?")] = 3.0
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep")
        await provider.asked(("thinking", "What of Section 2 and retries?"))
        section = f"{run_id}.0004.loop-2"
        place = WorkflowExecution(workflow_id=section)
        await temporal.workflow_service.delete_workflow_execution(
            DeleteWorkflowExecutionRequest(namespace=temporal.namespace, workflow_execution=place)
        )
        views: list[Json] = []

        async def is_over() -> bool:
            views.append((await api.get(f"/v1/runs/{section}")).json())
            return bool(views[-1]["status"] != "running")

        await until(is_over)
        over = await ended(api, run_id)
        last = await read(api, section)
        unknown = await api.get(f"/v1/runs/{run_id}.0004.loop-9")
    assert (views[-1]["status"], last["status"], over["status"]) == ("terminated", "terminated", "partial")
    assert unknown.status_code == 404


async def test_a_run_whose_call_is_paused_in_temporal_is_blocked_once_its_attempt_has_ended(
    api: httpx.AsyncClient, served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    provider.slow[("thinking", "")] = 2.0
    provider.answers["thinking"] = {"of": "no use"}
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION)
        await provider.asked(("thinking", QUESTION))
        (call,) = (await read(api, run_id))["pending"]
        await temporal.workflow_service.pause_activity(
            PauseActivityRequest(
                namespace=temporal.namespace,
                execution=WorkflowExecution(workflow_id=run_id),
                id=call["activity_id"],
                identity="ops",
                reason="moving",
            )
        )
        assert (await read(api, run_id))["blocked"] == "", "the attempt in flight continues"
        blocked = await find_blocked(api, served, run_id)
        assert blocked.startswith("thinking is paused in Temporal (by ops, moving)")
        assert (await api.post(f"/v1/runs/{run_id}/cancel")).status_code == 202
        assert (await ended(api, run_id))["status"] == "cancelled"


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release that fails the task of a signal without inputs, for ever."""

    async def handle_signal(self: DropUnfitSignals, input: HandleSignalInput) -> None:
        await WorkflowInboundInterceptor.handle_signal(self, input)

    monkeypatch.setattr(DropUnfitSignals, "handle_signal", handle_signal)


async def stuck(api: httpx.AsyncClient, temporal: Client, run_id: str) -> Json:
    """A run once it says that no worker can continue it."""
    await temporal.get_workflow_handle(run_id).signal(CONTROL_SIGNAL)
    views: list[Json] = []

    async def is_blocked() -> bool:
        views.append(await read(api, run_id))
        return bool(views[-1]["blocked"])

    await until(is_blocked)
    return views[-1]


@pytest.mark.usefixtures("faulty")
async def test_a_run_that_no_worker_can_continue_says_why_and_is_ended_by_cancel(
    api: httpx.AsyncClient,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with thinking(api, temporal, store, api_settings) as (run_id, _):
        view = await stuck(api, temporal, run_id)
        assert "missing 1 required positional argument" in view["blocked"]
        steps = await api.get(f"/v1/runs/{run_id}/steps")
        assert (steps.status_code, steps.json()["type"]) == (502, "urn:elcano:run-unreadable")
        monkeypatch.setattr(cancelled_runs, "STUCK_SECONDS", 0.0)
        assert (await api.post(f"/v1/runs/{run_id}/cancel")).status_code == 202
        over = await ended(api, run_id)
    assert over["status"] == "cancelled"
    assert over["budget"]["used"]["tokens"] == await tokens(store, run_id)


@pytest.mark.usefixtures("faulty")
async def test_a_run_that_no_worker_can_continue_is_closed_when_it_is_terminated(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    async with thinking(api, temporal, store, api_settings) as (run_id, _):
        await stuck(api, temporal, run_id)
        await temporal.get_workflow_handle(run_id).terminate(reason="no use")
        over = await ended(api, run_id)
        (listed,) = [one for one in (await api.get("/v1/runs")).json()["runs"] if one["run_id"] == run_id]
        told = (await api.get(f"/v1/runs/{run_id}/events", headers={"accept": "text/event-stream"})).text
        steps = await read_steps(api, run_id)
        graph = await api.get(f"/v1/runs/{run_id}/graph")
        page = await api.get(f"/runs/{run_id}/steps", headers={"accept": "text/html"})
    assert (over["status"], listed["status"]) == ("terminated", "terminated")
    assert [(row["node"], row["kind"]) for row in steps["rows"]] == [("first_search", "tool"), ("thinking", "agent")]
    assert "cannot be read" in steps["missing"]
    assert (graph.status_code, page.status_code) == (200, 200)
    assert "Thinking" in page.text
    assert f"/runs/{run_id}/steps/" not in page.text, "none of them can be looked into"
    types = [line.removeprefix("event: ") for line in told.splitlines() if line.startswith("event: ")]
    assert types[0] == "started"
    assert {"searching", "thinking"} < set(types), "its history has them, though no worker reads it"
    assert types[-1] == "cancelled"


async def test_a_run_that_is_deleted_in_temporal_says_so_and_what_it_used(
    api: httpx.AsyncClient,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As by `temporal workflow delete`, or with its namespace."""
    monkeypatch.setattr(endings, "START_GRACE", 0.0)
    provider = Provider()
    provider.slow[("knowledge_gap", "")] = 3.0
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION)
        await provider.asked(("knowledge_gap", QUESTION))
        place = WorkflowExecution(workflow_id=run_id)
        await temporal.workflow_service.delete_workflow_execution(
            DeleteWorkflowExecutionRequest(namespace=temporal.namespace, workflow_execution=place)
        )
        over = await ended(api, run_id)
        steps = await read_steps(api, run_id)
    assert over["status"] == "terminated"
    assert over["failure"]["message"]
    assert [(row["node"], row["outcome"]) for row in steps["rows"][:2]] == [
        ("first_search", "completed"),
        ("thinking", "completed"),
    ]
    assert "Temporal does not know this run" in steps["missing"]
    assert 0 < over["budget"]["used"]["tokens"] <= await tokens(store, run_id)


@pytest.mark.usefixtures("faulty")
async def test_a_reset_out_of_a_history_that_cannot_be_replayed_goes_on(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    async with thinking(api, temporal, store, api_settings) as (run_id, _):
        await stuck(api, temporal, run_id)
        handle = temporal.get_workflow_handle(run_id)
        task = [
            event.event_id
            async for event in handle.fetch_history_events()
            if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
        ][-1]
        await temporal.workflow_service.reset_workflow_execution(
            ResetWorkflowExecutionRequest(
                namespace=temporal.namespace,
                workflow_execution=WorkflowExecution(workflow_id=run_id),
                reason="without the signal",
                request_id=str(uuid4()),
                workflow_task_finish_event_id=task,
                reset_reapply_exclude_types=[ResetReapplyExcludeType.RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL],
            )
        )
        over = await ended(api, run_id)
        seen = (await api.get(f"/v1/runs/{run_id}/events", headers={"accept": "text/event-stream"})).text
    assert over["status"] == "completed"
    numbers = [int(line.removeprefix("id: ")) for line in seen.splitlines() if line.startswith("id: ")]
    assert numbers == sorted(set(numbers))
    assert over["budget"]["used"]["tokens"] == await tokens(store, run_id)


async def test_the_api_is_not_ready_without_the_search_attributes_of_runs(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with working(temporal, store, api_settings, Provider()):
        assert (await api.get("/readyz")).status_code == 200
        wanted = {**SEARCH_ATTRIBUTES, "ElcanoLost": "Keyword"}
        monkeypatch.setattr("elcano.service.temporal.connection.SEARCH_ATTRIBUTES", wanted)
        ready = await api.get("/readyz")
    assert ready.status_code == 503
    assert (
        "search-attribute create --namespace default --name ElcanoLost" in ready.json()["checks"]["temporal"]["detail"]
    )


async def test_a_workflow_that_is_started_under_the_id_of_an_ended_run_changes_nothing_of_it(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, task_queue: str
) -> None:
    """As by `temporal workflow start --workflow-id RUN`: it fails at once, or no worker takes it."""
    async with working(temporal, store, api_settings, Provider()):
        run_id = await start(api, QUESTION)
        over = await ended(api, run_id)
        report = (await api.get(f"/v1/runs/{run_id}/report")).text
        for queue in (task_queue, f"{task_queue}-none"):
            other = await temporal.start_workflow("research", 1, id=run_id, task_queue=queue)
            if queue == task_queue:
                with pytest.raises(WorkflowFailureError):
                    await other.result()
            assert await read(api, run_id) == over
            assert (await api.get(f"/v1/runs/{run_id}/report")).text == report
            (listed,) = [one for one in (await api.get("/v1/runs")).json()["runs"] if one["run_id"] == run_id]
            assert listed["status"] == "completed"
            events = (await api.get(f"/v1/runs/{run_id}/events", headers={"accept": "text/event-stream"})).text
            assert "event: complete" in events
        await other.terminate("its test is over")


async def test_a_run_that_is_replaced_by_another_workflow_is_over_and_says_so(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, task_queue: str
) -> None:
    """As by `temporal workflow start --workflow-id RUN --id-conflict-policy TerminateExisting`."""
    async with thinking(api, temporal, store, api_settings) as (run_id, _):
        other = await temporal.start_workflow(
            "anything",
            id=run_id,
            task_queue=f"{task_queue}-none",
            id_conflict_policy=WorkflowIDConflictPolicy.TERMINATE_EXISTING,
        )
        over = await ended(api, run_id)
        await other.terminate("its test is over")
        (listed,) = [one for one in (await api.get("/v1/runs")).json()["runs"] if one["run_id"] == run_id]
    assert (over["status"], listed["status"]) == ("terminated", "terminated")
    assert over["failure"]["message"] == "another workflow was started under its id"
    assert over["budget"]["used"]["tokens"] == await tokens(store, run_id)


@pytest.mark.long
async def test_a_run_that_lacked_search_attributes_is_continued_as_it_advises(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    """By a reset to its last workflow task, once they are there again."""
    names = {"ElcanoTokens": IndexedValueType.INDEXED_VALUE_TYPE_INT}
    provider = Provider()
    for agent in ("thinking", "knowledge_gap", "tool_selector", "judge"):
        provider.slow[(agent, "")] = 3.0

    async def add() -> None:
        await temporal.operator_service.add_search_attributes(
            AddSearchAttributesRequest(namespace=temporal.namespace, search_attributes=names)
        )

    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION)
        await provider.asked(("thinking", QUESTION))
        await temporal.operator_service.remove_search_attributes(
            RemoveSearchAttributesRequest(namespace=temporal.namespace, search_attributes=[*names])
        )
        views: list[Json] = []

        async def says(wanted: str) -> bool:
            views.append(await read(api, run_id))
            return wanted in views[-1]["blocked"]

        try:
            await until(partial(says, "lacks search attributes"))
        finally:
            await add()
        await until(partial(says, ATTRIBUTES_BACK))
        operator = Operator(temporal)
        code, said = await operator.do("workflow reset --type LastWorkflowTask --reason ops", run_id, "none")
        assert code == 0, said
        over = await ended(api, run_id)
        lines = await store.of("default").ledger.entries(run_id)
    assert over["status"] == "completed"
    assert over["budget"]["used"]["tokens"] == await tokens(store, run_id)
    assert sum(one.usage.requests for one in lines if one.kind == "agent") == len(provider.model.tasks)
