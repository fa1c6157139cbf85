"""The plugin `webhooks`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="webhooks",
    description="Signed messages to servers of a tenant's own when its runs end, wait or need approval.",
    package="elcano.doors.webhooks",
    settings=(".settings:WebhookSettings",),
    admission_rules=(".webhook_store:open_rule",),
    archivers=(".webhook_store:note_ended_run",),
    background=(".background:open_background",),
    stores={"webhooks": ".webhook_store:WebhookStore"},
    routes=(".routes:router",),
    commands={"webhooks": ".commands:app"},
)
