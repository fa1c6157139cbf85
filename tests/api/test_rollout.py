"""A rollout as `docs/deploy.md` says it, with its very commands, on a real server and under load."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from elcano import __version__, testing
from elcano.activities.sources.registry import Sources, open_sources
from elcano.api.app import create_app
from elcano.dev.temporal import temporal_binary
from elcano.graphs.contracts import TASK_QUEUE
from elcano.graphs.report.report import Report
from elcano.settings.settings import Settings
from elcano.storage.store import Store, open_store
from elcano.worker import build_worker
from tests.api.again.going_on import ended
from tests.api.asking import start
from tests.api.handbook import IN_ROUNDS, handbook_settings
from tests.api.serving import connecting, speaking

DOCS = Path(__file__).parents[2] / "docs" / "deploy.md"
PAUSING = {"steps": 6, "sections": 2, "when_exhausted": "pause"}
QUICK = {
    "matching.wv.VersionDrainageStatusVisibilityGracePeriod": '"1s"',
    "matching.wv.VersionDrainageStatusRefreshInterval": '"1s"',
}
"""Else it takes the server minutes to say that a version is drained."""


def commands(rollout: str) -> list[str]:
    """The commands for `temporal` under a heading of the page."""
    _, _, section = DOCS.read_text(encoding="utf-8").partition(f"### {rollout}\n")
    (block,) = re.findall(r"```sh\n(.*?)```", section.partition("\n#")[0], re.DOTALL)
    return [line for line in block.replace("\\\n", " ").splitlines() if line.startswith("temporal ")]


async def done(command: str, server: Client, home: Path, **builds: str) -> str:
    """What a command of the page says; it is given again until it succeeds, as the first one is when workers start."""
    binary = temporal_binary()
    assert binary is not None
    address = server.service_client.config.target_host
    path = f"{Path(binary).parent}{os.pathsep}{os.defpath}"
    environment = {"TEMPORAL_ADDRESS": address, "PATH": path, "HOME": str(home), **builds}
    while True:
        process = await asyncio.create_subprocess_shell(
            command, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        said, _ = await process.communicate()
        if process.returncode == 0:
            return said.decode()
        await asyncio.sleep(0.5)


class House:
    """An API and workers of chosen builds."""

    def __init__(self, client: Client, store: Store, sources: Sources, settings: Settings, api: httpx.AsyncClient):
        self.api = api
        self._client = client
        self._parts = (client, store, sources)
        self._settings = settings

    @asynccontextmanager
    async def worker(self, build: str, deployment: str = "elcano") -> AsyncIterator[None]:
        chosen = self._settings.model_copy(update={"deployment": deployment, "build_id": build})
        async with build_worker(*self._parts, chosen):
            yield

    async def told(self, command: str, *, old: str = "", new: str = "") -> str:
        """What a command of the page says."""
        async with asyncio.timeout(60):
            return await done(command, self._client, self._settings.data_dir, OLD=old, NEW=new)

    async def asked(self, **more: Any) -> str:
        return await start(self.api, IN_ROUNDS, **more)

    async def reached(self, run_id: str, field: str, value: str) -> dict[str, Any]:
        """The run, once it says so of itself."""
        while (run := (await self.api.get(f"/v1/runs/{run_id}")).json())[field] != value:
            assert run["status"] in ("running", value), run
            await asyncio.sleep(0.25)
        found: dict[str, Any] = run
        return found

    async def built_by(self, run_ids: Sequence[str]) -> set[tuple[str, ...]]:
        """The builds that the reports of these runs name, once they have ended."""
        found = set()
        for run_id in run_ids:
            await ended(self.api, run_id)
            answer = await self.api.get(f"/v1/runs/{run_id}/report", headers={"Accept": "application/json"})
            found.add(
                tuple(build.removeprefix(f"{__version__}+") for build in Report.model_validate(answer.json()).builds)
            )
        return found

    async def readiness(self) -> str:
        """What is wrong with the workers; empty if nothing is."""
        check = (await self.api.get("/readyz")).json()["checks"]["worker"]
        assert check["ok"] == (not check["detail"])
        told: str = check["detail"]
        return told

    async def topped_up(self, run_ids: Sequence[str]) -> None:
        for run_id in run_ids:
            assert (await self.api.post(f"/v1/runs/{run_id}/top-up", json={"steps": 100})).is_success


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    settings = handbook_settings(tmp_path)
    async with AsyncExitStack() as stack:
        environment: WorkflowEnvironment = await stack.enter_async_context(
            testing.temporal_environment(tmp_path / "payloads", config=QUICK)
        )
        client = environment.client

        store = await stack.enter_async_context(open_store(settings.data_dir))
        sources = await stack.enter_async_context(open_sources(settings))
        app = create_app(settings, store=store, client=connecting(client), task_queue=TASK_QUEUE)
        yield House(client, store, sources, settings, await stack.enter_async_context(speaking(app)))


async def test_a_deployment_without_a_current_version_is_not_ready(house: House) -> None:
    switch = commands("With drain")[0]
    async with house.worker("one"):
        async with asyncio.timeout(60):
            while "no worker polls" in (told := await house.readiness()):  # noqa: ASYNC110 - HTTP has nothing to wait on
                await asyncio.sleep(0.25)
        assert "has no current version" in told
        assert "--build-id one" in told
        await house.told(switch, new="one")
        async with asyncio.timeout(60):
            while await house.readiness():  # noqa: ASYNC110 - the server's parts learn of it one after the other
                await asyncio.sleep(0.25)


@pytest.mark.long
async def test_with_drain_runs_stay_with_their_build_until_the_old_one_is_empty(house: House) -> None:
    switch, look, count = commands("With drain")
    async with AsyncExitStack() as old, house.worker("two"):
        await old.enter_async_context(house.worker("one"))
        await house.told(switch, new="one")
        waiting = [await house.asked(budget=PAUSING) for _ in range(4)]
        for run_id in waiting:
            await house.reached(run_id, "stage", "paused")
        under_way = [await house.asked() for _ in range(6)]
        await house.told(switch, old="one", new="two")
        fresh = [await house.asked() for _ in range(6)]
        assert (await house.api.get("/readyz")).json()["ready"]
        assert await house.built_by(fresh) == {("two",)}
        assert "draining" in await house.told(look, old="one", new="two")
        assert await house.built_by(under_way) <= {("one",), ("two",)}
        async with asyncio.timeout(60):
            while "Total: 4" not in await house.told(count, old="one", new="two"):  # noqa: ASYNC110 - it counts later
                await asyncio.sleep(0.5)
        await house.topped_up(waiting)
        assert await house.built_by(waiting) == {("one",)}
        async with asyncio.timeout(60):
            while "drained" not in await house.told(look, old="one"):  # noqa: ASYNC110 - another program knows it
                await asyncio.sleep(0.5)
        await old.aclose()
        assert await house.built_by([await house.asked() for _ in range(3)]) == {("two",)}


async def test_without_drain_open_runs_go_on_with_the_new_build(house: House) -> None:
    switch, move = commands("Without drain")
    async with AsyncExitStack() as old:
        await old.enter_async_context(house.worker("one"))
        await house.told(switch, new="one")
        waiting = [await house.asked(budget=PAUSING, mode=mode) for mode in ("iterative", "iterative", "deep")]
        for run_id in waiting:
            await house.reached(run_id, "stage", "paused")
        await old.aclose()
        async with house.worker("two"):
            await house.told(switch, old="one", new="two")
            fresh = await house.asked()
            await house.told(move, old="one", new="two")
            await house.topped_up(waiting)
            assert await house.built_by(waiting) == {("one", "two")}
            assert await house.built_by([fresh]) == {("two",)}


@pytest.mark.long
async def test_runs_of_workers_without_a_deployment_go_over_to_its_first_build(house: House) -> None:
    switch, *_ = commands("With drain")
    async with AsyncExitStack() as old:
        await old.enter_async_context(house.worker("none", deployment=""))
        waiting = await house.asked(budget=PAUSING)
        await house.reached(waiting, "stage", "paused")
        async with house.worker("one"):
            await house.told(switch, new="one")
            await old.aclose()
            await house.topped_up([waiting])
            assert await house.built_by([waiting]) == {("none", "one")}
