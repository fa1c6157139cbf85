"""The stack under chaos: which processes there are, on one folder, with settings that make a run short.

Only settings that anybody may set: how long the product waits for a heartbeat, and between two tries, is the product's.
The short form among the tests misses dead workers sooner (`tests/chaos/impatience.py`), `make chaos` does not.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx

from elcano.dev.child import start_guard
from elcano.dev.claims import claim_folder, free_ports
from elcano.dev.stack import child_environment
from elcano.dev.temporal import server_command
from elcano.settings.settings import Settings
from tests.chaos.programs import ROOT
from tests.chaos.storm.answers import documents
from tests.chaos.storm.model_server import FAULTS
from tests.chaos.storm.processes import Disturbed, Postgres, Program
from tests.chaos.storm.records import Applied
from tests.chaos.storm.schedule import Disturbance, Fault, Target
from tests.chaos.storm.surroundings import Surroundings

MODEL_SECONDS: Final = 10.0
"""After so long the worker takes a model for silent."""
START_SECONDS: Final = 300.0
CALM: Final = 1.5
"""Seconds between the end of one disturbance and the next: processes that never come up test nothing."""


@dataclass
class Stormy:
    """A running stack, and what was done to it."""

    settings: Settings
    notes: Path
    """What the model noted."""
    processes: Mapping[Target, Sequence[Disturbed]]
    surroundings: Surroundings
    applied: list[Applied] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    """Processes that ended by themselves."""
    left_behind: list[str] = field(default_factory=list)
    """Processes that were there when every worker was dead; known when all is over."""
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def disturb(self, disturbance: Disturbance, run: str) -> None:
        """Does it, when no other disturbance is under way; of several workers all are meant."""
        targets = self.processes[disturbance.target]
        async with self._turn:
            began = time.time()
            if disturbance.how == "kill":
                await asyncio.gather(*(one.kill() for one in targets))
            else:
                for one in targets:
                    one.stop()
            await asyncio.sleep(disturbance.seconds)
            if disturbance.how == "kill":
                await asyncio.gather(*(one.start() for one in targets))
            else:
                for one in targets:
                    one.go_on()
            self.applied.append(
                Applied(run=run, target=disturbance.target, how=disturbance.how, began=began, ended=time.time())
            )
            await asyncio.sleep(CALM)


@asynccontextmanager
async def stormy(
    folder: Path, faults: Mapping[str, tuple[Fault, ...]], *, postgres: bool, workers: int
) -> AsyncIterator[Stormy]:
    """Starts everything in `folder`; yields when a run would be accepted, and kills what is left at the end."""
    notes, planned = folder / "model.jsonl", folder / "faults.json"
    planned.write_bytes(FAULTS.dump_json(dict(faults)))
    collection = folder / "documents"
    collection.mkdir(parents=True, exist_ok=True)
    for name, text in documents().items():
        (collection / name).write_text(text, encoding="utf-8")
    with ExitStack() as opened:
        database = await asyncio.to_thread(_postgres, opened) if postgres else None
        surroundings = Surroundings(folder)
        model_port, settings = _settings(folder, collection, database.url if database else "", surroundings)
        lock = opened.enter_context(claim_folder(settings.data_dir, {}, patience=5.0))
        guarded = opened.enter_context(start_guard(grace=5.0, lock=lock))
        environment = child_environment(settings) | {
            "PYTHONDONTWRITEBYTECODE": "",  # most of a worker's start is loading its code
            "OPENAI_BASE_URL": f"http://127.0.0.1:{model_port}/v1",
            "OPENAI_API_KEY": "scripted-key",
        }
        ended: list[str] = []

        def program(name: str, *command: str) -> Program:
            return Program(
                name,
                command,
                environment,
                folder=ROOT,
                log=folder / "logs" / f"{name}.log",
                guard=guarded,
                ended=lambda text, _: ended.append(text),
            )

        python = (sys.executable, "-m")
        processes: dict[Target, Sequence[Disturbed]] = {
            "temporal": [program("temporal", *server_command(settings))],
            "model": [
                program("model", *python, "tests.chaos.storm.model_server", str(model_port), str(notes), str(planned))
            ],
            "worker": [program(f"worker-{number}", *python, "elcano.worker") for number in range(1, workers + 1)],
            "api": [program("api", *python, "elcano.api")],
        }
        for several in processes.values():
            for one in several:
                await one.start()
        if database is not None:
            processes["postgres"] = [database]
        await ready(settings)
        running = Stormy(settings, notes, processes, surroundings, ended=ended)
        try:
            yield running
        finally:
            for target in ("worker", "api", "model", "temporal"):
                await asyncio.gather(*(one.kill() for one in processes[target]))
            running.left_behind += await asyncio.to_thread(surroundings.left_behind)


def _settings(folder: Path, collection: Path, database: str, surroundings: Surroundings) -> tuple[int, Settings]:
    """A free port for the model, and the settings of everything else."""
    api, temporal, ui, model = free_ports(4)
    chosen = {
        "TEMPORAL_ADDRESS": "",
        "data_dir": folder / "data",
        "store_url": database,
        "objects_url": "",
        "api_url": "",
        "api_port": api,
        "temporal_port": temporal,
        "temporal_ui_port": ui,
        "collections": {"log": collection},
        "databases": dict(surroundings.databases),
        "mcp_servers": surroundings.servers,
        "package_readmes": False,
        "model": "openai-chat:chaos",
        "model_timeout_seconds": MODEL_SECONDS,
        "open_runs": 5_000,
        "reconcile_seconds": 5.0,
    }
    return model, Settings.model_validate(chosen)


def _postgres(opened: ExitStack) -> Postgres:
    folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True)))
    database = Postgres(folder)
    opened.callback(database.close)
    return database


async def ready(settings: Settings) -> None:
    """Waits until a run would be accepted."""
    async with asyncio.timeout(START_SECONDS), httpx.AsyncClient(base_url=settings.base_url, trust_env=False) as client:
        while True:
            try:
                if (await client.get("/readyz")).is_success:
                    return
            except httpx.TransportError:
                pass  # it has not begun to listen
            await asyncio.sleep(0.1)
