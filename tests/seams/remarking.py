"""`python -m tests.seams.remarking FOLDER`: leaves a remark with a run, over HTTP, in a checkout that knows remarks.

Prints what was answered, how a second one is refused, and what was told.
"""

import asyncio
import gc
import sys
import time
from pathlib import Path

from temporalio.client import Client
from temporalio.worker import Worker

from elcano import testing
from elcano.api.app import create_app
from elcano.graphs.frozen import JsonObject
from elcano.settings.settings import Settings
from elcano.storage.store import open_store
from elcano.testing.activities import scripted_activities
from elcano.testing.script import Script
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner
from tests.api.serving import speaking


async def main(folder: Path) -> None:
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def waits(given: JsonObject) -> None:
        reached.set()
        await go_on.wait()

    script = Script(complete_in=1)
    script.watching = waits
    async with testing.temporal_environment(folder) as environment, open_store(folder) as store:

        async def client() -> Client:
            return environment.client

        worker = Worker(
            environment.client,
            task_queue="remarks",
            workflows=[ResearchWorkflow],
            activities=scripted_activities(script),
            workflow_runner=workflow_runner(),
        )
        app = create_app(Settings(_env_file=None, data_dir=folder), store=store, client=client, task_queue="remarks")
        async with worker, speaking(app) as api:
            run_id = (await api.post("/v1/runs", json={"question": "What is it?"})).json()["run_id"]
            await reached.wait()
            first = await api.post(f"/v1/runs/{run_id}/remark", json={"text": "Fish!"})
            second = await api.post(f"/v1/runs/{run_id}/remark", json={"text": "Fish?"})
            go_on.set()
            await environment.client.get_workflow_handle(run_id).result()
        told = next(event for event in script.archived[0].events if "Remark" in event.message)
        print(first.json().get("characters", first.text), second.status_code, told.type, told.message)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
    gc.collect()
    time.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it
