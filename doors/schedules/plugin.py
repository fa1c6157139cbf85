"""The plugin `schedules`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="schedules",
    description="Runs that start by themselves: by cron expressions or calendars in any time zone.",
    package="elcano.doors.schedules",
    needs=("edits",),
    settings=(".settings:ScheduleSettings",),
    background=(".background:open_background",),
    stores={"schedules": ".temporal_schedules:ScheduleOwner"},
    routes=(".routes:router",),
    commands={"schedules": ".commands:app"},
)
