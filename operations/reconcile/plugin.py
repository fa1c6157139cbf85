"""The plugin `reconcile`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="reconcile",
    description="A comparison of the store, the objects and Temporal after a restore, which mends what differs.",
    package="elcano.operations.reconcile",
    needs=("quotas",),
    stores={"reconcile": ".row_store:RowStore"},
    commands={"reconcile": ".commands:compare_after_restore"},
)
