"""Deep research from the request to the archived stream: the API over the real workflow with scripted answers."""

from collections.abc import Sequence

import httpx
from temporalio.client import Client
from temporalio.worker import Worker

from elcano.storage.store import Store
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows.chain import ChainWorkflow
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner
from tests.api.scripted import archiving
from tests.api.sse import Message, following, read_events


def researching(client: Client, store: Store, task_queue: str, script: Script) -> Worker:
    """A worker whose agents follow the script and whose runs are archived in the store."""
    return Worker(
        client,
        task_queue=task_queue,
        workflows=[ResearchWorkflow, ChainWorkflow],
        activities=[*scripted_activities(script)[:-1], archiving(store)],
        workflow_runner=workflow_runner(),
    )


def assert_whole(messages: Sequence[Message], sections: Sequence[str]) -> None:
    """Every section's events are between its beginning and its end, numbered upwards; one event is terminal."""
    kinds = [message.event for message in messages]
    assert [kind for kind in kinds if kind in ("complete", "failed", "cancelled")] == ["complete"]
    assert kinds[-1] == "complete"
    assert kinds.count("started") == 1
    for section in sections:
        told = [message for message in messages if message.data["section"] == section]
        assert (told[0].event, told[-1].event) == ("branch_started", "branch_complete")
        own = [message.data["seq"] for message in told[1:-1]]
        assert own == list(range(2, len(own) + 2))
        assert {"thinking", "search_complete", "judging"} <= {message.event for message in told}


async def test_a_deep_run_is_followed_with_its_sections_and_resumed_anywhere(
    served: str, temporal: Client, store: Store, task_queue: str
) -> None:
    script = Script()
    async with (
        researching(temporal, store, task_queue, script),
        httpx.AsyncClient(base_url=served, timeout=60) as client,
    ):
        asked = {"question": "What is it?", "mode": "deep", "use_graph": False}
        run_id = (await client.post("/v1/runs", json=asked)).json()["run_id"]
        live = await read_events(f"{served}/v1/runs/{run_id}/events")
        await temporal.get_workflow_handle(run_id).result()
    assert_whole(live, script.sections)
    archived = await read_events(f"{served}/v1/runs/{run_id}/events")
    assert_whole(archived, script.sections)
    assert sorted(str(message.data) for message in archived) == sorted(str(message.data) for message in live)
    for position in range(1, len(live), 5):
        headers = {"Last-Event-ID": str(live[position - 1].id)}
        rest = await read_events(f"{served}/v1/runs/{run_id}/events", headers=headers)
        assert sorted(str(one.data) for one in rest) == sorted(str(one.data) for one in live[position:])
    async with httpx.AsyncClient(base_url=served, timeout=60) as client:
        run = (await client.get(f"/v1/runs/{run_id}")).json()
        listed = (await client.get("/v1/runs")).json()["runs"]
    assert [one["run_id"] for one in listed] == [run_id]
    assert run["engine"] == "chain"
    assert [(branch["section"], branch["status"]) for branch in run["branches"]] == [
        (section, "done") for section in script.sections
    ]
    assert all(branch["tokens"] > 0 and branch["iterations"] == 2 for branch in run["branches"])


async def test_a_run_that_used_up_its_tokens_waits_for_more_and_goes_on(
    served: str, temporal: Client, store: Store, task_queue: str
) -> None:
    script = Script(complete_in=3, tokens=10_000)
    async with (
        researching(temporal, store, task_queue, script),
        httpx.AsyncClient(base_url=served, timeout=60) as client,
    ):
        asked = {"question": "What is it?", "budget": {"tokens": 32_000, "when_exhausted": "pause"}}
        run_id = (await client.post("/v1/runs", json=asked)).json()["run_id"]
        async with following(f"{served}/v1/runs/{run_id}/events") as messages:
            while (await anext(messages)).event != "paused":
                pass
            view = (await client.get(f"/v1/runs/{run_id}")).json()
            assert (view["stage"], view["hold"]["reason"], view["hold"]["type"]) == ("paused", "budget", "tokens")
            answer = await client.post(f"/v1/runs/{run_id}/top-up", json={"tokens": 1_000_000})
            assert answer.json()["limits"]["tokens"] == 1_032_000
            rest = [message.event async for message in messages]
        assert rest[0] == "topped_up"
        assert "paused" not in rest
        assert rest[-1] == "complete"
        view = (await client.get(f"/v1/runs/{run_id}")).json()
    assert (view["status"], view["ending"], view["hold"]) == ("completed", None, None)
