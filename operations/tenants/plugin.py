"""The plugin `tenants`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="tenants",
    description="Tenants as a whole: the deletion of everything that one owns.",
    package="elcano.operations.tenants",
    routes=(".routes:router",),
    commands={"tenants": ".commands:app"},
    stores={"tenants": ".deletion_store:DeletionStore"},
    admission_rules=(".deletion_store:open_rule",),
    companions=(".deletion:delete_in_background",),
)
