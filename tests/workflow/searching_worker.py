"""A worker of one source as a process of its own: it asks a service on loopback once for each search."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from elcano.activities.background_work import run_workers
from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.http.fetching import Service
from elcano.activities.sources.registry import Sources
from elcano.graphs.catalogue.sources import SourceLimits, SourcePolicy, SourceSpec
from elcano.service.temporal.connection import connect_when_ready
from elcano.settings.settings import Settings
from elcano.storage.store import open_configured
from elcano.worker import source_workers
from tests.sources import found

ROOT = Path(__file__).parents[2]
WORKING = b"working\n"


def counted(name: str, per_second: float) -> SourceSpec:
    """The source, as the workers and the workflows of a test know it."""
    return SourceSpec(
        name=name,
        kind="articles",
        description="A service that counts.",
        limits=SourceLimits(per_second=per_second, side_by_side=8),
        policy=SourcePolicy(attempts=4, queue_seconds=600),
    )


class Counted:
    """A search is one request."""

    def __init__(self, spec: SourceSpec, url: str, settings: Settings) -> None:
        self.spec = spec
        self._service = Service(spec.name, url, settings.model_copy(update={"service_urls": {spec.name: url}}))

    async def search(self, query: str, limit: int) -> SearchResults:
        await self._service.get("search", {"q": query})
        return found(self.spec.name, query)

    async def close(self) -> None:
        await self._service.close()


@asynccontextmanager
async def searching(count: int, settings: Settings, spec: SourceSpec, url: str) -> AsyncIterator[list[int]]:
    """So many processes that search `spec`; gives their ids."""
    async with AsyncExitStack() as stack:
        processes = []
        for _ in range(count):
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "tests.workflow.searching_worker", spec.model_dump_json(), url),
                cwd=ROOT,
                env=settings.environment(),
                stdout=asyncio.subprocess.PIPE,
            )
            stack.push_async_callback(process.wait)
            stack.callback(process.kill)
            processes.append(process)
        for process in processes:
            assert process.stdout is not None
            assert await process.stdout.readline() == WORKING
        yield [process.pid for process in processes]


async def main(spec: SourceSpec, url: str) -> None:
    settings = Settings(_env_file=None)
    async with open_configured(settings) as store:
        client = await connect_when_ready(settings)
        sources = Sources({spec.name: Counted(spec, url, settings)})
        workers = source_workers(client, store, sources, settings)
        sys.stdout.buffer.write(WORKING)
        sys.stdout.buffer.flush()
        await run_workers(workers)


if __name__ == "__main__":
    asyncio.run(main(SourceSpec.model_validate_json(sys.argv[1]), sys.argv[2]))
