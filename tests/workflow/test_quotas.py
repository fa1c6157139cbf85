"""Runs under way keep to quotas with real workers: they report what they have, or wait until there is more."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from temporalio.client import Client

from tests.seams.test_way_of_a_request import BODY, serve_handbook


@pytest.fixture
def quotas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "quotas.toml"
    monkeypatch.setenv("ELCANO_QUOTAS", str(path))
    return path


def allow(quotas: Path, tokens: int) -> None:
    """Writes the file: so many tokens a day for every tenant."""
    quotas.write_text(f"[every_tenant]\ntokens_a_day = {tokens}\n")


async def start(api: httpx.AsyncClient) -> str:
    """The id of a run, once what the run before it had claimed is free again."""
    for _ in range(240):
        if (answer := await api.post("/v1/runs", json=BODY)).status_code != 429:
            break
        await asyncio.sleep(0.25)
    assert answer.status_code == 201, answer.text
    run_id: str = answer.json()["run_id"]
    return run_id


async def run_until(api: httpx.AsyncClient, run_id: str, *stages: str) -> dict[str, Any]:
    """The run, once it has ended or is at one of these stages."""
    async with asyncio.timeout(60):
        while True:
            run: dict[str, Any] = (await api.get(f"/v1/runs/{run_id}")).json()
            if run["status"] != "running" or run["stage"] in stages:
                return run
            await asyncio.sleep(0.1)


async def test_a_run_that_comes_to_the_end_of_its_quota_writes_its_report(
    temporal: Client, tmp_path: Path, quotas: Path
) -> None:
    allow(quotas, 1_000_000)
    async with serve_handbook(tmp_path, temporal) as api:
        whole = await run_until(api, await start(api))
        needed = whole["budget"]["used"]["tokens"]
        allow(quotas, needed + needed // 2)
        run_id = await start(api)
        run = await run_until(api, run_id)
        assert run["status"] == "partial"
        assert run["ending"]["kind"] == "tokens"
        assert "tokens_a_day of the tenant 'default' is" in run["ending"]["detail"]
        assert (await api.get(f"/v1/runs/{run_id}/report")).status_code == 200
        (limit,) = (await api.get("/v1/quotas")).json()["limits"]
        total = (await api.get("/v1/usage")).json()["total"]
    assert total["tokens"] == limit["used"] == needed + run["budget"]["used"]["tokens"]
    assert limit["used"] <= limit["limit"]
    assert limit["claimed"] == 0, "nothing is under way"


async def test_a_run_that_may_wait_goes_on_when_there_is_more(temporal: Client, tmp_path: Path, quotas: Path) -> None:
    allow(quotas, 2_000)
    async with serve_handbook(tmp_path, temporal) as api:
        body = {**BODY, "mode": "simple", "budget": {"when_exhausted": "pause"}}
        run_id = (await api.post("/v1/runs", json=body)).json()["run_id"]
        run = await run_until(api, run_id, "held")
        assert run["status"] == "running"
        assert run["hold"]["reason"] == "provider"
        assert "tokens_a_day of the tenant 'default' is 2,000" in run["hold"]["detail"]
        allow(quotas, 1_000_000)
        run = await run_until(api, run_id)
    assert run["status"] == "completed"
