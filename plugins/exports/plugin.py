"""The plugin `exports`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="exports",
    description="A run's report as a Word document or a PDF, its evidence as tables, and everything in one archive.",
    package="elcano.plugins.exports",
    needs=("certificates",),
    routes=(".routes:router",),
    commands={"export": ".commands:export"},
)
