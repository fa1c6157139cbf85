"""A person approves or refuses a call of a real server of tools over HTTP; it writes once, or not at all."""

import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from temporalio.client import Client

from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import asked, ended, log_of, until
from tests.api.again.test_tools import PROGRAM, calling, working
from tests.api.asking import seconds_between, start
from tests.api.handbook import handbook_settings
from tests.resetting import reset_before

CALL = "0001-call"
LINE = "{line: question}"


@pytest.fixture
def api_settings(tmp_path: Path) -> Settings:
    program = {"command": sys.executable, "args": [str(PROGRAM), str(tmp_path)], "seconds": 60}
    return handbook_settings(tmp_path).model_copy(update={"mcp_servers": {"tests": program}})


async def waiting(api: httpx.AsyncClient, run_id: str, *, but: str = "") -> Any:
    """What waits for approval, once something does, `but` that."""
    found: list[Any] = []

    async def something() -> bool:
        view = (await api.get(f"/v1/runs/{run_id}")).json()
        found[:] = [one for one in view["approvals"] if one["call"] != but]
        return bool(found) and view["stage"] == "approval"

    await until(something)
    return found[0]


def written(folder: Path) -> list[str]:
    path = folder / "written"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


async def test_a_person_approves_a_call_and_it_is_made_once(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, tmp_path: Path
) -> None:
    async with working(temporal, store, api_settings):
        run_id = await start(api, "Wie spät ist es?", graph=calling("tests", "write", LINE))
        call = await waiting(api, run_id)
        assert (call["call"], call["run_id"], call["server"], call["tool"]) == (CALL, run_id, "tests", "write")
        assert (call["arguments"], call["whole"], call["step"]) == ('{"line": "Wie spät ist es?"}', True, 1)
        assert seconds_between(call["since"], call["until"]) == 7 * 86_400
        step = (await api.get(f"/v1/runs/{run_id}/steps/1")).json()
        assert (step["step"]["outcome"], step["input"][0]["arguments"]) == ("waiting", {"line": "Wie spät ist es?"})
        assert written(tmp_path) == []
        plan = await asked(api, run_id, "approve", 409)
        assert f"approved by their ids: {CALL}" in plan["detail"]
        assert "no call '0001-other'" in (await asked(api, run_id, "approve-call", 409, call="0001-other"))["detail"]
        for body in ({}, {"call": ""}, {"call": 1}, {"call": CALL, "arguments": {}}, {"call": "x" * 121}):
            refused = await api.post(f"/v1/runs/{run_id}/approve-call", json=body)
            assert refused.status_code == 422, refused.text
        key = {"Idempotency-Key": "yes"}
        sent = {"call": CALL, "by": "Elvira"}
        answers = [await api.post(f"/v1/runs/{run_id}/approve-call", json=sent, headers=key) for _ in range(2)]
        assert [answer.json() for answer in answers] == [
            {"run_id": run_id, "call": CALL, "server": "tests", "tool": "write"}
        ] * 2
        await asked(api, run_id, "refuse-call", 409, call=CALL, reason="too late")
        assert (await ended(api, run_id))["status"] == "completed"
        assert (await api.post(f"/v1/runs/{run_id}/approve-call", json={"call": CALL})).status_code == 409
        log = await log_of(store, run_id)
    assert written(tmp_path) == ["Wie spät ist es?"]
    assert log.run.state.failures == ()
    ids = [one.activity for one in await store.of("default").ledger.entries(run_id) if one.name == "call_tool"]
    assert ids == [CALL, f"{CALL}.approved"]


async def test_a_refused_call_and_arguments_that_do_not_fit_are_told_apart(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, tmp_path: Path
) -> None:
    async with working(temporal, store, api_settings):
        unfit = await start(api, graph=calling("tests", "write", "{line: `1`}"))
        assert (await ended(api, unfit))["status"] == "completed", "nobody is asked about what cannot be called"
        (failed,) = (await log_of(store, unfit)).run.state.failures
        assert (failed.type, "/arguments/line" in failed.message) == ("ToolRefused", True)
        run_id = await start(api, graph=calling("tests", "write", LINE))
        await waiting(api, run_id)
        await asked(api, run_id, "refuse-call", 422, call=CALL, reason=" ")
        await asked(api, run_id, "refuse-call", call=CALL, reason="Not on a Sunday.", by="Elvira")
        assert (await ended(api, run_id))["status"] == "completed"
        (failed,) = (await log_of(store, run_id)).run.state.failures
    assert failed.type == "ApprovalRefused"
    assert failed.message == "Elvira refused the call of tests/write: Not on a Sunday."
    assert written(tmp_path) == []


async def test_an_approved_call_that_breaks_off_is_not_made_again_and_whoever_goes_on_is_asked_anew(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, tmp_path: Path
) -> None:
    async with working(temporal, store, api_settings):
        run_id = await start(api, graph=calling("tests", "write_and_die", LINE))
        await waiting(api, run_id)
        await asked(api, run_id, "approve-call", call=CALL)
        assert (await ended(api, run_id))["status"] == "completed"
        (failed,) = (await log_of(store, run_id)).run.state.failures
        assert (failed.type, len(written(tmp_path))) == ("OutcomeUnknown", 1)
        fork = (await asked(api, run_id, "fork", 201, step=1))["run_id"]
        await waiting(api, fork)
        await api.post(f"/v1/runs/{fork}/cancel", json={})
        assert (await ended(api, fork))["status"] == "cancelled"
        await asked(api, fork, "approve-call", 409, call=CALL)
        await asked(api, fork, "resume")
        anew = await waiting(api, fork, but=CALL)
        assert len(written(tmp_path)) == 1
        await asked(api, fork, "approve-call", call=anew["call"])
        assert (await ended(api, fork))["status"] == "completed"
    assert len(written(tmp_path)) == 2


@pytest.mark.parametrize("before", [CALL, f"{CALL}.approved"])
async def test_a_reset_in_temporal_never_uses_an_approval_twice(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, tmp_path: Path, before: str
) -> None:
    async with working(temporal, store, api_settings):
        run_id = await start(api, graph=calling("tests", "write", LINE))
        await waiting(api, run_id)
        await asked(api, run_id, "approve-call", call=CALL)
        await ended(api, run_id)
        await reset_before(temporal, run_id, before)
        if before == CALL:  # the question is asked anew, and nobody has answered this one
            anew = await waiting(api, run_id, but=CALL)
            assert len(written(tmp_path)) == 1
            await asked(api, run_id, "approve-call", call=anew["call"])

        async def has_ended_anew() -> bool:  # the end before the reset may be answered first
            assert (await ended(api, run_id))["status"] == "completed"
            failures = (await log_of(store, run_id)).run.state.failures
            return [one.type for one in failures] == ([] if before == CALL else ["OutcomeUnknown"])

        await until(has_ended_anew)
    assert len(written(tmp_path)) == (2 if before == CALL else 1)
