"""A service as the manual sets it up: workers and APIs share PostgreSQL, S3, keys and no folder; one of each dies."""

import asyncio
import shutil
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx
import pytest
from temporalio.client import Client

from elcano.dev.claims import free_ports
from elcano.graphs.model_names import OFFLINE
from elcano.graphs.report.report import Report
from elcano.operations.encryption.keys import INDEX, make_key
from elcano.settings.settings import Settings
from tests.api.sse import Message, following, next_event, read_events
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


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_a_deep_run_survives_a_worker_and_an_api_without_a_common_folder(
    temporal: Client, postgres: str, s3: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELCANO_ENCRYPTION_KEYS", f"{make_key('first')},{make_key(INDEX)}")
    first_port, other_port = free_ports(2)

    def alone(name: str, port: int = first_port) -> Settings:
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

    chosen, other = alone("api"), alone("other-api", other_port)
    async with AsyncExitStack() as programs, asyncio.timeout(280):
        api, _ = [await programs.enter_async_context(program("elcano.api", one)) for one in (chosen, other)]
        workers = [await programs.enter_async_context(program("elcano.worker", alone(name))) for name in ("one", "two")]
        for one in (chosen, other):
            await ready(one)
        run = await ask(chosen, QUESTION, mode="deep", sources=["log"])
        heard = await read_until_section(chosen, run)
        for killed in (workers[0], api):
            killed.kill()
        assert (await workers[0].wait(), await api.wait(), workers[1].returncode) == (-9, -9, None)
        events = f"{other.base_url}{run}/events"
        rest = await read_events(events, headers={"Last-Event-ID": str(heard[-1].id)})
        assert rest[-1].event == "complete"
        assert places([*heard, *rest]) == places(await read_events(events)), "none is missing, none came twice"
        report: Report = await reported(other, run)
        assert report.references
        assert report.unverified == ()
    for name in ("api", "other-api", "one", "two"):
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


async def read_until_section(chosen: Settings, run: str) -> list[Message]:
    """The events until a section of the run has told something; the run is not over then."""
    heard: list[Message] = []
    async with following(f"{chosen.base_url}{run}/events") as messages:
        while "+" not in str((message := await next_event(messages)).id):
            assert message.event != "complete", "the run was over before a process could die"
            heard.append(message)
    return [*heard, message]


def places(messages: Sequence[Message]) -> list[tuple[str, int]]:
    """Which section told an event, and its number there; sections are read side by side, in any order."""
    return sorted((str(message.data["path"]), message.data["seq"]) for message in messages)
