"""Webhooks from a run to its receiver: the real workflows, a receiver that fails, and the verifier of another house."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request, Response
from standardwebhooks import Webhook
from temporalio.client import Client

from elcano.doors.webhooks import contracts, lost_work, workflows
from elcano.doors.webhooks.background import Sender, WebhookActivities, build_webhook_work
from elcano.service.temporal.background_starts import empty_outbox
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Provider, asked, doing, ended, put_background_on, until, working
from tests.api.serving import serving

Json = dict[str, Any]
PORT_OF_NOBODY = "http://127.0.0.1:9"


class Receiver:
    """A server that is told, and that answers as a test wants."""

    def __init__(self) -> None:
        self.app = FastAPI()
        self.answers: list[int] = []
        """The next answers; 200 after them."""
        self.seen: list[tuple[dict[str, str], bytes]] = []
        self.app.add_api_route("/hook", self._take, methods=["POST"])

    async def _take(self, request: Request) -> Response:
        self.seen.append((dict(request.headers), await request.body()))
        status = self.answers.pop(0) if self.answers else 200
        return Response(status_code=status, headers={"Location": PORT_OF_NOBODY} if status == 307 else {})

    def types(self) -> list[str]:
        return [json.loads(body)["type"] for _, body in self.seen]


@pytest.fixture
async def receiver(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Receiver, str]]:
    made = Receiver()
    async with serving(made.app) as address:
        monkeypatch.setenv("ELCANO_WEBHOOKS", "true")
        monkeypatch.setenv("ELCANO_WEBHOOK_PRIVATE_HOSTS", json.dumps([address.removeprefix("http://")]))
        yield made, f"{address}/hook"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, task_queue: str) -> None:
    """A queue of its own, and retries that do not last."""
    put_background_on(f"{task_queue}-background", monkeypatch)


@asynccontextmanager
async def delivering(client: Client, store: Store, queue: str) -> AsyncIterator[Callable[[], Any]]:
    """A worker of webhooks; gives what begins the watches that were noted."""

    async def connect() -> Client:
        return client

    settings = Settings(_env_file=None)
    sender = Sender(settings)
    temporal = Temporal(Connection(connect), queue)
    activities = WebhookActivities(store, temporal, client, sender, "http://elcano.example")
    async with doing(client, store, build_webhook_work(activities), outbox_every=3_600.0):
        yield lambda: empty_outbox(client, store.outbox)
    await sender.close()


async def deliveries(api: httpx.AsyncClient, webhook: str) -> list[Json]:
    found: list[Json] = (await api.get(f"/v1/webhooks/{webhook}/deliveries")).json()["deliveries"]
    return found


async def test_a_run_is_told_of_from_its_plan_to_its_end(
    receiver: tuple[Receiver, str],
    served: str,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    task_queue: str,
) -> None:
    hook, url = receiver
    hook.answers = [500, 307, 200]
    async with (
        httpx.AsyncClient(base_url=served, timeout=60) as api,
        working(temporal, store, api_settings, Provider(sections=1)),
        delivering(temporal, store, task_queue) as begin,
    ):
        made = (await api.post("/v1/webhooks", json={"url": url, "description": "chat"})).json()
        webhook, secret = made["id"], made["secret"]
        other = (await api.post("/v1/webhooks", json={"url": url, "events": ["run.failed"]})).json()["id"]
        body = {"question": QUESTION, "mode": "deep", "approve_plan": True, "metadata": {"ticket": "4711"}}
        run_id = (await api.post("/v1/runs", json=body)).json()["run_id"]
        await begin()

        async def is_asked() -> bool:
            return bool(await deliveries(api, webhook))

        await until(is_asked)
        await asked(api, run_id, "approve")
        assert (await ended(api, run_id))["status"] == "completed"
        assert await begin() == 1  # noted anew at its end

        async def are_there() -> bool:
            return Counter(one["status"] for one in await deliveries(api, webhook)) == {"delivered": 2}

        await until(are_there)
        assert set(hook.types()) == {"run.approval_needed", "run.completed"}
        for headers, content in hook.seen:
            assert Webhook(secret).verify(content, headers) == json.loads(content)
        effects = {headers["webhook-id"] for headers, _ in hook.seen}
        assert (len(hook.seen), len(effects)) == (4, 2)
        last = next(json.loads(content) for headers, content in hook.seen if "completed" in content.decode())
        assert last["data"]["metadata"] == {"ticket": "4711"}
        assert last["data"]["url"] == f"http://elcano.example/v1/runs/{run_id}"
        assert await deliveries(api, other) == []
        log = await deliveries(api, webhook)
        assert sum(one["attempts"] for one in log) == len(hook.seen)
        assert {(one["answer"], one["error"]) for one in log} == {(200, "")}

        rotated = (await api.post(f"/v1/webhooks/{webhook}/rotate")).json()["secret"]
        await api.post(f"/v1/webhooks/{webhook}/test")

        async def is_tested() -> bool:
            return len(hook.seen) == 5

        await until(is_tested)
        headers, content = hook.seen[-1]
        assert Webhook(secret).verify(content, headers) == Webhook(rotated).verify(content, headers)
        single = (await api.post("/v1/webhooks", json={"url": url, "run_id": run_id, "events": ["run.started"]})).json()
        await begin()

        async def is_told_late() -> bool:
            return [one["status"] for one in await deliveries(api, single["id"])] == ["delivered"]

        await until(is_told_late)
        assert "secret" not in (await api.get(f"/v1/webhooks/{webhook}")).json()
        assert (await api.delete(f"/v1/runs/{run_id}")).status_code == 204
        assert (await api.get(f"/v1/webhooks/{single['id']}")).status_code == 404
        assert [one["type"] for one in await deliveries(api, webhook)] == ["webhook.test"]


async def test_an_endpoint_that_takes_nothing_is_switched_off(
    receiver: tuple[Receiver, str],
    served: str,
    temporal: Client,
    store: Store,
    task_queue: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hook, url = receiver
    monkeypatch.setenv("ELCANO_WEBHOOK_DAYS", "0.00007")
    async with httpx.AsyncClient(base_url=served, timeout=60) as api, delivering(temporal, store, task_queue):
        webhook = (await api.post("/v1/webhooks", json={"url": url})).json()["id"]
        hook.answers = [500] * 9
        begun = (await api.post(f"/v1/webhooks/{webhook}/test")).json()["id"]

        async def is_off() -> bool:
            return bool((await api.get(f"/v1/webhooks/{webhook}")).json()["state"] == "disabled")

        await until(is_off)
        view = (await api.get(f"/v1/webhooks/{webhook}")).json()
        assert "has taken nothing for" in view["reason"]
        assert [one["status"] for one in await deliveries(api, webhook)] == ["failed"]
        hook.answers = []
        assert (await api.post(f"/v1/webhooks/{webhook}/enable")).json()["state"] == "active"
        assert (await api.post(f"/v1/webhooks/{webhook}/deliveries/{begun}/retry")).status_code == 202

        async def is_taken() -> bool:
            return [one["status"] for one in await deliveries(api, webhook)] == ["delivered"]

        await until(is_taken)
        gone = (await api.post("/v1/webhooks", json={"url": url})).json()["id"]
        hook.answers = [410]
        await api.post(f"/v1/webhooks/{gone}/test")

        async def is_gone() -> bool:
            return "410" in (await api.get(f"/v1/webhooks/{gone}")).json()["reason"]

        await until(is_gone)


async def test_a_delivery_that_is_terminated_in_temporal_begins_again(
    receiver: tuple[Receiver, str],
    served: str,
    temporal: Client,
    store: Store,
    task_queue: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hook, url = receiver
    hook.answers = [500]
    monkeypatch.setattr(lost_work, "LOST_SECONDS", 0.0)
    async with httpx.AsyncClient(base_url=served, timeout=60) as api, delivering(temporal, store, task_queue):
        webhook = (await api.post("/v1/webhooks", json={"url": url})).json()["id"]
        begun = (await api.post(f"/v1/webhooks/{webhook}/test")).json()["id"]

        async def is_tried() -> bool:
            return [one["attempts"] for one in await deliveries(api, webhook)] == [1]

        await until(is_tried)
        await temporal.get_workflow_handle(f"webhook-{webhook}-{begun}").terminate()

        async def begins_again() -> bool:  # once Temporal lists it no more
            return await lost_work.begin_lost_deliveries(temporal, store) == 1

        await until(begins_again)

        async def is_taken() -> bool:
            return [one["status"] for one in await deliveries(api, webhook)] == ["delivered"]

        await until(is_taken)
        assert [headers["webhook-id"] for headers, _ in hook.seen] == [begun, begun]


REFUSED = {
    "http://example.org/hook": "https",
    "https://127.0.0.1/hook": "loopback",
    "https://169.254.169.254/latest": "link-local",
    "https://[::1]/": "loopback",
    "https://0x7f.1/": "written",
    "https://localhost/": "localhost",
    "https://user:word@example.org/": "user or a password",
    "https://example.org:22/": "22",
    "ftp://example.org/": "ftp",
    "mailto:ann@example.org": "mailto",
    "no address": "",
}


async def test_messages_go_nowhere_inside(receiver: tuple[Receiver, str], api: httpx.AsyncClient) -> None:
    for url, why in REFUSED.items():
        answer = await api.post("/v1/webhooks", json={"url": url})
        (fault,) = answer.json()["errors"]
        assert (answer.status_code, fault["field"]) == (422, "url"), url
        assert why in fault["message"], (url, fault)
    bodies: list[Json] = [{"events": ["webhook.test"]}, {"events": []}, {"events": ["run.eaten"]}, {"run_id": "x y"}]
    for body in bodies:
        assert (await api.post("/v1/webhooks", json={"url": receiver[1], **body})).status_code == 422, body
    unknown = await api.post("/v1/webhooks", json={"url": receiver[1], "run_id": "default-nothing"})
    assert unknown.status_code == 404
    assert (await api.get("/v1/webhooks")).json() == []


async def test_where_they_are_off_none_is_made(api: httpx.AsyncClient) -> None:
    answer = await api.post("/v1/webhooks", json={"url": "https://example.org/"})
    assert answer.status_code == 409
    assert "ELCANO_WEBHOOKS=true" in answer.json()["detail"]


def test_what_workflows_rest_on_is_named_once() -> None:
    assert contracts.RunWatch(tenant="default", run_id="default-1").workflow_id == "webhooks-default-1"
    assert workflows.OVER_DAYS.maximum_attempts == 0
