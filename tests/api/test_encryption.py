"""With keys set, nothing that anybody keeps has a word of a question, and everything works as without."""

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message import Message
from temporalio.api.common.v1 import Payload
from temporalio.api.workflow.v1 import WorkflowExecutionInfo
from temporalio.client import Client

from elcano.client import AsyncElcano
from elcano.dev.claims import free_ports
from elcano.dev.stack import open_stack
from elcano.operations.encryption.envelope import find_key_id
from elcano.operations.encryption.keys import INDEX, make_key
from elcano.service.temporal.history import list_workflows
from elcano.settings import Settings
from elcano.storage.sealed_payloads import SEALED, SealingCodec
from elcano.storage.sql.cipher import load_cipher, require_cipher
from tests.api.handbook import handbook_settings
from tests.forked_programs import forked_programs

HOOKS = "127.0.0.1:1"
"""Nobody listens there."""
WORD, STEERED = "zyxwort", "qwopfen"
QUESTION = f"To whom do retries belong by the {WORD}? And what doubles by the {WORD}?"


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    (tmp_path / "keys").write_text(f"{make_key('first')}\n{make_key(INDEX)}\n")
    monkeypatch.setenv("ELCANO_ENCRYPTION_KEYS", f"file://{tmp_path}/keys")
    monkeypatch.setenv("ELCANO_WEBHOOKS", "true")
    monkeypatch.setenv("ELCANO_WEBHOOK_PRIVATE_HOSTS", f'["{HOOKS}"]')
    monkeypatch.setenv("ELCANO_SCHEDULES", "true")
    api, temporal, page = free_ports(3)
    ports = {"api_port": api, "temporal_port": temporal, "temporal_ui_port": page}
    return handbook_settings(tmp_path).model_copy(update=ports)


def find_words(folder: Path) -> list[str]:
    """Files with a secret word, in any case."""
    index = folder / "index" / "uploads"  # it is in clear: docs/security.md
    files = [one for one in folder.rglob("*") if one.is_file() and not one.is_relative_to(index)]
    assert len(files) > 5
    words = re.compile(f"{WORD}|{STEERED}".encode(), re.IGNORECASE)
    return [str(one.relative_to(folder)) for one in files if words.search(one.read_bytes())]


@pytest.mark.timeout(300)
async def test_no_word_of_a_question_is_kept_in_clear(chosen: Settings, tmp_path: Path) -> None:
    with forked_programs():
        async with open_stack(chosen), AsyncElcano(chosen.base_url) as elcano:
            await assert_works_as_without_keys(chosen, elcano, tmp_path)
    assert find_words(chosen.data_dir) == []


async def assert_works_as_without_keys(chosen: Settings, elcano: AsyncElcano, folder: Path) -> None:
    await leave_words_elsewhere(chosen, elcano, folder)
    run = await elcano.research(QUESTION, mode="deep", background=f"About the {WORD}.")
    await run.steer(instruction=f"Mind the {STEERED}.")
    view = await (await run.wait()).view()
    assert view.question == QUESTION
    assert QUESTION in await run.report_as("text/markdown")
    fork = await run.fork(view.steps or 1)
    assert (await (await fork.wait()).view()).status == view.status
    listed = await elcano.list_runs(limit=5, question=WORD.upper())
    assert {one.run_id for one in listed.runs} >= {run.run_id, fork.run_id}
    await assert_temporals_page_can_read(chosen, run.run_id)
    client = await Client.connect(chosen.temporal_target)
    keys = [key async for workflow in list_workflows(client, "") async for key in read_history_keys(client, workflow)]
    assert set(keys) == {"first"}
    assert len(keys) > 100


async def read_history_keys(client: Client, workflow: WorkflowExecutionInfo) -> AsyncIterator[str]:
    """The key of each encrypted payload in a history."""
    place = workflow.execution
    async for event in client.get_workflow_handle(place.workflow_id, run_id=place.run_id).fetch_history_events():
        for one in iterate_payloads(event):
            if one.metadata.get("encoding") == SEALED.encode():
                yield find_key_id(one.data)


def iterate_payloads(message: Message) -> Iterator[Payload]:
    """Every payload within a message of Temporal's."""
    if isinstance(message, Payload):
        yield message
        return
    for _, value in message.ListFields():
        values: Any = value
        if hasattr(value, "values"):
            values = value.values()
        elif isinstance(value, Message | str | bytes | int | float):
            values = (value,)
        for one in values:
            if isinstance(one, Message):
                yield from iterate_payloads(one)


async def leave_words_elsewhere(chosen: Settings, elcano: AsyncElcano, folder: Path) -> None:
    """A webhook, a schedule, an uploaded document, a refused plan, and a run that was stopped and resumed."""
    (document := folder / "notes.md").write_text(f"# Notes\n\nTo whom retries belong: to the {WORD}.\n")
    notes = elcano.collection("notes")
    await notes.add(str(document))
    await notes.wait()
    asked: dict[str, Any] = {"question": QUESTION, "mode": "simple", "sources": [notes.source]}
    async with httpx.AsyncClient(base_url=chosen.base_url, timeout=60) as api:
        hook = {"url": f"https://{HOOKS}/{WORD}", "description": f"Of the {WORD}."}
        for path, body in (
            ("/v1/webhooks", hook),
            ("/v1/schedules", {"name": "daily", "run": asked, "cron": ["@daily"]}),
            ("/v1/schedules/daily/trigger", {}),
        ):
            answer = await api.post(path, json=body)
            assert answer.is_success, answer.text
        refused = await elcano.research(QUESTION, mode="deep", approve_plan=True)
        await elcano.connection.poll(refused.view, lambda view: view.stage == "approval", every=0.25)
        answer = await api.post(f"/v1/runs/{refused.run_id}/refuse", json={"reason": f"Nothing on the {WORD}."})
        assert answer.is_success, answer.text
    stopped = await elcano.research(**asked)
    await stopped.stop(f"Enough of the {WORD}.")
    await stopped.wait()
    await stopped.resume()
    assert WORD in await (await stopped.wait()).report_as("text/markdown")


async def assert_temporals_page_can_read(chosen: Settings, run_id: str) -> None:
    """Histories are sealed, and the codec server opens them, large payloads too."""
    client = await Client.connect(chosen.temporal_target)
    history = await client.get_workflow_handle(run_id).fetch_history()
    asked = history.events[0].workflow_execution_started_event_attributes.input.payloads[0]
    scheduled = [event.user_metadata.summary for event in history.events if event.user_metadata.HasField("summary")]
    assert {payload.metadata["encoding"].decode() for payload in scheduled} == {SEALED}
    codec = SealingCodec(require_cipher(load_cipher(chosen)))
    payloads = [one for event in history.events for one in iterate_payloads(event)]
    opened = [codec.open_payload(one) for one in payloads if one.metadata["encoding"] == SEALED.encode()]
    assert {workflow.partition(".")[0] for _, workflow in opened} == {run_id}
    async with httpx.AsyncClient(base_url=chosen.base_url, timeout=60) as api:
        (read,) = await ask_codec(api, "download", asked)
        assert WORD in read.data.decode()
        (label,) = await ask_codec(api, "decode", scheduled[0])
        assert label.data
        (sealed,) = await ask_codec(api, "encode", label)
        assert sealed.metadata["encoding"].decode() == SEALED
        assert await ask_codec(api, "decode", sealed, label) == [label, label]
        refused = await api.post("/codec/decode", json={"payloads": [{"data": "a"}]})
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "payloads"), refused.text
        changed = Payload(metadata=sealed.metadata, data=sealed.data[:-1] + b"\0")
        lost = await api.post("/codec/decode", json=as_json(changed))
        assert (lost.status_code, lost.json()["type"]) == (500, "urn:elcano:sealed-data-unreadable")


def as_json(*payloads: Payload) -> dict[str, Any]:
    return {"payloads": [MessageToDict(payload) for payload in payloads]}


async def ask_codec(api: httpx.AsyncClient, way: str, *payloads: Payload) -> list[Payload]:
    answer = await api.post(f"/codec/{way}", json=as_json(*payloads), headers={"X-Namespace": "default"})
    assert answer.status_code == 200, answer.text
    return [ParseDict(one, Payload()) for one in answer.json()["payloads"]]
