"""The plugin `exports`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="exports",
    description="A run's report for Word, as a PDF or for LaTeX, its evidence as tables, everything in one archive.",
    package="elcano.doors.exports",
    needs=("certificates", "documents"),
    routes=(".routes:router",),
    commands={"export": ".commands:export_run"},
)
