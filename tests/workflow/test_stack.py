"""The whole stack as one: it comes up on one folder, mends itself, answers, and leaves nothing behind."""

import asyncio
import os
from pathlib import Path

import httpx

from dev import stack
from dev.folder import owner
from dev.ports import free_ports, is_free
from settings import Settings
from tests.unit.test_dev import until


def settings_for(folder: Path) -> Settings:
    api, temporal, ui = free_ports(3)
    return Settings.model_validate(
        {
            "TEMPORAL_ADDRESS": "",
            "data_dir": folder,
            "api_url": "",
            "api_port": api,
            "temporal_port": temporal,
            "temporal_ui_port": ui,
        }
    )


async def test_it_comes_up_mends_itself_and_leaves_nothing_behind(tmp_path: Path) -> None:
    chosen = settings_for(tmp_path)
    said: list[str] = []
    async with stack(chosen, say=said.append) as running, httpx.AsyncClient(base_url=chosen.base_url) as client:
        assert (await client.get("/readyz")).json()["ready"]
        assert owner(tmp_path)["api"] == chosen.base_url
        killed = running.worker.pid
        running.worker.kill()
        await until(lambda: running.worker.pid != killed)
        assert [line for line in said if "worker was killed by SIGKILL" in line]
        await running.stop_worker()
        await running.worker.start()
        asked = await client.post("/v1/runs", json={"question": "How is data validated with Python type hints?"})
        async with asyncio.timeout(60):
            async with client.stream("GET", asked.headers["Location"] + "/events", timeout=60) as response:
                lines = [line async for line in response.aiter_lines()]
        assert "event: complete" in lines
    assert owner(tmp_path) == {}
    assert all(is_free("127.0.0.1", port) for port in (chosen.api_port, chosen.temporal_port, chosen.temporal_ui_port))
    assert set(os.listdir(tmp_path)) >= {"temporal.db", "elcano.db", "logs"}
