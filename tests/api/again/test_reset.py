"""A run that was reset in Temporal, by whatever hand: every reader sees that it goes on, and what was undone."""

import asyncio
from typing import Any

import httpx
import pytest
from pydantic_ai.models import Model
from temporalio.client import Client, WorkflowFailureError

from elcano.activities.calls import models
from elcano.activities.sources.registry import open_sources
from elcano.graphs.errors import ModelRefused
from elcano.graphs.model_names import ModelChoice
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.worker import build_worker
from tests.api.again.going_on import working
from tests.api.asking import seconds_between, start, start_at
from tests.api.handbook import IN_ROUNDS
from tests.api.sse import following, read_events
from tests.cases import long_case
from tests.resetting import reset_before

DEAD = 1.5
"""Seconds between the failure and the reset."""


class Key:
    """Whether the judge's key is accepted."""

    good = False


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> Key:
    key, real = Key(), models.resolve_model

    def resolve(choice: ModelChoice, agent: str, settings: Settings) -> Model:
        if agent == "judge" and not key.good:
            raise ModelRefused("the key was refused")
        return real(choice, agent, settings)

    monkeypatch.setattr("elcano.activities.agents.agent_activity.resolve_model", resolve)
    return key


async def test_a_failed_run_that_is_reset_goes_on_for_everybody(
    api: httpx.AsyncClient,
    served: str,
    temporal: Client,
    store: Store,
    key: Key,
    api_settings: Settings,
) -> None:
    async with open_sources(api_settings) as sources:
        async with build_worker(temporal, store, sources, api_settings):
            run_id = await start(api, IN_ROUNDS)
            with pytest.raises(WorkflowFailureError):
                await temporal.get_workflow_handle(run_id).result()
            url = f"{served}/v1/runs/{run_id}/events"
            before = await read_events(url)
            failed = (await api.get(f"/v1/runs/{run_id}")).json()
            assert (failed["status"], before[-1].event) == ("failed", "failed")
            lines = await store.of("default").ledger.entries(run_id)
            judged = next(line.activity for line in lines if line.node == "judge")

        key.good = True
        await asyncio.sleep(DEAD)
        await reset_before(temporal, run_id, judged)
        reopened = (await api.get(f"/v1/runs/{run_id}")).json()
        assert (reopened["status"], reopened["finished_at"], reopened["failure"]) == ("running", None, None)

        last = before[-1].id
        assert last is not None
        async with (
            following(url, headers={"Last-Event-ID": last}) as messages,
            build_worker(temporal, store, sources, api_settings),
        ):
            after = [message async for message in messages if message.id is not None]
            await temporal.get_workflow_handle(run_id).result()
    assert [message.event for message in after[:1]] == ["rolled_back"]
    assert after[0].data["data"]["undone_to"] == int(last)
    assert [int(message.id) for message in after] == list(range(int(last) + 1, int(last) + 1 + len(after)))  # type: ignore[arg-type]
    assert after[-1].event == "complete"

    whole = await read_events(url)
    numbers = [message.data["seq"] for message in whole]
    assert numbers == sorted(set(numbers))
    assert [message.data["type"] for message in whole if message.data["type"] in ("failed", "complete")] == ["complete"]
    ended = (await api.get(f"/v1/runs/{run_id}")).json()
    assert (ended["status"], ended["ending"]["kind"]) == ("partial", "stalled")
    assert (await api.get(f"/v1/runs/{run_id}/report")).status_code == 200
    took = seconds_between(ended["started_at"], ended["finished_at"])
    assert ended["budget"]["used"]["seconds"] <= took - DEAD

    judges = [line for line in await store.of("default").ledger.entries(run_id) if line.node == "judge"]
    assert [(line.outcome, line.undone) for line in judges] == [
        ("failed", True),
        *[("completed", False)] * ended["iterations"],
    ]
    assert ended["budget"]["used"]["tokens"] == (await store.of("default").ledger.used(run_id)).tokens


async def test_a_run_that_is_reset_while_it_works_goes_on_with_new_numbers(
    api: httpx.AsyncClient,
    served: str,
    temporal: Client,
    store: Store,
    key: Key,
    api_settings: Settings,
) -> None:
    """Held by a refused key, taken back to its latest search, and told of both by the same stream."""
    budget = {"when_exhausted": "pause"}
    async with working(temporal, store, api_settings):
        run_id = await start(api, IN_ROUNDS, budget=budget)
        url = f"{served}/v1/runs/{run_id}/events"
        seen: list[int] = []
        types: list[str] = []
        async with following(url) as messages:
            async for message in messages:
                if message.id is None:
                    continue
                seen.append(message.data["seq"])
                types.append(message.data["type"])
                if message.data["type"] == "held" and not key.good:
                    held = (await api.get(f"/v1/runs/{run_id}")).json()
                    assert (held["stage"], held["hold"]["reason"]) == ("held", "person")
                    (*_, search) = [
                        line for line in await store.of("default").ledger.entries(run_id) if line.kind == "tool"
                    ]
                    key.good = True
                    await reset_before(temporal, run_id, search.activity)
    assert seen == list(range(1, len(seen) + 1))
    assert types.count("rolled_back") == 1
    assert types[-1] == "complete"
    assert (await api.get(f"/v1/runs/{run_id}")).json()["ending"]["kind"] == "stalled"


@pytest.mark.parametrize("at_first", [True, long_case(False)])
@pytest.mark.parametrize("asked", [{}, {"use_graph": False}, {"mode": "deep"}], ids=["graph", "chain", "sections"])
async def test_a_run_that_ended_is_reset_to_its_first_task_or_to_its_report(
    asked: dict[str, Any],
    at_first: bool,
    api: httpx.AsyncClient,
    served: str,
    temporal: Client,
    store: Store,
    api_settings: Settings,
) -> None:
    """At its first task nothing was there yet to hear of the reset; at its report there is no step to go back to."""
    async with working(temporal, store, api_settings):
        run_id = await start(api, IN_ROUNDS, **asked)
        await temporal.get_workflow_handle(run_id).result()
        url = f"{served}/v1/runs/{run_id}/events"
        before = await read_events(url)
        lines = await store.of("default").ledger.entries(run_id)
        steps = [line for line in lines if line.step]
        published = next(line.activity for line in lines if not line.step)
        execution = await reset_before(temporal, run_id, steps[0].activity if at_first else published)
        await temporal.get_workflow_handle(run_id, run_id=execution).result()
        after = await read_events(url, headers={"Last-Event-ID": str(before[-1].id)})
    last = before[-1].data["seq"]
    assert after[0].event == "rolled_back"
    assert (after[0].data["data"]["undone_to"], after[0].data["step"]) == (last, 1 if at_first else steps[-1].step + 1)
    numbers = [one.data["seq"] for one in after if not one.data["path"]]
    assert numbers[0] == last + 1
    assert numbers == sorted(set(numbers)), "none is told twice"
    assert after[-1].event == "complete"
    again = [line for line in await store.of("default").ledger.entries(run_id) if line.step]
    undone = [line for line in again if line.undone]
    assert [line.activity for line in undone] == [line.activity for line in (steps if at_first else [])]
    assert sorted(line.activity for line in again if not line.undone) == sorted(line.activity for line in steps)
    view = (await api.get(f"/v1/runs/{run_id}")).json()
    assert view["status"] == before[-1].data["data"]["status"], "it ends as it did"
    assert view["budget"]["used"]["tokens"] == (await store.of("default").ledger.used(run_id)).tokens
    assert (await api.get(f"/v1/runs/{run_id}/report")).status_code == 200


@pytest.mark.usefixtures("worker")
async def test_a_later_end_in_the_store_outlives_an_older_copy_of_temporal(
    api: httpx.AsyncClient, temporal: Client, store: Store, served: str
) -> None:
    """As it is when Temporal's database was restored from a copy of before the run was resumed."""
    run_id = await start_at(served)
    handle = temporal.get_workflow_handle(run_id)
    await handle.signal("order", "complete")
    await handle.result()
    assert (await api.get(f"/v1/runs/{run_id}")).json()["status"] == "completed"
    runs = store.of("default").runs
    first = await runs.get(run_id)
    assert first is not None
    assert first.finished_at is not None
    later = {"execution": "of-the-resumed-run", "finished_at": first.finished_at + 60, "status": "partial"}
    resumed = first.model_copy(update=later)
    await runs.archive(resumed, [])
    for _ in range(2):
        assert (await api.get(f"/v1/runs/{run_id}")).json()["status"] == "partial"
    assert await runs.get(run_id) == resumed
