"""Branches that were killed, cancelled or are not known any more: what can still be told of them is told."""

import pytest
from temporalio.client import Client

from elcano.storage.store import Store
from tests.api.asking import start_at
from tests.api.branching import ONE, Told, followed, told
from tests.api.sse import next_event, read_all, read_events, remaining_events


@pytest.mark.usefixtures("worker")
async def test_a_branch_that_is_killed_is_told_as_far_as_it_got(
    served: str, other: str, temporal: Client, store: Store
) -> None:
    run = Told(temporal, await start_at(served))
    async with followed(served, run.run_id) as messages:
        await run.begin(ONE)
        await run.emit(ONE, count=2)
        assert told([await next_event(messages) for _ in range(4)])[2:] == [(ONE, "thinking")] * 2
        await run.of(ONE).terminate(reason="killed")
        assert told([await next_event(messages)]) == [(ONE, "branch_complete")]
        await run.finish()
        assert told(await remaining_events(messages)) == [("", "complete")]
    kept = await store.of("default").runs.get(f"{run.run_id}.{ONE}")
    assert kept is not None
    assert kept.status == "terminated"
    assert kept.branch_of is not None
    assert kept.branch_of.run_id == run.run_id
    assert len(await read_events(f"{other}/v1/runs/{run.run_id}/events")) == 6


@pytest.mark.usefixtures("worker")
async def test_a_branch_that_was_killed_when_nobody_watched_is_found_later(
    served: str, temporal: Client, store: Store
) -> None:
    run = Told(temporal, await start_at(served))
    await run.begin(ONE)
    await run.emit(ONE, count=2)
    await run.of(ONE).terminate()
    await run.finish()
    assert await store.of("default").runs.get(f"{run.run_id}.{ONE}") is None
    messages = await read_events(f"{served}/v1/runs/{run.run_id}/events")
    assert told(messages)[1:4] == [(ONE, "branch_started"), (ONE, "thinking"), (ONE, "thinking")]
    assert await store.of("default").runs.get(f"{run.run_id}.{ONE}") is not None


@pytest.mark.usefixtures("worker")
async def test_a_branch_that_nobody_knows_any_more_is_named_and_passed(
    served: str, temporal: Client, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elcano.service.runs.endings.START_GRACE", -1.0)
    monkeypatch.setattr("elcano.service.events.journal_reader.START_GRACE", -1.0)
    run = Told(temporal, await start_at(served))
    await run.finish()
    kept = await store.of("default").runs.get(run.run_id)
    assert kept is not None
    started, complete = await store.of("default").runs.events(run.run_id)
    branch = started.model_copy(
        update={"seq": 2, "type": "branch_started", "path": ONE, "section": "Costs", "data": {"run_id": "run-gone"}}
    )
    await store.of("default").runs.archive(kept, [started, branch, complete.model_copy(update={"seq": 3})])
    messages = await read_all(f"{served}/v1/runs/{run.run_id}/events")
    shown = [message for message in messages if message.event != "waiting"]
    assert [message.event for message in shown] == ["started", "branch_started", "unreadable", "complete"]
    assert "'Costs'" in shown[2].data["message"]
    assert shown[2].id is None


@pytest.mark.usefixtures("worker")
async def test_when_the_run_is_terminated_its_branches_are_told_to_their_end(
    served: str, temporal: Client, store: Store
) -> None:
    run = Told(temporal, await start_at(served))
    async with followed(served, run.run_id) as messages:
        await run.begin(ONE)
        await run.emit(ONE, count=3)
        before = [await next_event(messages) for _ in range(5)]
        await run.of().terminate(reason="out")
        rest = await remaining_events(messages)
    assert told(rest) == [("", "cancelled")]
    assert rest[0].id == "3"
    assert len(before) == 5
    kept = await store.of("default").runs.get(f"{run.run_id}.{ONE}")
    assert kept is not None
    assert kept.status == "cancelled"
    assert len(await read_events(f"{served}/v1/runs/{run.run_id}/events")) == 6
