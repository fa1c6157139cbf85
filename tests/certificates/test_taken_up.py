"""Certificates of runs that went on after their end, went back, or began as another run did."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from temporalio.client import Client

from elcano.api.app import create_app
from elcano.doors.certificates.verify_command import compare_certificate
from elcano.settings.settings import Settings
from elcano.storage.store import Store, open_store
from tests.api.again.going_on import Provider, asked, ended, working
from tests.api.asking import start
from tests.api.handbook import handbook_settings
from tests.api.serving import connecting, speaking
from tests.cases import long_case

QUESTION = "To whom do retries belong?"


@pytest.fixture
def chosen(tmp_path: Path) -> Settings:
    return handbook_settings(tmp_path)


@pytest.fixture
async def store(chosen: Settings) -> AsyncIterator[Store]:
    async with open_store(chosen.data_dir) as opened:
        yield opened


@pytest.fixture
async def api(
    chosen: Settings, store: Store, temporal: Client, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[httpx.AsyncClient]:
    queue = f"taken-up-{uuid4().hex}"
    monkeypatch.setattr("elcano.worker.TASK_QUEUE", queue)

    async with speaking(create_app(chosen, store=store, client=connecting(temporal), task_queue=queue)) as client:
        yield client


async def holds(api: httpx.AsyncClient, run_id: str) -> bytes:
    """The certificate of a run that has ended, which holds."""
    view = await ended(api, run_id)
    assert view["status"] in ("completed", "partial"), view
    answer = await api.get(f"/v1/runs/{run_id}/certificate")
    assert answer.status_code == 200, answer.text
    assert compare_certificate(answer.content).faults == ()
    return answer.content


@pytest.mark.long
@pytest.mark.parametrize("use_graph", [True, False])
async def test_resumed_with_good_sections_kept_and_one_that_went_on(
    api: httpx.AsyncClient, temporal: Client, store: Store, chosen: Settings, use_graph: bool
) -> None:
    provider = Provider(sections=3)
    provider.off.add(("judge", f"What of {provider.sections[-1]} and retries?"))
    async with working(temporal, store, chosen, provider):
        run_id = await start(api, QUESTION, mode="deep", use_graph=use_graph)
        assert (await ended(api, run_id))["status"] == "failed"
        provider.off.clear()
        await asked(api, run_id, "resume")
        held = compare_certificate(await holds(api, run_id)).held
    assert held is not None
    assert len(held.sections) == 4  # the one that failed too


@pytest.mark.long
@pytest.mark.parametrize("mode", ["iterative", long_case("deep")])
async def test_taken_back_and_forked(
    api: httpx.AsyncClient, temporal: Client, store: Store, chosen: Settings, mode: str
) -> None:
    provider = Provider(sections=2)
    async with working(temporal, store, chosen, provider):
        run_id = await start(api, QUESTION, mode=mode)
        steps = (await ended(api, run_id))["steps"]
        await holds(api, run_id)
        for step in (steps, 2):
            await asked(api, run_id, "rollback", step=step)
            await holds(api, run_id)
        forks = [run_id]
        for _ in range(2):  # a fork of a fork
            forks.append((await api.post(f"/v1/runs/{forks[-1]}/fork", json={"step": steps})).json()["run_id"])
            await holds(api, forks[-1])
        early = (await api.post(f"/v1/runs/{run_id}/fork", json={"step": 2, "question": "Who counts retries?"})).json()
        await holds(api, early["run_id"])
        for gone in forks[:2]:
            assert (await api.delete(f"/v1/runs/{gone}")).status_code == 204
        await holds(api, forks[2])  # what it shares is its own
        await holds(api, early["run_id"])
