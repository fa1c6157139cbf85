"""Workers and an API without a common folder: PostgreSQL and S3 are all they share, and one of them dies."""

import asyncio
import shutil
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx
import pytest
from temporalio.client import Client

from elcano.dev.claims import free_ports
from elcano.graphs.model_names import OFFLINE
from elcano.graphs.report.report import Report
from elcano.settings.settings import Settings
from tests.api.sse import following, read_all
from tests.chaos.conftest import ask, reported
from tests.chaos.programs import ROOT

QUESTION = "How is money counted, and what happens when a budget is spent?"


@asynccontextmanager
async def program(module: str, chosen: Settings) -> AsyncIterator[Process]:
    """A program with settings of its own, until the block ends or somebody kills it."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, cwd=ROOT, env=chosen.environment(), stdin=DEVNULL
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


@pytest.mark.timeout(300)
async def test_a_deep_run_survives_a_worker_without_a_common_folder(
    temporal: Client, postgres: str, s3: str, tmp_path: Path
) -> None:
    (port,) = free_ports(1)

    def alone(name: str) -> Settings:
        """Settings of one machine: an empty data folder and a copy of the documents of its own."""
        documents = tmp_path / name / "documents"
        shutil.copytree(ROOT / "docs", documents)
        return Settings.model_validate(
            {
                "TEMPORAL_ADDRESS": temporal.service_client.config.target_host,
                "data_dir": tmp_path / name / "data",
                "store_url": postgres,
                "objects_url": s3,
                "collections": {"log": documents},
                "package_readmes": False,
                "model": OFFLINE,
                "api_url": "",
                "api_port": port,
            }
        )

    chosen = alone("api")
    async with AsyncExitStack() as programs, asyncio.timeout(280):
        await programs.enter_async_context(program("elcano.api", chosen))
        workers = [await programs.enter_async_context(program("elcano.worker", alone(name))) for name in ("one", "two")]
        await ready(chosen)
        run = await ask(chosen, QUESTION, mode="deep", sources=["log"])
        await section_begun(chosen, run)
        workers[0].kill()
        assert (await workers[0].wait(), workers[1].returncode) == (-9, None)
        messages = await read_all(f"{chosen.base_url}{run}/events")
        assert messages[-1].event == "complete"
        report: Report = await reported(chosen, run)
        assert report.references
        assert report.unverified == ()
    for name in ("api", "one", "two"):
        kept = {file.name for file in (tmp_path / name / "data").rglob("*") if file.is_file()}
        assert not {file for file in kept if not file.startswith("log.")}, "nothing but indexes of its own documents"


async def ready(chosen: Settings) -> None:
    """Waits until the API answers and a worker polls."""
    async with httpx.AsyncClient(base_url=chosen.base_url, timeout=30) as client:
        while True:
            try:
                if (await client.get("/readyz")).is_success:
                    return
            except httpx.TransportError:
                pass  # it has not begun to listen
            await asyncio.sleep(0.2)


async def section_begun(chosen: Settings, run: str) -> None:
    """Waits until a section of the run has told something; the run is not over then."""
    async with following(f"{chosen.base_url}{run}/events") as messages:
        async for message in messages:
            assert message.event != "complete", "the run was over before a worker could die"
            if "+" in (message.id or ""):
                return
