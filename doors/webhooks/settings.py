"""The settings of the plugin."""

from pydantic import BaseModel, ConfigDict, Field

from elcano.settings.plugins import read_plugin_settings


class WebhookSettings(BaseModel):
    """Whether webhooks are sent, where they may go, and how long they are tried."""

    model_config = ConfigDict(frozen=True)

    webhooks: bool = Field(
        default=False,
        description="Whether webhooks are sent when runs end, wait or need approval (see `docs/automation.md`). Set it "
        "alike for the API and all workers.",
    )
    webhook_private_hosts: tuple[str, ...] = Field(
        default=(),
        description="Hosts in private networks that webhooks may be sent to, with the port unless it is 80 or 443, as "
        'JSON: `["hooks.example.org:8080"]`. Every other private address is refused.',
    )
    webhook_days: float = Field(
        default=3.0,
        gt=0,
        le=30,
        description="For how many days a message is tried. An endpoint that took nothing for most of that time is "
        "switched off.",
    )


def read_webhook_settings() -> WebhookSettings:
    """Read the settings of this process."""
    return read_plugin_settings(WebhookSettings)
