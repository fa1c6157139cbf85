"""The plugin `edits`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="edits",
    description="Changes of finished reports by words: shorter, for other readers, in another language.",
    package="elcano.plugins.edits",
    agents=(".editor:AGENT",),
    routes=(".routes:router",),
    commands={"edit": ".commands:edit"},
)
