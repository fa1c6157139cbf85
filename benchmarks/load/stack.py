"""The measured stack: PostgreSQL, a Temporal server, a model, workers and APIs, each a program of its own."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
import psutil
import psycopg

from benchmarks.load.corpus import COLLECTION, write_documents
from benchmarks.server import postgresql
from elcano.dev.child import Child, start_guard
from elcano.dev.claims import claim_folder, free_ports
from elcano.dev.stack import child_environment
from elcano.dev.temporal import server_command
from elcano.settings.settings import Settings

ROOT: Final = Path(__file__).parents[2]
START_SECONDS: Final = 180.0
STOP_SECONDS: Final = 30.0
SPARE_RUNS: Final = 100
"""So many more runs than are asked for at once may be open."""


@dataclass(frozen=True)
class Size:
    """How many programs there are, and what the model is."""

    workers: int
    apis: int
    at_once: int
    model_seconds: float
    seed: int
    variables: Mapping[str, str] = field(default_factory=dict)
    """Further variables of all programs."""


@dataclass(frozen=True)
class Measured:
    """A running stack."""

    settings: Settings
    database: str
    """The URL of PostgreSQL."""
    programs: Mapping[str, Sequence[psutil.Process]]
    """By kind: worker, api, temporal, postgres, model."""
    children: Sequence[Child]
    base_urls: Sequence[str]
    """Of the APIs."""
    metrics_url: str
    """Where the Temporal server says what it was asked."""
    model_url: str

    def list_deaths(self) -> list[str]:
        """Programs that ended by themselves."""
        return [f"{child.name} ended {child.deaths} times: {child.log}" for child in self.children if child.deaths]


@asynccontextmanager
async def start_stack(folder: Path, size: Size) -> AsyncIterator[Measured]:
    """Start everything in `folder`; yields when every API would accept a run."""
    documents = folder / "documents"
    documents.mkdir(parents=True)
    for name, text in write_documents(size.seed):
        (documents / name).write_text(text, encoding="utf-8")
    temporal, ui, metrics, model, *api_ports = free_ports(4 + size.apis)
    with ExitStack() as opened:
        database = opened.enter_context(postgresql())
        settings = _choose_settings(folder, documents, database, size, temporal, ui)
        lock = opened.enter_context(claim_folder(settings.data_dir, {}, patience=5.0))
        guard = opened.enter_context(start_guard(grace=5.0, lock=lock))
        shared = {
            "ELCANO_PLUGINS": "benchmarks.load.statement_counter:plugin",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{model}/v1",
            "OPENAI_API_KEY": "scripted-key",
            "PYTHONPATH": str(ROOT),
            **size.variables,
        }

        def child(name: str, command: Sequence[str], port: int = 0) -> Child:
            chosen = settings.model_copy(update={"api_port": port}) if port else settings
            log = folder / "logs" / f"{name}.log"
            return Child(name, command, child_environment(chosen) | shared, log=log, guard=guard, say=lambda _: None)

        python = (sys.executable, "-m")
        server = child("temporal", [*server_command(settings), "--metrics-port", str(metrics)])
        answering = child(
            "model", [*python, "benchmarks.load.model_server", str(model), str(size.model_seconds), str(size.seed)]
        )
        workers = [child(f"worker-{number}", [*python, "elcano.worker"]) for number in range(size.workers)]
        apis = [child(f"api-{number}", [*python, "elcano.api"], port) for number, port in enumerate(api_ports)]
        children = [server, answering, *workers, *apis]
        try:
            for one in children:
                await one.start()
            base_urls = [f"http://127.0.0.1:{port}" for port in api_ports]
            await asyncio.gather(*(_wait_until_ready(url, children) for url in base_urls))
            yield Measured(
                settings=settings,
                database=database,
                programs={
                    "worker": _processes(workers),
                    "api": _processes(apis),
                    "temporal": _processes([server]),
                    "postgres": [await asyncio.to_thread(find_postmaster, database)],
                    "model": _processes([answering]),
                },
                children=children,
                base_urls=base_urls,
                metrics_url=f"http://127.0.0.1:{metrics}/metrics",
                model_url=f"http://127.0.0.1:{model}",
            )
        finally:
            for several in (apis, workers, [answering, server]):
                await asyncio.gather(*(one.stop(STOP_SECONDS) for one in several))


def _choose_settings(folder: Path, documents: Path, database: str, size: Size, temporal: int, ui: int) -> Settings:
    return Settings.model_validate(
        {
            "TEMPORAL_ADDRESS": "",
            "data_dir": folder / "data",
            "store_url": database,
            "objects_url": "",
            "api_url": "",
            "temporal_port": temporal,
            "temporal_ui_port": ui,
            "collections": {COLLECTION: documents},
            "package_readmes": False,
            "model": "openai-chat:scripted",
            "open_runs": size.at_once + SPARE_RUNS,
            "log_level": "warning",
        }
    )


def _processes(children: Sequence[Child]) -> list[psutil.Process]:
    return [psutil.Process(child.pid) for child in children]


def find_postmaster(url: str) -> psutil.Process:
    """The server that all processes of PostgreSQL are children of."""
    with psycopg.connect(url) as connection:
        (pid,) = connection.execute("SELECT pg_backend_pid()").fetchone() or (0,)
        parent = psutil.Process(pid).parent()
    if parent is None:
        raise RuntimeError("the server of PostgreSQL was not found")
    return parent


async def _wait_until_ready(base_url: str, children: Sequence[Child]) -> None:
    async with asyncio.timeout(START_SECONDS), httpx.AsyncClient(base_url=base_url, trust_env=False) as client:
        while True:
            if dead := next((child for child in children if child.deaths), None):
                raise RuntimeError(f"{dead.name} ended while it started: {dead.last_words()}")
            try:
                if (await client.get("/readyz")).is_success:
                    return
            except httpx.TransportError:
                pass  # it does not listen yet
            await asyncio.sleep(0.2)
