"""The plugin `edits`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="edits",
    description="Changes of finished reports: by words, or to bring them up to date.",
    package="elcano.doors.edits",
    agents=(".editor:AGENT", ".updater:AGENT"),
    reducers=(".updater:REDUCERS",),
    routes=(".routes:router",),
    commands={"edit": ".commands:edit_report", "update": ".commands:update_report"},
)
