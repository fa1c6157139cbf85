"""The plugin `batches`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="batches",
    description="Batches of questions, and tables of entities, under one budget.",
    package="elcano.doors.batches",
    background=(".background:open_background",),
    stores={"batches": ".batch_store:BatchStore"},
    routes=(".routes:router",),
    commands={"batch": ".commands:app"},
)
