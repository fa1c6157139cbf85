"""`python -m tests.seams.remarking FOLDER`: leaves a remark with a run, in a checkout that knows remarks.

Prints what the command says, how a second one is refused over HTTP, what was told, and what the command's help says.
"""

import asyncio
import gc
import os
import sys
import time
from pathlib import Path

import httpx
from temporalio.worker import Worker

from elcano import testing
from elcano.api.app import create_app
from elcano.graphs.frozen import JsonObject
from elcano.settings.settings import Settings
from elcano.storage.store import open_store
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner
from tests.api.serving import connecting, serving


async def main(folder: Path) -> None:
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def waits(given: JsonObject) -> None:
        reached.set()
        await go_on.wait()

    script = Script(complete_in=1)
    script.watching = waits
    async with testing.temporal_environment(folder) as environment, open_store(folder) as store:
        worker = Worker(
            environment.client,
            task_queue="remarks",
            workflows=[ResearchWorkflow],
            activities=scripted_activities(script),
            workflow_runner=workflow_runner(),
        )
        app = create_app(
            Settings(_env_file=None, data_dir=folder),
            store=store,
            client=connecting(environment.client),
            task_queue="remarks",
        )
        async with worker, serving(app) as address, httpx.AsyncClient(base_url=address, timeout=60) as api:
            run_id = (await api.post("/v1/runs", json={"question": "What is it?"})).json()["run_id"]
            await reached.wait()
            said = await run_command(address, "remark", run_id, "Fish!")
            second = await api.post(f"/v1/runs/{run_id}/remark", json={"text": "Fish?"})
            go_on.set()
            await environment.client.get_workflow_handle(run_id).result()
            listed = await run_command(address, "--help")
        told = next((event for event in script.archived[0].events if "Remark" in event.message), None)
        assert told is not None, f"no event has the remark; the run answered: {said}{second.text}"
        print(said.removeprefix(run_id).strip())  # noqa: T201
        print(second.status_code, told.type, told.message)  # noqa: T201
        print(*(line.strip() for line in listed.splitlines() if line.strip().startswith("remark")))  # noqa: T201


async def run_command(address: str, *arguments: str) -> str:
    """What `elcano` prints, which asks the API at this address."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "elcano",
        *arguments,
        env={**os.environ, "ELCANO_API_URL": address},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    return said.decode()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
    gc.collect()
    time.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it
