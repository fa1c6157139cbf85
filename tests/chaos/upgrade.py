"""Upgrades a service by two releases and takes it back by two while its runs go on, and counts what is lost.

`python -m tests.chaos.upgrade --runs 50` prints the figures. Runs ask a scripted model over HTTP. In each phase one
more run is asked for, so that every combination of programs and tables begins one.
"""

import asyncio
import os
import sys
import tempfile
import time
from asyncio.subprocess import DEVNULL, Process
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import httpx
import typer
from sqlalchemy import create_engine, make_url, text

from elcano.dev.stack import child_environment
from elcano.dev.temporal import server_command
from elcano.settings import Settings
from elcano.storage.ledger import LedgerEntry
from elcano.storage.store import DATABASE_FILE, open_store
from tests.chaos.conftest import PASSAGES
from tests.chaos.programs import ROOT
from tests.chaos.releases.release import CONTRACTED, CURRENT, EXPANDED
from tests.chaos.researcher import Researcher, researching
from tests.unit.dev.test_dev import until
from tests.workflow.test_stack import settings_for

OLD: Final = "tests.rules.plugin:plugin,tests.chaos.impatience:plugin"
NEXT: Final = f"{OLD},tests.chaos.releases.next_release:plugin"
LATER: Final = f"{OLD},tests.chaos.releases.later_release:plugin"
"""The plugins that make a program one of a release."""


class Figures(NamedTuple):
    """What became of the runs."""

    runs: int
    ended: Counter[str]
    """How they ended."""
    calls: int
    """Calls that were completed."""
    repeated: int
    """Calls that were completed more than once."""
    attempts: int
    """Attempts that did not complete: of workers that were stopped."""
    placed: int
    """Artifacts of which programs of the new releases said where they were made."""
    seconds: float


class Service:
    """Temporal, and programs of several releases on one store."""

    def __init__(self, settings: Settings, environment: dict[str, str]) -> None:
        self.settings = settings
        self._environment = {**child_environment(settings), "PYTHONPATH": str(ROOT), **environment}
        self._client = httpx.AsyncClient(base_url=settings.base_url, timeout=60)
        self.runs: list[str] = []

    @asynccontextmanager
    async def temporal(self) -> AsyncIterator[None]:
        """The server, which listens once this is entered; what it is asked through is closed with it."""
        self.settings.data_dir.mkdir(parents=True, exist_ok=True)
        server = await self._start(*server_command(self.settings), release=OLD)
        try:
            await until(lambda: _listens(self.settings.temporal_port))
            yield
        finally:
            await self._client.aclose()
            await stop(server)

    async def start(self, module: str, release: str) -> Process:
        """Start a program of a release."""
        return await self._start(sys.executable, "-P", "-m", module, release=release)

    async def _start(self, *command: str, release: str) -> Process:
        log = (self.settings.data_dir / "programs.log").open("ab")
        environment = {**self._environment, "ELCANO_PLUGINS": release}
        with log:
            return await asyncio.create_subprocess_exec(
                *command, cwd=ROOT, env=environment, stdin=DEVNULL, stdout=log, stderr=log
            )

    async def run_to_end(self, module: str, release: str, *arguments: str) -> None:
        """Run a program of a release, which has to succeed."""
        program = await self._start(sys.executable, "-P", "-m", module, *arguments, release=release)
        assert await program.wait() == 0, (self.settings.data_dir / "programs.log").read_text()[-2_000:]

    async def wait_ready(self) -> None:
        """Return once a run would be accepted."""
        async with asyncio.timeout(120):
            while True:
                with suppress(httpx.TransportError):
                    if (await self._client.get("/readyz")).is_success:
                        return
                await asyncio.sleep(0.2)

    async def ask(self, number: int) -> None:
        """Ask for as many runs."""
        for _ in range(number):
            question = f"Which harbour froze in winter {len(self.runs)}?"
            answer = await self._client.post("/v1/runs", json={"question": question, "mode": "iterative"})
            assert answer.status_code == 201, answer.text
            self.runs.append(answer.json()["run_id"])

    async def statuses(self) -> Counter[str]:
        """How many runs stand how."""
        found = [(await self._client.get(f"/v1/runs/{run_id}")).json()["status"] for run_id in self.runs]
        return Counter(found)

    def revision(self) -> str:
        """The version of the tables."""
        return str(self._scalar("SELECT version_num FROM alembic_version"))

    def count_placed(self) -> int:
        """Artifacts whose place is known."""
        return int(str(self._scalar("SELECT count(*) FROM artifacts WHERE place <> ''")))

    def move_data(self) -> None:
        """Say of artifacts where they were made that programs of the old release wrote."""
        self._scalar("UPDATE artifacts SET place = 'moved' WHERE place = '' RETURNING 1")

    def _scalar(self, statement: str) -> object:
        told = self.settings.store_url or f"sqlite:///{self.settings.data_dir / DATABASE_FILE}"
        url = make_url(told)
        engine = create_engine(url if url.drivername == "sqlite" else url.set(drivername="postgresql+psycopg"))
        with engine.begin() as connection:
            found = connection.execute(text(statement)).first()
        engine.dispose()
        return None if found is None else found[0]


async def stop(program: Process) -> None:
    """Have a program end as on a deployment."""
    with suppress(ProcessLookupError):
        program.terminate()
    await program.wait()


async def _listens(port: int) -> bool:
    with suppress(OSError):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        return True
    return False


async def upgrade_under_load(settings: Settings, environment: dict[str, str], runs: int) -> Figures:
    """Upgrade by two releases and go back by two, with `runs` runs going and one more begun in each phase."""
    began = time.monotonic()
    service = Service(settings, environment)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(service.temporal())

        async def start(module: str, release: str) -> Process:
            program = await service.start(module, release)
            stack.push_async_callback(stop, program)
            return program

        old_api, old_worker = await start("elcano.api", OLD), await start("elcano.worker", OLD)
        await service.wait_ready()
        await service.ask(runs)
        # Expand: the first program of the next release migrates; those of the old one work on, and are started anew.
        next_worker = await start("elcano.worker", NEXT)
        await until(lambda: service.revision() == EXPANDED)
        await service.ask(1)
        await stop(old_worker)
        old_worker = await start("elcano.worker", OLD)
        await stop(old_api)
        old_api = await start("elcano.api", OLD)
        await service.wait_ready()
        await service.ask(1)
        # Migrate: no program of the old release is left that writes rows without the column.
        await stop(old_api)
        next_api = await start("elcano.api", NEXT)
        await stop(old_worker)
        service.move_data()
        await service.wait_ready()
        await service.ask(1)
        # Contract.
        later_worker = await start("elcano.worker", LATER)
        await until(lambda: service.revision() == CONTRACTED)
        await service.ask(1)
        refused = await service.start("elcano.worker", OLD)
        assert await refused.wait() == 2
        # And back: programs of the next release work with the contracted tables, then these go back too.
        await stop(next_worker)
        next_worker = await start("elcano.worker", NEXT)
        await stop(later_worker)
        await service.run_to_end("tests.chaos.releases", LATER, "--to", EXPANDED)
        placed = service.count_placed()
        await service.ask(1)
        old_worker = await start("elcano.worker", OLD)
        await stop(next_api)
        old_api = await start("elcano.api", OLD)
        await stop(next_worker)
        await service.run_to_end("tests.chaos.releases", NEXT, "--to", CURRENT)
        assert service.revision() == CURRENT
        await service.wait_ready()
        await service.ask(1)
        ended = await service.statuses()
        while ended["running"]:
            await asyncio.sleep(1)
            ended = await service.statuses()
    lines = await _read_ledgers(settings, service.runs)
    calls = Counter((line.run_id, line.step, line.node, line.item) for line in lines if line.outcome == "completed")
    return Figures(
        runs=len(service.runs),
        ended=ended,
        calls=len(calls),
        repeated=sum(1 for count in calls.values() if count > 1),
        attempts=sum(1 for line in lines if line.outcome != "completed"),
        placed=placed,
        seconds=time.monotonic() - began,
    )


async def _read_ledgers(settings: Settings, runs: list[str]) -> list[LedgerEntry]:
    async with open_store(settings.data_dir, database=settings.store_url) as store:
        return [line for run_id in runs for line in await store.of("default").ledger.entries(run_id, branches=True)]


@asynccontextmanager
async def load_settings(folder: Path, delay: float) -> AsyncIterator[tuple[Settings, dict[str, str]]]:
    """Settings and environment of a service whose model takes `delay` seconds for each answer."""
    documents = folder / "documents"
    documents.mkdir()
    for name, passage in PASSAGES.items():
        (documents / name).write_text(passage, encoding="utf-8")
    with researching(Researcher(delay=delay)) as provider:
        changed = {"collections": {"log": documents}, "package_readmes": False, "model": "openai-chat:gpt-4o"}
        settings = settings_for(folder / "data").model_copy(update={**changed, "shutdown_seconds": 5.0})
        yield settings, {"OPENAI_BASE_URL": provider.url, "OPENAI_API_KEY": "scripted"}


def main(
    runs: Annotated[int, typer.Option(min=1, help="Runs that go on meanwhile.")] = 50,
    delay: Annotated[float, typer.Option(help="Seconds that each answer of the model takes.")] = 2.0,
    store: Annotated[str, typer.Option(help="The URL of an empty PostgreSQL database; empty: a SQLite file.")] = "",
) -> None:
    """Upgrade and go back while runs go on, and print what became of them."""

    async def measure(folder: Path) -> Figures:
        async with load_settings(folder, delay) as (settings, environment):
            chosen = settings.model_copy(update={"store_url": store, "open_runs": runs + 20})
            return await upgrade_under_load(chosen, environment, runs)

    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(measure(Path(folder)))
    typer.echo("\n".join(f"{name}: {value}" for name, value in figures._asdict().items()))
    raise typer.Exit(0 if figures.ended == {"completed": figures.runs} and not figures.repeated else 1)


if __name__ == "__main__":
    os.chdir(ROOT)
    typer.run(main)
