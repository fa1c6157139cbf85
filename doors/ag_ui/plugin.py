"""The plugin `ag_ui`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="ag_ui",
    description="Runs as the events of AG-UI, for front ends of agents that speak it.",
    package="elcano.doors.ag_ui",
    routes=(".routes:router",),
)
