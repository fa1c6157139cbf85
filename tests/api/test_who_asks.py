"""Who asked is written down as a proxy says it, and only if a header for it is set."""

from pathlib import Path

import httpx
import pytest
from temporalio.client import Client, WorkflowFailureError

from elcano.graphs.state.events import AgentEvent
from elcano.settings import Settings
from tests.api.asking import start
from tests.api.scripted import ScriptedWorkflow
from tests.api.test_cancel import reason_of
from tests.cases import long_case

HEADER = "X-User"


@pytest.fixture
def header() -> str:
    return HEADER


@pytest.fixture
def api_settings(tmp_path: Path, header: str) -> Settings:
    return Settings(data_dir=tmp_path / "data", collections={"handbook": tmp_path}, user_header=header)


async def last(temporal: Client, run_id: str) -> AgentEvent:
    events: list[AgentEvent] = await temporal.get_workflow_handle(run_id).query(ScriptedWorkflow.all_events)
    return events[-1]


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize(
    "name", [long_case("alice"), "Zoë Šimek", long_case("alice@example.org"), "DOMAIN\\alice: admin"]
)
async def test_a_request_is_told_with_who_asked(name: str, api: httpx.AsyncClient, temporal: Client) -> None:
    run_id = await start(api)
    headers = {HEADER.encode(): name.encode()}
    answer = await api.post(f"/v1/runs/{run_id}/pause", headers=headers, json={"reason": "lunch"})
    assert answer.status_code == 202
    assert answer.json() == {"run_id": run_id, "reason": "lunch"}
    assert (await last(temporal, run_id)).message == name
    assert (await api.post(f"/v1/runs/{run_id}/cancel", headers=headers)).status_code == 202
    with pytest.raises(WorkflowFailureError):
        await temporal.get_workflow_handle(run_id).result()
    assert (await reason_of(temporal, run_id)).by == name


@pytest.mark.usefixtures("worker")
async def test_who_does_not_say_it_is_nobody(api: httpx.AsyncClient, temporal: Client) -> None:
    run_id = await start(api)
    assert (await api.post(f"/v1/runs/{run_id}/unpause")).status_code == 202
    assert (await last(temporal, run_id)).message.startswith("event ")


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ([b"alice", b"bob"], "says 2 times who asks"),
        ([b"x" * 201], "201 characters"),
        (["a\u202eb".encode()], "U+202E"),
        ([b"a\x85b"], "no UTF-8"),
        (["a\u0085b".encode()], "U+0085"),
    ],
)
async def test_what_is_nobodys_name_is_refused(said: list[bytes], wrong: str, api: httpx.AsyncClient) -> None:
    run_id = await start(api)
    for action in ("pause", "cancel"):
        answer = await api.post(f"/v1/runs/{run_id}/{action}", headers=[(HEADER.encode(), name) for name in said])
        assert (answer.status_code, answer.json()["type"]) == (401, "urn:elcano:unauthenticated")
        assert wrong in answer.json()["detail"]


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize("header", [""])
async def test_without_the_setting_the_header_says_nothing(api: httpx.AsyncClient, temporal: Client) -> None:
    run_id = await start(api)
    assert (await api.post(f"/v1/runs/{run_id}/pause", headers={HEADER: "mallory"})).status_code == 202
    assert (await last(temporal, run_id)).message.startswith("event ")


@pytest.mark.usefixtures("worker")
async def test_a_request_that_is_sent_again_is_the_same_whoever_sends_it(api: httpx.AsyncClient) -> None:
    run_id = await start(api)
    key = {"Idempotency-Key": "one"}
    for name in ("alice", "bob"):
        answer = await api.post(f"/v1/runs/{run_id}/pause", headers={**key, HEADER: name})
        assert answer.status_code == 202
